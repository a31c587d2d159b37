"""The pages of OAuth apps and of what one granted to apps."""

import re

import pytest
import requests
from playwright.sync_api import expect

from retinue.portal.oauth.forms import PERMISSIONS, SCOPES
from tests.conftest import ONE_DATABASE
from tests.oauth.protocol import post_form
from tests.portal.conftest import Arrive
from tests.portal.reader import Fields, Reader, redirect
from tests.portal.test_xss import HARMFUL
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"
FORM: Fields = {
    "name": "Time tracker",
    "kind": "secret",
    "redirect_uris": "https://example.com/callback\nhttp://localhost/back",
    "access": "some",
    "scopes": ["agents:read"],
}


def create(reader: Reader, **fields: str | list[str]) -> tuple[str, str]:
    """Create an app with the form; returns its path and its secret."""
    answer = reader.post("/apps", {**FORM, **fields})
    assert answer.status_code == 200, answer.text
    secret = re.search(r'id="new-secret"[^>]*>(acs_[\w-]+)<', answer.text)
    path = re.search(r'class="button primary" href="(/apps/\d+)"', answer.text)
    assert secret
    assert path
    return path[1], secret[1]


def act(reader: Reader, path: str, secret: str) -> requests.Response:
    """Ask for a token by the app's own secret."""
    client_id = re.search(r"app_[0-9a-f]{32}", reader.get(path).text)
    assert client_id
    body = {"grant_type": "client_credentials", "client_id": client_id[0], "client_secret": secret}
    return post_form(reader.server, "token", body)


def test_every_scope_is_in_one_area() -> None:
    scopes = [one.scope for area in PERMISSIONS.values() for one in area]
    assert sorted(scopes) == sorted(SCOPES)
    acting = {one.scope for area in PERMISSIONS.values() for one in area if one.acts}
    assert acting == {scope for scope, meaning in SCOPES.items() if "messages" in meaning}


def test_an_app_is_made_changed_and_deleted(reader: Reader) -> None:
    assert "Let others use your program" in reader.get("/apps").text
    path, secret = create(reader)
    assert act(reader, path, secret).status_code == 200
    page = reader.get(path).text
    assert secret not in page + reader.get("/apps").text
    assert "https://example.com/callback" in page
    assert "http://localhost/back" in page
    assert "see your agents" in page
    answer = reader.post(f"{path}/rotate").text
    renewed = re.search(r'id="new-secret"[^>]*>(acs_[\w-]+)<', answer)
    assert renewed
    assert act(reader, path, secret).status_code == 401
    assert act(reader, path, renewed[1]).status_code == 200
    changed = {**FORM, "name": NASTY, "access": "all", "redirect_uris": ""}
    assert redirect(reader.post(f"{path}/edit", changed)) == path
    assert "do everything" in reader.get(path).text
    assert NASTY not in reader.get(path).text + reader.get("/apps").text + reader.get(f"{path}/edit").text
    assert redirect(reader.post(f"{path}/delete")) == "/apps"
    assert reader.get(path).status_code == 404


def test_a_public_app_has_no_secret(reader: Reader) -> None:
    path = redirect(reader.post("/apps", {**FORM, "kind": "public"}))
    assert "New secret" not in reader.get(path).text
    assert reader.post(f"{path}/rotate").status_code == 400


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    wrong = {"name": "kept", "redirect_uris": "http://example.com/", "access": "some"}
    answer = reader.post("/apps", wrong)
    assert answer.status_code == 400
    assert 'id="problem-redirect_uris"' in answer.text
    assert 'id="problem-scopes"' in answer.text
    assert 'value="kept"' in answer.text
    assert "http://example.com/</textarea>" in answer.text


def test_a_grant_is_seen_and_revoked(reader: Reader) -> None:
    assert "No app acts for you" in reader.get("/apps/grants").text
    path, secret = create(reader, name=NASTY)
    token = act(reader, path, secret).json()["access_token"]
    data(Client(reader.server, token).get("/agents"))
    page = reader.get("/apps/grants").text
    assert "see your agents" in page
    assert "Not recently" not in page
    assert NASTY not in page
    revoke = re.search(r'action="(/apps/grants/\d+/revoke)"', page)
    assert revoke
    assert redirect(reader.post(revoke[1])) == "/apps/grants"
    assert "No app acts for you" in reader.get("/apps/grants").text
    assert reader.post("/apps/grants/999999/revoke").status_code == 404


def test_apps_and_grants_of_others_are_not_there(reader: Reader, stranger: Client) -> None:
    body = {"name": "Of a stranger", "scopes": ["agents:read"]}
    app = data(stranger.post("/oauth/apps", body), 201)
    own = {"grant_type": "client_credentials", "client_id": app["client_id"], "client_secret": app["client_secret"]}
    assert post_form(reader.server, "token", own).status_code == 200
    (grant,) = data(stranger.get("/oauth/grants"))
    assert "Of a stranger" not in reader.get("/apps").text + reader.get("/apps/grants").text
    path = f"/apps/{app['id']}"
    assert reader.get(path).status_code == reader.get(f"{path}/edit").status_code == 404
    for verb in ("edit", "rotate", "delete"):
        assert reader.post(f"{path}/{verb}", FORM).status_code == 404, verb
    assert reader.post(f"/apps/grants/{grant['id']}/revoke").status_code == 404
    assert data(stranger.get("/oauth/grants")) == [grant]


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/apps")
    page.get_by_role("link", name="New app").first.click()
    page.get_by_role("textbox", name="Name").fill(NASTY)
    page.get_by_label("See your agents").check()
    page.get_by_role("button", name="Create app").click()
    secret = page.locator("#new-secret").inner_text()
    visitor.check_accessibility()
    page.get_by_role("link", name="I have copied it").click()
    visitor.check_accessibility()
    assert page.evaluate(HARMFUL) == 0
    assert act(reader, page.url.removeprefix(reader.server.url), secret).status_code == 200
    page = visitor.open("/apps/grants")
    visitor.check_accessibility()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("dialog")).to_contain_text(NASTY)
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No app acts for you")).to_be_visible()
