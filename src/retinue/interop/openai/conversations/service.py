"""Finds and changes the conversations of one account, and opens them for responses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import new_id
from retinue.interop.openai.content import files_of, text_of
from retinue.interop.openai.conversations import statements as sql
from retinue.interop.openai.conversations.item_fields import fields_of
from retinue.interop.openai.responses import ResponseState, input_items, read_messages
from retinue.interop.openai.schemas import Item
from retinue.interop.stateless_chats import StatelessChats
from retinue.runs import statements as runs_sql
from retinue.runs.run_options import ClientMessage, RunOptions

_MOST_ITEMS = 4000
_SYSTEM = ("system", "developer")
Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation that a response continues, with its messages so far and the text of its system messages."""

    row: Row
    messages: Sequence[ClientMessage]
    system: str
    untrusted: str | None

    async def note(self, tx: Tx, run: Row) -> None:
        """Record that a run answers in the conversation, in the transaction that creates the run."""
        marker = {"public_id": f"run_{run.id}", "item": None, "run_id": run.id, "known": len(self.messages)}
        await _lock_idle(tx, self.row)
        await tx.one(sql.ADD_ITEM, conversation_id=self.row.id, **marker)


@dataclass(frozen=True)
class ItemConversations:
    """The conversations of one account."""

    caller: Caller
    database: Database
    chats: StatelessChats

    async def create(self, items: Sequence[Item], metadata: Mapping[str, str]) -> Fields:
        """Create a conversation."""
        added, moment = await self._fields(items), now()

        async def write(tx: Tx) -> Row:
            (row,) = await tx.all(
                sql.INSERT,
                account_id=self.caller.account_id,
                public_id=new_id("conv"),
                metadata=dict(metadata),
                created_at=moment,
                updated_at=moment,
            )
            await _add(tx, row.id, added)
            return row

        return _view(await self.database.transact(write))

    async def get(self, name: str) -> Fields:
        """Return a conversation. Raises `NotFound`."""
        return _view(await self._row(name))

    async def update(self, name: str, metadata: Mapping[str, str]) -> Fields:
        """Replace the metadata."""
        await self.database.transact(lambda tx: tx.run(sql.UPDATE, **self._key(name), given=dict(metadata)))
        return await self.get(name)

    async def delete(self, name: str) -> None:
        """Delete a conversation with its items. The stored responses stay. Raises `NotFound`."""
        if not await self.database.transact(lambda tx: tx.run(sql.DELETE, **self._key(name))):
            raise _missing(name)

    async def add(self, name: str, items: Sequence[Item]) -> Sequence[Fields]:
        """Add items at the end."""
        row, added = await self.settle(name), await self._fields(items)

        async def write(tx: Tx) -> None:
            existing = await _lock_idle(tx, row)
            if len(existing) + len(added) > _MOST_ITEMS:
                raise ValidationFailed(f"items: a conversation can have at most {_MOST_ITEMS:,} items.")
            await _add(tx, row.id, added)

        await self.database.transact(write)
        return added

    async def items(self, name: str) -> list[Fields]:
        """Return all items, the oldest first."""
        row = await self.settle(name)
        rows = await self.database.query(sql.ITEMS, conversation=row.id)
        return [one.item for one in rows if one.item is not None]

    async def page(
        self, name: str, after: str | None, limit: int, order: Literal["asc", "desc"]
    ) -> tuple[Sequence[Fields], bool]:
        """Return items after the one with an id, and whether there are more. Raises `ValidationFailed`."""
        found = await self.items(name)
        found = found if order == "asc" else found[::-1]
        if after is not None:
            at = next((at for at, one in enumerate(found) if one["id"] == after), None)
            if at is None:
                raise ValidationFailed(f"after: the conversation has no item {after[:100]!r}.")
            found = found[at + 1 :]
        return found[:limit], len(found) > limit

    async def item(self, name: str, item_id: str) -> Fields:
        """Return one item. Raises `NotFound`."""
        found = next((one for one in await self.items(name) if one["id"] == item_id), None)
        if found is None:
            raise NotFound(f"The conversation has no item {item_id[:100]!r}.")
        return found

    async def delete_item(self, name: str, item_id: str) -> Fields:
        """Delete one item. Returns the conversation. Raises `NotFound`."""
        row = await self.settle(name)

        async def write(tx: Tx) -> None:
            existing = await tx.all(sql.ITEMS, conversation=row.id)
            ids = [one.id for one in existing if one.public_id == item_id and one.item is not None]
            if not ids:
                raise NotFound(f"The conversation has no item {item_id[:100]!r}.")
            await tx.run(sql.DELETE_ITEMS, conversation=row.id, ids=ids)

        await self.database.transact(write)
        return _view(row)

    async def open(self, name: str, model: str) -> OpenedConversation:
        """Return a conversation for a response of a model or an agent. Raises `NotFound`."""
        row = await self.settle(name)
        items = [Item.model_validate(one) for one in await self.items(name)]
        system = [text_of(one.content) for one in items if one.type == "message" and one.role in _SYSTEM]
        messages, untrusted = await self.chats.with_own_calls(read_messages(items, ()), model)
        return OpenedConversation(row, messages, "\n\n".join(filter(None, system)), row.untrusted or untrusted)

    async def settle(self, name: str) -> Row:
        """Add the items of responses that have ended. Returns the conversation. Raises `NotFound`.

        A response that failed or was cancelled adds none, not even its input.
        """
        row = await self._row(name)
        items = await self.database.query(sql.ITEMS, conversation=row.id)
        if all(one.item is not None for one in items):
            return row

        async def write(tx: Tx) -> None:
            await tx.one(sql.LOCK, **self._key(name))
            for marker in await tx.all(sql.ITEMS, conversation=row.id):
                if marker.item is None:
                    await self._replace(tx, row, marker)

        await self.database.transact(write)
        return await self._row(name)

    async def _replace(self, tx: Tx, row: Row, marker: Row) -> None:
        """Replace the row of a response by its items, if its run has ended."""
        run = await tx.one(runs_sql.GET, run=marker.run_id, account=self.caller.account_id)
        if run is not None and run.ended_at is None:
            return
        await tx.run(sql.DELETE_ITEMS, conversation=row.id, ids=[marker.id])
        if run is None or run.status != "completed":
            return
        journal = await tx.all(runs_sql.OF_RUN, run=run.id)
        await _add(tx, row.id, list(_items_of(run, journal, marker.known)))
        if run.untrusted:
            await tx.run(sql.TAINT, conversation=row.id, source=run.untrusted)

    async def _fields(self, items: Sequence[Item]) -> list[Fields]:
        files = [ClientMessage(role="user", attachments=files_of(item.content)) for item in items]
        stored = await self.chats.attachments.store(files)
        return [fields_of(item, one.attachments) for item, one in zip(items, stored, strict=True)]

    async def _row(self, name: str) -> Row:
        row = await self.database.lookup(sql.GET, **self._key(name))
        if row is None:
            raise _missing(name)
        return row

    def _key(self, name: str) -> dict[str, object]:
        return {"name": name, "account": self.caller.account_id}


def _items_of(run: Row, journal: Sequence[Row], known: int) -> Iterator[Fields]:
    """Yield what a run adds to its conversation: the messages after the `known` ones, and its output."""
    new_messages = StatelessChats.request_of(run)[known:]
    yield from input_items(run.id, new_messages, RunOptions.model_validate(run.options).client_tools)
    yield from ResponseState.of_row(run, journal).output()


async def _add(tx: Tx, conversation_id: int, added: Sequence[Fields]) -> None:
    for item in added:
        record = {"public_id": item["id"], "item": item, "run_id": None, "known": None}
        await tx.one(sql.ADD_ITEM, conversation_id=conversation_id, **record)


async def _lock_idle(tx: Tx, conversation: Row) -> Sequence[Row]:
    """Lock a conversation without a response in progress. Returns its items."""
    if not await tx.run(sql.TOUCH, name=conversation.public_id, account=conversation.account_id, moment=now()):
        raise _missing(conversation.public_id)
    items = await tx.all(sql.ITEMS, conversation=conversation.id)
    if busy := next((one for one in items if one.item is None), None):
        raise ValidationFailed(
            f"conversation: the response resp_{busy.run_id} of this conversation is in progress. Wait for its end, or "
            "cancel it."
        )
    return items


def _view(row: Row) -> Fields:
    created = int(row.created_at.timestamp())
    return {"id": row.public_id, "object": "conversation", "created_at": created, "metadata": row.metadata}


def _missing(name: str) -> NotFound:
    return NotFound(f"There is no conversation {name[:100]!r} in your account. Create one with POST /v1/conversations.")
