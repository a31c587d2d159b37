"""Find and write the records of one account, one transaction at a time, within its limits.

Writers of an account wait for one another, on both databases: each locks the account's counter first. So what a
transaction reads still holds when it writes, and no change is lost.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

import orjson

from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import ulid
from retinue.files.upload_commit import AccountStorage
from retinue.workspace import statements as sql
from retinue.workspace.search_index import IndexedText, found_in, store_features
from retinue.workspace.tables import NAME_CHARACTERS
from retinue.workspace.words import slug

T = TypeVar("T")

MOST_RECORDS = 100_000
"""Per account, over all kinds."""

MOST_ALIKE = 10_000
"""Maximum number of records of one kind with one parent."""

BODY_BYTES = 256 << 10
LAST = "\U0010ffff"
"""Sorts after every name: no name contains it."""

_NOTE_CHARACTERS = 100
_OVERHEAD = 128
_POSTING = 32
_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to write. Without a name it gets a generated one; without a time, that of its writing."""

    body: Mapping[str, Any]
    name: str = ""
    state: str = ""
    at: datetime | None = None
    found: IndexedText | None = None

    @property
    def size(self) -> int:
        """The bytes it counts in storage. Raises `ValidationFailed` if it is too large."""
        body = json_bytes(self.body)
        if body > BODY_BYTES:
            raise ValidationFailed(
                f"A record can have at most {BODY_BYTES >> 10} KiB; this one has {body >> 10}. Split it."
            )
        found = len(self.found.words) * _POSTING + self.found.vector_bytes if self.found else 0
        return _OVERHEAD + len(self.name.encode()) + body + found


def json_bytes(value: object) -> int:
    """Return the size of a value as JSON. Raises `ValidationFailed` if it cannot be encoded."""
    try:
        return len(orjson.dumps(value))
    except orjson.JSONEncodeError as error:
        raise ValidationFailed(f"The value cannot be stored as JSON ({error}). Make it less nested.") from error


@dataclass
class UntrustedNotes:
    """What a tool call has to do with untrusted content: whether its run has read any (`untrusted`), and a description
    of what the call itself `read` in the workspace.
    """

    untrusted: bool = False
    read: str | None = None

    def add(self, *rows: Row | None) -> None:
        """Record that the call returns these records."""
        for row in rows:
            if row is not None and row.untrusted:
                self.read = f"{row.kind} {row.name}"[:_NOTE_CHARACTERS]


@dataclass
class RecordTransaction:
    """A transaction on the records of an account."""

    tx: Tx
    account_id: int
    notes: UntrustedNotes
    added: int = 0
    grown: int = 0

    async def find_by_name(self, kind: str, name: str, parent: int = 0) -> Row | None:
        """Return the record of that name, or None."""
        row = await self.tx.one(sql.NAMED, account=self.account_id, kind=kind, parent=parent, called=name)
        self.notes.add(row)
        return row

    async def oldest(self, kind: str, state: str = "", parent: int = 0, most: int = 1) -> list[Row]:
        """Return the records of a state with the earliest times."""
        rows = await self.tx.all(
            sql.IN_STATE, account=self.account_id, kind=kind, parent=parent, state=state, most=most, skipped=0
        )
        self.notes.add(*rows)
        return rows

    async def free_name(self, kind: str, title: str, parent: int = 0) -> str:
        """Return a short name derived from a title that no other record has."""
        name = slug(title)
        return name if await self.find_by_name(kind, name, parent) is None else f"{name}-{ulid()[-6:]}"

    async def add(self, kind: str, draft: NewRecord, parent: int = 0) -> Row:
        """Add a record. Raises `ValidationFailed` if its parent has too many of that kind."""
        count = await self.tx.one(sql.COUNT, account=self.account_id, kind=kind, parent=parent)
        if count and count.records >= MOST_ALIKE:
            raise ValidationFailed(f"The limit is {MOST_ALIKE:,} records of a kind in one place. Delete some first.")
        moment = now()
        record = replace(draft, name=_check_name(draft.name or ulid()))
        row = await self.tx.one(
            sql.INSERT,
            account_id=self.account_id,
            kind=kind,
            parent=parent,
            name=record.name,
            state=record.state,
            at=record.at or moment,
            body=record.body,
            size=record.size,
            version=1,
            untrusted=self.notes.untrusted,
            created_at=moment,
            updated_at=moment,
        )
        self.added += 1
        self.grown += record.size
        await store_features(self.tx, self.account_id, row, draft.found)
        return row

    async def replace(self, row: Row, draft: NewRecord) -> Row:
        """Replace the content of a record; without a name or a time in the draft, it retains its own.

        A record with untrusted content stays untrusted, because the new content may include the old.
        """
        record = replace(draft, name=_check_name(draft.name or row.name))
        fields = {"name": record.name, "state": record.state, "at": record.at or row.at, "body": record.body}
        fields["untrusted"] = row.untrusted or self.notes.untrusted
        changed = await self.tx.one(
            sql.REPLACE,
            account=self.account_id,
            record=row.id,
            moment=now(),
            new_size=record.size,
            **{f"new_{name}": value for name, value in fields.items()},
        )
        self.grown += record.size - row.size
        await self.tx.run(sql.UNINDEX, account=self.account_id, record=row.id)
        await self.tx.run(sql.DROP_VECTOR, account=self.account_id, record=row.id)
        await store_features(self.tx, self.account_id, changed, draft.found)
        return changed

    async def remove(self, row: Row) -> None:
        """Delete a record without children."""
        self._note_removal(
            row.size for _ in range(await self.tx.run(sql.REMOVE, account=self.account_id, record=row.id))
        )

    async def remove_within(self, kind: str, parent: int, most: int = MOST_ALIKE) -> int:
        """Delete up to `most` records of a parent; return their number."""
        removed = await self.tx.all(sql.REMOVE_WITHIN, account=self.account_id, kind=kind, parent=parent, most=most)
        return self._note_removal(row.size for row in removed)

    async def remove_before(self, kind: str, until: datetime, state: str = "", parent: int = 0) -> int:
        """Delete records whose time is before another; return their number."""
        within = {"account": self.account_id, "kind": kind, "parent": parent, "state": state}
        return self._note_removal(
            row.size for row in await self.tx.all(sql.REMOVE_BEFORE, **within, until=until, most=500)
        )

    def _note_removal(self, sizes: Any) -> int:
        removed_sizes = list(sizes)
        self.added -= len(removed_sizes)
        self.grown -= sum(removed_sizes)
        return len(removed_sizes)


@dataclass(frozen=True)
class Records:
    """Finds and writes records of one account only."""

    database: Database
    storage: AccountStorage
    notes: UntrustedNotes = field(default_factory=UntrustedNotes)

    @property
    def account_id(self) -> int:
        """The id of the account."""
        return self.storage.account_id

    async def find_by_name(self, kind: str, name: str, parent: int = 0) -> Row | None:
        """Return the record of that name, or None."""
        row = await self.database.lookup(sql.NAMED, **self._place(kind, parent), called=name)
        self.notes.add(row)
        return row

    async def get(self, kind: str, name: str, parent: int = 0) -> Row:
        """Return the record of that name. Raises `NotFound`."""
        if (row := await self.find_by_name(kind, name, parent)) is None:
            raise NotFound(f"There is no {kind} {name[:80]!r}.")
        return row

    async def find_by_ids(self, ids: Sequence[int]) -> dict[int, Row]:
        """Records by their keys. The caller must add those that it returns to `notes`."""
        rows = await self.database.query(sql.CHOSEN, account=self.account_id, ids=list(ids))
        return {row.id: row for row in rows}

    async def newest(self, kind: str, parent: int = 0, most: int = MOST_ALIKE, skipped: int = 0) -> list[Row]:
        """Return the records with the latest times."""
        return await self._query(sql.NEWEST, **self._place(kind, parent), most=most, skipped=skipped)

    async def newest_ids(self, kind: str) -> list[int]:
        """Return the keys of all records of a kind without a parent, latest time first."""
        rows = await self.database.query(sql.NEWEST_IDS, **self._place(kind, 0), most=MOST_ALIKE)
        return [row.id for row in rows]

    async def in_state(
        self, kind: str, state: str = "", parent: int = 0, most: int = MOST_ALIKE, skipped: int = 0
    ) -> list[Row]:
        """Return the records of a state, earliest time first."""
        place = self._place(kind, parent)
        return await self._query(sql.IN_STATE, **place, state=state, most=most, skipped=skipped)

    async def between(
        self, kind: str, since: datetime, until: datetime, state: str = "", parent: int = 0, most: int = MOST_ALIKE
    ) -> list[Row]:
        """Return the records of a state whose time is from `since` up to `until`, exclusive, earliest first."""
        place = self._place(kind, parent)
        return await self._query(sql.BETWEEN, **place, state=state, since=since, until=until, most=most)

    async def prefix(
        self, kind: str, prefix: str, parent: int = 0, most: int = MOST_ALIKE, skipped: int = 0
    ) -> list[Row]:
        """Return the records whose names begin with a prefix, ordered by name."""
        place = {**self._place(kind, parent), "first": prefix, "last": prefix + LAST}
        return await self._query(sql.BY_NAME, **place, most=most, skipped=skipped)

    async def count(self, kind: str, parent: int = 0) -> int:
        """Return the number of records."""
        rows = await self.database.query(sql.COUNT, **self._place(kind, parent))
        return int(rows[0].records)

    async def write(self, work: Callable[[RecordTransaction], Awaitable[T]]) -> T:
        """Run `work` in one transaction, exclusive among the writers of this account, and count the storage it adds.

        Raises `ValidationFailed` if that exceeds the limits of the plan or the workspace.
        """

        async def write(tx: Tx) -> T:
            count = await counters.bump(tx, self.account_id, "workspace_records", 0)
            writing = RecordTransaction(tx, self.account_id, self.notes)
            result = await work(writing)
            if writing.added:
                await counters.bump(tx, self.account_id, "workspace_records", writing.added)
            if writing.added > 0 and count + writing.added > MOST_RECORDS:
                raise ValidationFailed(f"The workspace can have at most {MOST_RECORDS:,} records. Delete some first.")
            if writing.grown:
                stored = await self.storage.hold(tx, writing.grown)
                if writing.grown > 0:
                    self.storage.check_quota(stored)
            return result

        return await self.database.transact(write)

    async def revise(self, kind: str, name: str, edit: Callable[[Row], Awaitable[NewRecord]]) -> Row:
        """Change a record by a function of its current content, which may be slow: it is called again if another
        change came first.

        Raises `NotFound` if there is no record.
        """
        for _ in range(_ATTEMPTS):
            row = await self.get(kind, name)
            draft = await edit(row)
            changed = await self.write(_replacement(row, draft))
            if changed is not None:
                return changed
        raise Unavailable(f"Other requests keep changing {name[:80]!r}. Nothing was changed. Try again.")

    async def _query(self, statement: Statement, **values: object) -> list[Row]:
        rows = await self.database.query(statement, **values)
        self.notes.add(*rows)
        return rows

    def _place(self, kind: str, parent: int) -> dict[str, object]:
        return {"account": self.account_id, "kind": kind, "parent": parent}


def _replacement(row: Row, draft: NewRecord) -> Callable[[RecordTransaction], Awaitable[Row | None]]:
    """Return a function that replaces a record unless it has changed meanwhile."""

    async def work(writing: RecordTransaction) -> Row | None:
        current = await writing.find_by_name(row.kind, row.name, row.parent)
        if current is None:
            raise NotFound(f"The {row.kind} {row.name[:80]!r} no longer exists.")
        # A record that was deleted and created again has version 1 again, but another id.
        same = (current.id, current.version) == (row.id, row.version)
        return await writing.replace(current, draft) if same else None

    return work


def _check_name(name: str) -> str:
    """Return a name that the database accepts.

    Raises `ValidationFailed` if it is too long or contains invalid characters.
    """
    if len(name) > NAME_CHARACTERS:
        raise ValidationFailed(f"A name can have at most {NAME_CHARACTERS} characters; this one has {len(name):,}.")
    if "\x00" in name or LAST in name:
        raise ValidationFailed("A name must not contain the characters U+0000 and U+10FFFF.")
    return name


async def describe(draft: NewRecord, text: str, *, semantic: bool = False) -> NewRecord:
    """Return the draft with the words of a text to index, and its vector if `semantic`."""
    return replace(draft, found=await found_in(text, semantic=semantic))
