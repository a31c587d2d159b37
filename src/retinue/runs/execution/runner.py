"""Executes this process's runs, one task each, and writes how each of them ends."""

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum

import structlog

from retinue.core.database.interface import DatabaseUnavailable
from retinue.core.errors import Cancelled, InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.core.runtime.executors import acting_for
from retinue.core.work.leases import ABANDONED, ATTEMPTS, LeaseLost
from retinue.core.work.notifier import Notifier, wait
from retinue.runs.approvals.suspension import RunPaused
from retinue.runs.execution.broadcast import RunStream, followed_topic
from retinue.runs.execution.loop import AgentLoop
from retinue.runs.journal import Journal
from retinue.runs.run_journal import RunJournal
from retinue.runs.run_options import Run
from retinue.runs.tables import RunRow

_log = structlog.get_logger()

_TURN_S = 1.0
"""How often a run polls for its turn in a conversation, in case a wake-up is lost."""


class _Why(Enum):
    """Why a run's task is cancelled."""

    CANCELLED = "cancelled"
    SHUTDOWN = "shutdown"
    LOST = "lost"


class Runner:
    """Executes runs, one task each."""

    def __init__(self, loop: AgentLoop, journal: Journal, notifier: Notifier) -> None:
        self._loop = loop
        self._journal = journal
        self._notifier = notifier
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._why: dict[RunStream, _Why] = {}
        self.active: dict[int, RunStream] = {}

    def begin(self, row: RunRow) -> RunStream:
        """Start executing a run that this process has claimed. Stop its older task: this claim ended its lease."""
        if row.id in self._tasks:
            self._interrupt_task(row.id, _Why.LOST)
        live = RunStream(RunJournal.of(row, self._journal), self._notifier)
        self.active[row.id] = live
        task = asyncio.create_task(self._attend(row, live), name=f"run-{row.id}")
        self._tasks[row.id] = task
        self._notifier.wake_here(f"run:{row.id}")
        task.add_done_callback(lambda _: self._forget(row.id, live))
        return live

    def _forget(self, run_id: int, live: RunStream) -> None:
        self._why.pop(live, None)
        if self.active.get(run_id) is live:
            del self.active[run_id]
            del self._tasks[run_id]
        if not live.run.attached:
            self._notifier.wake_here("runs")

    async def cancel(self, run_id: int) -> None:
        """Stop a run if this process executes it, and save its reply so far. Returns when the run has ended."""
        await self._stop(run_id, _Why.CANCELLED)

    async def cancel_all(self, matches: Callable[[Run], bool]) -> None:
        """Stop the matching runs that this process executes now. Returns when they have ended."""
        await asyncio.gather(*(self.cancel(key) for key, live in list(self.active.items()) if matches(live.run)))

    def tell_ended(self, run_id: int, conversation_id: int | None) -> None:
        """Wake the waiters of a run that another caller ended."""
        self._journal.wake(run_id, conversation_id)

    async def drop(self, run_id: int) -> None:
        """Stop executing a run whose claim this process has lost."""
        await self._stop(run_id, _Why.LOST)

    async def shut_down(self, patience_s: float) -> None:
        """Release background runs at once, and wait up to `patience_s` for attached runs before stopping them."""
        lives = list(self.active.items())
        await asyncio.gather(*(self._stop(key, _Why.SHUTDOWN) for key, live in lives if not live.run.attached))
        waited_for = [self._tasks[key] for key, live in lives if key in self._tasks and live.run.attached]
        if waited_for:
            await asyncio.wait(waited_for, timeout=patience_s)
        await asyncio.gather(*(self._stop(run_id, _Why.SHUTDOWN) for run_id in list(self.active)))
        self._notifier.stop()

    async def _stop(self, run_id: int, why: _Why) -> None:
        task = self._tasks.get(run_id)
        if task:
            self._interrupt_task(run_id, why)
            await asyncio.wait([task])

    def _interrupt_task(self, run_id: int, why: _Why) -> None:
        """Cancel a run's task, unless it writes the run's end."""
        live = self.active[run_id]
        if not live.journal.ending:
            self._why.setdefault(live, why)
            self._tasks[run_id].cancel()

    async def _attend(self, row: RunRow, live: RunStream) -> None:
        """Execute a run, and listen for followers on other nodes."""
        acting_for.set(live.run.account_id)
        with self._notifier.waiting(followed_topic(row.id)) as live.requested:
            await self._work(row, live)

    async def _work(self, row: RunRow, live: RunStream) -> None:
        run = live.run
        try:
            await self._carry_out(row, live)
            live.end("completed")
        except asyncio.CancelledError:
            await self._interrupt(live, self._why.get(live, _Why.SHUTDOWN))
        except LeaseLost:
            await self._lose(live)
        except RunPaused:
            live.end("waiting")
            self._notifier.wake(f"run:{run.id}")
        except TimeoutError:
            limit = f"The run reached its limit of {run.options.budget.seconds:g} seconds. Raise seconds in its budget."
            await self._fail(live, ValidationFailed(limit))
        except DatabaseUnavailable as error:
            await self._hand_back(live, error)
        except RetinueError as error:
            await self._fail(live, error)
        except Exception:  # noqa: BLE001 - the run must end after any error
            _log.exception("run.failed", run=run.id)
            await self._fail(live, InternalError("The run failed on our side."))

    async def _carry_out(self, row: RunRow, live: RunStream) -> None:
        if row.epoch > 1:
            await live.journal.find_place()
        if row.epoch > 1 and row.attached:
            raise Unavailable("The run was interrupted: its process ended while the client waited.")
        if row.attempts > ATTEMPTS:
            raise InternalError(ABANDONED)
        if row.status == "queued":
            await self._await_turn(live)
        await self._loop.drive(live.journal, live.say)

    async def _await_turn(self, live: RunStream) -> None:
        with self._notifier.waiting(f"conversation:{live.run.conversation_id}") as turn:
            while not await live.journal.start_queued():
                await wait(turn, _TURN_S)

    async def _interrupt(self, live: RunStream, why: _Why) -> None:
        run = live.run
        if why is _Why.LOST:
            return await self._lose(live)
        if why is _Why.SHUTDOWN and not run.attached:
            live.end("released")
            return await self._quietly(live.journal.release(), run)
        if why is _Why.SHUTDOWN:
            return await self._fail(
                live, Unavailable("The run was interrupted because the server is shutting down. Try again.")
            )
        await self._quietly(live.journal.finish("cancelled", "Stopped on request."), run)
        return live.end("cancelled", Cancelled("The run was stopped before it was complete."))

    async def _lose(self, live: RunStream) -> None:
        """End the output of a run whose claim is lost: another caller cancelled or deleted it, or a process has it."""
        try:
            cancelled = await self._journal.is_cancelled(live.run)
        except DatabaseUnavailable:
            cancelled = False
        reason = "The run was stopped before it was complete."
        live.end(*(("cancelled", Cancelled(reason)) if cancelled else ("lost", Unavailable(reason))))

    async def _hand_back(self, live: RunStream, error: DatabaseUnavailable) -> None:
        """Release the run if its journal cannot be written, so that it resumes from its last row later."""
        if live.run.attached:
            return await self._fail(live, error)
        live.end("released")
        return await self._quietly(live.journal.release(), live.run)

    async def _fail(self, live: RunStream, error: RetinueError) -> None:
        await self._quietly(live.journal.finish("failed", error.message), live.run)
        live.end("failed", error)

    async def _quietly(self, ending: Awaitable[object], run: Run) -> None:
        """Write a run's end. If the write fails, the run stays open, and the next process that claims it ends it."""
        try:
            await ending
        except LeaseLost:
            _log.info("run.claim_lost", run=run.id)
        except DatabaseUnavailable as error:
            _log.warning("run.end_not_written", run=run.id, reason=error.message)
        except Exception:  # noqa: BLE001 - the lease expires by itself
            _log.exception("run.end_not_written", run=run.id)
