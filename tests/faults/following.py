"""Follows the events of a run in progress."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.client import Client, Stream


@contextmanager
def following(client: Client, run_id: int) -> Iterator[Iterator[dict[str, Any]]]:
    """Follow a run's events. Yields an iterator over their chunks."""
    response = client.get(f"/runs/{run_id}/events", stream=True)
    try:
        yield Stream(response).chunks()
    finally:
        response.close()


def first_chunk(client: Client, run_id: int) -> dict[str, Any]:
    """Wait for the run's first chunk."""
    with following(client, run_id) as chunks:
        return next(chunks)
