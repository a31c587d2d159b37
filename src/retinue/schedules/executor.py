"""Handles a due time: starts the work and writes its row, its event and the next due time in one transaction."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.events import Event, emit
from retinue.core.work.leases import ABANDONED, ATTEMPTS, LEASE_S, LeaseLost
from retinue.schedules import statements as sql
from retinue.schedules.due_times import DueTime, instant, lease_until, turn_of
from retinue.schedules.events import ScheduleFailed, ScheduleFired
from retinue.schedules.starter import StartedWork, Starter
from retinue.schedules.tables import ScheduleRow, ScheduleRunRow, StandingRow

StarterOf = Callable[[ScheduleRow], Awaitable[Starter]]
"""Returns the starter for the account of a schedule's row."""

_MISSED = "The due time passed while no server was running."


@dataclass(frozen=True, slots=True)
class DueTimeOutcome:
    """The outcome of a due time. `gone` is True if the agent or fleet no longer exists."""

    status: str
    reason: str | None = None
    begun: StartedWork = field(default_factory=StartedWork)
    gone: bool = False

    def fields(self, moment: datetime) -> dict[str, Any]:
        """Return the outcome's columns in `schedule_runs`."""
        fired = self.status == "fired"
        return {
            "reason": self.reason,
            "run_id": self.begun.run_id,
            "deployment_id": self.begun.deployment_id,
            "fired_at": moment if fired else None,
            "settled_at": None if self.status in ("fired", "waiting") else moment,
        }


@dataclass(frozen=True)
class ScheduleExecutor:
    """Handles the due times of schedules that this process has claimed."""

    database: Database
    starter_of: StarterOf

    async def fire(self, claimed: ScheduleRow, up_since: float) -> None:
        """Handle a claimed schedule's due time and release the schedule. Raises `LeaseLost`."""
        turn = turn_of(claimed, instant(claimed.lease_until - LEASE_S), instant(up_since))
        starter = await self.starter_of(claimed)

        async def write(tx: Tx) -> None:
            row = await tx.one(sql.HOLD, schedule=claimed.id, under=claimed.epoch)
            if row is None:
                raise LeaseLost
            (standing,) = await tx.all(sql.STANDING, schedule=row.id, due=turn.due if turn else None)
            if row.waiting_id and not standing.going:
                changes = await self._begin_waiting(tx, row, starter)
            elif turn and not standing.taken:
                changes = await self._take(tx, row, turn, standing, starter)
            else:  # The due time was handled before; this happens only if the database's clock was set back.
                changes = {"next_at": turn.next_at} if turn else {}
            await _release(tx, row, changes)
            crash_point("schedules.firing")

        await self.database.transact(write)
        crash_point("schedules.fired")

    async def _take(
        self, tx: Tx, row: ScheduleRow, turn: DueTime, standing: StandingRow, starter: Starter
    ) -> dict[str, Any]:
        """Handle a due time. Returns the changed columns of the schedule."""
        changes: dict[str, object] = {"next_at": turn.next_at, "more": 1}
        result = _held_back(row, turn, standing) or await begin(tx, row, starter)
        entry = await add_run(tx, row, result, due_at=turn.due, missed_since=turn.missed_since, manual=False)
        if result.status == "waiting":
            changes["waiting_id"] = entry.id
        return {**changes, **_disable_if_gone(result)}

    async def _begin_waiting(self, tx: Tx, row: ScheduleRow, starter: Starter) -> dict[str, Any]:
        """Start the work that waited for the previous run. Returns the changed columns of the schedule."""
        result = await begin(tx, row, starter)
        (entry,) = await tx.all(sql.END_WAITING, entry=row.waiting_id, outcome=result.status, **result.fields(now()))
        await _emit_outcome(tx, row, entry, result)
        return {"waiting_id": None, **_disable_if_gone(result)}


async def begin(tx: Tx, row: ScheduleRow, starter: Starter) -> DueTimeOutcome:
    """Start a schedule's work. Refusals become a failed result."""
    if row.attempts > ATTEMPTS:
        return DueTimeOutcome("failed", ABANDONED)
    try:
        begun = await starter.begin(tx, row)
        return DueTimeOutcome("fired", begun.note, begun)
    except NotFound as error:
        return DueTimeOutcome("failed", error.message, gone=True)
    except ValidationFailed as error:
        return DueTimeOutcome("failed", error.message)


async def add_run(tx: Tx, row: ScheduleRow, result: DueTimeOutcome, **fields: Any) -> ScheduleRunRow:
    """Add a due time's row and emit its event. The caller must update the count."""
    moment = now()
    (entry,) = await tx.all(
        sql.ADD_RUN,
        schedule_id=row.id,
        account_id=row.account_id,
        status=result.status,
        created_at=moment,
        **result.fields(moment),
        **fields,
    )
    await _emit_outcome(tx, row, entry, result)
    return entry


def _held_back(row: ScheduleRow, turn: DueTime, standing: StandingRow) -> DueTimeOutcome | None:
    """Return why a due time starts nothing now, or None if it may start."""
    if turn.skip:
        return DueTimeOutcome("skipped", _MISSED)
    if standing.going is None or row.overlap == "parallel":
        return None
    number = standing.run_id or standing.deployment_id
    reason = f"{'Run' if standing.run_id else 'Deployment'} {number} was still in progress."
    if row.overlap == "skip":
        return DueTimeOutcome("skipped", reason)
    if row.waiting_id:
        return DueTimeOutcome("skipped", f"{reason} Another due time was already waiting for its end.")
    return DueTimeOutcome("waiting", reason)


def _disable_if_gone(result: DueTimeOutcome) -> dict[str, object]:
    return {"enabled": False, "disabled_reason": result.reason, "next_at": None} if result.gone else {}


async def _release(tx: Tx, row: ScheduleRow, changes: dict[str, Any]) -> None:
    current = {name: getattr(row, name) for name in ("enabled", "disabled_reason", "next_at", "waiting_id")}
    fields = {**current, "more": 0, **changes}
    await tx.run(sql.RELEASE, schedule=row.id, lease_until=lease_until(row, fields["next_at"]), **fields)


async def _emit_outcome(tx: Tx, row: ScheduleRow, entry: ScheduleRunRow, result: DueTimeOutcome) -> None:
    about: dict[str, Any] = {
        "schedule_id": row.id,
        "schedule_run_id": entry.id,
        "name": row.name,
        "due_at": entry.due_at,
        "agent_id": row.agent_id,
        "fleet_id": row.fleet_id,
    }
    event: Event | None = None
    if result.status == "fired":
        event = ScheduleFired(**about, run_id=result.begun.run_id, deployment_id=result.begun.deployment_id)
    elif result.status == "failed":
        event = ScheduleFailed(**about, error=result.reason or "", enabled=row.enabled and not result.gone)
    if event:
        await emit(tx, row.account_id, event)
