"""Finds the inconsistencies of a database and its files."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from retinue.check.stored_files import find_wrong_files
from retinue.core.database.interface import Database
from retinue.core.database.statements import Statement
from retinue.files.store import FileStore

_MOST_ROWS = 20
"""Most rows that are listed for a rule."""


@dataclass(frozen=True)
class Rules:
    """What is checked: statements that find the rows that break a rule, and functions that find other faults."""

    statements: Mapping[str, Statement]
    functions: Sequence[Callable[[Database], Awaitable[list[str]]]]


async def find_faults(database: Database, store: FileStore, rules: Rules) -> list[str]:
    """Return a sentence for each inconsistency; empty if there is none."""
    if faults := await database.find_damage():
        return faults
    for rule, statement in rules.statements.items():
        rows = await database.query(statement)
        for row in rows[:_MOST_ROWS]:
            fields = ", ".join(f"{name} {value}" for name, value in row._asdict().items())
            faults.append(f"{rule}: {fields}")
    for find in rules.functions:
        faults += (await find(database))[:_MOST_ROWS]
    faults += (await find_wrong_files(database, store))[:_MOST_ROWS]
    return faults
