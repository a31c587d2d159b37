"""What becomes of a call, written by the process that holds it: each change under the claim, with event and usage."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.events import emit
from retinue.core.leases import LeaseLost
from retinue.core.statements import Row
from retinue.usage.ledger import Use, record
from retinue.voice.calls import statements as sql
from retinue.voice.calls.events import VoiceCallEnded


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said. On a call `speaker` is `agent` or `caller`. `timing` is in milliseconds."""

    speaker: str
    text: str
    timing: dict[str, int]
    run_id: int | None = None
    interrupted: bool = False


@dataclass(frozen=True)
class CallRecords:
    """Writes calls. `touched` collects the accounts whose usage grew."""

    database: Database
    touched: set[int]

    async def ring(self, call: Row) -> None:
        """The other side's telephone rings."""
        await self.database.transact(lambda tx: tx.run(sql.RING, **_claim(call)))

    async def answer(self, call: Row, moment: datetime) -> Row:
        """The call was answered at `moment`; returns it as it is now. Raises `LeaseLost`."""
        return await self.database.transact(lambda tx: _hold(tx, sql.ANSWER, call, moment=moment))

    async def identify(self, call: Row, answered_by: str) -> None:
        """It is known who answered: `human`, `machine` or `unknown`."""
        await self.database.transact(lambda tx: tx.run(sql.IDENTIFY, **_claim(call), who=answered_by))

    async def add_turn(self, call: Row, turn: Turn) -> None:
        """Add a turn to the call and a line to its transcript."""
        await self.database.transact(lambda tx: add_turn(tx, call, turn))

    async def finish(self, call: Row, outcome: str, reason: str | None = None, ended: datetime | None = None) -> bool:
        """End the call with its event and its seconds; False if it has ended already. `ended` is now by default."""

        async def write(tx: Tx) -> bool:
            row = await tx.one(sql.HOLD, **_claim(call))
            if row is None:
                return False
            moment = ended or now()
            seconds = _seconds(row.answered_at, moment)
            over = await _hold(tx, sql.FINISH, call, outcome=outcome, reason=reason, seconds=seconds, moment=moment)
            await emit(tx, row.account_id, _ending(over))
            if not _is_simulated(row):
                await record(tx, row.account_id, _use(over))
                tx.after_commit(lambda: self.touched.add(row.account_id))
            return True

        return await self.database.transact(write)


async def add_turn(tx: Tx, call: Row, turn: Turn) -> None:
    """Add a turn in a transaction that does more. Raises `LeaseLost`."""
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


def _claim(call: Row) -> dict[str, int]:
    return {"call": call.id, "under": call.epoch}


async def _hold(tx: Tx, statement: Any, call: Row, **values: Any) -> Row:
    row = await tx.one(statement, **_claim(call), **values)
    if row is None:
        raise LeaseLost
    return row


def _seconds(answered: datetime | None, ended: datetime) -> int:
    """The length of a call: a second that has begun counts whole."""
    return max(0, math.ceil((ended - answered).total_seconds())) if answered else 0


def _is_simulated(call: Row) -> bool:
    return bool(call.credential == SIMULATED)


SIMULATED = "simulated"
"""The `credential` of calls of the sandbox: they are neither dialled nor counted."""


def _use(call: Row) -> Use:
    return Use("voice", count=1, errors=int(call.status == "failed"), milliseconds=call.duration_seconds * 1000)


def _ending(call: Row) -> VoiceCallEnded:
    return VoiceCallEnded(
        call_id=call.id,
        direction=call.direction,
        to=call.to_address,
        agent_id=call.agent_id,
        voice_engine=call.voice_engine,
        status=call.status,
        duration_seconds=call.duration_seconds,
        error=call.error,
    )
