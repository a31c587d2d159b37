"""Record counts per account, updated in the transaction that changes the records, so that lists need no COUNT."""

import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, table
from retinue.core.database.statements import Statement
from retinue.core.errors import NotFound

counters = table(
    "counters",
    sa.Column("account_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("value", BigInt, nullable=False),
)
OWNED = (Owned(counters.c.account_id, exported=False, when="first"),)
"""Deleted immediately on request, so that nothing that needs a counter can be added any more."""

_KEY = (counters.c.account_id == sa.bindparam("account"), counters.c.name == sa.bindparam("counter"))
_BUMP = Statement(
    sa.update(counters)
    .where(*_KEY)
    .values(value=counters.c.value + sa.bindparam("by", type_=BigInt))
    .returning(counters.c.value)
)
_START = Statement(sa.insert(counters), ["account_id", "name", "value"])
_READ = Statement(sa.select(counters.c.value).where(*_KEY))


async def start(tx: Tx, account_id: int, name: str) -> None:
    """Create a counter with the value zero for a new account."""
    await tx.run(_START, account_id=account_id, name=name, value=0)


async def bump(tx: Tx, account_id: int, name: str, by: int) -> int:
    """Add `by` to a counter in the transaction that changes its records, and return the new value.

    Raises `NotFound` if the account is being deleted: deletion removes the counters first, so nothing can be added.
    """
    row = await tx.one(_BUMP, account=account_id, counter=name, by=by)
    if row is None:
        raise NotFound("The account is being deleted and cannot be changed.")
    return int(row.value)


async def lock(tx: Tx, account_id: int) -> None:
    """Lock an account until the transaction ends, before it counts records against a limit and adds one.

    Without it, parallel transactions on PostgreSQL do not count each other's records, and exceed the limit together.
    Raises `NotFound` if the account is being deleted.
    """
    await bump(tx, account_id, "agents", 0)


async def lower(tx: Tx, account_id: int, name: str, by: int) -> None:
    """Subtract `by` from a counter. An account that is being deleted has none."""
    await tx.one(_BUMP, account=account_id, counter=name, by=-by)


async def read(database: Database, account_id: int, name: str) -> int:
    """Return the current value of a counter, or 0 if it does not exist."""
    row = await database.lookup(_READ, account=account_id, counter=name)
    return int(row.value) if row else 0
