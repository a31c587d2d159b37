"""Clients of the package, for the user of the test."""

from collections.abc import AsyncIterator, Iterator

import pytest

from retinue_client import AsyncRetinue, Retinue
from tests.support.client import Client
from tests.support.server import Server


@pytest.fixture
def retinue(server: Server, client: Client) -> Iterator[Retinue]:
    """The package's client with a live key of a new user."""
    with Retinue(api_key=client.key, base_url=server.url) as made:
        yield made


@pytest.fixture
async def async_retinue(server: Server, client: Client) -> AsyncIterator[AsyncRetinue]:
    """The package's asynchronous client with a live key of a new user."""
    async with AsyncRetinue(api_key=client.key, base_url=f"{server.url}/api/v1/") as made:
        yield made
