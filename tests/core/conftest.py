"""Databases without a server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.core.database.interface import Database
from tests.conftest import DATABASES
from tests.core import scratch
from tests.support.databases import Postgres


@pytest.fixture(scope="session")
def scratch_postgres(postgres: Postgres) -> str:
    """The URL of a PostgreSQL database for scratch tables."""
    return postgres.new_database()


@pytest.fixture(params=DATABASES)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """The location of empty scratch tables: the path of a SQLite file or the URL of a PostgreSQL database."""
    where: Path | str = tmp_path / "scratch.db"
    if request.param == "postgresql":
        where = request.getfixturevalue("scratch_postgres")
    await scratch.create(where)
    return where


@pytest.fixture
async def database(place: Path | str) -> AsyncIterator[Database]:
    """An open database with empty scratch tables."""
    opened = scratch.database_at(place)
    await opened.open()
    yield opened
    await opened.close()
