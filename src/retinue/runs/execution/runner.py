"""The runs that this process works on, and how each of them ends."""

import asyncio
from collections.abc import Awaitable
from enum import Enum

import structlog

from retinue.core.database import DatabaseUnavailable
from retinue.core.errors import InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.core.executors import acting_for
from retinue.core.leases import ATTEMPTS, LeaseLost, given_up
from retinue.core.notifier import Wakeups, wait
from retinue.core.statements import Row
from retinue.runs.approvals.suspension import Paused
from retinue.runs.execution.broadcast import Live, followed_topic
from retinue.runs.execution.loop import Loop
from retinue.runs.journal import Journal
from retinue.runs.run_journal import RunJournal
from retinue.runs.run_options import Run

_log = structlog.get_logger()

_TURN_S = 1.0
"""How often a run that waits for its turn in a conversation looks for itself, should a wake-up be lost."""


class _Why(Enum):
    """Why the work on a run is stopped from outside."""

    CANCELLED = "cancelled"
    SHUTDOWN = "shutdown"
    LOST = "lost"


class Runner:
    """Works on runs, one task each."""

    def __init__(self, loop: Loop, journal: Journal, wakeups: Wakeups) -> None:
        self._loop = loop
        self._journal = journal
        self._wakeups = wakeups
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._why: dict[int, _Why] = {}
        self.active: dict[int, Live] = {}

    def begin(self, row: Row) -> Live:
        """Take up a run that this process has claimed."""
        live = Live(RunJournal.of(row, self._journal), self._wakeups)
        self.active[row.id] = live
        task = asyncio.create_task(self._attend(row, live), name=f"run-{row.id}")
        self._tasks[row.id] = task
        self._wakeups.wake_here(f"run:{row.id}")
        task.add_done_callback(lambda _: self._forget(row.id, live))
        return live

    def _forget(self, run_id: int, live: Live) -> None:
        if self.active.get(run_id) is live:
            del self.active[run_id]
            del self._tasks[run_id]
            self._why.pop(run_id, None)
        if not live.run.attached:
            self._wakeups.wake_here("runs")

    async def cancel(self, run_id: int) -> None:
        """Stop a run if it is worked on here; what it said so far is kept. Returns when it has ended."""
        await self._stop(run_id, _Why.CANCELLED)

    def tell_ended(self, run_id: int, conversation_id: int | None) -> None:
        """Wake those who wait for a run that was ended from outside."""
        self._journal.wake(run_id, conversation_id)

    async def drop(self, run_id: int) -> None:
        """Stop working on a run that is no longer this process's."""
        await self._stop(run_id, _Why.LOST)

    async def shut_down(self, patience_s: float) -> None:
        """Hand background runs back at once; let runs end that clients wait for, and stop those that take long."""
        lives = list(self.active.items())
        await asyncio.gather(*(self._stop(key, _Why.SHUTDOWN) for key, live in lives if not live.run.attached))
        waited_for = [self._tasks[key] for key, live in lives if key in self._tasks and live.run.attached]
        if waited_for:
            await asyncio.wait(waited_for, timeout=patience_s)
        await asyncio.gather(*(self._stop(run_id, _Why.SHUTDOWN) for run_id in list(self.active)))
        self._wakeups.stop()

    async def _stop(self, run_id: int, why: _Why) -> None:
        task = self._tasks.get(run_id)
        if task:
            if not self.active[run_id].journal.ending:
                self._why.setdefault(run_id, why)
                task.cancel()
            await asyncio.wait([task])

    async def _attend(self, row: Row, live: Live) -> None:
        """Work on a run, and hear who follows it elsewhere."""
        acting_for.set(live.run.account_id)
        with self._wakeups.waiting(followed_topic(row.id)) as live.asked:
            await self._work(row, live)

    async def _work(self, row: Row, live: Live) -> None:
        run = live.run
        try:
            await self._carry_out(row, live)
            live.end("completed")
        except asyncio.CancelledError:
            await self._interrupt(live, self._why.get(run.id, _Why.SHUTDOWN))
        except LeaseLost:
            live.end("lost", Unavailable("The run was stopped before it was complete."))
        except Paused:
            live.end("waiting")
            self._wakeups.wake(f"run:{run.id}")
        except TimeoutError:
            seconds = run.options.budget.seconds
            await self._fail(live, ValidationFailed(f"The run took longer than its {seconds:g} seconds."))
        except DatabaseUnavailable as error:
            await self._hand_back(live, error)
        except RetinueError as error:
            await self._fail(live, error)
        except Exception:  # noqa: BLE001 - whatever it is, the run must end
            _log.exception("run.failed", run=run.id)
            await self._fail(live, InternalError("The run failed on our side."))

    async def _carry_out(self, row: Row, live: Live) -> None:
        if row.epoch > 1:
            await live.journal.find_place()
        if row.epoch > 1 and row.attached:
            raise Unavailable("The run was interrupted: its process ended while the client waited.")
        if row.attempts > ATTEMPTS:
            raise InternalError(given_up("run"))
        if row.status == "queued":
            await self._await_turn(live)
        await self._loop.drive(live.journal, live.say)

    async def _await_turn(self, live: Live) -> None:
        with self._wakeups.waiting(f"conversation:{live.run.conversation_id}") as turn:
            while not await live.journal.start_queued():
                await wait(turn, _TURN_S)

    async def _interrupt(self, live: Live, why: _Why) -> None:
        run = live.run
        if why is _Why.LOST:
            return live.end("lost", Unavailable("The run was stopped before it was complete."))
        if why is _Why.SHUTDOWN and not run.attached:
            live.end("released")
            return await self._quietly(live.journal.release(), run)
        if why is _Why.SHUTDOWN:
            return await self._fail(
                live, Unavailable("The run was interrupted: the server is shutting down. Try again.")
            )
        await self._quietly(live.journal.finish("cancelled", "Stopped on request."), run)
        return live.end("cancelled", Unavailable("The run was stopped before it was complete."))

    async def _hand_back(self, live: Live, error: DatabaseUnavailable) -> None:
        """A journal that cannot be written is no fault of the run: it goes on from its last row once it can be."""
        if live.run.attached:
            return await self._fail(live, error)
        live.end("released")
        return await self._quietly(live.journal.release(), live.run)

    async def _fail(self, live: Live, error: RetinueError) -> None:
        await self._quietly(live.journal.finish("failed", error.message), live.run)
        live.end("failed", error)

    async def _quietly(self, ending: Awaitable[None], run: Run) -> None:
        """Write a run's end. Where that fails the run stays open, and whoever claims it next ends it."""
        try:
            await ending
        except LeaseLost:
            _log.info("run.claim_lost", run=run.id)
        except DatabaseUnavailable as error:
            _log.warning("run.end_not_written", run=run.id, reason=error.message)
        except Exception:  # noqa: BLE001 - the lease ends by itself
            _log.exception("run.end_not_written", run=run.id)
