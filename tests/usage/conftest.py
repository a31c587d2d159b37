"""A database with an account, for tests of usage without a server."""

import pytest
import sqlalchemy as sa

from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now

ACCOUNT = 7
_USER = Statement(sa.insert(users).values(id=1, email="a@example.com", plan="free", created_at=sa.bindparam("moment")))
_ACCOUNT = Statement(sa.insert(accounts).values(id=ACCOUNT, user_id=1, sandbox=False))


async def _add_account(tx: Tx) -> None:
    """Add an account: the meter drops the counts of unknown accounts."""
    await tx.run(_USER, moment=now())
    await tx.run(_ACCOUNT)


@pytest.fixture
async def database(database: Database) -> Database:
    """A migrated database with an account."""
    await database.transact(_add_account)
    return database
