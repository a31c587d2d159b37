"""Servers that may import from this machine, and an API to import."""

from collections.abc import Iterator

import pytest

from tests.conftest import DATABASES, NewServer
from tests.support.server import Server
from tests.tools.imports.stand_in_api import StandInApi, running_api


@pytest.fixture
def api() -> Iterator[StandInApi]:
    """Somebody else's API."""
    with running_api() as running:
        yield running


@pytest.fixture(scope="package", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The server of these tests, in place of that of all others."""
    server = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()
