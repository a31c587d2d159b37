"""Manage the sessions of the caller's user."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.sessions import statements as sql
from retinue.auth.sessions.schemas import SessionView
from retinue.auth.sessions.tokens import expiry_of, oldest_open
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page, read_page
from retinue.core.runtime.clock import now


@dataclass(frozen=True)
class Sessions:
    """Lists and ends sessions. A test key sees none: sessions belong to live records."""

    caller: Caller
    database: Database

    async def page(self, page: Page) -> tuple[Sequence[SessionView], int]:
        """Return one page, newest first, and the total number of sessions."""
        rows = await read_page(self.database, sql.LIST, page, **self._open)
        count = await self.database.lookup(sql.COUNT, **self._open)
        return [self._view(row) for row in rows], count.sessions if count else 0

    async def get(self, session_id: int) -> SessionView:
        """Return one session. Raises `NotFound`."""
        row = await self.database.lookup(sql.GET, session=session_id, **self._open)
        if row is None:
            raise _missing(session_id)
        return self._view(row)

    async def revoke(self, session_id: int) -> None:
        """End a session on every node within a second. The throttle no longer trusts its address."""
        actor = Actor.of_caller(self.caller)

        async def revoke(tx: Tx) -> None:
            if not await tx.run(sql.REVOKE, session=session_id, **self._open):
                raise _missing(session_id)
            await audit(tx, actor, "session.revoked", session_id)

        await self.database.transact(revoke)

    async def revoke_others(self) -> int:
        """End every session except the caller's own; return their number."""
        own = self.caller.kind == "session"
        actor = Actor.of_caller(self.caller)

        async def revoke(tx: Tx) -> int:
            count = await tx.one(sql.COUNT, **self._open)
            await tx.run(sql.REVOKE_OTHERS, kept=self.caller.credential_id if own else 0, user=self._user)
            await audit(tx, actor, "session.others_revoked")
            return count.sessions - own if count else 0

        return await self.database.transact(revoke)

    async def sign_out(self) -> int:
        """End the caller's own session; return its id."""
        own, actor = self.caller.credential_id, Actor.of_caller(self.caller)

        async def end(tx: Tx) -> None:
            await tx.run(sql.SIGN_OUT, session=own, user=self._user, moment=now())
            await audit(tx, actor, "session.signed_out", own)

        await self.database.transact(end)
        return own

    @property
    def _user(self) -> int | None:
        """The owner of the sessions; None for a test key, which sees no sessions."""
        return None if self.caller.sandbox else self.caller.user_id

    @property
    def _open(self) -> dict[str, object]:
        return {"user": self._user, **oldest_open()}

    def _view(self, row: Row) -> SessionView:
        current = self.caller.kind == "session" and self.caller.credential_id == row.id
        return SessionView.of_row(row, current=current, expires_at=expiry_of(row.created_at, row.last_used_at))


def _missing(session_id: int) -> NotFound:
    return NotFound(f"There is no session {session_id} in your account.")
