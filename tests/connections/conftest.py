"""Servers that may reach this machine, and the targets of connections."""

from collections.abc import Iterator

import pytest

from tests.conftest import DATABASES, NewServer
from tests.connections.echo import Echo, running_echo
from tests.support.server import Server


@pytest.fixture
def echo() -> Iterator[Echo]:
    """An API that echoes requests."""
    with running_echo() as running:
        yield running


@pytest.fixture(scope="package", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The server of these tests, instead of the suite's shared one."""
    server = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()
