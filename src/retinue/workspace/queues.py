"""Queues whose items are taken in order, each by one consumer."""

from dataclasses import dataclass
from datetime import timedelta

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.workspace.records import NewRecord, Records, RecordTransaction, json_bytes

QUEUE, ITEM = "queue", "queued"
ITEM_BYTES = 16 << 10


@dataclass(frozen=True)
class Queues:
    """The queues of one account. A queue exists from its first item on."""

    records: Records

    async def push(self, queue: str, value: object, delay_s: int, name: str = "") -> Row:
        """Append an item that becomes available after `delay_s` seconds; `name` is optional."""
        if (size := json_bytes(value)) > ITEM_BYTES:
            raise ValidationFailed(
                f"An item can have at most {ITEM_BYTES >> 10} KiB as JSON; this one has {size >> 10}."
            )

        async def work(writing: RecordTransaction) -> Row:
            parent = await writing.find_by_name(QUEUE, queue) or await writing.add(QUEUE, NewRecord({}, queue))
            if name and await writing.find_by_name(ITEM, name, parent.id):
                raise ValidationFailed(f"There is already an item {name!r} in the queue {queue}.")
            draft = NewRecord({"value": value, "taken": 0}, name, at=now() + timedelta(seconds=delay_s))
            return await writing.add(ITEM, draft, parent.id)

        return await self.records.write(work)

    async def pop(self, queue: str, hide_s: int) -> Row | None:
        """Take the first available item. With `hide_s`, it becomes available again after that many seconds unless it
        is removed.
        """

        async def work(writing: RecordTransaction) -> Row | None:
            parent = await writing.find_by_name(QUEUE, queue)
            due = await writing.oldest(ITEM, parent=parent.id) if parent else []
            if not due or due[0].at > now():
                return None
            if not hide_s:
                await writing.remove(due[0])
                return due[0]
            body = {**due[0].body, "taken": due[0].body["taken"] + 1}
            return await writing.replace(due[0], NewRecord(body, at=now() + timedelta(seconds=hide_s)))

        return await self.records.write(work)

    async def remove(self, queue: str, item: str) -> None:
        """Delete an item. Raises `NotFound`."""

        async def work(writing: RecordTransaction) -> None:
            parent = await writing.find_by_name(QUEUE, queue)
            row = await writing.find_by_name(ITEM, item, parent.id) if parent else None
            if row is None:
                raise NotFound(f"There is no item {item[:60]!r} in the queue {queue}.")
            await writing.remove(row)

        await self.records.write(work)

    async def items(self, queue: str, most: int) -> tuple[list[Row], int]:
        """Return the first items, including those not yet available, and the total number."""
        parent = await self.records.get(QUEUE, queue)
        return await self.records.in_state(ITEM, parent=parent.id, most=most), await self.records.count(ITEM, parent.id)

    async def clear(self, queue: str) -> int:
        """Delete a queue with its items; return their number."""

        async def work(writing: RecordTransaction) -> int:
            parent = await writing.find_by_name(QUEUE, queue)
            if parent is None:
                raise NotFound(f"There is no queue {queue!r}.")
            removed = await writing.remove_within(ITEM, parent.id)
            await writing.remove(parent)
            return removed

        return await self.records.write(work)
