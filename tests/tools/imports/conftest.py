"""Servers that may import from this machine, an API to import, and programs that may be started."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DATABASES, NewServer
from tests.support.server import Server
from tests.tools.imports.programs import write_programs
from tests.tools.imports.stand_in_api import StandInApi, running_api


@pytest.fixture
def api() -> Iterator[StandInApi]:
    """Somebody else's API."""
    with running_api() as running:
        yield running


@pytest.fixture(scope="session")
def programs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the operator allows."""
    return write_programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="package", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer, programs_file: Path) -> Iterator[Server]:
    """The server of these tests, in place of that of all others."""
    settings = {
        "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8",
        "RETINUE_MCP_PROGRAMS_FILE": str(programs_file),
    }
    server = new_server(request.param, **settings).start()
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()
