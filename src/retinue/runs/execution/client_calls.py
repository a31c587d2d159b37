"""Calls of the client's tools for whose results a run waits, instead of ending with them.

The calls have journal rows of the state `waiting` until `Continuations.return_results` adds what the client sends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.core.database.interface import Database, Tx
from retinue.core.work.leases import LeaseLost
from retinue.runs import statements as sql
from retinue.runs.approvals.suspension import RunPaused
from retinue.runs.context_window import CallState, StepCall
from retinue.runs.run_journal import RunJournal
from retinue.runs.tables import JournalRow


class _Sent(Exception):
    """The client sent results before the run was paused."""

    def __init__(self, rows: Sequence[JournalRow]) -> None:
        super().__init__()
        self.rows = rows


@dataclass(frozen=True)
class ClientCalls:
    """Hands calls to the client of a run, and takes their results."""

    database: Database

    async def hand_out(self, journal: RunJournal, calls: Sequence[StepCall]) -> None:
        """Record calls that have no journal row yet. The client sees them from then on. Raises `LeaseLost`."""
        fresh = [item for item in calls if not item.recorded]
        if fresh:
            await journal.tools_wait([(item.seq, item.call) for item in fresh])
        for item in fresh:
            item.state, item.recorded = CallState.WAITING, True

    async def take_results(self, journal: RunJournal, calls: Sequence[StepCall]) -> None:
        """Add the results that the client has sent. Raises `RunPaused` if there are none yet, or `LeaseLost`."""
        waiting = {item.seq: item for item in calls}

        async def write(tx: Tx) -> None:
            # This locks the run, as `return_results` does, so that no result comes between the pause and the look.
            if not await tx.run(sql.PAUSE, run=journal.run.id, under=journal.run.epoch, **journal.progress()):
                raise LeaseLost
            rows = [row for row in await tx.all(sql.OF_RUN, run=journal.run.id) if row.seq in waiting]
            if sent := [row for row in rows if row.state != CallState.WAITING]:
                raise _Sent(sent)

        try:
            await self.database.transact(write)
        except _Sent as found:
            for row in found.rows:
                waiting[row.seq].end(CallState(row.state), row.content)
            return
        raise RunPaused
