"""What clients send in practice: unknown scopes, private-use schemes, all authentication methods, null members."""

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.auth.signing_in import give_password
from tests.conftest import StartServer
from tests.interop.mcp_clients import connect
from tests.oauth.protocol import CALLBACK, Browser, Pkce, answer_of, create_app, exchange, refused_as, tokens_of
from tests.support.client import Client, data, fetch, refuse
from tests.support.server import Server

CURSOR = "cursor://anysphere.cursor-retrieval/oauth/user-abc/callback"
PRIVATE = (CURSOR, "com.example.app:/oauth", "vscode://vscode.github-authentication/did-authenticate")
FORBIDDEN = (
    "javascript:alert(1)", "JavaScript:alert(1)", "javascript://example.com/%0aalert(1)", "data:text/html,hello",
    "file:///etc/passwd", "vbscript:msgbox(1)", "blob:https://example.com/1", "about:blank", "view-source:https://a.b/",
    "filesystem:https://a.b/temporary/1", "ms-msdt:/id", "search-ms:/query", "intent://a/#Intent", "ftp://example.com/",
    "ws://example.com/", "mailto:/a", "http://example.com/", "com.example.app:oauth#a", "//example.com/", "1a:/b",
)  # fmt: skip
ADDRESSES = {"RETINUE_TRUSTED_PROXIES": "127.0.0.1/32"}


@pytest.fixture(scope="module")
def registrar(new_server: Any) -> Iterator[Server]:
    """A server where clients register themselves. Tests choose their address by `X-Forwarded-For`."""
    server = new_server("sqlite", RETINUE_OAUTH_REGISTRATION="open", **ADDRESSES).start()
    yield server
    server.close()


def register(server: Server, address: str, **fields: Any) -> requests.Response:
    """Register a client from an address."""
    wanted = {"redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none", **fields}
    headers = {"X-Forwarded-For": address}
    return requests.post(f"{server.url}/oauth/register", json=wanted, headers=headers, timeout=60)


def registered(server: Server, address: str, **fields: Any) -> dict[str, Any]:
    """Register a client, and return its registration."""
    response = register(server, address, **fields)
    assert response.status_code == 201, response.text
    client: dict[str, Any] = response.json()
    return client


def test_unknown_scopes_are_dropped(registrar: Server) -> None:
    claude = ["https://claude.ai/api/mcp/auth_callback"]
    made = registered(registrar, "192.0.2.1", redirect_uris=claude, scope="agents:read offline_access openid *")
    assert made["scope"] == "agents:read"
    page = Browser(registrar).open(made, Pkce(), redirect_uri=claude[0], scope="agents:read offline_access *")
    assert page.status_code == 200
    for scope in ("offline_access", "claudeai"):
        assert "agents:read" in registered(registrar, "192.0.2.1", scope=scope)["scope"].split()
        assert "*" not in registered(registrar, "192.0.2.1", scope=scope)["scope"].split()
    for scope in ("*", "agents:raed", "offline_access nope"):
        refused_as(register(registrar, "192.0.2.1", scope=scope), "invalid_client_metadata")
    for path in ("oauth-authorization-server", "oauth-protected-resource"):
        assert "*" not in fetch(registrar, f"/.well-known/{path}").json()["scopes_supported"]


def test_the_requested_method_is_echoed_and_nothing_is_null(registrar: Server) -> None:
    for method in ("none", "client_secret_basic", "client_secret_post"):
        made = registered(registrar, "192.0.2.2", token_endpoint_auth_method=method)
        assert made["token_endpoint_auth_method"] == method
        assert ("client_secret" in made) == (method != "none")
        assert None not in made.values()
    nothing = registered(registrar, "192.0.2.2", token_endpoint_auth_method=None, scope=None, client_name=None)
    assert nothing["token_endpoint_auth_method"] == "client_secret_basic"
    assert None not in nothing.values()


@pytest.mark.either_database
def test_private_schemes_are_for_public_clients(client: Client, registrar: Server) -> None:
    owner = give_password(client.server, data(client.get("/account"))["email"])
    for uri in PRIVATE:
        refuse(
            client.post("/oauth/apps", {"name": "a", "scopes": ["usage:read"], "redirect_uris": [uri]}), 400, "public"
        )
    app = create_app(client, public=True, redirect_uris=list(PRIVATE), scopes=["usage:read"])
    browser, pkce = Browser(client.server), Pkce()
    page = browser.open(app, pkce, redirect_uri=CURSOR)
    page = browser.sign_in(page, data(client.get("/account"))["email"])
    assert "cursor://anysphere.cursor-retrieval" in page.text
    back = browser.submit(page, decision="allow").headers["Location"]
    assert back.startswith(f"{CURSOR}?code=")
    code = back.partition("code=")[2].partition("&")[0]
    assert tokens_of(client.server, app, exchange(code, pkce, redirect_uri=CURSOR))["scope"] == "usage:read"
    assert registered(registrar, "192.0.2.3", redirect_uris=list(PRIVATE))["redirect_uris"] == list(PRIVATE)
    secret = register(
        registrar,
        "192.0.2.3",
        redirect_uris=[CURSOR],
        token_endpoint_auth_method="client_secret_basic",
    )
    refused_as(secret, "invalid_redirect_uri")
    changed = create_app(client, scopes=["usage:read"])
    refuse(client.put(f"/oauth/apps/{changed['id']}", {"redirect_uris": [CURSOR]}), 400, "public")
    owner.close()


@pytest.mark.either_database
@pytest.mark.parametrize("uri", FORBIDDEN)
def test_schemes_that_browsers_execute_are_never_registered(client: Client, registrar: Server, uri: str) -> None:
    wanted = {"name": "a", "scopes": ["usage:read"], "redirect_uris": [uri], "public": True}
    refuse(client.post("/oauth/apps", wanted), 400, "redirect_uris")
    refused_as(register(registrar, "192.0.2.4", redirect_uris=[uri]), "invalid_redirect_uri")


def test_localhost_may_have_any_port(registrar: Server) -> None:
    made = registered(registrar, "192.0.2.5", redirect_uris=["http://localhost:3000/callback", "http://[::1]/callback"])
    for uri in ("http://localhost:49152/callback", "http://[::1]:49152/callback"):
        assert Browser(registrar).open(made, Pkce(), redirect_uri=uri).status_code == 200


def test_an_unverified_client_is_named_so_and_gets_no_redirect_before_a_decision(registrar: Server) -> None:
    made = registered(registrar, "192.0.2.6", client_name="Desktop", redirect_uris=[CALLBACK])
    email = registrar.new_user()
    give_password(registrar, email).close()
    browser = Browser(registrar)
    wrong = browser.open(made, Pkce(), code_challenge_method="plain")
    assert (wrong.status_code, "Location" in wrong.headers) == (400, False)
    assert "S256" in wrong.text
    assert CALLBACK in wrong.text, "the page links to the client"
    page = browser.open(made, Pkce())
    assert "not verified" in page.text
    page = browser.sign_in(page, email)
    assert "Not verified" in page.text
    assert "example.com" in page.text
    wrong = browser.open(made, Pkce(), response_type="token")
    assert (wrong.status_code, "Location" in wrong.headers) == (400, False), "nor with a session"
    assert answer_of(browser.submit(page, decision="deny"))["error"] == "access_denied"


@pytest.mark.either_database
@pytest.mark.parametrize(
    "name", ["Retinue", "retinue Support", "\uff32etinue", "The operator", "a\u202egnp.exe", "a\u0007b", "a\u200bb"]
)
def test_names_that_deceive(client: Client, registrar: Server, name: str) -> None:
    refused_as(register(registrar, "192.0.2.7", client_name=name), "invalid_client_metadata")
    refuse(client.post("/oauth/apps", {"name": name, "scopes": ["usage:read"]}), 400, "name")


@pytest.mark.either_database
def test_names_that_do_not_deceive(registrar: Server) -> None:
    for name in ("Notes for Retinue", "Ада 👩‍🚀", "<b>Operators"):
        assert registered(registrar, "192.0.2.8", client_name=name)["client_name"] == name


def test_an_address_registers_ten_clients_an_hour_that_nobody_uses(registrar: Server) -> None:
    for _ in range(10):
        registered(registrar, "198.51.100.1")
    refused = register(registrar, "198.51.100.1")
    refused_as(refused, "temporarily_unavailable", 429)
    assert int(refused.headers["Retry-After"]) > 0
    registered(registrar, "198.51.100.2")
    long = [f"https://example.com/{number}{'a' * 1900}" for number in range(3)]
    refused_as(register(registrar, "198.51.100.3", redirect_uris=long), "invalid_redirect_uri")


def test_token_requests_count_by_client_and_user(start_server: StartServer) -> None:
    server = start_server(RETINUE_RATE_LIMITS="on")
    owners = [give_password(server, server.new_user()) for _ in range(2)]
    flooding, other = (create_app(owner) for owner in owners)
    form = {
        "grant_type": "client_credentials",
        "client_id": flooding["client_id"],
        "client_secret": flooding["client_secret"],
    }
    with requests.Session() as session:
        answers = [session.post(f"{server.url}/oauth/token", data=form, timeout=60) for _ in range(61)]
    assert [answer.status_code for answer in answers] == [200] * 60 + [429]
    refused_as(answers[-1], "temporarily_unavailable", 429)
    assert int(answers[-1].headers["Retry-After"]) > 0
    tokens_of(server, other, {"grant_type": "client_credentials"})
    for owner in owners:
        owner.close()


def test_decisions_count_by_user(start_server: StartServer) -> None:
    server = start_server(RETINUE_RATE_LIMITS="on")
    email = server.new_user()
    owner, browser = give_password(server, email), Browser(server)
    page = browser.sign_in(browser.open(create_app(owner), Pkce()), email)
    decisions = [browser.submit(page, decision="allow").status_code for _ in range(61)]
    assert decisions == [303] * 60 + [429]
    assert len(data(owner.get("/oauth/grants"))) == 1
    owner.close()


def test_metadata_is_cached_only_if_no_header_chooses_its_addresses(
    start_server: StartServer, registrar: Server
) -> None:
    path = "/.well-known/oauth-authorization-server"
    assert fetch(registrar, path).headers["Cache-Control"] == "no-store"
    fixed = start_server(RETINUE_PUBLIC_URL="https://agents.example.com")
    told = fetch(fixed, path)
    assert told.headers["Cache-Control"] == "max-age=3600"
    assert told.json()["issuer"] == "https://agents.example.com"


class _Memory(TokenStorage):
    """The storage of an MCP client, and the user who consents in a browser."""

    def __init__(self, server: Server, email: str) -> None:
        self.server, self.email = server, email
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        self.asked: dict[str, str] = {}
        self.answer: dict[str, str] = {}

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def open_browser(self, url: str) -> None:
        """Let the user allow the client."""
        self.asked = dict(parse_qsl(urlsplit(url).query))
        await asyncio.to_thread(self._consent)

    def _consent(self) -> None:
        browser = Browser(self.server)
        page = browser.sign_in(browser.open(self.asked, Pkce(), **self.asked), self.email)
        self.answer = answer_of(browser.submit(page, decision="allow"))
        browser.session.close()

    async def wait_for_callback(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**self.answer)


async def test_the_official_mcp_client_registers_and_connects(registrar: Server) -> None:
    email = registrar.new_user()
    await asyncio.to_thread(lambda: give_password(registrar, email).close())
    memory = _Memory(registrar, email)
    wanted = OAuthClientMetadata(client_name="Desktop", redirect_uris=[AnyUrl(CALLBACK)], scope="offline_access")
    provider = OAuthClientProvider(
        f"{registrar.url}/mcp", wanted, memory, memory.open_browser, memory.wait_for_callback
    )
    async with connect(registrar, provider) as official:
        assert [tool.name for tool in (await official.list_tools()).tools] == ["tools_search", "tools_execute"]
    assert memory.tokens is not None
    assert memory.asked["resource"] == f"{registrar.url}/mcp"
    assert memory.tokens.scope == "agents:read agents:write tools:execute tools:read"
    async with connect(registrar, provider, "legacy") as official:
        assert len((await official.list_tools()).tools) == 2
    await asyncio.to_thread(refuse, Client(registrar, memory.tokens.access_token).get("/agents"), 401, "resource")


def test_metadata_offers_documents_of_clients_only_where_they_count(registrar: Server, server: Server) -> None:
    name, path = "client_id_metadata_document_supported", "/.well-known/oauth-authorization-server"
    assert fetch(registrar, path).json()[name] is True
    assert name not in fetch(server, path).json()
