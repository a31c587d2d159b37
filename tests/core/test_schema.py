"""The migrations end at the declared schema on both databases, and refuse a newer one."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from pysqlite3 import dbapi2 as driver
from sqlalchemy.ext.asyncio import create_async_engine

from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.core.database.postgres import connect_once
from retinue.core.database.sqlite import connect
from retinue.core.database.statements import Statement
from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations import HEAD
from retinue.migrations.database import migrate, open_database
from retinue.platform.resources import metadata
from retinue.runs.tables import runs
from tests.conftest import DATABASES
from tests.support.databases import Postgres

_USERS = """
INSERT INTO users (email, plan, created_at) VALUES
('first@example.com', 'free', '2026-11-21T08:00:00.000000Z'),
('second@example.com', 'free', '2026-11-21T08:00:00.000000Z')
"""

_RUN = """
INSERT INTO runs (account_id, conversation_id, attached, status, model, message, options, format, tools_used,
    tokens_used, created_at, epoch, attempts, lease_until)
VALUES (1, {conversation}, false, 'completed', 'm', 'Hello', '{options}', 1, '[]', 0, '2026-11-21T08:00:00.000000Z',
    0, 0, 0)
"""
_OWNERS = Statement(sa.select(runs.c.person, runs.c.key_id).order_by(runs.c.id))


@pytest.fixture
def home(tmp_path: Path) -> DataDir:
    """A data folder."""
    made = DataDir(tmp_path / "home")
    made.create()
    return made


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest) -> str | None:
    """The URL of an empty PostgreSQL database, or None for SQLite."""
    if request.param == "sqlite":
        return None
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


def _differences(connection: sa.Connection) -> list[Any]:
    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))


async def differences(url: str | None, home: DataDir) -> list[Any]:
    """Return the differences between the migrated schema and the declared one."""
    if url is None:
        with sa.create_engine("sqlite://", module=driver, creator=lambda: connect(home.database)).connect() as sqlite:
            return _differences(sqlite)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: connect_once(url))
    async with engine.connect() as connection:
        found = await connection.run_sync(_differences)
    await engine.dispose()
    return found


async def set_revision(url: str | None, home: DataDir, revision: str) -> None:
    """Set the schema's revision."""
    await run(url, home, f"UPDATE alembic_version SET version_num = '{revision}'")


async def run(url: str | None, home: DataDir, command: str) -> None:
    """Run a statement without the platform's code."""
    if url is None:
        connection = connect(home.database)
        connection.execute(command)
        connection.close()
    else:
        server = await connect_once(url)
        await server.execute(command)
        await server.close()


def test_the_newest_revision_is_the_one_that_the_code_names() -> None:
    config = Config()
    config.set_main_option("script_location", "retinue:migrations")
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


async def test_a_fresh_database_has_the_schema_that_the_code_declares(url: str | None, home: DataDir) -> None:
    assert await migrate(url, home) is None
    assert await differences(url, home) == []


async def test_a_current_schema_is_left_alone(url: str | None, home: DataDir) -> None:
    await migrate(url, home)
    before = set(home.folder.iterdir())
    assert await migrate(url, home) == HEAD
    assert set(home.folder.iterdir()) == before


async def test_a_newer_schema_is_refused(url: str | None, home: DataDir) -> None:
    await migrate(url, home)
    await set_revision(url, home, "9999")
    with pytest.raises(Unavailable, match=r"9999.*Upgrade Retinue"):
        await open_database(url, home)


async def test_many_nodes_that_start_at_once_migrate_once(postgres: Postgres, home: DataDir) -> None:
    url = postgres.new_database()
    found = await asyncio.gather(*(migrate(url, home) for _ in range(4)))
    assert sorted(found, key=str) == [HEAD, HEAD, HEAD, None]
    assert await differences(url, home) == []


async def test_foreign_keys_hold_on_sqlite(home: DataDir) -> None:
    await migrate(None, home)
    connection = connect(home.database)
    with pytest.raises(driver.IntegrityError, match="FOREIGN KEY"):
        connection.execute("INSERT INTO accounts (user_id, sandbox) VALUES (1, 0)")
    connection.close()


def revision_of(path: Path) -> str:
    """Return the schema's revision in a database file."""
    connection = connect(path)
    revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    connection.close()
    return str(revision)


@pytest.mark.parametrize("reached", ["0004", "0005"])
async def test_the_copy_before_an_upgrade_that_failed_is_kept(
    reached: str, home: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Any) -> None:
        if reached != "0004":
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{reached}'")
            connection.commit()
        raise RuntimeError("killed")

    with monkeypatch.context() as older:
        older.setattr("retinue.migrations.database.HEAD", "0004")
        await migrate(None, home)
    await run(None, home, _USERS)
    with monkeypatch.context() as failing:
        failing.setattr("retinue.migrations.database._run_alembic", fail)
        with pytest.raises(RuntimeError):
            await migrate(None, home)
    await run(None, home, "DELETE FROM users")
    monkeypatch.setattr("retinue.migrations.database._upgrade_sqlite", lambda _: None)
    assert await migrate(None, home) == reached
    copy = home.database.with_name(f"retinue.db.before-{HEAD}.from-0004")
    assert revision_of(copy) == "0004"
    connection = connect(copy)
    assert connection.execute("SELECT count(*) FROM users").fetchone()[0] == 2
    connection.close()


async def test_an_unfinished_copy_is_made_again(home: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr("retinue.migrations.database.HEAD", "0004")
        await migrate(None, home)
    copy = home.database.with_name(f"retinue.db.before-{HEAD}.from-0004")
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    unfinished.write_bytes(b"half a page")
    await migrate(None, home)
    assert revision_of(copy) == "0004"
    assert not unfinished.exists()


async def test_the_first_user_of_an_older_database_becomes_the_operator(
    url: str | None, home: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("retinue.migrations.database.HEAD", "0004")
        await migrate(url, home)
    await run(url, home, _USERS)
    assert await migrate(url, home) == "0004"
    database = await open_database(url, home)
    users = await Users(database, Plans.load()).all()
    assert [(user.email, user.operator, user.password_hash) for user in users] == [
        ("first@example.com", True, None),
        ("second@example.com", False, None),
    ]
    await database.close()


async def test_the_runs_of_an_older_database_keep_their_user_and_key(
    url: str | None, home: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("retinue.migrations.database.HEAD", "0054")
        await migrate(url, home)
    for number, options in enumerate(('{"user":"cust \\"42\\"","key_id":7}', '{"context":{"key_id":8}}'), 1):
        await run(url, home, _RUN.format(conversation=number, options=options))
    await migrate(url, home)
    database = await open_database(url, home)
    found = await database.query(_OWNERS)
    assert [(row.person, row.key_id) for row in found] == [('cust "42"', 7), (None, None)]
    await database.close()
