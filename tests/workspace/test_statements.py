"""How SQLite finds the records of an account. Writers run on the event loop, so they may not scan all of them."""

import re
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as driver

from retinue.core.database.statements import Statement
from retinue.core.runtime.data_dir import DataDir
from retinue.workspace import statements
from tests.conftest import NewDatabase

_ONLY_BY_ACCOUNT = re.compile(r"SEARCH \S+ USING .*\(account_id=\?\)$")
EVERYTHING = {"COUNT_KINDS"}
"""Statements that read all records of an account. They run in a thread."""

STATEMENTS = {name: value for name, value in vars(statements).items() if isinstance(value, Statement)}


@pytest.fixture
def database(new_database: NewDatabase, tmp_path: Path) -> Path:
    """A migrated, empty database."""
    new_database("sqlite", tmp_path)
    return DataDir(tmp_path).database


async def test_no_statement_reads_all_that_an_account_keeps(database: Path) -> None:
    connection = driver.connect(str(database))
    broad = set()
    for name, statement in STATEMENTS.items():
        sql = statement.compile("sqlite").sql
        steps = connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")).fetchall()
        if any(_ONLY_BY_ACCOUNT.match(step[3]) for step in steps):
            broad.add(name)
    connection.close()
    assert broad == EVERYTHING
