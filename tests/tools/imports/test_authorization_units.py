"""The parts of the OAuth client: challenges, discovery, registration, tokens, and one refresh for many processes."""

import asyncio
import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import orjson
import pytest
import sqlalchemy as sa
from multidict import CIMultiDict, CIMultiDictProxy

from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault
from retinue.tools.imports.authorization import statements as sql
from retinue.tools.imports.authorization.bindings import ClientBinding, seal_tokens
from retinue.tools.imports.authorization.challenge import Challenge
from retinue.tools.imports.authorization.discovery import AuthorizationServer, discover
from retinue.tools.imports.authorization.registration import OAuthClient, find_client, given_client
from retinue.tools.imports.authorization.token_endpoint import TokenEndpoint, TokenRefused, Tokens
from retinue.tools.imports.authorization.tokens import SourceTokens, add_requirement
from retinue.tools.imports.client import ImportResponse, OutsideClient
from retinue.tools.imports.tables import sources

Json = dict[str, Any]
MCP = "https://tools.example/team/mcp"
PRM = "https://tools.example/.well-known/oauth-protected-resource/team/mcp"
ISSUER = "https://login.example/tenant"
METADATA: Json = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "registration_endpoint": f"{ISSUER}/register",
    "code_challenge_methods_supported": ["S256"],
}


class FakeHttp:
    """Answers from a list of pages, and keeps what was asked. `answer` replies to a POST."""

    def __init__(
        self, pages: dict[str, Json] | None = None, answer: Callable[[], tuple[int, Any]] | None = None
    ) -> None:
        self.pages, self.answer = pages or {}, answer
        self.asked: list[str] = []
        self.posted: list[tuple[CIMultiDict[str], bytes]] = []

    async def call(self, method: str, address: str, headers: CIMultiDict[str], body: bytes | None) -> ImportResponse:
        """See `OutsideClient`."""
        self.asked.append(address)
        if method == "POST" and self.answer:
            self.posted.append((headers, body or b""))
            status, told = self.answer()
        else:
            status, told = (200, self.pages[address]) if address in self.pages else (404, {})
        return ImportResponse(status, CIMultiDictProxy(CIMultiDict()), orjson.dumps(told), False)


def client_of(http: FakeHttp) -> OutsideClient:
    """The fake in the place of the guarded client."""
    return cast(OutsideClient, http)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            'Bearer resource_metadata="https://a.example/x", scope="read write"',
            ("https://a.example/x", "read write", None),
        ),
        ("Bearer error=invalid_token, scope=read", (None, "read", "invalid_token")),
        ('Basic realm="x", Bearer resource_metadata=https://a.example/x', ("https://a.example/x", None, None)),
        ('Bearer scope="first" scope="second"', (None, "first", None)),
        ("", (None, None, None)),
        ('Bearer scope="never ends', (None, None, None)),
    ],
)
def test_a_challenge_is_read(header: str, expected: tuple[str | None, str | None, str | None]) -> None:
    found = Challenge.of(401, {"WWW-Authenticate": header})
    assert (found.metadata_url, found.scope, found.error) == expected


def test_only_a_refused_scope_is_a_demand_for_more() -> None:
    header = {"WWW-Authenticate": 'Bearer error="insufficient_scope", scope="write"'}
    assert Challenge.of(403, header).needs_scope
    assert not Challenge.of(401, header).needs_scope
    assert not Challenge.of(403, {}).needs_scope


async def discover_from(pages: dict[str, Json], challenge: Challenge | None = None) -> AuthorizationServer:
    """What discovery finds."""
    return await discover(client_of(FakeHttp(pages)), MCP, challenge or Challenge(401))


def resource(**fields: Any) -> Json:
    """The metadata of the MCP server."""
    return {"resource": MCP, "authorization_servers": [ISSUER], **fields}


@pytest.mark.parametrize(
    "place",
    [
        "https://login.example/.well-known/oauth-authorization-server/tenant",
        "https://login.example/.well-known/openid-configuration/tenant",
        f"{ISSUER}/.well-known/openid-configuration",
    ],
)
async def test_the_places_of_metadata(place: str) -> None:
    server = await discover_from({PRM: resource(scopes_supported=["read", "write"]), place: METADATA})
    assert (server.issuer, server.resource, server.scope) == (ISSUER, MCP, "read write")
    assert server.token_endpoint == f"{ISSUER}/token"


async def test_a_server_without_resource_metadata_may_be_its_own_authorization_server() -> None:
    origin = "https://tools.example"
    metadata = {**METADATA, "issuer": origin}
    server = await discover_from({f"{origin}/.well-known/oauth-authorization-server": metadata})
    assert (server.issuer, server.resource, server.scope) == (origin, MCP, None)


async def test_the_scope_of_the_challenge_counts_and_refresh_tokens_are_asked_for() -> None:
    place = "https://login.example/.well-known/oauth-authorization-server/tenant"
    metadata = {**METADATA, "scopes_supported": ["offline_access", "read"]}
    pages = {"https://tools.example/prm": resource(scopes_supported=["read"]), place: metadata}
    server = await discover_from(pages, Challenge(401, "https://tools.example/prm", "write"))
    assert server.scope == "write offline_access"


PLACE = "https://login.example/.well-known/oauth-authorization-server/tenant"


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ({}, "does not say how to get one"),
        ({PRM: resource()}, "has no metadata"),
        ({PRM: resource(resource="https://evil.example/mcp"), PLACE: METADATA}, "for another resource"),
        ({PRM: resource(resource="https://tools.example/te"), PLACE: METADATA}, "for another resource"),
        ({PRM: resource(), PLACE: {**METADATA, "issuer": "https://evil.example"}}, "names another issuer"),
        ({PRM: resource(), PLACE: {**METADATA, "code_challenge_methods_supported": ["plain"]}}, "PKCE"),
        ({PRM: resource(), PLACE: {**METADATA, "token_endpoint": "http://login.example/token"}}, "without TLS"),
        ({PRM: resource(), PLACE: {**METADATA, "authorization_endpoint": "javascript:alert(1)"}}, "invalid address"),
    ],
)
async def test_discovery_refuses_unfit_metadata(pages: dict[str, Json], words: str) -> None:
    with pytest.raises(ValidationFailed, match=words):
        await discover_from(pages)


async def server_with(**fields: Any) -> AuthorizationServer:
    """An authorization server with these metadata."""
    return await discover_from({PRM: resource(), PLACE: {**METADATA, **fields}})


async def test_the_order_of_clients() -> None:
    http, earlier = FakeHttp(answer=lambda: (201, {"client_id": "new"})), OAuthClient("earlier", registered=True)
    documents = await server_with(client_id_metadata_document_supported=True)
    plain = await server_with(token_endpoint_auth_methods_supported=["none"])
    mine = "https://retinue.example"
    assert (await find_client(client_of(http), documents, mine, earlier)).id == f"{mine}/sources/oauth-client.json"
    assert await find_client(client_of(http), documents, "http://localhost:8000", earlier) == earlier
    assert await find_client(client_of(http), plain, mine, earlier) == earlier
    assert await find_client(client_of(http), plain, mine, None) == OAuthClient("new", registered=True)
    (sent,) = http.posted
    wanted = orjson.loads(sent[1])
    assert wanted["redirect_uris"] == [f"{mine}/sources/callback"]
    assert wanted["token_endpoint_auth_method"] == "none"


async def test_a_server_that_registers_nobody_asks_for_a_client() -> None:
    server = await server_with(registration_endpoint=None)
    with pytest.raises(ValidationFailed, match=r"client_id: .*redirect URI https://r.example/sources/callback"):
        await find_client(client_of(FakeHttp()), server, "https://r.example", None)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((400, {"error": "invalid_redirect_uri", "error_description": "Not here"}), ValidationFailed, "Not here"),
        ((503, "down"), Unavailable, "503"),
        ((201, {"client_id": "a", "token_endpoint_auth_method": "private_key_jwt"}), ValidationFailed, "unsupported"),
        (
            (201, {"client_id": "a", "token_endpoint_auth_method": "client_secret_post"}),
            ValidationFailed,
            "unsupported",
        ),
    ],
)
async def test_registrations_that_fail(answer: tuple[int, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        await find_client(client_of(FakeHttp(answer=lambda: answer)), await server_with(), "https://r.example", None)


async def test_how_a_client_authenticates() -> None:
    answer = (200, {"access_token": "a-token", "token_type": "Bearer", "expires_in": 60})
    post = await server_with(token_endpoint_auth_methods_supported=["client_secret_post"])
    for client, header, secret in (
        (given_client("me:", "hu+sh", await server_with()), "me%3A:hu%2Bsh", False),
        (given_client("me:", "hu+sh", post), None, True),
        (given_client("me:", None, post), None, False),
    ):
        http = FakeHttp(answer=lambda: answer)
        await TokenEndpoint("https://x.example/token", client, MCP).refresh(client_of(http), "r-token")
        ((headers, body),) = http.posted
        basic = headers.get("Authorization")
        assert (base64.b64decode(basic.removeprefix("Basic ")).decode() if basic else None) == header
        assert (b"client_secret=" in body) == secret
        assert b"resource=https%3A%2F%2Ftools.example%2Fteam%2Fmcp" in body


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (200, {"token_type": "Bearer"}),
        (200, {"access_token": "a\r\nX: y", "token_type": "Bearer"}),
        (200, {"access_token": "a", "token_type": "mac"}),
        (200, ["a"]),
        (500, {"error": "invalid_grant"}),
        (302, {}),
    ],
)
async def test_answers_without_a_usable_token(status: int, told: Any) -> None:
    endpoint = TokenEndpoint("https://x.example/token", OAuthClient("me"), MCP)
    with pytest.raises(Unavailable):
        await endpoint.exchange(client_of(FakeHttp(answer=lambda: (status, told))), "code", "v", "https://r.example")


async def test_a_refused_grant() -> None:
    endpoint = TokenEndpoint("https://x.example/token", OAuthClient("me"), MCP)
    http = FakeHttp(answer=lambda: (400, {"error": "invalid_grant", "error_description": "Too old"}))
    with pytest.raises(TokenRefused, match="Too old") as caught:
        await endpoint.refresh(client_of(http), "r-token")
    assert caught.value.code == "invalid_grant"


VAULT = Vault(b"k" * 32, "the tests")


class Turnstile(FakeHttp):
    """An authorization server whose refresh tokens work once, and that waits for the test before it answers."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_for = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.valid = "r-0"
        self.number = 0

    async def call(self, method: str, address: str, headers: CIMultiDict[str], body: bytes | None) -> ImportResponse:
        """Refresh."""
        self.asked_for.set()
        await self.may_answer.wait()
        told: Json = {"error": "invalid_grant"}
        if f"refresh_token={self.valid}".encode() in (body or b""):
            self.number += 1
            self.valid = f"r-{self.number}"
            told = {"access_token": f"a-{self.number}", "refresh_token": self.valid, "expires_in": 3600}
        status = 200 if "access_token" in told else 400
        return ImportResponse(status, CIMultiDictProxy(CIMultiDict()), orjson.dumps(told), False)


async def add_expired(database: Database) -> None:
    """Add a source whose access token has ended."""
    binding = ClientBinding(ISSUER, TokenEndpoint(f"{ISSUER}/token", OAuthClient("me"), MCP), "https://r.example", None)
    source = {"id": 1, "account_id": 1, "kind": "mcp", "name": "far", "category": "web", "base_url": MCP, "tools": 1}
    user = {"id": 1, "email": "a@example.com", "plan": "free", "created_at": now()}

    async def write(tx: Tx) -> None:
        await tx.run(Statement(sa.insert(users), list(user)), **user)
        await tx.run(Statement(sa.insert(accounts).values(id=1, user_id=1, sandbox=False)))
        await tx.run(Statement(sa.insert(sources), [*source, "created_at"]), **source, created_at=now())
        await add_requirement(tx, 1, 1, Challenge(401))
        row = await tx.one(sql.GET, source=1, account=1)
        assert row
        sealed = seal_tokens(VAULT, row, binding, Tokens("a-0", "r-0", None, None))
        granted = {"described": binding.describe(), "sealed": sealed, "until": now() - timedelta(seconds=1)}
        await tx.run(sql.GRANT, source=1, account=1, **granted)

    await database.transact(write)


async def test_one_process_refreshes_for_all(database: Database) -> None:
    await add_expired(database)
    http = Turnstile()
    nodes = [SourceTokens(database, VAULT, client_of(http)) for _ in range(3)]
    calls = [asyncio.create_task(node.current(1, 1)) for node in nodes for _ in range(4)]
    await http.asked_for.wait()
    calls[0].cancel()  # the caller gives up, the refresh goes on
    http.may_answer.set()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert {one for one in results if not isinstance(one, asyncio.CancelledError)} == {"a-1"}
    assert http.number == 1
    assert await nodes[0].current(1, 1, rejected="a-0") == "a-1"
    assert await nodes[0].current(1, 1, rejected="a-1") == "a-2"


async def test_a_refused_refresh_asks_for_a_person(database: Database) -> None:
    await add_expired(database)
    http = Turnstile()
    http.may_answer.set()
    http.valid = "another"
    tokens = SourceTokens(database, VAULT, client_of(http))
    assert await tokens.current(1, 1) is None
    row = await database.lookup(sql.GET, source=1, account=1)
    assert row
    assert not row.granted
    assert row.client["client_id"] == "me"


async def test_an_outage_ends_nothing(database: Database) -> None:
    await add_expired(database)
    tokens = SourceTokens(database, VAULT, client_of(FakeHttp(answer=lambda: (503, "down"))))
    with pytest.raises(Unavailable):
        await tokens.current(1, 1)
    row = await database.lookup(sql.GET, source=1, account=1)
    assert row
    assert row.granted
    assert row.refreshing_until is None


async def test_more_scope_is_asked_for_once_the_token_lacks_it(database: Database) -> None:
    await add_expired(database)
    tokens = SourceTokens(database, VAULT, client_of(FakeHttp()))
    await tokens.require(1, 1, Challenge(403, None, "write", "insufficient_scope"), rejected="an older token")
    row = await database.lookup(sql.GET, source=1, account=1)
    assert row
    assert row.granted, "the token has been replaced meanwhile"
    await tokens.require(1, 1, Challenge(403, None, "write", "insufficient_scope"), rejected="a-0")
    row = await database.lookup(sql.GET, source=1, account=1)
    assert row
    assert not row.granted
    assert row.challenge["scope"] == "write"
