"""Temporary or permanent key-value pairs of agents, including counters."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.workspace.datetimes import NEVER
from retinue.workspace.records import MOST_ALIKE, NewRecord, Records, RecordTransaction, json_bytes

KIND = "value"
_SORTED = orjson.OPT_SORT_KEYS
VALUE_BYTES = 16 << 10
_LARGEST = 2**53
"""Beyond this, a float cannot represent every integer, and JSON readers differ."""


@dataclass(frozen=True)
class KeyValueStore:
    """The values of one account, by namespace and key."""

    records: Records

    async def get(self, namespace: str, key: str) -> Row | None:
        """Return the value of a key, or None if it is missing or expired."""
        row = await self.records.find_by_name(KIND, _name(namespace, key))
        return row if row is not None and row.at > now() else None

    async def all(self, namespace: str, prefix: str, most: int) -> list[Row]:
        """Return the values whose keys begin with a prefix, ordered by key."""
        moment = now()
        found: list[Row] = []
        for start in range(0, MOST_ALIKE, most):
            page = await self.records.prefix(KIND, _name(namespace, prefix), most=most, skipped=start)
            found += [row for row in page if row.at > moment]
            if len(found) >= most or len(page) < most:
                break
        return found[:most]

    async def put(self, namespace: str, key: str, value: object, keep_s: int | None, *, only_new: bool = False) -> Row:
        """Store a value for `keep_s` seconds, or permanently; `only_new` refuses to replace an existing one."""
        _check_size(value)

        def decide(current: Row | None) -> NewRecord:
            if current is not None and only_new:
                raise ValidationFailed(f"The key {key[:100]} already has a value.")
            return NewRecord({"value": value}, at=_until(keep_s))

        return await self._change(namespace, key, decide)

    async def swap(self, namespace: str, key: str, expected: object, value: object) -> tuple[bool, object]:
        """Replace a value if it equals `expected`, where null stands for a missing one.

        Returns whether it was replaced, and the current value.
        """
        _check_size(value)
        _check_size(expected)
        previous: list[object] = []

        def decide(current: Row | None) -> NewRecord | None:
            previous[:] = [current.body["value"] if current else None]
            same = orjson.dumps([previous[0]], option=_SORTED) == orjson.dumps([expected], option=_SORTED)
            return NewRecord({"value": value}, at=current.at if current else NEVER) if same else None

        changed = await self._try(namespace, key, decide)
        return (True, value) if changed is not None else (False, previous[0])

    async def add(self, namespace: str, key: str, amount: float, keep_s: int | None) -> Row:
        """Add to a number; a missing one counts as 0. `keep_s` applies to a new number only."""

        def decide(current: Row | None) -> NewRecord:
            number = current.body["value"] if current else 0
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValidationFailed(f"The value of {key[:100]} is not a number. Set it to one first.")
            if abs(number + amount) > _LARGEST:
                raise ValidationFailed(f"The sum would exceed {_LARGEST:,}, the largest exact number.")
            return NewRecord({"value": number + amount}, at=current.at if current else _until(keep_s))

        return await self._change(namespace, key, decide)

    async def remove(self, namespace: str, key: str) -> None:
        """Delete a key. Raises `NotFound`."""

        async def work(writing: RecordTransaction) -> None:
            current = await writing.find_by_name(KIND, _name(namespace, key))
            if current is None:
                raise NotFound(f"There is no key {key[:100]!r} in the namespace {namespace}.")
            await writing.remove(current)

        await self.records.write(work)

    async def _change(self, namespace: str, key: str, decide: Callable[[Row | None], NewRecord]) -> Row:
        return await self._try(namespace, key, decide)

    async def _try(self, namespace: str, key: str, decide: Callable[[Row | None], NewRecord | None]) -> object:
        """Replace a value with the result of `decide`; if that is None, change nothing and return None."""
        return await self.records.write(_make_change(_name(namespace, key), decide))


def _make_change(
    name: str, decide: Callable[[Row | None], NewRecord | None]
) -> Callable[[RecordTransaction], Awaitable[Row | None]]:
    async def work(writing: RecordTransaction) -> Row | None:
        await writing.remove_before(KIND, now())
        current = await writing.find_by_name(KIND, name)
        if current is not None and current.at <= now():
            await writing.remove(current)
            current = None
        draft = decide(current)
        if draft is None:
            return None
        record = NewRecord(draft.body, name, at=draft.at)
        return await (writing.add(KIND, record) if current is None else writing.replace(current, record))

    return work


def _name(namespace: str, key: str) -> str:
    return f"{namespace}/{key}"


def _until(keep_s: int | None) -> datetime:
    return NEVER if keep_s is None else now() + timedelta(seconds=keep_s)


def _check_size(value: object) -> None:
    if (size := json_bytes(value)) > VALUE_BYTES:
        raise ValidationFailed(
            f"A value can have at most {VALUE_BYTES >> 10} KiB as JSON; this one has {size >> 10}. Use a file."
        )
