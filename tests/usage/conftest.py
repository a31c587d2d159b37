"""A database with an account, for tests of usage without a server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import Home
from retinue.storage import open_database
from tests.conftest import DATABASES

ACCOUNT = 7
_USER = Statement(sa.insert(users).values(id=1, email="a@example.com", plan="free", created_at=sa.bindparam("moment")))
_ACCOUNT = Statement(sa.insert(accounts).values(id=ACCOUNT, user_id=1, sandbox=False))


async def _add_account(tx: Tx) -> None:
    """Add an account: the meter drops the counts of unknown accounts."""
    await tx.run(_USER, moment=now())
    await tx.run(_ACCOUNT)


@pytest.fixture(params=DATABASES)
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """A migrated database with an account."""
    url = request.getfixturevalue("postgres").new_database() if request.param == "postgresql" else None
    opened = await open_database(url, Home(tmp_path))
    await opened.transact(_add_account)
    yield opened
    await opened.close()
