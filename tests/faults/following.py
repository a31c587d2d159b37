"""Listening to a run that is under way."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.client import Client, Stream


@contextmanager
def following(client: Client, run_id: int) -> Iterator[Iterator[dict[str, Any]]]:
    """The chunks of a run's events as they come."""
    response = client.get(f"/runs/{run_id}/events", stream=True)
    try:
        yield Stream(response).chunks()
    finally:
        response.close()


def first_chunk(client: Client, run_id: int) -> dict[str, Any]:
    """Wait until the run says something."""
    with following(client, run_id) as chunks:
        return next(chunks)
