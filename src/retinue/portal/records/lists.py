"""The lists of the records that a person keeps by chat, one for each kind."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeVar

from retinue.core.database.statements import Row
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.language.translation import gettext_noop
from retinue.workspace.datetimes import NEVER, find_zone
from retinue.workspace.occurrences import next_occurrence
from retinue.workspace.records import Records

T = TypeVar("T")
_PRIORITIES = ("urgent", "high", "normal", "low")
_DATE_CHARACTERS = 10


@dataclass(frozen=True)
class Entry:
    """A record of a list. `when` is the due time of a task or the next time of an event, on the clock of its zone.

    `passed` is true for an open task that is overdue, and for an event that does not happen again.
    """

    row: Row
    when: datetime | None = None
    passed: bool = False


@dataclass(frozen=True)
class Listing:
    """A part of a list, with the sum of all expenses of each currency."""

    entries: Sequence[Entry]
    sums: Mapping[str, Decimal]


Load = Callable[[Records, Part], Awaitable[Listing]]


@dataclass(frozen=True)
class KindOfRecord:
    """A kind: its label and an example of a request to an agent, which are messages, and the field with its title.

    `tools` is the first word of the names of the tools that keep it, if that is not the name of the kind.
    """

    name: str
    label: str
    request: str
    title: str
    load: Load
    tools: str = ""


async def _tasks(records: Records, part: Part) -> Listing:
    """List open tasks, the next one due first, then those that are done."""
    open_rows = [row for state in ("todo", "doing") for row in await records.in_state("task", state)]
    open_rows.sort(key=_urgency)
    done_rows = sorted(await records.in_state("task", "done"), key=lambda row: row.updated_at, reverse=True)
    moment = now()
    rows = _part([*open_rows, *done_rows], part)
    return Listing([Entry(row, _due(row), _is_overdue(row, moment)) for row in rows], {})


def _urgency(row: Row) -> tuple[datetime, int, datetime]:
    return row.at, _PRIORITIES.index(row.body["priority"]), row.created_at


def _due(row: Row) -> datetime | None:
    """Return the due time as it was given, in whatever zone."""
    return datetime.fromisoformat(row.body["due"].strip()) if row.at != NEVER else None


def _is_overdue(row: Row, moment: datetime) -> bool:
    """Return whether an open task is late. One without a time of day may be done until the day ends."""
    if row.state == "done" or row.at == NEVER:
        return False
    whole_day = len(row.body["due"]) <= _DATE_CHARACTERS
    return bool(row.at + timedelta(days=whole_day) <= moment)


async def _events(records: Records, part: Part) -> Listing:
    """List events by their next time, then those that have passed, the last one first."""
    rows = [row for state in ("single", "repeating") for row in await records.in_state("event", state)]
    entries = await run_on_compute_thread(_by_next_time, rows, now())
    return Listing(_part(entries, part), {})


def _by_next_time(rows: Sequence[Row], moment: datetime) -> list[Entry]:
    ahead: list[tuple[datetime, Row]] = []
    passed: list[Row] = []
    for row in rows:
        if found := next_occurrence(row.body, moment):
            ahead.append((found.begin, row))
        else:
            passed.append(row)
    ahead.sort(key=lambda one: one[0])
    passed.sort(key=lambda row: row.at, reverse=True)
    return [
        *(Entry(row, _on_its_clock(begin, row)) for begin, row in ahead),
        *(Entry(row, _on_its_clock(row.at, row), passed=True) for row in passed),
    ]


def _on_its_clock(begin: datetime, row: Row) -> datetime:
    """Return a time in the zone of the event, in which people said it and agents repeat it."""
    return begin.astimezone(find_zone(row.body["zone"]))


async def _expenses(records: Records, part: Part) -> Listing:
    """List expenses, the latest first, and their sums."""
    sums: dict[str, Decimal] = {}
    rows = await records.newest("expense")
    for row in rows:
        currency = row.body["currency"]
        sums[currency] = sums.get(currency, Decimal()) + Decimal(row.body["amount"])
    return Listing([Entry(row) for row in _part(rows, part)], sums)


def _newest(kind: str) -> Load:
    async def load(records: Records, part: Part) -> Listing:
        rows = await records.newest(kind, most=part.per_page, skipped=part.offset)
        return Listing([Entry(row) for row in rows], {})

    return load


def _part(rows: Sequence[T], part: Part) -> Sequence[T]:
    return rows[part.offset : part.offset + part.per_page]


KINDS = {
    kind.name: kind
    for kind in (
        KindOfRecord(
            "task", gettext_noop("Tasks"), gettext_noop("Put calling the bank on my to-do list."), "title", _tasks
        ),
        KindOfRecord(
            "checklist",
            gettext_noop("Checklists"),
            gettext_noop("Make a shopping list: milk, eggs, bread."),
            "title",
            _newest("checklist"),
        ),
        KindOfRecord(
            "note",
            gettext_noop("Notes"),
            gettext_noop("Make a note that the boiler was serviced."),
            "title",
            _newest("note"),
        ),
        KindOfRecord(
            "event",
            gettext_noop("Calendar"),
            gettext_noop("Book the dentist for Friday at 10."),
            "title",
            _events,
            tools="calendar",
        ),
        KindOfRecord(
            "contact",
            gettext_noop("Contacts"),
            gettext_noop("Save a contact: Carla, +39 333 1234567."),
            "name",
            _newest("contact"),
        ),
        KindOfRecord(
            "expense",
            gettext_noop("Expenses"),
            gettext_noop("I spent 12.50 euros on lunch."),
            "description",
            _expenses,
        ),
    )
}
"""The kinds by their names, in the order of the tabs."""

KIND_OF_TOOLS = {kind.tools or kind.name: kind.name for kind in KINDS.values()}
"""The kinds by the first words of the names of the tools that keep them. Pages pass it to their scripts."""


def kind_of_tool(tool: str) -> str | None:
    """Return the kind of the records that a tool keeps, if the portal lists it."""
    return KIND_OF_TOOLS.get(tool.partition("_")[0])
