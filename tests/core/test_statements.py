"""Every statement of the platform compiles on both databases, and no plan scans a whole table."""

import gc
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.sql import operators, visitors
from sqlalchemy.sql.elements import BinaryExpression, BindParameter, BooleanClauseList, ColumnClause, False_, True_

from retinue.core.database.postgres import connect_once
from retinue.core.database.sqlite import connect
from retinue.core.database.statements import DIALECTS, Statement
from retinue.core.runtime.data_dir import DataDir
from retinue.platform.resources import metadata
from tests.conftest import NewDatabase
from tests.support.databases import Postgres
from tests.support.statements import MAY_SCAN, STATEMENTS, may_scan, scanned_on_postgres, scanned_on_sqlite

PLACES = {"after", "after_id", "after_source_id", "before", "behind", "first", "last"}
"""Parameters that are places in a list, so that ids are compared with them by order."""

OTHERS = {"but", "kept", "owner"}
"""Parameters that name what a statement leaves out."""


def _is_ours(statement: Statement) -> bool:
    tables = [part for part in visitors.iterate(statement.clause) if getattr(part, "metadata", None) is not None]
    return any(getattr(part, "metadata", None) is metadata for part in tables)


def hidden_statements() -> list[str]:
    """Return the statements on the platform's tables that exist in this process but not in `STATEMENTS`."""
    known = set(map(id, STATEMENTS.values()))
    unknown = [s for s in gc.get_objects() if isinstance(s, Statement) and id(s) not in known and _is_ours(s)]
    return [statement.compile("sqlite").sql for statement in unknown]


def test_no_statement_hides_from_these_tests() -> None:
    """Runs in a separate process, because other tests create statements."""
    look = "import json; from tests.core import test_statements; print(json.dumps(test_statements.hidden_statements()))"
    seen = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=600)
    assert json.loads(seen.stdout) == []
    assert len(STATEMENTS) > 60


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_compiles(dialect: str) -> None:
    verbs = {name: statement.compile(dialect).sql.split()[0] for name, statement in STATEMENTS.items()}
    assert set(verbs.values()) <= {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verbs


def _names_one(side: Any) -> bool:
    """Return whether a column identifies a record, its owner or its claim."""
    return isinstance(side, ColumnClause) and (side.name in ("id", "epoch", "key") or side.name.endswith("_id"))


def _is_loose(comparison: BinaryExpression[Any]) -> bool:
    """Return whether a comparison matches records beside the one that it names."""
    column, other = comparison.left, comparison.right
    if comparison.operator is operators.eq or not _names_one(column):
        return False
    if isinstance(other, BindParameter):
        allowed = OTHERS if comparison.operator is operators.ne else PLACES
        return not other.unique and other.key not in allowed
    return _names_one(other) and column.name != other.name


def test_statements_only_read_and_change_rows_with_their_ids() -> None:
    """The rules of `retinue check` look for what differs, so they are left out."""
    ours = {name: statement for name, statement in STATEMENTS.items() if not name.startswith("retinue.check.")}
    loose = {
        name
        for name, statement in ours.items()
        for part in visitors.iterate(statement.clause)
        if isinstance(part, BinaryExpression) and _is_loose(part)
    }
    assert loose == set()


def _conditions(part: Any) -> Sequence[Any]:
    """Return the conditions that a statement, or `AND` or `OR`, joins."""
    return part.clauses if isinstance(part, BooleanClauseList) else getattr(part, "_where_criteria", ())


def test_no_condition_is_constant() -> None:
    """A comparison by Python's `is` instead of the database's `=` would be."""
    constant = {
        name
        for name, statement in STATEMENTS.items()
        for part in visitors.iterate(statement.clause)
        if any(isinstance(condition, True_ | False_) for condition in _conditions(part))
    }
    assert constant == set()


@pytest.fixture
def sqlite(new_database: NewDatabase, tmp_path: Path) -> Iterator[Any]:
    """A connection to a migrated SQLite database."""
    new_database("sqlite", tmp_path)
    connection = connect(DataDir(tmp_path).database)
    yield connection
    connection.close()


async def test_no_plan_on_sqlite_scans_a_table(sqlite: Any) -> None:
    scanned = {name: scanned_on_sqlite(sqlite, statement) for name, statement in STATEMENTS.items()}
    scanning = {name: tables for name, tables in scanned.items() if tables and not name.startswith("retinue.check.")}
    assert scanning.keys() == MAY_SCAN.keys(), scanning


@pytest.fixture
async def postgresql(postgres: Postgres) -> AsyncIterator[Any]:
    """A connection to a migrated PostgreSQL database."""
    connection = await connect_once(postgres.new_platform_database())
    yield connection
    await connection.close()


async def test_postgresql_takes_every_statement(postgresql: Any) -> None:
    refused = {}
    for name, statement in STATEMENTS.items():
        try:
            await postgresql.prepare(statement.compile("postgresql").sql)
        except Exception as error:  # noqa: BLE001 - one report covers all errors
            refused[name] = str(error)
    assert refused == {}


async def test_every_statement_has_an_index_on_postgresql(postgresql: Any) -> None:
    """With sequential scans disabled, the planner scans a table only if no index applies, whatever the table's size."""
    await postgresql.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
    scanned = {name: await scanned_on_postgres(postgresql, one) for name, one in STATEMENTS.items()}
    assert {name: tables for name, tables in scanned.items() if tables and not may_scan(name)} == {}
