"""Commands on a damaged database."""

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.conftest import NewServer
from tests.support.server import Server

PAGE = 4096


def tear(database: Path) -> None:
    """Overwrite every page except the first."""
    content = bytearray(database.read_bytes())
    for place in range(PAGE, len(content), PAGE):
        content[place : place + PAGE] = random.Random(place).randbytes(PAGE)
    database.write_bytes(content)


def replace(database: Path) -> None:
    """Replace the file by random bytes."""
    database.write_bytes(random.Random(1).randbytes(10 * PAGE))


@pytest.fixture
def stopped(new_server: NewServer) -> Server:
    """A stopped server with one user."""
    server: Server = new_server("sqlite")
    server.cli("users", "create", "someone@example.com")
    return server


@pytest.mark.parametrize("spoil", [tear, replace])
@pytest.mark.parametrize("command", [["check"], ["serve"], ["migrate"], ["users", "list"]])
def test_a_command_tells_in_a_sentence(stopped: Server, spoil: Callable[[Path], None], command: list[str]) -> None:
    spoil(stopped.home / "retinue.db")
    told = stopped.cli(*command, status=1)
    assert "Traceback" not in told
    assert "database is damaged" in told


def test_check_names_damaged_files(stopped: Server) -> None:
    database = stopped.home / "retinue.db"
    with closing(sqlite.connect(database)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'usage_days'").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(database.read_bytes())
    content[(root - 1) * PAGE : root * PAGE] = bytes(PAGE)
    database.write_bytes(content)
    told = stopped.cli("check", status=1)
    assert told.startswith("the database is damaged: ")
    assert "Traceback" not in told
