"""The schedules of one caller."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core import counters
from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.envelope import Page, read_page
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.idempotency import note_effect
from retinue.core.notifier import Wakeups
from retinue.core.statements import Row
from retinue.schedules import statements as sql
from retinue.schedules.firing import add_run, begin
from retinue.schedules.rules import check_rules, next_due, read_date
from retinue.schedules.schemas import ScheduleCreate, ScheduleUpdate
from retinue.schedules.starting import Starter
from retinue.schedules.tables import NEVER
from retinue.schedules.timing import instant, lease_until

_TIMES = ("cron", "at", "timezone", "enabled")
"""Fields from which the next due time follows."""


@dataclass(frozen=True)
class Schedules:
    """Creates, finds, changes, fires and deletes schedules. Nothing of another account is ever seen."""

    caller: Caller
    database: Database
    wakeups: Wakeups
    starter: Starter

    async def create(self, new: ScheduleCreate) -> dict[str, Any]:
        """Make a schedule, if the plan has room for one more."""
        clock, actor = await self.clock(), Actor.of_caller(self.caller)

        async def insert(tx: Tx) -> int:
            schedule_id = await self.add(tx, new, clock)
            await audit(tx, actor, "schedule.created", schedule_id)
            await note_effect(tx, self.caller.claim, {"schedule": schedule_id})
            return schedule_id

        return await self.get(await self.database.transact(insert))

    async def add(self, tx: Tx, new: ScheduleCreate, clock: datetime) -> int:
        """Make a schedule in a transaction that does more; returns its id. `clock` is what `clock` tells."""
        account = self.caller.account_id
        fields = {**new.model_dump(), "at": read_date(new.at, new.timezone or "UTC", clock)}
        check_rules(fields)
        self._check_scope(fields)
        await self.starter.check(tx, new.agent_id, new.fleet_id)
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

    async def page(self, page: Page) -> tuple[Sequence[dict[str, Any]], int]:
        """One page, newest first, and how many there are in all."""
        account = self.caller.account_id
        rows = await read_page(self.database, sql.LIST, page, account=account)
        return [_record(row) for row in rows], await counters.read(self.database, account, "schedules")

    async def get(self, schedule_id: int) -> dict[str, Any]:
        """One schedule, or `NotFound`."""
        return _record(_require(await self.database.lookup(sql.GET, **self._key(schedule_id)), schedule_id))

    async def update(self, schedule_id: int, changes: ScheduleUpdate) -> dict[str, Any]:
        """Change the fields that were sent. From now on it does what this credential may do."""
        clock, actor = await self.clock(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            row = await self._lock(tx, schedule_id)
            sent = changes.changes()
            if sent.get("at"):
                sent["at"] = read_date(sent["at"], sent.get("timezone", row.timezone), clock, kept=row.at)
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

    async def switch(self, schedule_id: int, enabled: bool) -> dict[str, Any]:
        """Pause a schedule, or have it go on from its next due time."""
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
        """Delete a schedule with its history. What it has begun goes on."""
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.DELETE, **self._key(schedule_id)):
                raise _missing(schedule_id)
            await counters.bump(tx, self.caller.account_id, "schedules", -1)
            await audit(tx, actor, "schedule.deleted", schedule_id)

        await self.database.transact(write)

    async def run(self, schedule_id: int) -> Row:
        """Fire now, even while it is paused or a run is going on; returns the row of its history."""
        clock = await self.clock()

        async def write(tx: Tx) -> int:
            row = await self._lock(tx, schedule_id)
            self._check_scope(row._asdict())
            result = await begin(tx, row._replace(attempts=0), self.starter.narrow(row.scopes))
            if result.status != "fired":
                raise ValidationFailed(result.reason or "")
            entry = await add_run(tx, row, result, due_at=clock, missed_since=None, manual=True)
            await tx.run(sql.COUNT_RUNS, schedule=row.id, more=1)
            await note_effect(tx, self.caller.claim, {"schedule_run": entry.id})
            return int(entry.id)

        return await self.history_row(await self.database.transact(write))

    async def history_row(self, entry_id: int) -> Row:
        """A due time, by its id."""
        return await self.database.lookup(sql.RUN, entry=entry_id, account=self.caller.account_id)

    async def runs(self, schedule_id: int, page: Page) -> tuple[Sequence[Row], int]:
        """One page of the due times that were handled, newest first, and how many there are in all."""
        row = _require(await self.database.lookup(sql.GET, **self._key(schedule_id)), schedule_id)
        return await read_page(self.database, sql.RUNS, page, **self._key(schedule_id)), row.runs_count

    async def _write(
        self, tx: Tx, row: Row, fields: dict[str, Any], next_at: datetime | None, author: Row | None = None
    ) -> None:
        """Write the fields of a schedule and what follows from them. One that is paused waits for nothing.

        `author` is the row whose author stays; by default the caller becomes the author.
        """
        new = row._replace(**fields)
        waiting = row.waiting_id
        if waiting and not new.enabled:
            ended: dict[str, Any] = {"run_id": None, "deployment_id": None, "fired_at": None, "settled_at": now()}
            await tx.run(sql.END_WAITING, entry=waiting, outcome="skipped", reason="The schedule was paused.", **ended)
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
        tx.after_commit(lambda: self.wakeups.wake("schedules"))

    async def _check_target(self, tx: Tx, changed: set[str], fields: dict[str, Any]) -> None:
        chosen = {name: fields[name] if name in changed else None for name in ("agent_id", "fleet_id")}
        await self.starter.check(tx, **chosen)

    def _check_scope(self, fields: dict[str, Any]) -> None:
        if fields["fleet_id"] is not None:
            self.caller.require("fleets:write")

    def _check_room(self, held: int) -> None:
        most = self.caller.plan.schedules
        if held > most:
            raise ValidationFailed(
                f"The plan {self.caller.plan_name} allows {most:,} schedules and all are in use. Delete one first."
            )

    def _author(self) -> dict[str, Any]:
        """What a schedule may do when it fires, which is what its author may, and whose budget it uses."""
        return {"scopes": sorted(self.caller.scopes), "key_id": self.caller.key_id}

    async def clock(self) -> datetime:
        """Now, by the clock that decides when schedules are due."""
        row = await self.database.lookup(sql.CLOCK)
        assert row is not None  # noqa: S101 - a SELECT without a table has a row
        return instant(row.seconds)

    async def _lock(self, tx: Tx, schedule_id: int) -> Row:
        return _require(await tx.one(sql.LOCK, **self._key(schedule_id)), schedule_id)

    def _key(self, schedule_id: int) -> dict[str, int]:
        return {"schedule": schedule_id, "account": self.caller.account_id}


def _record(row: Row) -> dict[str, Any]:
    """A schedule as callers see it, with the due time that was handled last."""
    fields = row._asdict()
    last = {name.removeprefix(sql.LAST): fields[name] for name in fields if name.startswith(sql.LAST)}
    return {**fields, "last_run": last if last["id"] else None}


def _require(row: Row | None, schedule_id: int) -> Row:
    if row is None:
        raise _missing(schedule_id)
    return row


def _missing(schedule_id: int) -> NotFound:
    return NotFound(f"There is no schedule {schedule_id} among yours.")
