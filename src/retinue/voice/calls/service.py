"""Starts, lists, controls and ends the calls of one API caller."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from retinue.agents.schemas import DEFAULT_ENGINE
from retinue.agents.service import Agents
from retinue.agents.voice_settings import VoiceSettings
from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RateLimited, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.core.work.events import emit
from retinue.usage.quotas import Quotas
from retinue.voice.calls import statements as sql
from retinue.voice.calls.destinations import parse_destination
from retinue.voice.calls.events import VoiceCallStarted, fields_of
from retinue.voice.calls.feed import CallFeed, NumberedEvent
from retinue.voice.calls.orders import call_topic, carry_out
from retinue.voice.calls.records import SIMULATED
from retinue.voice.calls.schemas import CallCreate, CallFilter, CallTransfer, CallView
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.calls.tables import CallRow
from retinue.voice.calls.variables import find_missing

_RETRY_S, _RETRY_MINUTES_S = 10, 3600


class CallAttempt(Protocol):
    """The attempt of a batch for which a call is made."""

    @property
    def batch_id(self) -> int:
        """The id of the batch."""
        ...

    async def reserve(self, tx: Tx) -> None:
        """Make sure that the call may begin, in the transaction that adds it. Raises if it may not."""
        ...

    async def record(self, tx: Tx, call: CallRow) -> None:
        """Record the call, in the transaction that adds it."""
        ...


@dataclass(frozen=True)
class Calls:
    """The calls of one caller. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    agents: Agents
    quotas: Quotas
    switchboard: Switchboard
    feed: CallFeed

    async def start(self, order: CallCreate, attempt: CallAttempt | None = None) -> CallView:
        """Start an outbound call, perhaps for a batch, and return it in the state `queued`.

        Raises `ValidationFailed` for an invalid destination or agent, `RateLimited` if the account has no minutes
        left or the credential too many calls, and `Unavailable` if this server cannot make calls.
        """
        destination = await run_on_compute_thread(parse_destination, order.to)
        agent = await self._agent(order.agent_id)
        engine = order.voice_engine or (agent.voice_engine if agent else DEFAULT_ENGINE)
        left = await self._seconds_left()
        if order.greeting and order.variables and (missing := find_missing(order.greeting, order.variables)):
            raise ValidationFailed(f"variables: the greeting needs {', '.join(missing)}.")
        dial = await self.switchboard.outbound.admit(
            self.caller.account_id, destination, engine, simulated=self.caller.sandbox
        )
        voice = agent.voice if agent else None
        most = VoiceSettings.of(voice).max_seconds
        longest = min(filter(None, (order.max_seconds, most, left, self.switchboard.options.longest_s)))
        fields = {
            "agent_id": order.agent_id,
            "to_address": order.to,
            "voice_engine": engine,
            "greeting": order.greeting,
            "record": bool(order.record),
            "max_seconds": longest,
            "machine_detection": order.machine_detection,
            "voice": voice,
            "variables": order.variables,
            "batch_id": attempt.batch_id if attempt else None,
        }

        async def insert(tx: Tx) -> Row:
            return await self._insert(tx, fields, attempt)

        with self.switchboard.slot():
            row = await self.database.transact(insert)
            self.switchboard.begin(row, dial)
        return call_view(row)

    async def _insert(self, tx: Tx, fields: dict[str, object], attempt: CallAttempt | None) -> Row:
        if attempt:
            await attempt.reserve(tx)
        if not self.caller.sandbox:
            await self._check_room(tx)
        row = await add_call(tx, self.switchboard.node, self._owner(), direction="outbound", **fields)
        if attempt:
            await attempt.record(tx, row)
        await note_effect(tx, self.caller.claim, {"call": row.id})
        return row

    async def page(self, wanted: CallFilter) -> tuple[Sequence[CallView], int]:
        """Return one page of the calls that pass the filter, newest first, and their total count."""
        account = self.caller.account_id
        if not wanted.is_filtered:
            rows = await read_page(self.database, sql.LIST, wanted, account=account)
            return [call_view(row) for row in rows], await counters.read(self.database, account, "calls")
        filters = {
            "account": account,
            "state": wanted.status,
            "way": wanted.direction,
            "agent": wanted.agent_id,
            "called": wanted.to,
            "calling": wanted.caller,
            "since": wanted.since,
            "until": wanted.until,
        }
        rows = await read_page(self.database, sql.FIND, wanted, **filters)
        (counted,) = await self.database.query(sql.COUNT_FOUND, **filters)
        return [call_view(row) for row in rows], counted.calls

    async def get(self, call_id: int) -> CallView:
        """Return one call. Raises `NotFound`."""
        return call_view(await self.row(call_id))

    async def turns(self, call_id: int, page: Page) -> tuple[Sequence[Row], int]:
        """Return one page of a call's turns, in order, and the total count. Raises `NotFound`."""
        row = await self.row(call_id)
        return await read_page(self.database, sql.TURNS, page, call=row.id), row.turns_count

    async def actions(self, call_id: int) -> Sequence[Row]:
        """Return the newest tool calls, keys and transfers of a call, oldest first. Raises `NotFound`."""
        row = await self.row(call_id)
        return (await self.database.fetch(sql.ACTIONS, call=row.id))[::-1]

    async def follow(self, call_id: int, last_id: str | None) -> AsyncGenerator[NumberedEvent]:
        """Return the events of a call after `last_id`, until its end. Raises `NotFound`."""
        row = await self.row(call_id)
        return self.feed.follow(row.id, last_id)

    async def hang_up(self, call_id: int) -> CallView:
        """End a call at any node. No effect if it has ended. Raises `NotFound`."""
        await self.row(call_id)

        async def ask(tx: Tx) -> None:
            if await tx.one(sql.ASK_TO_END, **self._key(call_id)):
                tx.after_commit(lambda: self.switchboard.notifier.wake(call_topic(call_id)))

        await self.database.transact(ask)
        await self.switchboard.wait_until_ended(call_id)
        return await self.get(call_id)

    async def control(self, call_id: int, do: str, **values: object) -> CallView:
        """Hold or resume a call, or press keys on it. Raises `ValidationFailed` if that is not possible."""
        await self._carry_out(await self.row(call_id), do, values)
        return await self.get(call_id)

    async def transfer(self, call_id: int, order: CallTransfer) -> CallView:
        """Transfer the other side to an allowed destination, and leave the call. Raises `ValidationFailed`."""
        row = await self.row(call_id)
        await self._carry_out(row, "transfer", {"uri": await self.switchboard.find_address(row, order.to)})
        await self.switchboard.wait_until_ended(call_id)
        return await self.get(call_id)

    async def _carry_out(self, call: CallRow, do: str, details: dict[str, object]) -> None:
        if call.status != "in_progress":
            raise ValidationFailed(f"Call {call.id} is not in progress: it is {call.status}.")
        await carry_out(self.database, self.switchboard.notifier, call, do, details)

    async def _agent(self, agent_id: int | None) -> Row | None:
        if agent_id is None:
            return None
        try:
            return await self.agents.record(agent_id)
        except NotFound as error:
            raise ValidationFailed(f"agent_id: {error.message}") from error

    async def _seconds_left(self) -> int | None:
        """Return the seconds that the plan and the credential may still talk. Raises `RateLimited` if none remain."""
        left = await self.quotas.voice_seconds_left(self.caller)
        most = self.switchboard.options.minutes_per_key
        if most is None or self.caller.sandbox:
            return left
        since = now() - timedelta(days=1)
        (used,) = await self.database.fetch(sql.SECONDS_OF_CREDENTIAL, named=self.caller.credential, since=since)
        if used.seconds >= most * 60:
            raise RateLimited(f"This credential has used its {most} minutes of calls in 24 hours.", _RETRY_MINUTES_S)
        return min(filter(None, (left, most * 60 - int(used.seconds))))

    async def _check_room(self, tx: Tx) -> None:
        most = self.switchboard.options.calls_per_key
        if await count_open(tx, self.caller.account_id, self.caller.credential) >= most:
            raise RateLimited(
                f"This credential has {most} calls in progress, which is the maximum. End one first.", _RETRY_S
            )

    def _owner(self) -> dict[str, object]:
        return {
            "account_id": self.caller.account_id,
            "credential": SIMULATED if self.caller.sandbox else self.caller.credential,
            "scopes": sorted(self.caller.scopes),
        }

    async def row(self, call_id: int) -> CallRow:
        """Return the row of one call. Raises `NotFound`."""
        row = await self.database.lookup(sql.GET, **self._key(call_id))
        if row is None:
            raise NotFound(f"There is no call {call_id} in your account.")
        return row

    def _key(self, call_id: int) -> dict[str, int]:
        return {"call": call_id, "account": self.caller.account_id}


async def count_open(tx: Tx, account_id: int, credential: str) -> int:
    """Return the number of open calls of a credential. Until the commit, nobody else can add calls to its account.

    Raises `NotFound` if the account is being deleted.
    """
    await counters.bump(tx, account_id, "calls", 0)  # locks the row, so that parallel requests are counted as well
    (under_way,) = await tx.all(sql.OPEN_OF_CREDENTIAL, named=credential)
    return int(under_way.calls)


async def add_call(tx: Tx, node: str, owner: dict[str, object], **fields: object) -> CallRow:
    """Insert a call that this process runs, with its event."""
    moment = now()
    unset = dict.fromkeys(("from_address", "greeting", "machine_detection", "voice", "variables", "batch_id"))
    values = {**unset, "record": False, **owner, **fields}
    (row,) = await tx.all(
        sql.INSERT,
        **values,
        status="queued",
        transcript="",
        duration_seconds=0,
        created_at=moment,
        seen_at=moment,
        epoch=1,
        attempts=1,
        lease_owner=node,
    )
    await counters.bump(tx, row.account_id, "calls", 1)
    await emit(tx, row.account_id, VoiceCallStarted(**fields_of(row), voice_engine=row.voice_engine))
    return row


def _analysis(row: CallRow) -> dict[str, object] | None:
    if row.analysis_status is None:
        return None
    status = "pending" if row.analysis_status in ("due", "running") else row.analysis_status
    return {"status": status, "run_id": row.analysis_run_id, **(row.analysis or {})}


def call_view(row: CallRow) -> CallView:
    """Return a call as the API shows it."""
    answered, over = row.answered_at, row.ended_at
    running = max(0, int((now() - answered).total_seconds()) + 1) if answered and not over else row.duration_seconds
    return CallView.of_row(
        row,
        room_name=f"call-{row.id}",
        to=row.to_address,
        caller=row.from_address,
        duration_seconds=running,
        participants=2 if answered else 1,
        transcript=row.transcript.removesuffix("\n"),
        analysis=_analysis(row),
    )
