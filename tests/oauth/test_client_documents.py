"""Clients whose identifier is the URL of a document that describes them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import HTTPServer
from ipaddress import ip_network
from typing import Any

import orjson
import pytest

from retinue.auth.caller import SCOPES
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.core.database.interface import Database, Tx
from retinue.core.network.http_client import AddressGuard
from retinue.oauth import client_documents
from retinue.oauth.authorization import add_grant
from retinue.oauth.client_documents import KEPT, ClientDocuments, check_url, fetch_through
from retinue.oauth.clients import Clients, identifier_of
from retinue.oauth.errors import OAuthError, UntrustedClient
from retinue.oauth.limits import PER_MINUTE, RequestLimit
from retinue.oauth.registration import Registration
from tests.support.http_server import QuietHandler, running

URL = "https://claude.example.com/oauth/client.json"
DOCUMENT = {"client_id": URL, "client_name": "Claude", "redirect_uris": ["https://claude.example.com/callback"]}


class _Counted:
    """A rate limiter that allows `PER_MINUTE` requests in all."""

    def __init__(self) -> None:
        self.count = 0
        self.retry_after = 60
        self.allowed = True

    async def hit(self, key: str, limit: int) -> "_Counted":
        self.count += 1
        self.allowed = self.count <= limit
        return self


class Publisher:
    """Publishes one document, and counts how often it is fetched."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.fetched = 0

    async def fetch(self, url: str) -> bytes:
        self.fetched += 1
        await asyncio.sleep(0)
        return orjson.dumps(self.document) if isinstance(self.document, dict) else self.document


def documents(database: Database, publisher: Publisher, *, is_open: bool = True) -> ClientDocuments:
    """Return the documents of a database, fetched from a publisher."""
    limit = RequestLimit(_Counted().hit, refuse=True)
    return ClientDocuments(database, Clients(database), Registration(database, is_open), limit, publisher.fetch)


async def test_a_document_describes_a_public_client(database: Database) -> None:
    publisher = Publisher({**DOCUMENT, "scope": "agents:read offline_access"})
    found = await documents(database, publisher).find_client(URL, "192.0.2.1")
    assert found is not None
    assert (found.name, found.redirect_uris, found.scopes) == ("Claude", DOCUMENT["redirect_uris"], ["agents:read"])
    assert (found.secret_hash, found.user_id, identifier_of(found)) == (None, None, URL)
    assert (await Clients(database).authenticate(None, {"client_id": URL})).id == found.id
    with pytest.raises(OAuthError, match="secret"):
        await Clients(database).authenticate(None, {"client_id": URL, "client_secret": "acs_guess"})


async def test_a_document_is_fetched_again_when_it_is_old(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = Publisher(dict(DOCUMENT))
    known = documents(database, publisher)
    first = await known.find_client(URL, "192.0.2.1")
    assert first is not None
    assert set(first.scopes) == SCOPES - {"*"}
    publisher.document = {**DOCUMENT, "redirect_uris": ["https://claude.example.com/new"]}
    assert await known.find_client(URL, "192.0.2.1") == first
    assert publisher.fetched == 1
    later = first.updated_at + KEPT + timedelta(seconds=1)
    monkeypatch.setattr(client_documents, "now", lambda: later)
    second = await known.find_client(URL, "192.0.2.1")
    assert second is not None
    assert (second.id, second.redirect_uris) == (first.id, ["https://claude.example.com/new"])
    assert publisher.fetched == 2


async def test_two_requests_at_once_store_one_client(database: Database) -> None:
    known = documents(database, Publisher(DOCUMENT))
    found = await asyncio.gather(*(known.find_client(URL, "192.0.2.1") for _ in range(5)))
    assert len({one.id for one in found if one}) == 1


async def test_only_where_clients_may_register_themselves(database: Database) -> None:
    publisher = Publisher(DOCUMENT)
    assert await documents(database, publisher, is_open=False).find_client(URL, "192.0.2.1") is None
    assert publisher.fetched == 0


async def test_fetches_are_limited(database: Database) -> None:
    known = documents(database, Publisher(b"no JSON"))
    for _ in range(PER_MINUTE):
        with pytest.raises(UntrustedClient):
            await known.find_client(URL, "192.0.2.1")
    with pytest.raises(OAuthError, match="Too many"):
        await known.find_client(URL, "192.0.2.1")


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (b"<html>", "not JSON"),
        ({**DOCUMENT, "client_id": "https://claude.example.com/other"}, "its own URL"),
        ({**DOCUMENT, "redirect_uris": []}, "redirect_uris"),
        ({**DOCUMENT, "redirect_uris": ["javascript:alert(1)"]}, "redirect_uris"),
        ({**DOCUMENT, "token_endpoint_auth_method": "client_secret_basic"}, "must be none"),
        ({**DOCUMENT, "client_secret": "secret"}, "must be none"),
        ({**DOCUMENT, "client_name": "Retinue"}, "client_name"),
    ],
    ids=str,
)
async def test_wrong_documents(database: Database, document: Any, problem: str) -> None:
    with pytest.raises(UntrustedClient, match=problem):
        await documents(database, Publisher(document)).find_client(URL, "192.0.2.1")
    assert await Clients(database).find(URL) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com", "https://example.com/", "https://user@example.com/a", "https://example.com/a#b",
        "https://example.com/../a", "https:///a", "https://[::1/a", "https://example.com:port/a",
        f"https://example.com/{'a' * 500}", "https://exämple.com/a",
    ],
)  # fmt: skip
def test_urls_that_identify_no_client(url: str) -> None:
    with pytest.raises(UntrustedClient):
        check_url(url)


async def test_a_described_client_keeps_its_grants(database: Database) -> None:
    known = documents(database, Publisher(DOCUMENT))
    user = await Users(database, Plans.load()).create("a@example.com")
    app = await known.find_client(URL, "192.0.2.1")
    assert app is not None

    async def allow(tx: Tx) -> int:
        return await add_grant(tx, app.id, user.id, "code", ["agents:read"])

    await database.transact(allow)
    found = await known.find_client(URL, "192.0.2.1")
    assert found is not None
    assert found.id == app.id


class _Handler(QuietHandler):
    def do_GET(self) -> None:
        status, body = {"/ok": (200, b"{}"), "/large": (200, b" " * 20_000), "/moved": (302, b"")}.get(
            self.path, (404, b"")
        )
        self.respond(body, {"Location": "/ok"} if status == 302 else {}, status)


@contextmanager
def publishing() -> Iterator[str]:
    """A host that publishes documents on this machine."""
    with running(HTTPServer(("127.0.0.1", 0), _Handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


async def test_documents_are_fetched_through_the_guard() -> None:
    with publishing() as host:
        fetch = fetch_through(AddressGuard([ip_network("127.0.0.0/8")]))
        assert await fetch(f"{host}/ok") == b"{}"
        for path, problem in (("/large", "larger than"), ("/moved", "status 302"), ("/none", "status 404")):
            with pytest.raises(UntrustedClient, match=problem):
                await fetch(host + path)
        with pytest.raises(UntrustedClient, match="not a public address"):
            await fetch_through(AddressGuard())(f"{host}/ok")
