"""Servers that may reach this machine, and scripted providers of models."""

from collections.abc import Iterator

import pytest

from tests.conftest import DATABASES, NewServer
from tests.support.client import Client
from tests.support.model_server import ModelServer, running_model_server
from tests.support.server import Server


@pytest.fixture(scope="package")
def running_host() -> Iterator[ModelServer]:
    """A provider besides the server's own."""
    with running_model_server(ModelServer) as running:
        yield running


@pytest.fixture
def host(running_host: ModelServer) -> Iterator[ModelServer]:
    """A provider besides the server's own, reset before and after the test."""
    running_host.reset()
    yield running_host
    running_host.reset()


@pytest.fixture(scope="package", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The server of these tests, instead of the suite's shared one."""
    server = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    server.new_user()  # the operator
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()


@pytest.fixture
def operator(shared_server: Server) -> Iterator[Client]:
    """A client of the first user, who is the operator."""
    client = Client(shared_server, shared_server.first_key)
    yield client
    client.close()
