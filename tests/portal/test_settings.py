"""The settings: name, password, second factor, sessions."""

import re

import pytest

from tests.auth.signing_in import PASSWORD
from tests.auth.test_second_factor import present_code
from tests.conftest import ONE_DATABASE, User
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"
OTHER_PASSWORD = "another battery staple horse"
_SECRET = re.compile(r'id="totp-secret"[^>]*>([A-Z2-7]+)<')
_CODES = re.compile(r'id="recovery-codes"[^>]*>([^<]+)<')
_REVOKE = re.compile(r'action="(/settings/sessions/\d+/revoke)"')


def start(reader: Reader) -> str:
    """Begin to turn the second factor on; returns the secret."""
    answer = reader.post("/settings/second-factor", {"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    found = _SECRET.search(answer.text)
    assert found, answer.text
    assert "<path" in answer.text
    return found[1]


def codes_of(page: str) -> list[str]:
    """The recovery codes that a page shows."""
    found = _CODES.search(page)
    assert found, page
    return found[1].split()


def turn_on(reader: Reader) -> tuple[str, list[str]]:
    """Turn the second factor on; returns its secret and the recovery codes."""
    secret = start(reader)
    answer = reader.post("/settings/second-factor/confirm", {"secret": secret, "code": present_code(secret, -1)})
    assert answer.status_code == 200, answer.text
    return secret, codes_of(answer.text)


def test_the_name_is_saved_as_text(reader: Reader) -> None:
    assert redirect(reader.post("/settings/profile", {"name": NASTY})) == "/settings"
    page = reader.get("/settings").text
    assert NASTY not in page
    assert "&lt;img src=x" in page
    answer = reader.post("/settings/profile", {"name": "x" * 101})
    assert answer.status_code == 400
    assert 'id="problem-name"' in answer.text
    assert "x" * 101 in answer.text


def test_a_new_password_ends_the_other_sessions(user: User, reader: Reader) -> None:
    other = reader_of(user)
    fresh = Reader(user.server)
    changed = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD, "again": OTHER_PASSWORD}
    assert redirect(other.post("/settings/password", changed)) == "/settings"
    assert other.get("/settings").status_code == 200
    assert fresh.post("/sign-in", {"email": user.email, "password": PASSWORD}).status_code == 401
    answer = fresh.post("/sign-in", {"email": user.email, "password": OTHER_PASSWORD, "next": "/settings"})
    assert redirect(answer) == "/settings"
    for one in (other, fresh):
        one.close()


def test_somebody_without_a_password_sets_one(user: User) -> None:
    reader = Reader(user.server)
    link = user.server.ask("users.link", email=user.email)
    assert redirect(reader.post("/sign-in/link", {"token": link, "keep": "yes"})) == "/start"
    page = reader.get("/settings").text
    assert "Set password" in page
    assert 'name="current_password"' not in page
    assert 'name="password"' not in reader.get("/settings/second-factor").text
    answer = reader.post("/settings/password", {"new_password": PASSWORD, "again": PASSWORD})
    assert redirect(answer) == "/settings"
    assert "Change password" in reader.get("/settings").text
    reader.close()


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"current_password": "not this one"}, "current_password"),
        ({"current_password": ""}, "current_password"),
        ({"new_password": "short", "again": "short"}, "new_password"),
        ({"again": "something else entirely"}, "again"),
    ],
)
def test_a_password_is_refused_beside_its_field(reader: Reader, fields: dict[str, str], wrong: str) -> None:
    form = {"current_password": PASSWORD, "new_password": OTHER_PASSWORD, "again": OTHER_PASSWORD, **fields}
    answer = reader.post("/settings/password", form)
    assert answer.status_code == 400
    assert f'id="problem-{wrong}"' in answer.text
    assert OTHER_PASSWORD not in answer.text
    assert reader.get("/settings").status_code == 200


def test_the_second_factor_is_turned_on_renewed_and_turned_off(reader: Reader) -> None:
    secret, codes = turn_on(reader)
    page = reader.get("/settings").text
    assert "10 recovery codes left" in page
    assert codes[0] not in page + reader.get("/settings/second-factor").text
    answer = reader.post("/settings/second-factor/renew", {"password": PASSWORD, "code": codes[0]})
    renewed = codes_of(answer.text)
    assert set(renewed).isdisjoint(codes)
    old = reader.post("/settings/second-factor/disable", {"password": PASSWORD, "code": codes[1]})
    assert old.status_code == 400
    assert 'id="problem-code"' in old.text
    answer = reader.post("/settings/second-factor/disable", {"password": PASSWORD, "code": renewed[0]})
    assert redirect(answer) == "/settings"
    assert "Turn on" in reader.get("/settings").text
    assert secret


def test_a_mistyped_code_keeps_the_qr_code(reader: Reader) -> None:
    secret = start(reader)
    answer = reader.post("/settings/second-factor/confirm", {"secret": secret, "code": "abcdef"})
    assert answer.status_code == 400
    assert 'id="problem-code"' in answer.text
    assert secret in answer.text
    answer = reader.post("/settings/second-factor/confirm", {"secret": secret, "code": present_code(secret)})
    assert len(codes_of(answer.text)) == 10


@pytest.mark.parametrize("secret", ["", NASTY, "A" * 65, "é" * 8])
def test_a_secret_that_is_none_is_not_drawn(reader: Reader, secret: str) -> None:
    answer = reader.post("/settings/second-factor/confirm", {"secret": secret, "code": "000000"})
    assert answer.status_code == 400
    assert NASTY not in answer.text
    assert 'class="qr"' not in answer.text


@pytest.mark.parametrize("verb", ["", "/renew", "/disable"])
def test_a_wrong_password_protects_the_second_factor(reader: Reader, verb: str) -> None:
    code = "000000"
    if verb:
        _, (code, *_) = turn_on(reader)
    answer = reader.post(f"/settings/second-factor{verb}", {"password": "not this one", "code": code})
    assert answer.status_code == 400
    assert answer.text.count('id="problem-password"') == 1
    assert "is wrong" in answer.text


def test_sessions_are_seen_and_ended(user: User, reader: Reader) -> None:
    other = Reader(user.server)
    other.session.headers["User-Agent"] = f"{NASTY} (X11; Linux x86_64) Firefox/140.0"
    other.post("/sign-in", {"email": user.email, "password": PASSWORD})
    assert other.get("/settings").status_code == 200
    page = reader.get("/settings").text
    assert "Firefox on Linux" in page
    assert NASTY not in page
    (revoke,) = _REVOKE.findall(page)
    assert redirect(reader.post(revoke)) == "/settings"
    assert "Firefox on Linux" not in reader.get("/settings").text
    assert reader.post(revoke).status_code == 404
    other.post("/sign-in", {"email": user.email, "password": PASSWORD})
    assert redirect(reader.post("/settings/sessions/revoke-others")) == "/settings"
    assert "1 other session ended." in reader.get("/settings").text
    other.close()


def test_sessions_of_others_are_not_there(reader: Reader, user: User) -> None:
    other = reader_of(User(user.server, user.server.new_user()))
    session = data(Client(user.server, other.token).get("/sessions"))[0]["id"]
    assert reader.post(f"/settings/sessions/{session}/revoke").status_code == 404
    assert other.get("/settings").status_code == 200
    other.close()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_from_the_qr_code_to_signing_in_with_a_code(user: User, reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/settings")
    page.get_by_role("link", name="Turn on").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("img", name="QR code").wait_for()
    visitor.check_accessibility()
    secret = page.locator("#totp-secret").inner_text()
    page.get_by_role("textbox", name="Code").fill("12")
    page.keyboard.press("Enter")
    page.locator("#problem-code").wait_for()
    page.get_by_role("textbox", name="Code").fill(present_code(secret, -1))
    page.keyboard.press("Enter")
    codes = page.locator("#recovery-codes").inner_text().split()
    assert len(codes) == 10
    visitor.check_accessibility()
    page.get_by_role("link", name="I have kept them").click()
    page.get_by_text("You have 10 recovery codes left.").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    page.get_by_label("E-mail").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("textbox", name="Code").fill(present_code(secret))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/overview")
    visitor.open("/settings/second-factor")
    visitor.check_accessibility()
