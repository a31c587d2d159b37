"""Writes the state of calls: the process that runs a call writes changes under its lease, with event and usage."""

import math
from dataclasses import dataclass
from datetime import datetime

from retinue.agents.voice_settings import VoiceSettings
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.core.work.leases import LeaseLost
from retinue.usage.ledger import BudgetOwners, UsageEntry, record
from retinue.voice.calls import statements as sql
from retinue.voice.calls.events import VoiceCallEnded, fields_of_ended
from retinue.voice.calls.feed import CallFeed
from retinue.voice.calls.outcomes import EndedReason, default_reason
from retinue.voice.calls.tables import CallRow


@dataclass(frozen=True, slots=True)
class CallTurn:
    """One utterance. On a call, `speaker` is `agent` or `caller`. `timing` is in milliseconds."""

    speaker: str
    text: str
    timing: dict[str, int]
    run_id: int | None = None
    interrupted: bool = False


@dataclass(frozen=True)
class CallRecords:
    """Writes calls. `touched` collects the ids of accounts whose usage grew."""

    database: Database
    touched: set[int]
    feed: CallFeed

    async def ring(self, call: CallRow) -> None:
        """Record that the other side's telephone rings."""

        async def write(tx: Tx) -> None:
            if await tx.run(sql.RING, **_claim(call)):
                await self.feed.add(tx, call.id, "ringing")

        await self.database.transact(write)

    async def answer(self, call: CallRow, moment: datetime) -> Row:
        """Record that the call was answered at `moment`. Returns the updated row. Raises `LeaseLost`."""

        async def write(tx: Tx) -> Row:
            answered = await _hold(tx, sql.ANSWER, call, moment=moment)
            await self.feed.add(tx, call.id, "answered")
            return answered

        return await self.database.transact(write)

    async def identify(self, call: CallRow, answered_by: str) -> None:
        """Record who answered: `human`, `machine` or `unknown`."""

        async def write(tx: Tx) -> None:
            if await tx.run(sql.IDENTIFY, **_claim(call), who=answered_by):
                await self.feed.add(tx, call.id, "identified", answered_by=answered_by)

        await self.database.transact(write)

    async def settle(self, order: int, error: str) -> None:
        """Record the result of an order: an error message, or empty on success."""
        await self.database.transact(lambda tx: tx.run(sql.SETTLE_ORDER, order=order, reason=error))

    async def add_turn(self, call: CallRow, turn: CallTurn) -> None:
        """Add a turn to the call and a line to its transcript. Raises `LeaseLost`."""
        await self.database.transact(lambda tx: add_turn(tx, self.feed, call, turn))

    async def add_event(self, call: CallRow, kind: str, **values: object) -> None:
        """Add an event to the call."""
        await self.database.transact(lambda tx: self.feed.add(tx, call.id, kind, **values))

    async def finish(
        self,
        call: CallRow,
        outcome: str,
        reason: str | None = None,
        ended: datetime | None = None,
        cause: EndedReason | None = None,
    ) -> bool:
        """End the call with its event and usage. Returns False if it has already ended.

        `reason` is the error of a call that failed. `ended` defaults to now, and `cause` to what `outcome` says.
        """
        why = cause or default_reason(outcome)

        async def write(tx: Tx) -> bool:
            row = await tx.one(sql.HOLD, **_claim(call))
            if row is None:
                return False
            moment = ended or now()
            seconds = _seconds(row.answered_at, moment)
            ending = {"outcome": outcome, "reason": reason, "cause": why, "seconds": seconds, "moment": moment}
            over = await _hold(tx, sql.FINISH, call, **ending, analysis="due" if _is_analyzed(row) else None)
            await tx.run(sql.DROP_ORDERS, call=call.id)
            told = {"duration_seconds": seconds, "error": reason, "ended_reason": why}
            await self.feed.add(tx, call.id, "ended", status=outcome, **told)
            await emit(tx, row.account_id, _end_event(over))
            if not _is_simulated(row):
                await record(tx, row.account_id, _use(over), spenders=BudgetOwners(row.agent_id))
                tx.after_commit(lambda: self.touched.add(row.account_id))
            return True

        return await self.database.transact(write)


async def add_turn(tx: Tx, feed: CallFeed, call: CallRow, turn: CallTurn) -> None:
    """Add a turn in an existing transaction. Raises `LeaseLost`."""
    line = f"{turn.speaker}: {' '.join(turn.text.split())}"
    counted = await tx.one(sql.ADD_LINE, **_claim(call), line=line + "\n")
    if counted is None:
        raise LeaseLost
    await tx.run(
        sql.ADD_TURN,
        call=call.id,
        place=counted.turns_count,
        who=turn.speaker,
        said=turn.text,
        run=turn.run_id,
        cut=turn.interrupted,
        times=turn.timing,
        moment=now(),
    )
    said = {"speaker": turn.speaker, "text": turn.text, "interrupted": turn.interrupted, "run_id": turn.run_id}
    await feed.add(tx, call.id, "said", turn=counted.turns_count, **said)


def _claim(call: CallRow) -> dict[str, int]:
    return {"call": call.id, "under": call.epoch}


async def _hold(tx: Tx, statement: Statement, call: CallRow, **values: object) -> Row:
    row = await tx.one(statement, **_claim(call), **values)
    if row is None:
        raise LeaseLost
    return row


def _seconds(answered: datetime | None, ended: datetime) -> int:
    """Return the length of a call in seconds, rounded up; 0 if it was not answered."""
    return max(0, math.ceil((ended - answered).total_seconds())) if answered else 0


def _is_analyzed(call: CallRow) -> bool:
    """Whether the agent's voice settings ask for an analysis, and something was said."""
    return bool(call.turns_count) and VoiceSettings.of(call.voice).is_analyzed and not _is_simulated(call)


def _is_simulated(call: CallRow) -> bool:
    return bool(call.credential == SIMULATED)


SIMULATED = "simulated"
"""The `credential` of sandbox calls, which are neither dialled nor billed."""


def _use(call: CallRow) -> UsageEntry:
    return UsageEntry("voice", count=1, errors=int(call.status == "failed"), milliseconds=call.duration_seconds * 1000)


def _end_event(call: CallRow) -> VoiceCallEnded:
    return VoiceCallEnded(**fields_of_ended(call), voice_engine=call.voice_engine, error=call.error)
