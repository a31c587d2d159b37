"""Every statement of the platform: it compiles on both databases, and no plan on SQLite reads a whole table."""

import gc
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.sql import visitors

import retinue
from retinue.core.home import Home
from retinue.core.leases import Leases
from retinue.core.postgres import connect_once
from retinue.core.sqlite import connect
from retinue.core.statements import DIALECTS, Statement
from retinue.storage import migrate
from retinue.tables import metadata
from tests.support.databases import Postgres

_SEPARATE_PROCESSES = (
    "retinue.tools.library",
    "retinue.tools.worker",
    "retinue.models.local_server",
    "retinue.migrations.",
)
"""What is not imported by the server itself."""

_MAY_SCAN = {
    "retinue.auth.service._USERS": "the operator's list of all users",
    "retinue.auth.service._ANY_USER": "stops at the first row",
    "retinue.webhooks.statements.ANY_SECRET": "stops at the first row",
    "retinue.tools.imports.statements.ANY_CREDENTIAL": "stops at the first row",
    "retinue.usage.thresholds._LIVE": "every account, once at the start, on a reader thread",
}
"""Statements that may read a whole table, and why. So may those of `retinue check`, which compare everything."""

_NO_TABLE = re.compile(r"SCAN (CONSTANT ROW|json_each|due$|\w+ USING (COVERING )?INDEX ix_\w+_open_)")


def _modules() -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages(retinue.__path__, "retinue."):
        if not module.name.startswith(_SEPARATE_PROCESSES) and not module.name.endswith("__main__"):
            yield importlib.import_module(module.name)


def _within(name: str, value: Any) -> Iterator[tuple[str, Statement]]:
    """The statements in a module's attribute: itself, or what a mapping or a set of leases holds."""
    if isinstance(value, Statement):
        yield name, value
    elif isinstance(value, Leases):
        yield from ((f"{name}.{key}", part) for key, part in vars(value).items() if isinstance(part, Statement))
    elif isinstance(value, Mapping):
        yield from ((f"{name}[{key}]", part) for key, part in value.items() if isinstance(part, Statement))


def _collect() -> dict[str, Statement]:
    named = {
        found: statement
        for module in _modules()
        for name, value in list(vars(module).items())
        for found, statement in _within(f"{module.__name__}.{name}", value)
    }
    return {name: statement for statement, name in {s: n for n, s in sorted(named.items(), reverse=True)}.items()}


STATEMENTS = _collect()


def _is_ours(statement: Statement) -> bool:
    tables = [part for part in visitors.iterate(statement.clause) if getattr(part, "metadata", None) is not None]
    return any(getattr(part, "metadata", None) is metadata for part in tables)


def hidden() -> list[str]:
    """The statements on the platform's tables that `STATEMENTS` misses, among all that there are in this process."""
    known = set(map(id, STATEMENTS.values()))
    unknown = [s for s in gc.get_objects() if isinstance(s, Statement) and id(s) not in known and _is_ours(s)]
    return [str(statement.clause) for statement in unknown]


def test_no_statement_hides_from_these_tests() -> None:
    """In a process of its own: other tests make statements of theirs."""
    look = "import json; from tests.core.test_statements import hidden; print(json.dumps(hidden()))"
    seen = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(seen.stdout) == []
    assert len(STATEMENTS) > 60


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_compiles(dialect: str) -> None:
    verbs = {name: statement.compiled(dialect).sql.split()[0] for name, statement in STATEMENTS.items()}
    assert set(verbs.values()) <= {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, verbs


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Any]:
    """A connection to the platform's schema on SQLite."""
    home = Home(tmp_path)
    await migrate(None, home)
    connection = connect(home.database)
    yield connection
    connection.close()


def _scanned(connection: Any, statement: Statement) -> set[str]:
    """What the plan reads from end to end; partial indexes hold only the few rows that are open."""
    sql = statement.compiled("sqlite").sql
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))]
    return {step for step in plan if step.startswith("SCAN") and not _NO_TABLE.match(step)}


async def test_no_plan_on_sqlite_scans_a_table(sqlite: Any) -> None:
    scanned = {name: _scanned(sqlite, statement) for name, statement in STATEMENTS.items()}
    scanning = {name: tables for name, tables in scanned.items() if tables and not name.startswith("retinue.check.")}
    assert scanning.keys() == _MAY_SCAN.keys(), scanning


async def test_postgresql_takes_every_statement(postgres: Postgres, tmp_path: Path) -> None:
    address = postgres.new_database()
    await migrate(address, Home(tmp_path))
    connection = await connect_once(address)
    refused = {}
    for name, statement in STATEMENTS.items():
        try:
            await connection.prepare(statement.compiled("postgresql").sql)
        except Exception as error:  # noqa: BLE001 - all refusals are told together
            refused[name] = str(error)
    await connection.close()
    assert refused == {}
