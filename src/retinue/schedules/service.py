"""Creates, reads, updates, fires and deletes the schedules of one account."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Problems, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.schedules import statements as sql
from retinue.schedules.due_times import instant, lease_until
from retinue.schedules.executor import add_run, begin
from retinue.schedules.mail_requests import lacks_mail
from retinue.schedules.rules import check_rules, next_due, read_date
from retinue.schedules.schemas import ScheduleCreate, ScheduleUpdate, ScheduleView
from retinue.schedules.starter import Starter
from retinue.schedules.tables import NEVER, EndedScheduleRun, ScheduleRow

_TIMES = ("cron", "at", "timezone", "enabled")
"""The fields that determine the next due time."""


@dataclass(frozen=True)
class Schedules:
    """Creates, finds, updates, fires and deletes schedules. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    notifier: Notifier
    starter: Starter

    async def create(self, new: ScheduleCreate) -> ScheduleView:
        """Create a schedule. Raises `ValidationFailed` if the plan's limit is reached."""
        clock, actor = await self.clock(), Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> int:
            schedule_id = await self.add(tx, new, clock)
            await audit(tx, actor, "schedule.created", schedule_id)
            await note_effect(tx, self.caller.claim, {"schedule": schedule_id})
            return schedule_id

        return await self.get(await self.database.transact(insert))

    async def lacks_mail(self, task: str) -> bool:
        """Return whether a task asks for an e-mail that the account cannot send."""
        return await lacks_mail(self.database.fetch, self.caller.account_id, task)

    async def add(self, tx: Tx, new: ScheduleCreate, clock: datetime) -> int:
        """Create a schedule in the caller's transaction and return its id. `clock` is the result of `clock()`."""
        account = self.caller.account_id
        fields = {**new.model_dump(), "at": read_date(new.at, new.timezone or "UTC", clock)}
        problems = Problems()
        with problems:
            check_rules(fields)
        self._check_scope(fields)
        with problems:
            await self.starter.check(tx, new.agent_id, None)
        with problems:
            await self.starter.check(tx, None, new.fleet_id)
        problems.raise_all()
        (row,) = await tx.all(
            sql.INSERT,
            **fields,
            account_id=account,
            **self._author(),
            disabled_reason=None,
            next_at=None,
            lease_until=NEVER,
            created_at=clock,
            updated_at=clock,
        )
        self._check_room(await counters.bump(tx, account, "schedules", 1))
        await self._write(tx, row, fields, next_due(row, clock))
        return int(row.id)

    async def page(self, page: Page) -> tuple[Sequence[ScheduleView], int]:
        """Return one page, newest first, and the total count."""
        account = self.caller.account_id
        rows = await read_page(self.database, sql.LIST, page, account=account)
        return [_view(row) for row in rows], await counters.read(self.database, account, "schedules")

    async def get(self, schedule_id: int) -> ScheduleView:
        """Return one schedule. Raises `NotFound`."""
        return _view(_require(await self.database.lookup(sql.GET, **self._key(schedule_id)), schedule_id))

    async def update(self, schedule_id: int, changes: ScheduleUpdate) -> ScheduleView:
        """Change the fields that were sent. The schedule then runs with this credential's permissions."""
        clock, actor = await self.clock(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, schedule_id)
            sent = changes.sent_fields()
            if sent.get("at"):
                sent["at"] = read_date(sent["at"], sent.get("timezone", row.timezone), clock, current=row.at)
            fields = {name: sent.get(name, getattr(row, name)) for name in sql.FIELDS}
            changed = {name for name in sql.FIELDS if fields[name] != getattr(row, name)}
            if changed:
                check_rules(fields)
                self._check_scope(fields)
                await self._check_target(tx, changed, fields)
            timed = changed & set(_TIMES)
            next_at = next_due(row._replace(**fields), clock) if timed else row.next_at
            await self._write(tx, row, fields, next_at)
            await audit(tx, actor, "schedule.updated", schedule_id)

        await self.database.transact(write)
        return await self.get(schedule_id)

    async def switch(self, schedule_id: int, enabled: bool) -> ScheduleView:
        """Pause a schedule, or resume it from its next due time."""
        clock, actor = await self.clock(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, schedule_id)
            if row.enabled != enabled:
                fields = {name: getattr(row, name) for name in sql.FIELDS} | {"enabled": enabled}
                await self._write(tx, row, fields, next_due(row._replace(**fields), clock), row)
                await audit(tx, actor, "schedule.updated", schedule_id, "Resumed." if enabled else "Paused.")

        await self.database.transact(write)
        return await self.get(schedule_id)

    async def delete(self, schedule_id: int) -> None:
        """Delete a schedule with its history. Work that it started continues."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.DELETE, **self._key(schedule_id)):
                raise _missing(schedule_id)
            await counters.bump(tx, self.caller.account_id, "schedules", -1)
            await audit(tx, actor, "schedule.deleted", schedule_id)

        await self.database.transact(write)

    async def run(self, schedule_id: int) -> EndedScheduleRun:
        """Fire now, even if the schedule is paused or its last run is open. Returns the history row."""
        clock = await self.clock()

        async def write(tx: Tx) -> int:
            row = await self._lock(tx, schedule_id)
            self._check_scope(row._asdict())
            result = await begin(tx, row._replace(attempts=0), self.starter.narrow(row.scopes))
            if result.status != "fired":
                raise ValidationFailed(result.reason or "")
            due_at = await _manual_due_at(tx, row, clock)
            entry = await add_run(tx, row, result, due_at=due_at, missed_since=None, manual=True)
            await tx.run(sql.COUNT_RUNS, schedule=row.id, more=1)
            await note_effect(tx, self.caller.claim, {"schedule_run": entry.id})
            return int(entry.id)

        return await self.history_row(await self.database.transact(write))

    async def history_row(self, entry_id: int) -> EndedScheduleRun:
        """Return a due time by its id. Raises `NotFound`."""
        found = await self.database.lookup(sql.RUN, entry=entry_id, account=self.caller.account_id)
        if found is None:
            raise NotFound(f"There is no run {entry_id} of a schedule in your account.")
        return found

    async def runs(self, schedule_id: int, page: Page) -> tuple[Sequence[EndedScheduleRun], int]:
        """Return one page of the handled due times, newest first, and the total count."""
        row = _require(await self.database.lookup(sql.GET, **self._key(schedule_id)), schedule_id)
        return await read_page(self.database, sql.RUNS, page, **self._key(schedule_id)), row.runs_count

    async def _write(
        self, tx: Tx, row: ScheduleRow, fields: dict[str, Any], next_at: datetime | None, author: Row | None = None
    ) -> None:
        """Write a schedule's fields and the columns derived from them. Pausing skips a waiting due time.

        `author` is a row whose author to preserve; by default, the caller becomes the author.
        """
        new = row._replace(**fields)
        waiting = row.waiting_id
        if waiting and not new.enabled:
            ended: dict[str, Any] = {"run_id": None, "deployment_id": None, "fired_at": None, "settled_at": now()}
            await tx.run(
                sql.END_WAITING,
                entry=waiting,
                outcome="skipped",
                reason="The schedule was paused.",
                **ended,
            )
            waiting = None
        await tx.run(
            sql.UPDATE,
            **self._key(row.id),
            **fields,
            **({"scopes": author.scopes, "key_id": author.key_id} if author else self._author()),
            disabled_reason=None if new.enabled else row.disabled_reason,
            next_at=next_at,
            waiting_id=waiting,
            lease_until=lease_until(new, next_at),
            moment=now(),
        )
        tx.after_commit(lambda: self.notifier.wake("schedules"))

    async def _check_target(self, tx: Tx, changed: set[str], fields: dict[str, Any]) -> None:
        chosen = {name: fields[name] if name in changed else None for name in ("agent_id", "fleet_id")}
        await self.starter.check(tx, **chosen)

    def _check_scope(self, fields: dict[str, Any]) -> None:
        if fields["fleet_id"] is not None:
            self.caller.require("fleets:write")

    def _check_room(self, count: int) -> None:
        most = self.caller.plan.schedules
        if count > most:
            raise ValidationFailed(
                f"The plan {self.caller.plan_name} allows {most:,} schedules, and all are in use. Delete one first."
            )

    def _author(self) -> dict[str, object]:
        """Return the author's scopes and API key: the permissions and the budget that the schedule uses."""
        return {"scopes": sorted(self.caller.scopes), "key_id": self.caller.key_id}

    async def clock(self) -> datetime:
        """Return the time of the database's clock, which determines when schedules are due."""
        (row,) = await self.database.fetch(sql.CLOCK)
        return instant(row.seconds)

    async def _lock(self, tx: Tx, schedule_id: int) -> ScheduleRow:
        return _require(await tx.one(sql.LOCK, **self._key(schedule_id)), schedule_id)

    def _key(self, schedule_id: int) -> dict[str, int]:
        return {"schedule": schedule_id, "account": self.caller.account_id}


async def _manual_due_at(tx: Tx, row: ScheduleRow, clock: datetime) -> datetime:
    """Return the first instant from `clock` on that no other due time has. The caller must have locked the schedule.

    The due times of cron expressions are whole seconds.
    """
    moment = clock
    while moment.microsecond == 0 or moment == row.next_at or await tx.one(sql.TAKEN, schedule=row.id, due=moment):
        moment += timedelta(microseconds=1)
    return moment


def _view(row: Row) -> ScheduleView:
    """Return a schedule with its last due time that was handled."""
    fields = row._asdict()
    last = {name.removeprefix(sql.LAST): fields[name] for name in fields if name.startswith(sql.LAST)}
    return ScheduleView.of_row(row, last_run=last if last["id"] else None)


def _require(row: ScheduleRow | None, schedule_id: int) -> ScheduleRow:
    if row is None:
        raise _missing(schedule_id)
    return row


def _missing(schedule_id: int) -> NotFound:
    return NotFound(f"There is no schedule {schedule_id} in your account.")
