"""Manage one caller's sources of imported tools."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.connections.allowed_addresses import is_within
from retinue.connections.keyring import OpenedConnection
from retinue.connections.redaction import Redaction
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.network.url_checks import web_address
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault
from retinue.files.upload_commit import AccountStorage
from retinue.tools.catalogue.imported_tool import AnyImported, decode
from retinue.tools.execution.connection_arguments import redacting_errors
from retinue.tools.imports import statements as sql
from retinue.tools.imports.account_catalogue import AccountCatalogue
from retinue.tools.imports.authorization import statements as authorizations_sql
from retinue.tools.imports.authorization.challenge import AuthorizationRequired
from retinue.tools.imports.authorization.discovery import discover
from retinue.tools.imports.authorization.tokens import add_requirement
from retinue.tools.imports.credentials import (
    Credential,
    SourceCredentials,
    check_reach,
    open_credential,
    redaction_of,
)
from retinue.tools.imports.limits import AccountLimits, RemainingRoom
from retinue.tools.imports.progress import ActiveImport
from retinue.tools.imports.reader import ParsedSource, SourceReader, SourceRequest
from retinue.tools.imports.refresh_diff import RefreshDiff
from retinue.tools.imports.schemas import Document, SourceCreate, SourceRefresh

_NONE = 0
"""An id that no source has."""


async def check_master_key(database: Database, vault: Vault) -> None:
    """Raise `MasterKeyWrong` at start if the stored credentials were encrypted with another master key."""
    if stored := await database.lookup(sql.ANY_CREDENTIAL):
        open_credential(stored.credential, vault, stored.account_id)


@dataclass(frozen=True)
class Sources:
    """Imports, refreshes, finds and deletes sources of one account only."""

    caller: Caller
    database: Database
    credentials: SourceCredentials
    directory: AccountCatalogue
    importer: SourceReader
    touched: set[int]

    async def create(self, new: SourceCreate) -> Row:
        """Import a document or a server's tools, all of them or none."""
        add = await self.prepare(new)

        async def insert(tx: Tx) -> Row:
            row = await add(tx)
            await note_effect(tx, self.caller.claim, {"source": row.id})
            return row

        try:
            return await self.database.transact(insert)
        except UniqueConflict as error:
            raise ValidationFailed(
                f"name: you already have a source named {new.name}. Delete it, or choose another name."
            ) from error

    async def prepare(self, new: SourceCreate) -> Callable[[Tx], Awaitable[Row]]:
        """Read a source, and return the function that adds it in a transaction."""
        self._check(new)
        usage = await self._storage_use()
        self._limits.check_another(usage)
        account = self.caller.account_id
        connection = await self.credentials.keyring.open(account, "http", new.connection) if new.connection else None
        inline = Credential(**new.credential.model_dump()) if new.credential else None
        parsed, base_url = await self._read(new, self._limits.room(usage), connection, inline)
        return self._prepare_insert(new, parsed, base_url, inline)

    async def reserve(self, new: SourceCreate) -> Callable[[Tx], Awaitable[Row]]:
        """Return the function that adds an MCP server without a connection: its tools come with the first refresh."""
        self._check(new)
        self._limits.check_another(await self._storage_use())
        account, address = self.caller.account_id, str(new.address)
        self.importer.client.check(address)
        connection = await self.credentials.keyring.open(account, "http", new.connection) if new.connection else None
        check_reach(connection, address)
        return self._prepare_insert(new, ParsedSource(None, {}, 0), address)

    def _prepare_insert(
        self, new: SourceCreate, parsed: ParsedSource, base_url: str, inline: Credential | None = None
    ) -> Callable[[Tx], Awaitable[Row]]:
        account = self.caller.account_id
        fields = {
            "account_id": account,
            **{name: getattr(new, name) for name in ("kind", "name", "category", "trust_hints")},
            "base_url": base_url,
            "document_url": None if new.kind == "mcp" else new.url,
            "credential": inline.seal(self.credentials.vault, account) if inline else None,
            "tools": len(parsed.tools),
            "size": parsed.size,
        }
        actor = Actor.of_caller(self.caller)
        return lambda tx: self._insert(tx, fields, new.connection, parsed, actor)

    async def _read(
        self, new: SourceCreate, room: RemainingRoom, connection: OpenedConnection | None, inline: Credential | None
    ) -> tuple[ParsedSource, str]:
        """Return the parsed source, and the address of its API or server. The secret goes to no other address."""
        credential = Credential.of(connection) if connection else inline
        redaction = connection.redaction if connection else redaction_of(inline, new.name)
        account = self.caller.account_id
        source = new.name, new.category, credential, new.address, new.document, new.trust_hints
        request = SourceRequest(account, room, *source)
        with redacting_errors(redaction):
            if new.kind == "mcp":
                base_url = str(new.address)
                check_reach(connection, base_url)
                return await self._list_tools(request, redaction), base_url
            if new.kind == "a2a":
                if new.url:
                    check_reach(connection, new.url)
                parsed = (await self.importer.describe_agent(request)).without(redaction)
            else:
                parsed = await self.importer.describe(request)
        base_url = self._base_url(new.base_url or parsed.base_url)
        if new.kind == "a2a" and credential and new.url:
            _check_origin(new.url, base_url)
        check_reach(connection, base_url)
        return parsed, base_url

    async def _list_tools(self, request: SourceRequest, redaction: Redaction) -> ParsedSource:
        """Return the tools of a new MCP server; none yet if a person must first connect it by OAuth."""
        try:
            return (await self.importer.list_tools(request)).without(redaction)
        except AuthorizationRequired as refusal:
            if request.credential:
                raise
            await discover(self.importer.client, str(request.address), refusal.challenge)
            return ParsedSource(None, {}, 0, refusal.challenge)

    async def _insert(
        self, tx: Tx, fields: dict[str, object], connection: str | None, parsed: ParsedSource, actor: Actor
    ) -> Row:
        used = await self.credentials.keyring.hold(tx, self.caller.account_id, connection) if connection else None
        (row,) = await tx.all(sql.INSERT, **fields, connection_id=used, created_at=now())
        await self._hold(tx, parsed.size)
        await self._add(tx, row.id, parsed.tools)
        if parsed.challenge:
            await add_requirement(tx, row.id, self.caller.account_id, parsed.challenge)
        await audit(tx, actor, "source.created", row.id)
        return await tx.one(sql.GET, **self._key(row.id))

    async def _add(self, tx: Tx, source_id: int, tools: Mapping[str, str]) -> None:
        fields = {"source_id": source_id, "account_id": self.caller.account_id}
        for name, definition in tools.items():
            await tx.run(sql.ADD_TOOL, **fields, name=name, definition=definition)

    async def _hold(self, tx: Tx, more: int) -> None:
        """Count bytes as stored. Raises `ValidationFailed` beyond the plan's quota."""
        stored = await self._storage.hold(tx, more)
        usage = await tx.one(sql.HELD, account=self.caller.account_id, but=_NONE)
        if more > 0:
            self._limits.check(usage)
            self._storage.check_quota(stored)

    async def refresh(self, source_id: int, again: SourceRefresh) -> dict[str, Any]:
        """Read a source again and replace its tools; base address and credential stay.

        Returns the source's fields with the names of the added, changed and removed tools.
        """
        source = await self.database.lookup(sql.STORED, **self._key(source_id))
        if source is None:
            raise _missing(source_id)
        document_url = _document_url(source, again)
        trusted: bool = source.trust_hints if again.trust_hints is None else again.trust_hints
        parsed = await self._read_again(source, document_url, again.document, trusted=trusted)
        fields = {"document_url": document_url, "trusted": trusted, "held": len(parsed.tools), "bytes": parsed.size}
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> dict[str, Any]:
            replaced = await self._replace(tx, source_id, again, fields, parsed)
            await audit(tx, actor, "source.refreshed", source_id)
            return replaced

        return await self.database.transact(write)

    async def _read_again(
        self, source: Row, document_url: str | None, document: Document | None, *, trusted: bool
    ) -> ParsedSource:
        is_server = source.kind == "mcp"
        unsigned = SourceRequest(
            self.caller.account_id,
            self._limits.room(await self._storage_use(source.id)),
            source.name,
            source.category,
            None,
            source.base_url if is_server else document_url,
            document,
            trusted,
            source.id,
            [one.definition for one in await self.database.query(sql.TOOLS_OF, **self._key(source.id))],
        )

        readers = {
            "mcp": self.importer.list_tools,
            "openapi": self.importer.describe,
            "a2a": self.importer.describe_agent,
        }

        async def read(credential: Credential | None, redaction: Redaction) -> ParsedSource:
            request = replace(unsigned, credential=credential)
            with redacting_errors(redaction):
                parsed = await readers[source.kind](request)
            return parsed.without(redaction)

        return await self.credentials.use(source, self.caller.account_id, read)

    async def _replace(
        self, tx: Tx, source_id: int, again: SourceRefresh, fields: Mapping[str, object], parsed: ParsedSource
    ) -> dict[str, Any]:
        """Replace the tools of a source. If any tool changes, all get rows with new ids: see `IDS`."""
        before = await tx.one(sql.LOCK, **self._key(source_id))
        if before is None or await tx.one(sql.REPLACE, **self._key(source_id), **fields) is None:
            raise _missing(source_id)
        if again.trust_hints is None and before.trust_hints != fields["trusted"]:
            raise Unavailable("Another request changed trust_hints of this source at the same time. Try again.")
        await self._hold(tx, parsed.size - before.size)
        earlier = await tx.all(sql.TOOLS_OF, **self._key(source_id))
        changes = RefreshDiff.between({one.name: one.definition for one in earlier}, parsed.tools)
        if changes:
            await tx.run(sql.REMOVE_TOOLS, **self._key(source_id))
            await self._add(tx, source_id, parsed.tools)
        counts = asdict(changes)
        await note_effect(tx, self.caller.claim, {"source": source_id, **counts})
        row = await tx.one(sql.GET, **self._key(source_id))
        assert row is not None  # noqa: S101 - it has just been written
        return {**row._asdict(), **counts}

    async def connect(self, source_id: int, connection: str | None) -> Row:
        """Make calls of the source use a connection of the kind `http` from now on, or no credential."""
        account, source = self.caller.account_id, await self.get(source_id)
        keyring = self.credentials.keyring
        check_reach(await keyring.open(account, "http", connection) if connection else None, source.base_url)
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> Row:
            used = await keyring.hold(tx, account, connection) if connection else None
            if await tx.one(sql.CONNECT, **self._key(source_id), connection=used) is None:
                raise _missing(source_id)
            await tx.run(authorizations_sql.DELETE, **self._key(source_id))
            await audit(tx, actor, "source.updated", source_id)
            return await tx.one(sql.GET, **self._key(source_id))

        changed = await self.database.transact(write)
        self.importer.sessions.forget(source_id)  # a session with an MCP server keeps its original credential
        return changed

    async def tools(self, source_id: int) -> list[AnyImported]:
        """Return the tools of a source."""
        rows = await self.database.query(sql.TOOLS_OF, **self._key(source_id))
        return [decode(row.definition.encode()) for row in rows]

    async def tools_page(self, source_id: int, page: Page) -> list[AnyImported]:
        """One page of the tools of a source, in the source's order."""
        rows = await read_page(self.database, sql.TOOLS_PAGE, page, **self._key(source_id))
        return [decode(row.definition.encode()) for row in rows]

    async def page(self, page: Page) -> tuple[Sequence[Row], int]:
        """One page, newest first, and how many there are in all."""
        account = self.caller.account_id
        return await read_page(self.database, sql.LIST, page, account=account), (await self._storage_use()).sources

    def under_way(self) -> Sequence[ActiveImport]:
        """Return the imports in progress in this process."""
        return self.importer.progress.under_way(self.caller.account_id)

    async def get(self, source_id: int) -> Row:
        """One source, or `NotFound`."""
        found = await self.database.lookup(sql.GET, **self._key(source_id))
        if found is None:
            raise _missing(source_id)
        return found

    async def delete(self, source_id: int) -> None:
        """Delete the source and its tools. Agents that have them as skills continue without them."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = await tx.one(sql.DELETE, **self._key(source_id))
            if row is None:
                raise _missing(source_id)
            await self._storage.hold(tx, -row.size)
            await audit(tx, actor, "source.deleted", source_id)

        await self.database.transact(write)
        self.importer.sessions.forget(source_id)
        self.directory.forget(self.caller.account_id, source_id)

    def _check(self, new: SourceCreate) -> None:
        if new.credential and new.connection:
            raise ValidationFailed("Send either a credential or a connection.")
        if new.kind == "mcp":
            _check_server(new)
            if new.program is not None:
                self.importer.programs.check(new.program, self.caller.user_id, self.caller.plan_name)
        elif new.kind == "a2a" and new.base_url is not None:
            raise ValidationFailed("base_url does not apply to agents: the card says where they take messages.")
        elif (new.url is None) == (new.document is None) or new.program is not None:
            raise ValidationFailed("Send either url or document. A program must be an MCP server.")
        elif new.trust_hints:
            raise ValidationFailed("trust_hints only applies to MCP servers: other sources have no hints.")
        if any(name.startswith(f"{new.name}_") for name in self.directory.catalogue.names()):
            raise ValidationFailed(f"name: the names of built-in tools begin with {new.name}_. Choose another name.")

    async def _storage_use(self, but: int = _NONE) -> Row:
        return await self.database.lookup(sql.HELD, account=self.caller.account_id, but=but)

    @property
    def _limits(self) -> AccountLimits:
        return AccountLimits.of(self.caller)

    @property
    def _storage(self) -> AccountStorage:
        caller = self.caller
        return AccountStorage(caller.account_id, caller.plan_name, caller.plan, self.touched)

    def _base_url(self, address: str | None) -> str:
        """Return the address of the API in the form that calls need."""
        if address is None:
            raise ValidationFailed("The document has no server with an absolute URL. Send base_url.")
        try:
            checked = web_address(address[:2000], "send a credential instead")
        except ValueError as error:
            raise ValidationFailed(f"base_url {error}; the document's server is {address[:200]}.") from error
        if "?" in checked or "#" in checked:
            raise ValidationFailed("base_url must not have a query or a fragment.")
        self.importer.client.check(checked)
        return checked.rstrip("/")

    def _key(self, source_id: int) -> dict[str, int]:
        return {"source": source_id, "account": self.caller.account_id}


def _check_server(new: SourceCreate) -> None:
    """Raise `ValidationFailed` for fields that an MCP server does not take."""
    if (new.url is None) == (new.program is None) or new.document is not None or new.base_url is not None:
        raise ValidationFailed("An MCP server is imported by url or program, without document and base_url.")
    if new.url and "#" in new.url:
        raise ValidationFailed("url must not have a fragment.")


def _check_origin(card: str, address: str) -> None:
    """Raise `ValidationFailed` if an agent wants its messages, and the credential with them, at another origin."""
    parts = urlsplit(card)
    if not is_within(address, f"{parts.scheme}://{parts.netloc}"):
        raise ValidationFailed(
            f"The card says that the agent takes messages at {address[:200]}, which is another host. Import the card "
            "from that host, or use a connection for that address."
        )


def _document_url(source: Row, again: SourceRefresh) -> str | None:
    """Return the address to read a source's document from again; None for an uploaded one and for an MCP server."""
    is_replaced = again.url is not None or again.document is not None
    if source.kind == "mcp":
        if is_replaced:
            raise ValidationFailed("An MCP server is refreshed from its own address. Do not send url or document.")
        return None
    if again.trust_hints:
        raise ValidationFailed("trust_hints only applies to MCP servers: other sources have no hints.")
    if again.url is not None and again.document is not None:
        raise ValidationFailed("Send either the current document or its current url.")
    if not is_replaced and source.document_url is None:
        raise ValidationFailed(
            "The document was sent in the request, so there is no URL to read it from. Send the current "
            "document or its url."
        )
    return None if again.document is not None else str(again.url or source.document_url)


def _missing(source_id: int) -> NotFound:
    return NotFound(f"There is no source {source_id} in your account.")
