"""Made-up rows whose claim was lost: another process took it over and is still working."""

from datetime import datetime
from typing import Any

import asyncpg
import sqlalchemy as sa
from pysqlite3 import dbapi2 as sqlite

from retinue.core.database.interface import Database
from retinue.core.database.schema import Instant, Json
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir

STALE, CURRENT = 1, 2
"""The epochs of the lost claim and of the current one."""
TEXT, NUMBER = "queued", 1
"""The values of all columns and parameters of a type, so that any condition matches the row."""

_CLAIM = {"epoch": CURRENT, "attempts": 2, "lease_owner": "the new owner", "lease_until": 1e12}

_OPEN = {"simulated_conversations": {"status": "running"}, "knowledge_collections": {"target_model": TEXT}}
"""Columns with a value of their own while a row of a table is open."""


def value_for(kind: Any) -> Any:
    """Return the value for a column or a parameter of this type."""
    if isinstance(kind, Json):
        return {}
    if isinstance(kind, Instant):
        return now()
    if isinstance(kind, sa.String):
        return TEXT
    return {bool: False, float: 1.0, int: NUMBER, datetime: now()}[kind.python_type]


def taken_over(table: sa.Table, **values: Any) -> dict[str, Any]:
    """Return an open row of a leased table. Nullable columns are null."""
    made = {column.name: None if column.nullable else value_for(column.type) for column in table.columns}
    return {
        **made,
        **{name: value for name, value in _CLAIM.items() if name in made},
        **_OPEN.get(table.name, {}),
        **values,
    }


async def add_row(address: str | None, home: DataDir, table: sa.Table, row: dict[str, Any]) -> None:
    """Insert a row without the platform's code and without foreign key checks."""
    insert = Statement(sa.insert(table), list(row))
    if address is None:
        compiled = insert.compile("sqlite")
        connection = sqlite.connect(home.database)
        with connection:
            connection.execute(compiled.sql, compiled.bind(row))
        connection.close()
        return
    compiled = insert.compile("postgresql")
    server = await asyncpg.connect(address)
    await server.execute("SET session_replication_role = replica")  # Skips foreign key checks.
    await server.execute(compiled.sql, *compiled.bind(row))
    await server.close()


async def all_rows(database: Database, *tables: sa.Table) -> dict[str, list[Row]]:
    """Return all rows of some tables."""
    return {table.name: await database.query(Statement(sa.select(table))) for table in tables}
