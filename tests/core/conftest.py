"""Databases without a server around them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.core.database import Database
from tests.conftest import DATABASES
from tests.core import scratch
from tests.support.databases import Postgres


@pytest.fixture(scope="session")
def scratch_postgres(postgres: Postgres) -> str:
    """The address of a PostgreSQL database for scratch tables."""
    return postgres.new_database()


@pytest.fixture(params=DATABASES)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where empty scratch tables are: a file, or an address of PostgreSQL."""
    where: Path | str = tmp_path / "scratch.db"
    if request.param == "postgresql":
        where = request.getfixturevalue("scratch_postgres")
    await scratch.create(where)
    return where


@pytest.fixture
async def database(place: Path | str) -> AsyncIterator[Database]:
    """A database with empty scratch tables, open."""
    opened = scratch.database_at(place)
    await opened.open()
    yield opened
    await opened.close()
