"""What every page has: a session, security headers, a defence against other sites, and errors for people."""

import re

import pytest

from retinue.auth.sessions.browser import COOKIE
from retinue.portal.access import HEADERS
from retinue.portal.routes import GROUPS
from tests.conftest import ONE_DATABASE, NewUser, StartServer, User
from tests.portal.conftest import PAGES
from tests.portal.reader import Reader, reader_of, redirect, title
from tests.support.client import data, statuses_until_limited
from tests.support.server import Server

PRIVATE = [declared for group in GROUPS for declared in group.declared if not declared.public]
_INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=|javascript:", re.IGNORECASE)


def example(path: str) -> str:
    """The path with ids in place of its parameters."""
    return re.sub(r"\{[a-z_]+\}", "1", path)


@pytest.mark.either_database
@ONE_DATABASE
def test_without_a_session_every_page_leads_to_the_sign_in(passer_by: Reader) -> None:
    for declared in PRIVATE:
        method, path = declared.method, example(declared.path)
        answer = passer_by.get(path) if method == "GET" else passer_by.post(path)
        assert redirect(answer).startswith("/sign-in"), path
        part = passer_by.ask(method, path, {"HX-Request": "true"})
        assert (part.status_code, part.headers["HX-Retarget"]) == (401, "#problems"), path
        assert 'href="/sign-in"' in part.text
        script = passer_by.ask(method, path, {"Accept": "*/*"})
        assert script.status_code == 401, path
        assert script.json()["error"]["code"] == "auth_required"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_other_sites_change_nothing(reader: Reader, headers: dict[str, str]) -> None:
    changes = [declared for group in GROUPS for declared in group.declared if declared.method != "GET"]
    assert len(changes) > 15
    for declared in changes:
        answer = reader.post(example(declared.path), headers=headers)
        assert answer.status_code == 403, (declared.path, answer.text)
        assert "another site" in answer.text
    assert reader.get("/overview").status_code == 200


@pytest.mark.either_database
@pytest.mark.parametrize("path", [*PAGES, "/sign-in", "/sign-in/link?token=x"])
def test_every_page_has_the_headers_and_nothing_inline(reader: Reader, path: str) -> None:
    if path.startswith("/sign-in"):
        reader.session.cookies.clear()
    answer = reader.get(path)
    assert answer.status_code == 200
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert not _INLINE.search(answer.text), _INLINE.search(answer.text)


def test_the_policy_is_strict() -> None:
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert {policy[name] for name in ("object-src", "base-uri", "frame-ancestors")} == {"'none'"}
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_a_session_that_was_revoked_ends_here_as_well(reader: Reader) -> None:
    assert reader.get("/overview").status_code == 200
    assert redirect(reader.post("/sign-out")) == "/sign-in"
    assert COOKIE not in reader.session.cookies


def test_pages_take_nothing_from_the_minute_of_a_small_plan(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_RATE_LIMITS="on")
    reader = reader_of(new_user(server, "free"))
    for _ in range(12):
        assert title(reader.get("/overview")) == "Overview"
    reader.close()


def test_credentials_can_be_revoked_when_the_limit_is_used_up(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_RATE_LIMITS="on")
    user = new_user(server, "free")
    reader = reader_of(user)
    (key,) = data(user.client().get("/keys"))
    statuses_until_limited(lambda: reader.post("/settings/profile", {"name": "Ada"}))
    assert reader.post(f"/keys/{key['id']}/revoke").status_code == 303
    assert redirect(reader.post("/sign-out")) == "/sign-in"
    reader.close()


def test_text_with_nul_and_numbers_that_are_too_long_are_refused(reader: Reader) -> None:
    for query in ("a%00", "%%0000"):
        assert reader.get(f"/knowledge/workspace?q={query}").status_code == 200
    assert reader.post("/settings/profile", {"name": "a\0"}).status_code == 400
    assert reader.get(f"/playground?agent={'9' * 5000}").status_code == 200
    agent = {"agent_name": "a", "agent_role": "leader", "voice_engine": "hibari", "fleet_id": "9" * 5000}
    assert reader.post("/agents", agent).status_code == 400


def test_a_page_after_the_last_leads_to_the_last(reader: Reader) -> None:
    reader.post("/knowledge", {"title": "Almanac", "text": "The moon orbits the earth.", "source": ""})
    assert redirect(reader.get("/knowledge/workspace?q=&page=7")) == "/knowledge/workspace?q=&page=1"
    assert redirect(reader.get("/knowledge/live?page=2")) == "/knowledge/live?page=1"


def test_anothers_cookie_name_is_no_session(server: Server, user: User) -> None:
    reader = Reader(server)
    for token in ("", "sess_", "sess_" + "A" * 43, server.new_key(user.email)):
        reader.session.cookies.set(COOKIE, token)
        assert redirect(reader.get("/overview")) == "/sign-in?next=/overview"
    reader.close()


def test_an_address_without_a_page_gets_one_for_browsers_and_json_for_programs(
    passer_by: Reader, reader: Reader
) -> None:
    for path in ("/nowhere", "/keys/7/nothing", "/docs/missing"):
        for visitor in (passer_by, reader):
            answer = visitor.get(path)
            assert (answer.status_code, "Page not found" in answer.text) == (404, True), path
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert ('href="/webhooks"' in answer.text) == (visitor is reader), "only who is signed in has the menu"
        assert passer_by.ask("GET", path, {}).json()["error"]["code"] == "resource_not_found"
    assert passer_by.get("/api/v1/nothing").json()["error"]["code"] == "auth_required"
    assert passer_by.get("/<script>alert(1)</script>").text.count("<script>alert") == 0
