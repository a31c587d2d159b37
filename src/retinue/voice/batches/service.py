"""Creates, plans, starts, pauses, cancels and deletes the batches of one caller."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast, get_args

from retinue.agents.daily_windows import Window
from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.core.work.events import emit
from retinue.core.work.notifier import Notifier
from retinue.voice.batches import statements as sql
from retinue.voice.batches.ending import end_if_over
from retinue.voice.batches.events import VoiceBatchStarted
from retinue.voice.batches.pacing import next_call, plan_calls
from retinue.voice.batches.recipients import ON_LIST, ListEntry, RecipientFiles, Screening, find_destinations
from retinue.voice.batches.schemas import (
    BatchCreate,
    BatchOptions,
    BatchRecipientView,
    BatchView,
    PlannedCall,
    PlanQuery,
    RecipientFilter,
    RecipientStatus,
    RetryOptions,
)
from retinue.voice.batches.tables import BatchRow, RecipientRow
from retinue.voice.batches.windows import CallWindow, zone_of_country
from retinue.voice.calls.outbound import NO_SIP, Outbound
from retinue.voice.calls.schemas import CallOptions
from retinue.voice.do_not_call.service import DoNotCall
from retinue.workspace.datetimes import parse_datetime

MOST_BATCHES, MOST_OPEN = 1000, 20
"""Maximum number of batches of an account, and of batches in progress."""

TOPIC = "call-batches"
_STATUSES: tuple[str, ...] = get_args(RecipientStatus)
_OPTIONS = tuple(CallOptions.model_fields)


@dataclass(frozen=True)
class Batches:
    """The batches of one caller. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    notifier: Notifier
    agents: Agents
    do_not_call: DoNotCall
    files: RecipientFiles
    outbound: Outbound

    async def create(self, order: BatchCreate) -> BatchView:
        """Create a batch, and start it unless it is to be a draft.

        Raises `ValidationFailed` for an invalid file or agent, or if nobody can be called, and `Unavailable` if this
        server cannot make calls.
        """
        if order.recipients is not None:
            listed = [ListEntry(place, one.to, one.variables or {}) for place, one in enumerate(order.recipients, 1)]
        else:
            listed = await self.files.read(self.caller.account_id, order.file_id or "")
        return await self._create(order, listed)

    async def create_from(self, order: BatchOptions, source: Path | str) -> BatchView:
        """Create a batch from a CSV file on this machine's disk, or from its text, as `create` does."""
        return await self._create(order, await self.files.parse(self.caller.account_id, source))

    async def _create(self, order: BatchOptions, listed: Sequence[ListEntry]) -> BatchView:
        self._check_server(order)
        country, moment = await self.do_not_call.find_country(order.country), now()
        checked = await self._screen(order, listed, country)
        window = await _window_of(order.window, country, moment) if order.window else None
        zone = window["timezone"] if window else "UTC"
        start_at = parse_datetime(order.start_at, "start_at", zone) if order.start_at else None
        fields = self._fields(order, window, start_at, moment)
        rows = [
            (one.number, one.to, dict(one.variables), "refused" if one.refused else "waiting", one.refused)
            for one in checked
        ]

        async def insert(tx: Tx) -> Row:
            await self._check_room(tx)
            (batch,) = await tx.all(sql.INSERT, **fields)
            await tx.run(sql.ADD_RECIPIENTS, batch=batch.id, rows=rows, moment=moment)
            await note_effect(tx, self.caller.claim, {"batch": batch.id})
            return await self._begin(tx, batch.id) if order.start else batch

        return await self._view(await self.database.transact(insert))

    def _check_server(self, order: BatchOptions) -> None:
        """Raise `Unavailable` if this server makes no calls, or `ValidationFailed` if not so many at once."""
        options = self.outbound.options
        if not self.caller.sandbox and options.sip is None:
            raise Unavailable(NO_SIP)
        if (order.at_once or 1) > options.calls_per_key:
            raise ValidationFailed(
                f"at_once: a credential can have {options.calls_per_key} concurrent calls on this server "
                "(RETINUE_CALLS_PER_KEY)."
            )

    async def _screen(self, order: BatchOptions, listed: Sequence[ListEntry], country: str | None) -> list[ListEntry]:
        """Check whom the batch can call. Raises `ValidationFailed` if it can call nobody."""
        greeting = order.greeting
        if order.agent_id is not None:
            try:
                agent = await self.agents.record(order.agent_id)
            except NotFound as error:
                raise ValidationFailed(f"agent_id: {error.message}") from error
            greeting = agent.greeting if greeting is None else greeting
        destinations, invalid = await run_on_compute_thread(find_destinations, listed, country)
        forbidden = await self.do_not_call.find_listed(set(destinations.values()))
        outbound = None if self.caller.sandbox else self.outbound
        screening = Screening(destinations, invalid, forbidden, greeting or "", outbound)
        checked = await run_on_compute_thread(screening.check, listed)
        if all(one.refused for one in checked):
            first = checked[0]
            raise ValidationFailed(f"Nobody can be called. Recipient 1, {first.to[:60]!r}: {first.refused}")
        return checked

    def _fields(
        self, order: BatchOptions, window: Window | None, start_at: datetime | None, moment: datetime
    ) -> dict[str, object]:
        return {
            "account_id": self.caller.account_id,
            "credential": self.caller.credential,
            "scopes": sorted(self.caller.scopes),
            "name": order.name,
            "agent_id": order.agent_id,
            "options": order.model_dump(include=set(_OPTIONS)),
            "at_once": order.at_once or 1,
            "per_minute": order.per_minute or 1,
            "window": window,
            "retries": _retries_of(order),
            "status": "draft",
            "start_at": start_at,
            "next_at": moment,
            "created_at": moment,
        }

    async def _check_room(self, tx: Tx) -> None:
        await counters.bump(tx, self.caller.account_id, "calls", 0)  # locks the account's calls and batches
        (counted,) = await tx.all(sql.COUNT, account=self.caller.account_id)
        if counted.open >= MOST_OPEN:
            raise ValidationFailed(f"You have {MOST_OPEN} batches that have not ended. Cancel or delete one first.")
        if counted.held >= MOST_BATCHES:
            raise ValidationFailed(f"You have {MOST_BATCHES:,} batches. Delete old ones first.")

    async def page(self, page: Page) -> tuple[Sequence[BatchView], int]:
        """Return one page of batches, newest first, and the total count."""
        account = self.caller.account_id
        (counted,) = await self.database.query(sql.COUNT, account=account)
        rows = await read_page(self.database, sql.LIST, page, account=account)
        return await self._views(rows), counted.held

    async def get(self, batch_id: int) -> BatchView:
        """Return one batch. Raises `NotFound`."""
        return await self._view(await self._row(batch_id))

    async def recipients(self, batch_id: int, wanted: RecipientFilter) -> tuple[Sequence[BatchRecipientView], int]:
        """Return one page of a batch's recipients, in order, and the total count. Raises `NotFound`."""
        row = await self._row(batch_id)
        found = await read_page(self.database, sql.FIND_RECIPIENTS, wanted, batch=row.id, state=wanted.status)
        (counts, _) = (await self._progress([row.id]))[row.id]
        return [_recipient_view(one) for one in found], counts[wanted.status or "total"]

    async def plan(self, batch_id: int, query: PlanQuery) -> tuple[Sequence[PlannedCall], int]:
        """Return one page of what the batch would do, first the calls in order, then the refusals, and the total.

        Recipients whose call has ended or goes on are left out. Raises `NotFound`.
        """
        row = await self._row(batch_id)
        everybody = await self.database.query(sql.ALL_RECIPIENTS, batch=row.id)
        waiting = [one for one in everybody if one.status == "waiting"]
        listed = [ListEntry(one.number, one.to_address, {}) for one in waiting]
        destinations, _ = await run_on_compute_thread(find_destinations, listed, None)
        forbidden = await self.do_not_call.find_listed(set(destinations.values()))
        on_list = {number for number, destination in destinations.items() if destination in forbidden}
        called = [one for one in waiting if one.number not in on_list]
        planned = await run_on_compute_thread(lambda: list(plan_calls(row, called, now(), query.call_seconds)))
        refused: dict[int, str | None] = {one.number: ON_LIST for one in waiting if one.number in on_list}
        refused |= {one.number: one.reason for one in everybody if one.status == "refused"}
        shown = [PlannedCall(number=one.number, to=one.to_address, calls_at=at, refused=None) for one, at in planned]
        shown += [
            PlannedCall(number=one.number, to=one.to_address, calls_at=None, refused=refused[one.number])
            for one in everybody
            if one.number in refused
        ]
        return shown[query.offset : query.offset + query.per_page], len(shown)

    async def start(self, batch_id: int) -> BatchView:
        """Start a draft. Raises `NotFound`, or `ValidationFailed` if the batch is none."""
        await self._row(batch_id)
        return await self._view(await self.database.transact(lambda tx: self._begin(tx, batch_id)))

    async def pause(self, batch_id: int) -> BatchView:
        """Begin no further calls. Raises `NotFound`, or `ValidationFailed` if the batch is not running."""
        return await self._move(batch_id, "running", "paused")

    async def resume(self, batch_id: int) -> BatchView:
        """Go on with a paused batch. Raises `NotFound`, or `ValidationFailed` if it is not paused."""
        return await self._move(batch_id, "paused", "running")

    async def cancel(self, batch_id: int) -> BatchView:
        """Begin no further calls for good. Calls that have begun go on. A batch that has ended is not changed."""
        row = await self._row(batch_id)

        async def write(tx: Tx) -> None:
            if await tx.one(sql.CANCEL, **self._key(batch_id)):
                await tx.run(sql.CANCEL_WAITING, batch=batch_id)
                await end_if_over(tx, batch_id, "cancelled")

        await self.database.transact(write)
        return await self.get(row.id)

    async def delete(self, batch_id: int) -> None:
        """Delete a draft, or a batch that has ended. Its calls stay. Raises `NotFound` or `ValidationFailed`."""
        row = await self._row(batch_id)
        if not await self.database.transact(lambda tx: tx.run(sql.DELETE, **self._key(batch_id))):
            raise ValidationFailed(
                f"Batch {row.id} is {row.status}. Cancel it, and delete it once its calls have ended."
            )

    async def _begin(self, tx: Tx, batch_id: int) -> BatchRow:
        row = await self._change(tx, batch_id, "draft", "running", started=now())
        (counted,) = await tx.all(sql.COUNT_OPEN, batch=batch_id)
        await emit(
            tx,
            row.account_id,
            VoiceBatchStarted(batch_id=row.id, name=row.name, agent_id=row.agent_id, recipients=counted.held),
        )
        return row

    async def _move(self, batch_id: int, before: str, after: str) -> BatchView:
        await self._row(batch_id)
        return await self._view(await self.database.transact(lambda tx: self._change(tx, batch_id, before, after)))

    async def _change(
        self, tx: Tx, batch_id: int, before: str, after: str, started: datetime | None = None
    ) -> BatchRow:
        values = {"before": before, "state": after, "moment": now(), "started": started}
        row = await tx.one(sql.MOVE, **self._key(batch_id), **values)
        if row is None:
            found = cast(Row, await tx.one(sql.GET, **self._key(batch_id)))
            wanted = {"draft": "a draft", "running": "running", "paused": "paused"}[before]
            raise ValidationFailed(f"Batch {batch_id} is not {wanted}: it is {found.status}.")
        tx.after_commit(lambda: self.notifier.wake(TOPIC))
        return row

    async def _view(self, row: BatchRow) -> BatchView:
        (view,) = await self._views([row])
        return view

    async def _views(self, rows: Sequence[BatchRow]) -> list[BatchView]:
        progress, moment = await self._progress([row.id for row in rows]), now()
        return [_batch_view(row, *progress[row.id], moment) for row in rows]

    async def _progress(self, ids: list[int]) -> dict[int, tuple[dict[str, int], datetime | None]]:
        """Return the counts of recipients of each batch, and when the first of those who wait may be called."""
        counts = {batch_id: dict.fromkeys(_STATUSES, 0) for batch_id in ids}
        due: dict[int, datetime] = {}
        for row in await self.database.query(sql.COUNTS, ids=ids) if ids else ():
            counts[row.batch_id][row.status] = row.held
            if row.status == "waiting":
                due[row.batch_id] = row.due_at
        return {one: ({"total": sum(held.values()), **held}, due.get(one)) for one, held in counts.items()}

    async def _row(self, batch_id: int) -> BatchRow:
        row = await self.database.lookup(sql.GET, **self._key(batch_id))
        if row is None:
            raise NotFound(f"There is no batch {batch_id} in your account.")
        return row

    def _key(self, batch_id: int) -> dict[str, int]:
        return {"batch": batch_id, "account": self.caller.account_id}


def _retries_of(order: BatchOptions) -> dict[str, object]:
    """Return when recipients are called again: also after a machine, if its call is hung up and `on` is not set."""
    retries = order.retries or RetryOptions()
    adds_machine = order.machine_detection == "hangup" and "on" not in retries.model_fields_set
    return {**retries.model_dump(), "on": [*retries.on, "machine"] if adds_machine else retries.on}


async def _window_of(window: CallWindow, country: str | None, moment: datetime) -> Window:
    """Return the window with its time zone: by default, that of the country."""
    zone = window.timezone
    if zone is None:
        zone = await run_on_compute_thread(zone_of_country, country, moment.year)
    return {"days": window.days, "start": window.start, "end": window.end, "timezone": zone}


def _batch_view(row: BatchRow, counts: dict[str, int], due: datetime | None, moment: datetime) -> BatchView:
    options = {name: row.options.get(name) for name in _OPTIONS if name != "agent_id"}
    return BatchView.of_row(row, **options, counts=counts, next_call_at=next_call(row, due, moment))


def _recipient_view(row: RecipientRow) -> BatchRecipientView:
    due = row.due_at if row.status == "waiting" and row.attempts else None
    return BatchRecipientView.of_row(row, to=row.to_address, due_at=due)
