"""Which files the sweep removes, and when it removes none."""

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.core.database.interface import Database
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.files import statements as sql
from retinue.files.store import FileStore
from retinue.files.sweep import Sweep
from retinue.migrations.database import open_database

WEEK_S = 7 * 86_400.0
KNOWN, UNKNOWN, OTHER = "file_known_aa", "file_unknown_bb", "file_other_cc"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A database with a user and no files."""
    home = DataDir(tmp_path / "home")
    home.create()
    opened = await open_database(None, home)
    await Users(opened, Plans.load()).create("owner@localhost")
    yield opened
    await opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the files."""
    return tmp_path / "files"


def put(folder: Path, file_id: str, age_s: float = 0.0) -> None:
    """Store a file that was written some seconds ago."""
    place = folder / file_id[-2:] / file_id
    place.parent.mkdir(parents=True)
    place.write_bytes(b"x")
    os.utime(place, (time.time() - age_s,) * 2)


def stored_names(folder: Path) -> set[str]:
    """Return the names of all files in the folder."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


async def add_row(database: Database, file_id: str) -> None:
    """Add the row of a file."""
    row = {"account_id": 1, "public_id": file_id, "name": "a", "media_type": "a/b", "size": 1, "sha256": "0" * 64}
    await database.transact(lambda tx: tx.one(sql.INSERT, **row, created_at=now()))


@pytest.mark.parametrize("shared", [False, True])
async def test_a_start_with_another_database_removes_no_file(shared: bool, database: Database, folder: Path) -> None:
    put(folder, UNKNOWN, WEEK_S)
    put(folder, OTHER)
    sweep = Sweep(database, FileStore(folder, shared=shared))
    with capture_logs() as entries:
        await sweep.start()
    assert stored_names(folder) == {UNKNOWN, OTHER}
    (warning,) = [entry for entry in entries if entry["event"] == "files.not_swept"]
    assert "RETINUE_DATABASE_URL and RETINUE_FILES_DIR" in warning["reason"]
    assert await sweep.sweep(time.time() - 3600) == 0
    assert stored_names(folder) == {UNKNOWN, OTHER}


async def test_unknown_files_are_removed_if_the_database_knows_another(database: Database, folder: Path) -> None:
    await add_row(database, KNOWN)
    put(folder, KNOWN)
    put(folder, UNKNOWN, WEEK_S)
    await Sweep(database, FileStore(folder)).start()
    assert stored_names(folder) == {KNOWN}


async def test_the_upload_of_a_first_start_that_died_is_removed(database: Database, folder: Path) -> None:
    put(folder, UNKNOWN)
    await Sweep(database, FileStore(folder)).start()
    assert stored_names(folder) == set()
