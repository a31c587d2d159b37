"""The rules of batches of calls."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.core.database.statements import Statement
from retinue.voice.batches.tables import batches, recipients
from retinue.voice.calls.tables import calls

_OPEN = sa.exists().where(recipients.c.batch_id == batches.c.id, recipients.c.status.in_(("waiting", "calling")))
_MADE = (
    sa.select(sa.func.count())
    .select_from(calls)
    .where(calls.c.batch_id == recipients.c.batch_id, calls.c.to_address == recipients.c.to_address)
    .scalar_subquery()
)

RULES: Mapping[str, Statement] = {
    "a batch has ended while recipients wait for calls": Statement(
        sa.select(batches.c.id).where(batches.c.ended_at.is_not(None), _OPEN)
    ),
    "a recipient is being called without a call": Statement(
        sa.select(recipients.c.id).where(recipients.c.status == "calling", recipients.c.call_id.is_(None))
    ),
    "a recipient was called more often than its attempts say": Statement(
        sa.select(recipients.c.id).where(recipients.c.call_id.is_not(None), recipients.c.attempts < _MADE)
    ),
}
