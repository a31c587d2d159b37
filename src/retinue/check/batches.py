"""The rules of batches of calls."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.core.database.statements import Statement
from retinue.voice.batches.tables import batches, recipients
from retinue.voice.calls.tables import calls

_OPEN = sa.exists().where(
    recipients.c.batch_id == batches.c.id, (recipients.c.status == "waiting") | (recipients.c.status == "calling")
)
_CALLS_OF = sa.and_(calls.c.batch_id == recipients.c.batch_id, calls.c.to_address == recipients.c.to_address)

RULES: Mapping[str, Statement] = {
    "a batch has ended while recipients wait for calls": Statement(
        sa.select(batches.c.id).where(batches.c.ended_at.is_not(None), _OPEN)
    ),
    "a recipient is being called without a call": Statement(
        sa.select(recipients.c.id).where(recipients.c.status == "calling", recipients.c.call_id.is_(None))
    ),
    "a recipient was called more often than its attempts say": Statement(
        sa.select(recipients.c.id)
        .join(calls, _CALLS_OF)
        .where(recipients.c.call_id.is_not(None))
        .group_by(recipients.c.id, recipients.c.attempts)
        .having(recipients.c.attempts < sa.func.count())
    ),
}
