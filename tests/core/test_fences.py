"""Fences hold while the new owner is still working, in every statement bound to a claim."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import DIALECTS, Row, Statement
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database
from retinue.platform.resources import metadata
from tests.support.fenced import CURRENT, STALE, add_row, all_rows, taken_over, value_for
from tests.support.statements import STATEMENTS

LEASED = {table.name for table in metadata.tables.values() if "lease_owner" in table.columns}


def _parameters(statement: Statement) -> dict[str, Any]:
    """Return the types of the required parameters, by name."""
    binds = statement.clause.compile(dialect=DIALECTS["sqlite"], column_keys=statement.columns).binds
    return {name: bind.type for name, bind in binds.items() if bind.required}


FENCED = sorted(
    name
    for name, statement in STATEMENTS.items()
    if isinstance(statement.clause, sa.UpdateBase) and "under" in _parameters(statement)
)
"""Statements that write under a claim."""


@pytest.fixture
async def database(database_url: str | None, tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(database_url, DataDir(tmp_path))
    yield opened
    await opened.close()


def test_every_table_with_leases_is_written_under_a_claim() -> None:
    assert {STATEMENTS[name].clause.table.name for name in FENCED} == LEASED


async def find(database: Database, statement: Statement, under: int) -> int:
    """Run a statement under a claim. Returns the number of rows that it matches."""
    values = {**{name: value_for(kind) for name, kind in _parameters(statement).items()}, "under": under}

    async def write(tx: Tx) -> int:
        if " RETURNING " in statement.compile(database.dialect).sql:
            return len(await tx.all(statement, **values))
        return await tx.run(statement, **values)

    return await database.transact(write)


async def place(database: Database, address: str | None, home: DataDir, table: sa.Table) -> dict[str, list[Row]]:
    """Replace the table's rows by a single one whose claim another process took over. Returns the rows."""
    empty = Statement(sa.delete(table))
    await database.transact(lambda tx: tx.run(empty))
    await add_row(address, home, table, taken_over(table))
    return await all_rows(database, table)


async def test_a_claim_that_was_taken_over_changes_no_row(
    database: Database, database_url: str | None, tmp_path: Path
) -> None:
    """Runs each statement with the lost epoch, then with the current one, which matches the row."""
    for name in FENCED:
        statement, table = STATEMENTS[name], STATEMENTS[name].clause.table
        before = await place(database, database_url, DataDir(tmp_path), table)
        assert await find(database, statement, STALE) == 0, name
        assert await all_rows(database, table) == before, name
        assert await find(database, statement, CURRENT) == 1, name
