"""Simple user-defined tables: typed columns, rows, and filters that are data rather than a language."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.workspace.records import NewRecord, Records, RecordTransaction, json_bytes
from retinue.workspace.words import slug

TABLE, ROW = "table", "row"
ROW_BYTES = 4096
_BATCH = 200

Type = Literal["text", "number", "integer", "boolean", "date"]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains", "in", "empty", "not_empty"]
RowValues: TypeAlias = Mapping[str, Any]
Condition: TypeAlias = Mapping[str, Any]
"""A `column`, an `operator`, and the `value` to compare with."""

_KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "date": (str,),
}


@dataclass(frozen=True)
class DataTables:
    """The tables of one account."""

    records: Records

    async def create(self, name: str, columns: Sequence[Mapping[str, object]]) -> Row:
        """Create a table. Raises `ValidationFailed` if the name is taken or a column occurs twice."""
        names = [column["name"] for column in columns]
        if len(set(names)) < len(names):
            raise ValidationFailed("Each column needs a name of its own.")

        async def work(writing: RecordTransaction) -> Row:
            if await writing.find_by_name(TABLE, slug(name)):
                raise ValidationFailed(
                    f"There is already a table {slug(name)!r}. Choose another name, or drop it first."
                )
            return await writing.add(TABLE, NewRecord({"columns": list(columns), "next": 1}, slug(name)))

        return await self.records.write(work)

    async def get(self, name: str) -> Row:
        """Return the table of that name, or `NotFound`."""
        return await self.records.get(TABLE, slug(name))

    async def insert(self, name: str, rows: Sequence[RowValues]) -> list[int]:
        """Add rows, all or none; return their numbers."""

        async def work(writing: RecordTransaction) -> list[int]:
            table = await writing.find_by_name(TABLE, slug(name))
            if table is None:
                raise NotFound(f"There is no table {name[:80]!r}.")
            first = table.body["next"]
            for number, values in enumerate(rows, first):
                await writing.add(ROW, NewRecord(check(table, values), f"{number:09}"), table.id)
            await writing.replace(table, NewRecord({**table.body, "next": first + len(rows)}))
            return list(range(first, first + len(rows)))

        return await self.records.write(work)

    async def matching(self, table: Row, conditions: Sequence[Condition], every: bool) -> list[Row]:
        """Return the rows that satisfy all conditions (`every`), or any of them, ordered by number."""
        test = tester(table, conditions, every)
        rows = await self.records.prefix(ROW, "", table.id)
        return await run_on_compute_thread(lambda: [row for row in rows if test(row.body)])

    async def update(self, table: Row, conditions: Sequence[Condition], every: bool, values: RowValues) -> int:
        """Set values in the rows that satisfy the conditions; return their number. Each row changes atomically."""

        async def change(writing: RecordTransaction, row: Row) -> None:
            await writing.replace(row, NewRecord(check(table, {**row.body, **values})))

        return await self._each(table, conditions, every, change)

    async def delete(self, table: Row, conditions: Sequence[Condition], every: bool) -> int:
        """Delete the rows that satisfy the conditions; return their number."""

        async def change(writing: RecordTransaction, row: Row) -> None:
            await writing.remove(row)

        return await self._each(table, conditions, every, change)

    async def drop(self, table: Row) -> None:
        """Delete a table with all its rows."""

        async def some(writing: RecordTransaction) -> int:
            return await writing.remove_within(ROW, table.id, _BATCH)

        async def last(writing: RecordTransaction) -> None:
            await writing.remove_within(ROW, table.id)
            if current := await writing.find_by_name(TABLE, table.name):
                await writing.remove(current)

        while await self.records.write(some):
            pass
        await self.records.write(last)

    async def _each(
        self,
        table: Row,
        conditions: Sequence[Condition],
        every: bool,
        change: Callable[[RecordTransaction, Row], Awaitable[None]],
    ) -> int:
        """Change the rows that satisfy the conditions, in batches; each row is tested again in the transaction that
        changes it.
        """
        test = tester(table, conditions, every)
        names = [row.name for row in await self.matching(table, conditions, every)]

        def some(batch: Sequence[str]) -> Callable[[RecordTransaction], Awaitable[int]]:
            async def work(writing: RecordTransaction) -> int:
                changed = 0
                for name in batch:
                    row = await writing.find_by_name(ROW, name, table.id)
                    if row is not None and test(row.body):
                        await change(writing, row)
                        changed += 1
                return changed

            return work

        batches = (names[start : start + _BATCH] for start in range(0, len(names), _BATCH))
        return sum([await self.records.write(some(batch)) for batch in batches])


def check(table: Row, values: RowValues) -> dict[str, object]:
    """Return the values of a row, in the order of the columns. Raises `ValidationFailed` naming the invalid ones."""
    columns = {column["name"]: column for column in table.body["columns"]}
    if unknown := sorted(set(values) - set(columns)):
        raise ValidationFailed(f"The table has no column {unknown[0][:60]!r}. It has {', '.join(columns)}.")
    row = {}
    for name, column in columns.items():
        value = values.get(name)
        if value is None and column["required"]:
            raise ValidationFailed(f"The column {name} needs a value.")
        if value is not None and not _fits(value, column["type"]):
            raise ValidationFailed(
                f"The column {name} requires values of the type {column['type']}, not {value!r:.60}."
            )
        row[name] = value
    if (size := json_bytes(row)) > ROW_BYTES:
        raise ValidationFailed(f"A row can have at most {ROW_BYTES:,} bytes; this one has {size:,}.")
    return row


def _fits(value: object, kind: str) -> bool:
    if not isinstance(value, _KINDS[kind]) or isinstance(value, bool) != (kind == "boolean"):
        return False
    return kind != "date" or _is_date(str(value))


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def tester(table: Row, conditions: Sequence[Condition], every: bool) -> Callable[[RowValues], bool]:
    """Return a test whether a row satisfies all conditions, or any of them. Without conditions, every row does."""
    columns = {column["name"] for column in table.body["columns"]}
    for condition in conditions:
        if condition["column"] not in columns:
            raise ValidationFailed(f"The table has no column {condition['column'][:60]!r}.")
        if condition["operator"] == "in" and not isinstance(condition.get("value"), list):
            raise ValidationFailed("The operator in needs a list of values.")
    if not conditions:
        return lambda _: True
    join = all if every else any
    return lambda row: join(_holds(row.get(one["column"]), one["operator"], one.get("value")) for one in conditions)


def _holds(cell: Any, operator: str, value: Any) -> bool:
    match operator:
        case "empty" | "not_empty":
            return (cell in (None, "")) == (operator == "empty")
        case "=" | "!=":
            return _equal(cell, value) == (operator == "=")
        case "in":
            return any(_equal(cell, one) for one in value)
        case "contains":
            return isinstance(cell, str) and isinstance(value, str) and value.casefold() in cell.casefold()
        case _:
            return _compare(cell, operator, value)


def _equal(cell: object, value: object) -> bool:
    return bool(cell == value) and isinstance(cell, bool) == isinstance(value, bool)


def _compare(cell: object, operator: str, value: Any) -> bool:
    """Compare numbers with numbers and texts with texts; other types have no order."""
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (cell, value))
    if not numbers and not (isinstance(cell, str) and isinstance(value, str)):
        return False
    return bool({"<": cell < value, "<=": cell <= value, ">": cell > value, ">=": cell >= value}[operator])
