"""Conversations that everyone with a link can read, up to the message that was the last one when they were shared."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.revocation import lock_account_of
from retinue.chat import statements as sql
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.runtime.clock import now

_MOST_MESSAGES = 1000
_TOKEN_BYTES = 24


@dataclass(frozen=True)
class ConversationSharing:
    """Shares conversations of the caller's account, and ends it."""

    caller: Caller
    database: Database

    async def share(self, public_id: str) -> None:
        """Share a conversation with its messages so far. A shared one keeps its link, and shows the later messages."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            await lock_account_of(tx, self.caller, self.caller.sandbox)
            conversation = _require(await tx.one(sql.LOCK, **self._key(public_id)))
            token = conversation.share_token or secrets.token_urlsafe(_TOKEN_BYTES)
            await tx.run(sql.SHARE, **self._key(public_id), token=token, moment=now())
            await audit(tx, actor, "conversation.shared", conversation.id, f"Of the conversation {public_id}.")

        await self.database.transact(write)

    async def unshare(self, public_id: str) -> None:
        """End the sharing of a conversation: its link no longer works."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            conversation = _require(await tx.one(sql.SHARE, **self._key(public_id), token=None, moment=None))
            await audit(tx, actor, "conversation.unshared", conversation.id, f"Of the conversation {public_id}.")

        await self.database.transact(write)

    def _key(self, public_id: str) -> dict[str, object]:
        return {"public": public_id, "account": self.caller.account_id}


async def unshare_conversations(tx: Tx, user_id: int) -> None:
    """End the sharing of all conversations of a user."""
    await tx.run(sql.UNSHARE_ALL, user=user_id)


async def read_shared(database: Database, token: str) -> tuple[Row, Sequence[Row]]:
    """Return a shared conversation and its messages. Raises `NotFound`."""
    conversation = await database.lookup(sql.SHARED, token=token) if token.isprintable() else None
    if conversation is None:
        raise NotFound("This conversation is no longer shared. Ask the person who gave you the link.")
    messages = await database.fetch(
        sql.SHARED_MESSAGES, conversation=conversation.id, moment=conversation.shared_at, most=_MOST_MESSAGES
    )
    return conversation, messages


def _require(conversation: Row | None) -> Row:
    if conversation is None:
        raise NotFound("There is no such conversation in your account.")
    return conversation
