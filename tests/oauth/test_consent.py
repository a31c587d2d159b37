"""The consent page and its security, and metadata, apps and registration."""

import pytest
import requests

from retinue.language import translation
from tests.auth.signing_in import give_password
from tests.conftest import StartServer, User
from tests.oauth.protocol import CALLBACK, SCOPES, Browser, Pkce, answer_of, create_app, refused_as, tokens_of
from tests.support.client import Client, data, fetch, refuse
from tests.support.server import Server

HOSTILE = """<script>alert(1)</script>"><img src=x onerror=alert(1)>{{7*7}}"""


def test_the_page_is_safe_whatever_an_app_is_called(user: User) -> None:
    owner = give_password(user.server, user.email)
    app, browser = create_app(owner, name=HOSTILE), Browser(user.server)
    page = browser.open(app, Pkce(), state=HOSTILE)
    signed_in = browser.sign_in(page, user.email)
    for shown in (page, signed_in):
        assert shown.status_code == 200
        assert "<script" not in shown.text
        assert "<img" not in shown.text
        assert "{{7*7}}" in shown.text
        policy = shown.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "form-action" not in policy  # It would forbid the redirects that follow at the app.
        assert shown.headers["Cache-Control"] == "no-store"
    assert "usage:read" in signed_in.text
    assert answer_of(browser.submit(signed_in, decision="allow"))["state"] == HOSTILE
    owner.close()


def test_the_session_is_in_a_cookie_that_scripts_cannot_read(user: User) -> None:
    owner = give_password(user.server, user.email)
    browser = Browser(user.server)
    answer = browser.submit(
        browser.open(create_app(owner), Pkce()), email=user.email, password="correct horse battery staple"
    )
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("retinue_session=sess_")
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    owner.close()


def test_the_page_is_in_the_language_of_the_reader(user: User) -> None:
    owner = give_password(user.server, user.email)
    app, browser = create_app(owner), Browser(user.server)
    assert '<html lang="en">' in browser.open(app, Pkce()).text
    browser.session.headers["Accept-Language"] = "de-AT,de;q=0.9,en;q=0.5"
    assert '<html lang="de">' in browser.open(app, Pkce()).text
    browser.session.cookies.set(translation.LANGUAGE_COOKIE, "fr")
    page = browser.open(app, Pkce())
    assert '<html lang="fr">' in page.text
    assert '<html lang="fr">' in browser.sign_in(page, user.email).text
    owner.close()


def test_a_wrong_password_is_told_on_the_page(user: User) -> None:
    owner = give_password(user.server, user.email)
    browser = Browser(user.server)
    page = browser.sign_in(browser.open(create_app(owner), Pkce()), user.email, "a wrong password")
    assert page.status_code == 200
    assert "is wrong" in page.text
    assert "Set-Cookie" not in page.headers
    owner.close()


def test_a_decision_needs_the_page_of_this_session(user: User) -> None:
    owner = give_password(user.server, user.email)
    app, browser = create_app(owner), Browser(user.server)
    page = browser.sign_in(browser.open(app, Pkce()), user.email)
    assert "ended" in browser.submit(page, decision="allow", csrf="0" * 64).text
    assert browser.submit(page, {"Sec-Fetch-Site": "cross-site"}, decision="allow").status_code == 400
    foreign = {"Sec-Fetch-Site": "", "Origin": "https://evil.example"}
    assert browser.submit(page, foreign, decision="allow").status_code == 400
    assert answer_of(browser.submit(page, decision="deny"))["error"] == "access_denied"
    assert data(owner.get("/oauth/grants")) == []
    owner.close()


def test_the_metadata_describes_the_server(server: Server) -> None:
    known = fetch(server, "/.well-known/oauth-authorization-server").json()
    assert known["issuer"] == server.url
    assert known["token_endpoint"] == f"{server.url}/oauth/token"
    assert known["code_challenge_methods_supported"] == ["S256"]
    assert "registration_endpoint" not in known
    resource = fetch(server, "/.well-known/oauth-protected-resource").json()
    assert resource["resource"] == f"{server.url}/api/v1"
    assert resource["authorization_servers"] == [server.url]


def test_clients_register_themselves_where_they_may(start_server: StartServer) -> None:
    server = start_server(RETINUE_OAUTH_REGISTRATION="open")
    address = fetch(server, "/.well-known/oauth-authorization-server").json()["registration_endpoint"]
    wanted = {
        "client_name": "Desktop",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none",
    }
    made = requests.post(address, json=wanted, timeout=60)
    assert made.status_code == 201, made.text
    client = made.json()
    assert "client_secret" not in client
    assert "*" not in client["scope"].split()
    page = Browser(server).open({"client_id": client["client_id"]}, Pkce(), redirect_uri="http://127.0.0.1:9/callback")
    assert page.status_code == 200
    for wrong, code in (
        ({**wanted, "redirect_uris": ["http://example.com/"]}, "invalid_redirect_uri"),
        ({**wanted, "redirect_uris": []}, "invalid_redirect_uri"),
        ({**wanted, "scope": "*"}, "invalid_client_metadata"),
        ({**wanted, "client_name": ""}, "invalid_client_metadata"),
        ([], "invalid_client_metadata"),
    ):
        refused_as(requests.post(address, json=wrong, timeout=60), code)


def test_registration_is_closed_by_default(server: Server) -> None:
    refused_as(requests.post(f"{server.url}/oauth/register", json={}, timeout=60), "access_denied", 403)


def test_apps_are_records_of_their_user(client: Client, sandbox: Client, stranger: Client) -> None:
    app = create_app(client)
    assert app["client_secret"].startswith("acs_")
    shown = {name: value for name, value in app.items() if name != "client_secret"}
    assert data(client.get(f"/oauth/apps/{app['id']}")) == shown
    assert data(client.get("/oauth/apps")) == [shown]
    changed = data(client.put(f"/oauth/apps/{app['id']}", {"name": "New", "scopes": ["chat:write"]}))
    assert (changed["name"], changed["scopes"], changed["redirect_uris"]) == ("New", ["chat:write"], [CALLBACK])
    newer = data(client.post(f"/oauth/apps/{app['id']}/rotate"))
    refused_as(_credentials(client, app), "invalid_client", 401)
    assert tokens_of(client.server, newer, {"grant_type": "client_credentials"})["scope"] == "chat:write"
    for other in (stranger, sandbox):
        refuse(other.get(f"/oauth/apps/{app['id']}"), 404)
        refuse(other.delete(f"/oauth/apps/{app['id']}"), 404)
        assert data(other.get("/oauth/apps")) == []
    refuse(sandbox.post("/oauth/apps", {"name": "a", "scopes": SCOPES}), 403, "live")


def _credentials(client: Client, app: dict[str, str]) -> requests.Response:
    form = {"grant_type": "client_credentials"}
    auth = app["client_id"], app["client_secret"]
    return requests.post(f"{client.server.url}/oauth/token", data=form, auth=auth, timeout=60)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"redirect_uris": ["http://example.com/"]}, "https://"),
        ({"redirect_uris": ["https://example.com/#part"]}, "fragment"),
        ({"redirect_uris": ["https://user@example.com/"]}, "user"),
        ({"redirect_uris": ["nonsense"]}, "host"),
        ({"redirect_uris": ["https://пример.рф/callback"]}, "Punycode"),
        ({"redirect_uris": ["https://example.com;script-src */callback"]}, "other characters"),
        ({"redirect_uris": ["https://example.com;script-src/callback"]}, "other characters"),
        ({"scopes": ["everything"]}, "everything"),
        ({"scopes": []}, "scopes"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
    ],
)
def test_invalid_apps_are_refused(client: Client, fields: dict[str, object], word: str) -> None:
    refuse(client.post("/oauth/apps", {"name": "a", "scopes": SCOPES, **fields}), 400, word)
