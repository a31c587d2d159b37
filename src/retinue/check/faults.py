"""Finds the inconsistencies of a database and its files."""

from retinue.check import fleets, imported_tools, runs, schedules, usage, voice, webhooks, workspace
from retinue.check.stored_files import find_wrong_files
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.files.store import FileStore
from retinue.schedules.consistency import find_wrong_times
from retinue.voice.rooms.consistency import find_wrong_seconds

_PACKAGES = (usage, workspace, runs, fleets, schedules, webhooks, voice, imported_tools)
_RULES = {rule: statement for package in _PACKAGES for rule, statement in package.RULES.items()}
_SHOWN = 20
"""Most rows that are listed for a rule."""


async def find_faults(database: Database, store: FileStore) -> list[str]:
    """Return a sentence for each inconsistency; empty if there is none."""
    if faults := await database.find_damage():
        return faults
    for rule, statement in _RULES.items():
        rows = await database.query(statement)
        faults += [f"{rule}: {_describe_row(row)}" for row in rows[:_SHOWN]]
    faults += (await find_wrong_times(database))[:_SHOWN]
    faults += (await find_wrong_seconds(database))[:_SHOWN]
    faults += (await find_wrong_files(database, store))[:_SHOWN]
    return faults


def _describe_row(row: Row) -> str:
    return ", ".join(f"{name} {value}" for name, value in row._asdict().items())
