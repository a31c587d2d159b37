"""The table of the numbers that an account does not call."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table

NOTE_CHARACTERS = 200
"""Maximum length of a note."""

do_not_call = table(
    "do_not_call",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("number", sa.String(255), nullable=False),
    sa.Column("note", sa.String(NOTE_CHARACTERS)),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "number"),
    sa.Index(None, "account_id", "id"),
)
"""`number` is a destination in the form of `Destination.plain`."""

OWNED = (Owned(do_not_call.c.account_id),)
