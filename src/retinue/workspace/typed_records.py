"""Items of one kind that users store: notes, tasks, contacts. Each has a short id derived from its title."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.workspace.datetimes import NEVER, format_datetime, parse_datetime
from retinue.workspace.records import MOST_ALIKE, NewRecord, Records, RecordTransaction, describe
from retinue.workspace.search_index import rank
from retinue.workspace.words import slug

T = TypeVar("T")
_PAGE = 200
"""Number of records per read: their bodies may be long."""


@dataclass(frozen=True, slots=True)
class RecordKind(Generic[T]):
    """The fields of a kind whose items are returned as `T`: `title`, the `searched` fields, and optionally the fields
    for `state` and time (`at`). Without the latter, the time is that of creation.
    """

    name: str
    title: str
    searched: Sequence[str]
    state: str = ""
    at: str = ""
    semantic: bool = False

    def text_of(self, body: Mapping[str, object]) -> str:
        """Return the text of an item that searches look at."""
        return "\n".join(_text(body.get(field)) for field in self.searched)


@dataclass(frozen=True)
class TypedRecords(Generic[T]):
    """An account's items of one kind."""

    records: Records
    kind: RecordKind[T]

    async def add(self, body: Mapping[str, Any]) -> T:
        """Store a new item."""
        draft = await self._draft(body)

        async def work(writing: RecordTransaction) -> Row:
            name = await writing.free_name(self.kind.name, body[self.kind.title])
            return await writing.add(self.kind.name, self._rename(draft, name))

        return self.view_of(await self.records.write(work))

    async def get(self, id_or_title: str) -> Row:
        """Return the item with that id or title. Raises `NotFound`."""
        for name in dict.fromkeys((id_or_title.strip(), slug(id_or_title))):
            if "\x00" not in name and (row := await self.records.find_by_name(self.kind.name, name)):
                return row
        raise NotFound(
            f"There is no {self.kind.name} {id_or_title[:80]!r} in your workspace. Use its id, as shown in a list."
        )

    async def change(self, id_or_title: str, changes: Mapping[str, object]) -> T:
        """Change the fields that are not None. Raises `ValidationFailed` if all are None."""
        fields = {name: value for name, value in changes.items() if value is not None}
        if not fields:
            raise ValidationFailed("Nothing to change: send at least one field besides the id.")
        return await self.revise(id_or_title, lambda body: {**body, **fields})

    async def revise(self, id_or_title: str, edit: Callable[[dict[str, object]], Mapping[str, object]]) -> T:
        """Change a body by a function of its current content; the function is called again if another change came
        first.
        """
        row = await self.get(id_or_title)

        async def draft_of(current: Row) -> NewRecord:
            return await self._draft(edit(current.body))

        return self.view_of(await self.records.revise(self.kind.name, row.name, draft_of))

    async def remove(self, id_or_title: str) -> T:
        """Delete an item; return it."""

        async def work(writing: RecordTransaction) -> None:
            if current := await writing.find_by_name(self.kind.name, row.name):
                await writing.remove(current)

        row = await self.get(id_or_title)
        await self.records.write(work)
        return self.view_of(row)

    async def find(
        self, question: str | None, most: int, skipped: int = 0, keep: Callable[[T], bool] = lambda _: True
    ) -> list[T]:
        """Items that match a question, best first, or without a question all by time, latest first; only those for
        which `keep` is true.
        """
        found: list[tuple[Row, T]] = []
        keys = await (self._rank(question) if question else self.records.newest_ids(self.kind.name))
        async for page in self._pages(keys):
            found += [(row, item) for row in page if keep(item := self.view_of(row))]
            if len(found) >= skipped + most:
                break
        found = found[skipped : skipped + most]
        self.records.notes.add(*(row for row, _ in found))
        return [item for _, item in found]

    async def _rank(self, question: str) -> list[int]:
        """Return the keys of items that match a question, best first."""
        records = self.records
        ranked = await rank(records.database, records.account_id, self.kind.name, question, semantic=self.kind.semantic)
        return [key for key, _ in ranked]

    async def _pages(self, keys: Sequence[int]) -> AsyncIterator[list[Row]]:
        """Records in the order of their keys, in pages."""
        for start in range(0, len(keys), _PAGE):
            page = keys[start : start + _PAGE]
            rows = await self.records.find_by_ids(page)
            yield [rows[key] for key in page if key in rows]

    async def count(self) -> int:
        """Return the number of items."""
        return await self.records.count(self.kind.name)

    def view_of(self, row: Row) -> T:
        """Return an item in the form that tools return."""
        times = {"created_at": format_datetime(row.created_at), "updated_at": format_datetime(row.updated_at)}
        return cast("T", {"id": row.name, **row.body, **times})

    async def in_state(self, state: str, most: int = MOST_ALIKE) -> list[T]:
        """Items in a state, earliest time first."""
        return await self._all_shown(await self.records.in_state(self.kind.name, state, most=most))

    async def between(self, since: datetime, until: datetime, state: str = "") -> list[T]:
        """Items in a state whose time is from `since` up to `until`, exclusive, earliest first."""
        return await self._all_shown(await self.records.between(self.kind.name, since, until, state))

    async def _all_shown(self, rows: Sequence[Row]) -> list[T]:
        return await run_on_compute_thread(lambda: list(map(self.view_of, rows)))

    async def _draft(self, body: Mapping[str, Any]) -> NewRecord:
        state = str(body[self.kind.state]) if self.kind.state else ""
        at = None
        if self.kind.at:
            at = parse_datetime(body[self.kind.at], self.kind.at) if body.get(self.kind.at) else NEVER
        return await describe(NewRecord(body, state=state, at=at), self.kind.text_of(body), semantic=self.kind.semantic)

    def _rename(self, draft: NewRecord, name: str) -> NewRecord:
        return NewRecord(draft.body, name, draft.state, draft.at, draft.found)


def _text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
