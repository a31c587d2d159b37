"""Begins the conversations of simulations, and takes the next step of each one whose run has ended.

Every node does so. A transaction that locks the simulation takes each step, so no step is taken twice. Words are spoken
before that: the node that speaks them holds a lease on the conversation, so they are not spoken twice.
"""

import asyncio
from collections.abc import Collection
from functools import partial
from typing import TypedDict

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable
from retinue.core.runtime.failpoints import crash_point
from retinue.core.runtime.tasks import cancel_all
from retinue.core.work.leased_worker import LeaseKeeper
from retinue.core.work.leases import ABANDONED, ATTEMPTS
from retinue.core.work.notifier import Notifier, wait
from retinue.simulations import statements as sql
from retinue.simulations.simulator import AT_ONCE, TOPIC, Simulator
from retinue.simulations.sound import NotUnderstood, understand

_log = structlog.get_logger()
_LOOK_S = 1.0
"""Seconds between looks for runs that have ended without a wake-up."""

_FAULT = "The server made an error."


class _Step(TypedDict):
    """The step that a conversation takes next: arguments of `Simulator.advance`."""

    simulation_id: int
    conversation_id: int
    run_id: int | None
    epoch: int


class _Heard(TypedDict, total=False):
    """What was understood of the words of a step, or why nothing could be: arguments of `Simulator.advance`."""

    heard: str | None
    fault: str


class SimulationWorker(LeaseKeeper):
    """Advances all simulations. `node` is the id of this process in leases."""

    leases, topic = sql.SPEAKERS, TOPIC

    def __init__(self, database: Database, notifier: Notifier, node: str, simulator: Simulator) -> None:
        super().__init__(database, notifier, node)
        self._simulator = simulator
        self._speaking: dict[tuple[int, int], asyncio.Task[_Heard | None]] = {}
        """Spoken words of conversations, by conversation and epoch."""

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            await self._serve()
        finally:
            await cancel_all(self._speaking.values())
            await self._hand_back()

    def held_ids(self) -> Collection[int]:
        """Return the ids of the conversations whose words this process speaks."""
        return {conversation for conversation, _ in self._speaking}

    async def abandon(self, row_id: int) -> None:
        """Stop speaking the words of a conversation whose lease is lost."""
        for key in [key for key in self._speaking if key[0] == row_id]:
            self._speaking.pop(key).cancel()

    async def _hand_back(self) -> None:
        try:
            await self._database.transact(lambda tx: self.leases.hand_back(tx, self._node))
        except DatabaseUnavailable as error:
            _log.warning("leases.not_handed_back", of=self.topic, reason=error.message)

    async def _serve(self) -> None:
        runs: set[int] = set()
        while True:
            with self._notifier.waiting(TOPIC, *(f"run:{run}" for run in runs)) as woken:
                try:
                    found = await self._look()
                except DatabaseUnavailable as error:
                    _log.debug("simulations.not_served", reason=error.message)
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
            for ended in self._speaking.keys() - {(row.id, row.epoch) for row in due}:
                self._speaking.pop(ended).cancel()
            advanced = [await self._advance(row) for row in due]
            if not (any(advanced) or any(begun)):
                return {row.run_id for row in at_work if row.run_id}

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

    async def _advance(self, row: Row) -> bool:
        """Take a step. Returns False if its words are still being spoken, or if it cannot be taken at all."""
        step = _Step(simulation_id=row.simulation_id, conversation_id=row.id, run_id=row.run_id, epoch=row.epoch)
        try:
            heard = await self._listen(row) if row.spoken else _Heard()
            if heard is None:
                return False
            await self._database.transact(partial(self._simulator.advance, **step, **heard))
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001 - one conversation must not hold up the others
            _log.exception("task.failed", conversation=row.id)
            if not await self._fail(row.id, step):
                return False
        crash_point("simulations.advanced")
        return True

    async def _fail(self, conversation: int, step: _Step) -> bool:
        """End a conversation whose step raised an error. Returns False if that raises one as well."""
        try:
            await self._database.transact(partial(self._simulator.advance, **step, fault=_FAULT))
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001 - a conversation that cannot be written must not hold up the others
            _log.exception("task.failed", conversation=conversation)
            return False
        return True

    async def _listen(self, row: Row) -> _Heard | None:
        """Return what was understood of the words of a step; None until that is known, or if another process speaks.

        If this process dies in between, another one speaks the words once the lease has ended.
        """
        key = (row.id, row.epoch)
        if key in self._speaking:
            return self._speaking.pop(key).result() if self._speaking[key].done() else None
        if not row.leased and (claimed := await self._claim(row.id)):
            task = self._speaking[claimed.id, claimed.epoch] = asyncio.create_task(self._speak(claimed))
            task.add_done_callback(lambda _: self._notifier.wake_here(TOPIC))
        return None

    async def _claim(self, conversation: int) -> Row | None:
        claim = partial(self.leases.claim, owner=self._node, at_most=1, conversation=conversation)
        return next(iter(await self._database.transact(claim)), None)

    async def _speak(self, claimed: Row) -> _Heard | None:
        if claimed.attempts > ATTEMPTS:
            return {"fault": ABANDONED}
        step = await self._database.lookup(sql.SPOKEN_STEP, conversation=claimed.id)
        try:
            return {"heard": await understand(self._simulator.stage, step) if step else None}
        except NotUnderstood as error:
            return {"fault": f"The words could not be spoken or understood: {error}"}
        except Unavailable as error:
            _log.debug("simulations.no_speech", reason=error.message)
            await self._database.transact(lambda tx: tx.run(sql.LET_GO, conversation=claimed.id, under=claimed.epoch))
            return None
