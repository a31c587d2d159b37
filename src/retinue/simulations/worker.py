"""Begins the conversations of simulations, and takes the next step of each one whose run has ended.

Every node does so. A transaction that locks the simulation takes each step, so no step is taken twice.
"""

from functools import partial

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.notifier import Notifier, wait
from retinue.simulations import statements as sql
from retinue.simulations.simulator import AT_ONCE, TOPIC, Simulator

_log = structlog.get_logger()
_LOOK_S = 1.0
"""Seconds between looks for runs that have ended without a wake-up."""

_FAULT = "The server made an error."


class SimulationWorker:
    """Advances all simulations."""

    def __init__(self, database: Database, notifier: Notifier, simulator: Simulator) -> None:
        self._database, self._notifier, self._simulator = database, notifier, simulator

    async def run(self) -> None:
        """Work until cancelled."""
        runs: set[int] = set()
        while True:
            with self._notifier.waiting(TOPIC, *(f"run:{run}" for run in runs)) as woken:
                try:
                    found = await self._look()
                except DatabaseUnavailable as error:
                    _log.warning("simulations.not_served", reason=error.message)
                    found = runs
                if found == runs:  # Otherwise, look once more: a new run may have ended before anybody waited for it.
                    await wait(woken, _LOOK_S)
            runs = found

    async def _look(self) -> set[int]:
        """Take all steps that are due. Returns the runs that go on."""
        while True:
            begun = [await self._begin(row) for row in await self._database.fetch(sql.TO_BEGIN, most=AT_ONCE)]
            at_work = await self._database.fetch(sql.AT_WORK)
            due = [row for row in at_work if row.due]
            for row in due:
                await self._advance(row)
            if not (due or any(begun)):
                return {row.run_id for row in at_work}

    async def _begin(self, row: Row) -> bool:
        begin = partial(self._simulator.begin_next, simulation_id=row.id, account_id=row.account_id)
        try:
            begun = await self._database.transact(begin)
        except NotFound:  # The account is being deleted.
            return False
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001 - one simulation must not hold up the others
            _log.exception("task.failed", simulation=row.id)
            return False
        crash_point("simulations.begun")
        return begun

    async def _advance(self, row: Row) -> None:
        step = {"simulation_id": row.simulation_id, "conversation_id": row.id, "run_id": row.run_id}
        try:
            await self._database.transact(partial(self._simulator.advance, **step))
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001 - one conversation must not hold up the others
            _log.exception("task.failed", conversation=row.id)
            await self._database.transact(partial(self._simulator.advance, **step, fault=_FAULT))
        crash_point("simulations.advanced")
