"""Servers that may reach this machine, and a website."""

from collections.abc import Iterator

import pytest

from tests.conftest import DATABASES, NewServer
from tests.support.server import Server
from tests.support.site import Site, running_site


@pytest.fixture(scope="package", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The server of these tests, instead of the suite's shared one."""
    server = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    server.new_user()  # the operator
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A website."""
    with running_site() as running:
        yield running


@pytest.fixture
def other() -> Iterator[Site]:
    """A site at another address."""
    with running_site() as running:
        yield running
