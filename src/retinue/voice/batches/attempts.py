"""The attempt to call a recipient: the call and the recipient's state are written in one transaction."""

from dataclasses import dataclass

from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.voice.batches import statements as sql
from retinue.voice.batches.pacing import MINUTE, Call, Step, next_step
from retinue.voice.batches.tables import RecipientRow
from retinue.voice.calls.tables import CallRow


class NotNow(Exception):
    """The batch was changed meanwhile, or another node called the recipient."""


async def decide(tx: Tx, batch_id: int) -> tuple[Row, Step]:
    """Lock a running batch, and decide what it does next. Raises `NotNow` if it is not running."""
    batch = await tx.one(sql.HOLD, batch=batch_id)
    if batch is None:
        raise NotNow
    moment = now()
    (pace,) = await tx.all(sql.PACE, batch=batch_id, since=moment - MINUTE)
    return batch, next_step(batch, pace, await tx.one(sql.NEXT, batch=batch_id), moment)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that `decide` allowed. See `CallAttempt`."""

    batch_id: int
    recipient: RecipientRow

    async def reserve(self, tx: Tx) -> None:
        """Decide again, because other nodes may have begun calls. Raises `NotNow`."""
        _, step = await decide(tx, self.batch_id)
        if not isinstance(step, Call) or step.recipient.id != self.recipient.id:
            raise NotNow

    async def record(self, tx: Tx, call: CallRow) -> None:
        """Record that the recipient is being called."""
        key = {"batch": self.batch_id, "recipient": self.recipient.id}
        if not await tx.run(sql.BEGIN, **key, call=call.id, moment=call.created_at):
            raise NotNow
