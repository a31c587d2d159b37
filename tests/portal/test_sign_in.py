"""Signing in by password, second factor and link; the cookie; signing out."""

from functools import partial
from http.cookies import SimpleCookie

import pytest
import requests

from retinue.auth.sessions.browser import COOKIE, SECURE_COOKIE
from tests.auth.signing_in import PASSWORD, give_password
from tests.auth.test_second_factor import set_up
from tests.conftest import StartServer, User
from tests.portal.reader import Reader, reader_of, redirect, title
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database


def cookie_of(response: requests.Response, name: str = COOKIE) -> str:
    """The attributes of the session's cookie, as they were sent."""
    (found,) = [line for line in response.raw.headers.getlist("Set-Cookie") if line.startswith(f"{name}=")]
    return str(found)


def test_a_link_signs_in_with_a_new_password_and_works_once(server: Server, user: User) -> None:
    reader, token = Reader(server), server.ask("users.link", email=user.email)
    page = reader.get(f"/sign-in/link?token={token}")
    assert title(page) == "Welcome"
    assert title(reader.get(f"/sign-in/link?token={token}")) == "Welcome"
    answer = reader.post("/sign-in/link", {"token": token, "password": "short"})
    assert answer.status_code == 400
    assert "password" in answer.text
    answer = reader.post("/sign-in/link", {"token": token, "password": PASSWORD})
    assert redirect(answer) == "/start"
    assert "What do you want to do?" in reader.get("/start").text
    again = Reader(server).post("/sign-in/link", {"token": token, "password": PASSWORD})
    assert again.status_code == 401
    assert "retinue users link" in again.text
    reader.close()


def test_a_link_may_leave_the_password_as_it_is(server: Server, user: User) -> None:
    give_password(server, user.email).close()
    reader, token = Reader(server), server.ask("users.link", email=user.email)
    assert redirect(reader.post("/sign-in/link", {"token": token, "password": "", "keep": "yes"}))
    reader.close()
    reader = Reader(server)
    assert redirect(reader.post("/sign-in", {"email": user.email, "password": PASSWORD})) == "/overview"
    reader.close()


def answers(client: Client, status: int) -> bool:
    """Return whether the client gets this status."""
    return client.get("/agents").status_code == status


def test_a_reset_revokes_access_unless_the_box_is_unticked(server: Server, user: User) -> None:
    key = user.client()
    data(key.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    for fields, status in (({}, 200), ({"revoke_access": "yes"}, 401)):
        reader, token = Reader(server), server.ask("users.reset", email=user.email)
        page = reader.get(f"/sign-in/link?token={token}").text
        assert 'name="revoke_access" value="yes" checked' in page
        answer = reader.post("/sign-in/link", {"token": token, "password": PASSWORD, **fields})
        assert redirect(answer) == "/settings/access"
        left = reader.get("/settings/access").text
        assert "https://example.com/hook" in left
        assert ("No key can act for you" in left) == (status == 401)
        eventually(partial(answers, key, status), within=1.0)
        reader.close()
    page = Reader(server).get(f"/sign-in/link?token={server.ask('users.link', email=user.email)}").text
    assert "revoke_access" not in page


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Server, user: User) -> None:
    give_password(server, user.email).close()
    reader = Reader(server)
    answer = reader.post("/sign-in", {"email": user.email, "password": PASSWORD})
    cookie = SimpleCookie(cookie_of(answer))[COOKIE]
    assert cookie.value.startswith("sess_")
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "lax"
    assert cookie["path"] == "/"
    assert cookie["secure"] == ""
    assert int(cookie["max-age"]) == 30 * 86_400
    assert "Domain" not in cookie_of(answer)
    assert cookie_of(reader.get("/overview")).startswith(f"{COOKIE}={cookie.value}")
    reader.close()


def test_behind_tls_the_cookie_is_secure(start_server: StartServer) -> None:
    server = start_server(RETINUE_PUBLIC_URL="https://retinue.example")
    reader, token = Reader(server), server.first_link.partition("token=")[2].partition(" ")[0]
    headers = {"Origin": "https://retinue.example"}
    answer = reader.post("/sign-in/link", {"token": token, "password": PASSWORD}, headers=headers)
    cookie = SimpleCookie(cookie_of(answer, SECURE_COOKIE))[SECURE_COOKIE]
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
    earlier = f"{COOKIE}={cookie.value}"
    for sent in (earlier, f"{SECURE_COOKIE}={cookie.value}; {COOKIE}=sess_of_another_site"):
        page = Reader(server).get("/overview", headers={"Cookie": sent})
        assert page.status_code == 200
        assert cookie_of(page, SECURE_COOKIE).startswith(f"{SECURE_COOKIE}={cookie.value}")
        assert "Max-Age=0" in cookie_of(page)
    signed_out = reader.post("/sign-out", headers={**headers, "Cookie": f"{SECURE_COOKIE}={cookie.value}"})
    assert "Max-Age=0" in cookie_of(signed_out, SECURE_COOKIE)
    assert "https://retinue.example/api/v1" in Reader(server).get("/sign-in").text
    reader.close()


@pytest.mark.parametrize("fields", [{"password": "a wrong one"}, {"email": "nobody@example.com"}, {"password": ""}])
def test_a_wrong_password_is_refused_and_the_address_stays(server: Server, user: User, fields: dict[str, str]) -> None:
    give_password(server, user.email).close()
    reader = Reader(server)
    sent = {"email": user.email, "password": PASSWORD, "next": "/tools", **fields}
    answer = reader.post("/sign-in", sent)
    assert answer.status_code in (400, 401)
    assert 'role="alert"' in answer.text
    assert f'value="{sent["email"]}"' in answer.text
    assert 'value="/tools"' in answer.text
    assert PASSWORD not in answer.text
    assert reader.token == ""
    reader.close()


def test_the_second_factor_is_asked_for_when_the_password_was_right(server: Server, user: User) -> None:
    session = give_password(server, user.email)
    _, codes = set_up(session)
    reader, right = Reader(server), {"email": user.email, "password": PASSWORD}
    assert 'name="code"' not in reader.get("/sign-in").text
    asked = reader.post("/sign-in", right)
    assert asked.status_code == 401
    assert 'name="code"' in asked.text
    part = reader.post("/sign-in", right, headers={"HX-Request": "true"})
    assert 'name="code"' in part.text
    assert "<form" not in part.text
    wrong = reader.post("/sign-in", {**right, "code": "000000"})
    assert wrong.status_code == 401
    assert 'name="code"' in wrong.text
    assert reader.token == ""
    answer = reader.post("/sign-in", {**right, "code": codes[0]}, headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == "/overview"
    assert title(reader.get("/overview")) == "Overview"
    session.close()
    reader.close()


@pytest.mark.parametrize(
    ("wanted", "goal"),
    [
        ("/tools?page=2", "/tools?page=2"),
        ("https://evil.example/", "/overview"),
        ("//evil.example/", "/overview"),
        ("/\\evil.example", "/overview"),
        ("//[", "/overview"),
        ("javascript:alert(1)", "/overview"),
        ("/a\r\nSet-Cookie: x=1", "/overview"),
        ("", "/overview"),
    ],
)
def test_signing_in_leads_back_but_never_to_another_site(server: Server, user: User, wanted: str, goal: str) -> None:
    give_password(server, user.email).close()
    reader = Reader(server)
    answer = reader.post("/sign-in", {"email": user.email, "password": PASSWORD, "next": wanted})
    assert redirect(answer) == goal
    assert redirect(reader.get("/sign-in", params={"next": wanted})) == goal
    reader.close()


def test_signing_out_ends_the_session_everywhere(user: User) -> None:
    reader = reader_of(user)
    token = reader.token
    assert redirect(reader.post("/sign-out")) == "/sign-in"
    assert reader.token == ""
    assert "You are signed out." in reader.get("/sign-in").text
    assert "You are signed out." not in reader.get("/sign-in").text
    reader.close()
    session = Client(user.server, user.server.new_key(user.email))
    listed = session.get("/sessions")
    assert listed.status_code == 200, listed.text
    assert data(listed) == []
    assert token
    session.close()


def test_the_root_leads_to_the_overview_or_the_sign_in(reader: Reader, passer_by: Reader) -> None:
    assert redirect(reader.get("/")) == "/overview"
    assert redirect(passer_by.get("/")) == "/sign-in"
