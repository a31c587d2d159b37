"""Makes the calls of running batches, and records how they ended.

Every node does so. A transaction that locks the batch decides whether a call may begin, and writes the call and the
recipient's state together. So nodes do not exceed the pace of a batch, and nobody is called twice for one attempt.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RateLimited, RetinueError, Unavailable, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.fair_leases import fair_share
from retinue.core.work.notifier import Notifier, wait
from retinue.voice.batches import statements as sql
from retinue.voice.batches.attempts import Attempt, NotNow, decide
from retinue.voice.batches.ending import end_if_over
from retinue.voice.batches.pacing import Call, Step, Wait
from retinue.voice.batches.service import TOPIC
from retinue.voice.batches.tables import BatchRow, RecipientRow
from retinue.voice.calls.schemas import CallCreate
from retinue.voice.calls.service import Calls
from retinue.voice.calls.switchboard import Switchboard

_log = structlog.get_logger()
_LOOK_S = 1.0
"""Seconds between looks for due batches and ended calls."""

_LATER = timedelta(seconds=15)
"""How long a batch waits after an error that has nothing to do with the recipient."""

_FAULT = "The server made an error. It tries again."

_GONE = "The record of the call was removed before the batch could read its end."

CallsOf = Callable[[Row], Awaitable[Calls]]
"""Returns the calls of the account and credential that a batch belongs to. Raises `NotFound`."""


class BatchWorker:
    """Begins and settles the calls of batches."""

    def __init__(self, database: Database, notifier: Notifier, switchboard: Switchboard, calls_of: CallsOf) -> None:
        self._database, self._notifier, self._switchboard = database, notifier, switchboard
        self._calls_of = calls_of
        self._begun: set[int] = set()

    async def run(self) -> None:
        """Work until cancelled."""
        with self._notifier.waiting(TOPIC) as woken:
            while True:
                try:
                    again = await self._look()
                except DatabaseUnavailable as error:
                    _log.debug("batches.not_served", reason=error.message)
                    again = False
                if not again:
                    await wait(woken, _LOOK_S)

    async def _look(self) -> bool:
        """Settle what has ended, and begin one call of each due batch. Returns whether to look again at once."""
        for over in await self._database.fetch(sql.OVER):
            await self._settle(over)
        can_dial = self._switchboard.options.sip is not None
        due = await self._database.fetch(sql.DUE, moment=now(), can_dial=can_dial)
        begun = [await self._serve(batch) for batch in due if self._has_room()]
        return any(begun)

    def _has_room(self) -> bool:
        """Whether this process may begin another call of a batch: a quarter of its calls remains for others."""
        self._begun &= set(self._switchboard.held_ids())
        return len(self._begun) < fair_share(self._switchboard.options.calls)

    async def _serve(self, batch: BatchRow) -> bool:
        """Begin the next call of a batch, if it may begin now. Returns whether something was done."""
        try:
            step = await self._database.transact(lambda tx: _take_step(tx, batch.id))
            if not isinstance(step, Call):
                return False
            await self._begin(batch, step.recipient)
        except NotNow:
            return False
        except (RateLimited, Unavailable, NotFound) as error:
            await self._postpone(batch, error.message)
            return False
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001 - one batch must not hold up the others
            _log.exception("task.failed", batch=batch.id)
            await self._postpone(batch, _FAULT)
            return False
        return True

    async def _begin(self, batch: BatchRow, recipient: RecipientRow) -> None:
        crash_point("batches.decided")
        calls = await self._calls_of(batch)
        if batch.agent_id is not None and not await self._has_agent(calls, batch, batch.agent_id):
            return
        fields: Mapping[str, object] = {**batch.options, "to": recipient.to_address, "variables": recipient.variables}
        try:
            order = CallCreate.model_validate(fields)
            # A call that was added must begin, so a shutdown does not cancel this.
            call = await asyncio.shield(asyncio.ensure_future(calls.start(order, Attempt(batch.id, recipient))))
        except ValidationFailed as error:
            await self._refuse(batch, recipient, error)
            return
        self._begun.add(call.id)
        crash_point("batches.called")

    async def _has_agent(self, calls: Calls, batch: BatchRow, agent_id: int) -> bool:
        """Whether the agent exists. Pauses the batch if it does not."""
        try:
            await calls.agents.record(agent_id)
        except NotFound as error:
            why = f"{error.message} The batch was paused."
            await self._database.transact(lambda tx: tx.run(sql.PAUSE, batch=batch.id, why=why))
            return False
        return True

    async def _refuse(self, batch: BatchRow, recipient: RecipientRow, error: RetinueError) -> None:
        why = error.message.removeprefix("to: ")

        async def write(tx: Tx) -> None:
            held = await tx.one(sql.LOCK, batch=batch.id, moment=now())
            if held and await tx.run(sql.REFUSE, batch=batch.id, recipient=recipient.id, why=why):
                await end_if_over(tx, batch.id, "completed")

        await self._database.transact(write)

    async def _postpone(self, batch: BatchRow, why: str) -> None:
        until = now() + _LATER
        await self._database.transact(lambda tx: tx.run(sql.POSTPONE, batch=batch.id, until=until, why=why))

    async def _settle(self, over: Row) -> None:
        """Record how the call of a recipient ended, decide whether it is made again, and end the batch if it was the
        last.
        """

        async def write(tx: Tx) -> None:
            moment = now()
            batch = await tx.one(sql.LOCK, batch=over.batch_id, moment=moment)
            if batch is None:
                return
            call = await tx.one(sql.CALL, call=over.call_id)
            outcome, why = _outcome_of(call)
            due, retries = moment, batch.retries
            if outcome in retries["on"] and over.attempts <= retries["times"] and batch.status != "cancelled":
                outcome, due = "waiting", moment + timedelta(minutes=retries["after_minutes"])
            settled = {"recipient": over.id, "call": over.call_id, "outcome": outcome, "why": why, "due": due}
            if await tx.run(sql.SETTLE, batch=over.batch_id, **settled):
                await end_if_over(tx, over.batch_id, "cancelled" if batch.status == "cancelled" else "completed")

        await self._database.transact(write)
        crash_point("batches.settled")


def _outcome_of(call: Row | None) -> tuple[str, str | None]:
    """Return the status of a recipient whose call has ended, and why the call failed."""
    if call is None:
        return "failed", _GONE
    answered_by_machine = call.status == "completed" and call.answered_by == "machine"
    return "machine" if answered_by_machine else call.status, call.error


async def _take_step(tx: Tx, batch_id: int) -> Step:
    """Decide what a batch does next, and write it unless it is a call. Raises `NotNow` if it is not running."""
    _, step = await decide(tx, batch_id)
    if isinstance(step, Wait):
        await tx.run(sql.POSTPONE, batch=batch_id, until=step.until, why=None)
    elif not isinstance(step, Call):
        await end_if_over(tx, batch_id, "completed")
    return step
