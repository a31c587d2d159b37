"""Finds the runs of an account or of one of its agents."""

from collections.abc import Sequence

from retinue.core.database.interface import Database
from retinue.core.http.envelope import read_page
from retinue.runs import statements as sql
from retinue.runs.schemas import RunFilter
from retinue.runs.tables import RunRow


async def find_runs(
    database: Database, wanted: RunFilter, account_id: int, agent_id: int | None = None
) -> tuple[Sequence[RunRow], int]:
    """Return one page of the runs that pass the filter, newest first, and their total count."""
    filters = {"account": account_id, "wanted": wanted.status, "since": wanted.since, "until": wanted.until}
    find, count = sql.FIND, sql.COUNT_FOUND
    if agent_id is not None:
        find, count, filters["agent"] = sql.FIND_OF_AGENT, sql.COUNT_FOUND_OF_AGENT, agent_id
    rows = await read_page(database, find, wanted, **filters)
    (counted,) = await database.query(count, **filters)
    return rows, counted.runs
