"""The access tokens of sources. Of all processes, one at a time refreshes the tokens of a source."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import structlog

from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, Unavailable
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault
from retinue.tools.imports.authorization import statements as sql
from retinue.tools.imports.authorization.bindings import ClientBinding, SealedTokens, seal_tokens, unseal
from retinue.tools.imports.authorization.challenge import Challenge
from retinue.tools.imports.authorization.token_endpoint import TokenRefused, Tokens
from retinue.tools.imports.client import OutsideClient

_EARLY = timedelta(seconds=30)
"""How long before its end a token is refreshed."""

_CLAIM = timedelta(seconds=60)
"""How long a process that refreshes keeps others waiting if it dies. Longer than a request to a token endpoint."""

_WAIT_S, _POLL_S = 65.0, 0.1
_FINAL = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
"""Refusals after which only a person can help."""

_log = structlog.get_logger()


class SourceTokens:
    """Reads and refreshes the tokens of sources. They are never logged."""

    def __init__(self, database: Database, vault: Vault, http: OutsideClient) -> None:
        self._database = database
        self._vault = vault
        self._http = http
        self._refreshing: dict[int, asyncio.Task[str | None]] = {}

    async def current(self, source_id: int, account_id: int, rejected: str | None = None) -> str | None:
        """Return a valid access token other than the `rejected` one; None if a person must connect the source.

        Raises `Unavailable` if the authorization server does not answer.
        """
        row = await self._row(source_id, account_id)
        if row is None or not row.granted:
            return None
        access: str = unseal(self._vault, row, row.secret)["access"]
        if access != rejected and (row.expires_at is None or row.expires_at > now() + _EARLY):
            return access
        # The task outlives a caller that gives up: the answer may hold the only valid refresh token.
        task = self._refreshing.get(source_id)
        if task is None:
            task = asyncio.create_task(self._renew(row))
            self._refreshing[source_id] = task
            task.add_done_callback(lambda _: self._refreshing.pop(source_id, None))
        return await asyncio.shield(task)

    async def require(self, source_id: int, account_id: int, challenge: Challenge, rejected: str | None = None) -> None:
        """Record that a person must connect the source, unless it has got another token than the `rejected` one."""
        row = await self._row(source_id, account_id)
        if row is None:
            await self._insert(source_id, account_id, challenge)
        elif not row.granted or rejected in (None, unseal(self._vault, row, row.secret)["access"]):
            await self._require(row, _with_granted_scope(row, challenge).as_json)

    async def stop(self) -> None:
        """Wait for refreshes under way."""
        if self._refreshing:
            await asyncio.wait(self._refreshing.values(), timeout=5)

    async def _renew(self, row: Row) -> str | None:
        """Refresh the tokens of a row, or wait for the process that does. None if a person must connect the source."""
        key = {"source": row.source_id, "account": row.account_id}
        try:
            async with asyncio.timeout(_WAIT_S):
                while not await self._claim(row):
                    await asyncio.sleep(_POLL_S)
                    found = await self._database.lookup(sql.GET, **key)
                    if found is None or not found.granted:
                        return None
                    if found.version != row.version:
                        access: str = unseal(self._vault, found, found.secret)["access"]
                        return access
        except TimeoutError as error:
            raise Unavailable("The access token of the MCP server was not refreshed in time. Try again.") from error
        return await self._refresh(row)

    async def _claim(self, row: Row) -> bool:
        moment = now()
        values = {**_version_of(row), "moment": moment, "until": moment + _CLAIM}
        return bool(await self._database.transact(lambda tx: tx.run(sql.CLAIM, **values)))

    async def _refresh(self, row: Row) -> str | None:
        """Refresh the tokens under a claim."""
        stored: SealedTokens = unseal(self._vault, row, row.secret)
        binding = ClientBinding.of(row.client, stored["client"])
        if stored["refresh"] is None:
            await self._require(row, row.challenge)
            return None
        try:
            tokens = await binding.endpoint.refresh(self._http, stored["refresh"])
        except TokenRefused as refusal:
            _log.info("mcp.refresh_refused", source=row.source_id, issuer=binding.issuer, error=refusal.code)
            if refusal.code in _FINAL:
                await self._require(row, row.challenge, forget_client=refusal.code == "invalid_client")
                return None
            await self._release(row)
            raise Unavailable(
                f"The authorization server did not refresh the token of the MCP server: {refusal}."
            ) from refusal
        except RetinueError:
            await self._release(row)
            raise
        await self._store(row, binding, tokens)
        _log.info("mcp.token_refreshed", source=row.source_id, issuer=binding.issuer)
        return tokens.access

    async def _store(self, row: Row, binding: ClientBinding, tokens: Tokens) -> None:
        values = {"sealed": seal_tokens(self._vault, row, binding, tokens), "until": tokens.expires_at}
        await self._database.transact(lambda tx: tx.run(sql.RENEW, **_version_of(row), **values))

    async def _release(self, row: Row) -> None:
        await self._database.transact(lambda tx: tx.run(sql.RELEASE, **_version_of(row)))

    async def _require(self, row: Row, required: object, *, forget_client: bool = False) -> None:
        client = None if forget_client else row.client
        await self._database.transact(
            lambda tx: tx.run(sql.REQUIRE, **_version_of(row), required=required, kept=client)
        )

    async def _insert(self, source_id: int, account_id: int, challenge: Challenge) -> None:
        async def write(tx: Tx) -> None:
            await add_requirement(tx, source_id, account_id, challenge)

        try:
            await self._database.transact(write)
        except UniqueConflict:
            return  # another call has just recorded it

    async def _row(self, source_id: int, account_id: int) -> Row | None:
        return await self._database.lookup(sql.GET, source=source_id, account=account_id)


async def add_requirement(tx: Tx, source_id: int, account_id: int, challenge: Challenge) -> None:
    """Record that a person must connect a source that had no authorization yet."""
    await tx.run(
        sql.INSERT, source_id=source_id, account_id=account_id, granted=False, challenge=challenge.as_json, version=0
    )


def _with_granted_scope(row: Row, challenge: Challenge) -> Challenge:
    """Return a challenge for more scope, together with the scope that the source has already."""
    if not challenge.needs_scope or not row.client:
        return challenge
    scopes = f"{row.client['scope'] or ''} {challenge.scope or ''}".split()
    return replace(challenge, scope=" ".join(dict.fromkeys(scopes)))


def _version_of(row: Row) -> dict[str, int]:
    return {"source": row.source_id, "account": row.account_id, "known_version": row.version}
