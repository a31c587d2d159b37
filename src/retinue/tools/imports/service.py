"""The sources of imported tools of one caller."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from retinue.auth.caller import Caller
from retinue.core.addresses import web_address
from retinue.core.clock import now
from retinue.core.database import Database, Tx, UniqueConflict
from retinue.core.envelope import Page, read_page
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.idempotency import note_effect
from retinue.core.secrets import Vault
from retinue.core.statements import Row
from retinue.tools.catalogue import Catalogue
from retinue.tools.imports import documents, openapi
from retinue.tools.imports import statements as sql
from retinue.tools.imports.base import AnyImported
from retinue.tools.imports.client import OutsideClient
from retinue.tools.imports.credentials import Credential, opened
from retinue.tools.imports.mcp.listing import Listings
from retinue.tools.imports.mcp.sessions import Sessions
from retinue.tools.imports.mcp.tools import tools_of
from retinue.tools.imports.mcp.wire import Endpoint
from retinue.tools.imports.schemas import SourceCreate

MOST_SOURCES = 20
"""Sources of an account."""


@dataclass(frozen=True)
class _Parsed:
    """What a document comes to: where its API is, and its tools by name, as JSON."""

    base_url: str | None
    tools: dict[str, str]


async def check_master_key(database: Database, vault: Vault) -> None:
    """Refuse to start with a master key that the stored credentials were not encrypted with: `MasterKeyWrong`."""
    if kept := await database.lookup(sql.ANY_CREDENTIAL):
        opened(kept.credential, vault, kept.account_id)


class Importer:
    """Reads what is to be imported. It parses one at a time: each takes memory and time in proportion to its size."""

    def __init__(self, client: OutsideClient, sessions: Sessions) -> None:
        self.client = client
        self.sessions = sessions
        self._listings = Listings(sessions)
        self._turn = asyncio.Semaphore(1)

    async def parsed(self, new: SourceCreate, credential: Credential | None) -> _Parsed:
        """The tools of what a request sends or names, parsed on a thread."""
        if new.kind == "mcp":
            return await self._listed(new, str(new.url), credential)
        source = openapi.Source(new.name, new.category, credential.place if credential else ("", ""))
        async with self._turn:
            if new.url is not None:
                raw: bytes | dict[str, Any] = await self.client.fetch(new.url)
            else:
                raw = new.document if isinstance(new.document, dict) else str(new.document).encode()
            return await asyncio.to_thread(_parse, raw, new.url, source)

    async def _listed(self, new: SourceCreate, address: str, credential: Credential | None) -> _Parsed:
        listed = await self._listings.of(Endpoint(address, credential))
        async with self._turn:
            tools = await asyncio.to_thread(tools_of, listed, new.name, new.category)
            return _Parsed(address, _as_json(tools))


@dataclass(frozen=True)
class Sources:
    """Imports, finds and deletes sources. Nothing of another account is ever seen."""

    caller: Caller
    database: Database
    vault: Vault
    catalogue: Catalogue
    importer: Importer

    async def create(self, new: SourceCreate) -> Row:
        """Import a document or a server's tools: all of them are there at once, or none."""
        self._check(new)
        await self._check_room(await self.database.lookup(sql.COUNT, account=self.caller.account_id))
        credential = Credential(**new.credential.model_dump()) if new.credential else None
        parsed = await self.importer.parsed(new, credential)
        fields = {
            "account_id": self.caller.account_id,
            **{name: getattr(new, name) for name in ("kind", "name", "category")},
            "base_url": parsed.base_url if new.kind == "mcp" else self._base_url(new.base_url or parsed.base_url),
            "credential": credential.sealed(self.vault, self.caller.account_id) if credential else None,
            "tools": len(parsed.tools),
        }
        try:
            return await self.database.transact(lambda tx: self._insert(tx, fields, parsed.tools))
        except UniqueConflict as error:
            raise ValidationFailed(f"name: you have a source named {new.name}. Delete it, or take another.") from error

    async def _insert(self, tx: Tx, fields: dict[str, Any], tools: dict[str, str]) -> Row:
        await self._check_room(await tx.one(sql.COUNT, account=self.caller.account_id))
        row = await tx.one(sql.INSERT, **fields, created_at=now())
        assert row is not None  # noqa: S101 - what is inserted is returned
        for name, definition in tools.items():
            await tx.run(
                sql.ADD_TOOL, source_id=row.id, account_id=self.caller.account_id, name=name, definition=definition
            )
        await note_effect(tx, self.caller.claim, {"source": row.id})
        return row

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """One page, newest first, and how many there are in all."""
        account = self.caller.account_id
        count = await self.database.lookup(sql.COUNT, account=account)
        return await read_page(self.database, sql.LIST, page, account=account), count.held if count else 0

    async def get(self, source_id: int) -> Row:
        """One source, or `NotFound`."""
        found = await self.database.lookup(sql.GET, **self._key(source_id))
        if found is None:
            raise _missing(source_id)
        return found

    async def delete(self, source_id: int) -> None:
        """Delete the source and its tools. Agents that have them as skills go on without them."""
        if not await self.database.transact(lambda tx: tx.run(sql.DELETE, **self._key(source_id))):
            raise _missing(source_id)
        self.importer.sessions.forget(source_id)

    def _check(self, new: SourceCreate) -> None:
        if new.kind == "mcp":
            _check_server(new)
        elif (new.url is None) == (new.document is None):
            raise ValidationFailed("Send either url or document.")
        if any(name.startswith(f"{new.name}_") for name in self.catalogue.names()):
            raise ValidationFailed(f"name: tools of the catalogue begin with {new.name}_. Take another name.")

    async def _check_room(self, counted: Row | None) -> None:
        if counted and counted.held >= MOST_SOURCES:
            raise ValidationFailed(f"An account has {MOST_SOURCES} sources at most. Delete one first.")

    def _base_url(self, address: str | None) -> str:
        """The address of the API, as it can be called."""
        if address is None:
            raise ValidationFailed("The document names no server with a whole address. Send base_url.")
        try:
            checked = web_address(address[:2000], "send a credential instead")
        except ValueError as error:
            raise ValidationFailed(f"base_url {error}; the document's server is {address[:200]}.") from error
        if "?" in checked or "#" in checked:
            raise ValidationFailed("base_url may hold neither a query nor a fragment.")
        self.importer.client.check(checked)
        return checked.rstrip("/")

    def _key(self, source_id: int) -> dict[str, int]:
        return {"source": source_id, "account": self.caller.account_id}


def _parse(raw: bytes | dict[str, Any], fetched_from: str | None, source: openapi.Source) -> _Parsed:
    document = raw if isinstance(raw, dict) else documents.read(raw)
    return _Parsed(openapi.base_url(document, fetched_from), _as_json(openapi.tools_of(document, source)))


def _as_json(tools: Iterable[AnyImported]) -> dict[str, str]:
    return {tool.name: orjson.dumps(tool).decode() for tool in tools}


def _check_server(new: SourceCreate) -> None:
    """Refuse what an MCP server is not imported with."""
    if new.url is None or new.document is not None or new.base_url is not None:
        raise ValidationFailed("An MCP server is imported by its url, without document and base_url.")
    if "#" in new.url:
        raise ValidationFailed("url may hold no fragment.")


def _missing(source_id: int) -> NotFound:
    return NotFound(f"There is no source {source_id} among yours.")
