"""Migrates and opens the configured database."""

import os
from pathlib import Path
from typing import Any

import structlog

from retinue.core.database.interface import Database
from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.migrations import HEAD

_log = structlog.get_logger()
_MIGRATION_LOCK = 0x5265_7469_6E75_6500
"""The PostgreSQL advisory lock that lets one node at a time migrate."""

_NEWER = (
    "The database has the schema {found}, created by a newer version of Retinue; this version "
    "supports up to {head}. Upgrade Retinue, or restore the copy made before the upgrade."
)


async def open_database(url: str | None, home: DataDir) -> Database:
    """Migrate and open the database at `url`, or the embedded one."""
    await migrate(url, home)
    database: Database
    if url:
        from retinue.core.database.postgres import PostgresDatabase

        database = PostgresDatabase(url)
    else:
        from retinue.core.database.sqlite import SqliteDatabase

        database = SqliteDatabase(home.database)
    await database.open()
    return database


async def migrate(url: str | None, home: DataDir) -> str | None:
    """Upgrade the schema to `HEAD`. Returns the previous revision, or None for an empty database."""
    if url:
        return await _migrate_postgres(url)
    return await run_on_disk_thread(_migrate_sqlite, home.database)


def _check_known(found: str | None) -> None:
    if found is not None and found > HEAD:
        raise Unavailable(_NEWER.format(found=found, head=HEAD))


def _migrate_sqlite(path: Path) -> str | None:
    from pysqlite3 import dbapi2 as driver

    from retinue.core.database.sqlite import connect

    connection = connect(path)
    try:
        found = _sqlite_revision(connection, driver)
        _check_known(found)
        if found == HEAD:
            return found
        if found is not None:
            _copy_once(connection, path.with_name(f"{path.name}.before-{HEAD}.from-{found}"))
    finally:
        connection.close()
    _upgrade_sqlite(path)
    _log.info("schema.migrated", found=found, now=HEAD)
    return found


def _copy_once(connection: Any, copy: Path) -> None:
    """Copy the database, unless an earlier start already did: what it copied has not been changed by an upgrade."""
    if copy.exists():
        _log.warning("schema.not_copied", kept=str(copy))
        return
    _copy(connection, copy)
    _log.info("schema.copied", copy=str(copy))


def copy_sqlite(path: Path, copy: Path) -> None:
    """Copy a consistent state of the embedded database, which may be in use."""
    from retinue.core.database.sqlite import connect

    connection = connect(path)
    try:
        _copy(connection, copy)
    finally:
        connection.close()


def _copy(connection: Any, copy: Path) -> None:
    unfinished = copy.with_name(f"{copy.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(unfinished),))
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())  # VACUUM INTO leaves this to the caller
    unfinished.chmod(0o600)
    unfinished.rename(copy)


def _sqlite_revision(connection: Any, driver: Any) -> str | None:
    from retinue.core.database.sqlite import public_error

    try:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except driver.OperationalError:
        return None
    except driver.DatabaseError as error:
        raise public_error(error) from error
    return str(row[0]) if row else None


def _upgrade_sqlite(path: Path) -> None:
    import sqlalchemy as sa
    from pysqlite3 import dbapi2 as driver

    from retinue.core.database.sqlite import connect

    engine = sa.create_engine("sqlite://", module=driver, creator=lambda: connect(path), poolclass=sa.pool.StaticPool)
    # Rebuilding a table in a batch would delete its children if foreign keys were checked meanwhile.
    sa.event.listen(engine, "connect", lambda raw, _: raw.execute("PRAGMA foreign_keys=OFF"))
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.connect() as connection:
        _run_alembic(connection)
    engine.dispose()


async def _migrate_postgres(url: str) -> str | None:
    import asyncpg

    from retinue.core.database.postgres import connect_once

    connection = await connect_once(url)
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK)
        try:
            found = await connection.fetchval("SELECT version_num FROM alembic_version")
        except asyncpg.UndefinedTableError:
            found = None
        _check_known(found)
        if found != HEAD:
            await _upgrade_postgres(url)
            _log.info("schema.migrated", found=found, now=HEAD)
        return str(found) if found else None
    finally:
        await connection.close()


async def _upgrade_postgres(url: str) -> None:
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.pool import NullPool

    from retinue.core.database.postgres import connect_once

    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: connect_once(url), poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(_run_alembic)
    await engine.dispose()


def _run_alembic(connection: Any) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "retinue:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
