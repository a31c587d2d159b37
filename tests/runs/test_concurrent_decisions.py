"""A decision on an approval that waits for another transaction to end."""

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from retinue.auth.caller import Caller
from retinue.auth.plans import Plans
from retinue.core.database.interface import Database
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.data_dir import DataDir
from retinue.core.work.notifier import Notifier
from retinue.runs.approvals.service import Approvals
from retinue.runs.tables import approvals, runs
from tests.support.fenced import NUMBER, add_row, taken_over

DENY = "UPDATE approvals SET decision = 'denied'", "UPDATE runs SET status = 'queued'"
CANCEL = ("UPDATE runs SET status = 'cancelled', ended_at = now()",)
_BLOCKING = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


class NoTools:
    """A directory without tools."""

    async def of(self, account_id: int) -> None:
        """Return no catalogue: decisions that leave the arguments unchanged need none."""


def approvals_of(database: Database) -> Approvals:
    """Return the approvals of the account that owns the row."""
    caller = Caller(1, NUMBER, False, "key:1", "free", Plans.load()["free"], frozenset({"*"}))
    directory: Any = NoTools()
    return Approvals(caller, database, Notifier(), directory)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("first", "told"), [(DENY, "already denied"), (CANCEL, "already cancelled")], ids=str)
async def test_the_second_decision_is_refused(
    database: Database, database_url: str, tmp_path: Path, first: tuple[str, ...], told: str
) -> None:
    home = DataDir(tmp_path)
    waiting: dict[str, Any] = {"status": "waiting", "tools_used": [], "lease_owner": None}
    await add_row(database_url, home, runs, taken_over(runs, **waiting))
    await add_row(database_url, home, approvals, taken_over(approvals, arguments="{}"))
    other = await asyncpg.connect(database_url)
    ours = approvals_of(database)
    async with other.transaction():
        for statement in first:
            await other.execute(statement)
        second = asyncio.create_task(ours.decide(NUMBER, "approve", None, None))
        while not (second.done() or await other.fetchval(_BLOCKING)):
            pass
    with pytest.raises(ValidationFailed, match=told):
        await second
    assert (await ours.get(NUMBER)).status in told
    await other.close()
