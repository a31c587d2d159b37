"""The request log on its own database, without a server."""

from typing import Any

import pytest
import sqlalchemy as sa

from retinue.auth.caller import Caller
from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.request_log.entries import RequestLogEntry

PLAN = Plans.load()["enterprise"]
_USER = Statement(
    sa.insert(users).values(id=1, email="ada@example.com", plan="enterprise", created_at=sa.bindparam("moment"))
)
_ACCOUNT = Statement(sa.insert(accounts).values(user_id=1), ["id", "sandbox"])


def caller_of(account_id: int, key_id: int = 5) -> Caller:
    """Return a caller with a key. Account 2 is the sandbox of account 1."""
    return Caller(
        1, account_id, account_id == 2, f"key:{key_id}", "enterprise", PLAN, frozenset("*"), None, "key", key_id
    )


def entry(account_id: int = 1, **values: Any) -> RequestLogEntry:
    """Return the entry of a request that has just succeeded, changed by `values`."""
    usual = {
        "request_id": "req_1",
        "method": "GET",
        "path": "/api/v1/models",
        "route": "/api/v1/models",
        "status": 200,
        "duration_ms": 1.5,
        "caller": caller_of(account_id),
        "address": "192.0.2.7",
        "error": None,
        "ended_at": now(),
    }
    return RequestLogEntry(**{**usual, **values})


async def _add_accounts(tx: Tx) -> None:
    await tx.run(_USER, moment=now())
    await tx.run(_ACCOUNT, id=1, sandbox=False)
    await tx.run(_ACCOUNT, id=2, sandbox=True)


@pytest.fixture
async def database(database: Database) -> Database:
    """A migrated database with a user and both accounts."""
    await database.transact(_add_accounts)
    return database
