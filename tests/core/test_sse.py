"""A stream of server-sent events ends when its client disconnects."""

import asyncio
from collections.abc import AsyncGenerator, Collection, MutableMapping
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Scope

from retinue.core.http.sse import DONE, EventStream
from retinue.core.http.streaming import OpenStreams

Message = MutableMapping[str, Any]


def scope() -> dict[str, Any]:
    """Return the scope of a request without a credential."""

    async def check(token: str, requests: Collection[Scope]) -> Collection[Scope]:
        raise AssertionError("there is nothing to check")

    return {"app": SimpleNamespace(state=SimpleNamespace(streams=OpenStreams(check)))}


class Source:
    """A source of frames that never ends by itself."""

    def __init__(self) -> None:
        self.begun, self.closed = asyncio.Event(), False

    async def frames(self) -> AsyncGenerator[bytes]:
        """Yield one frame, then wait."""
        try:
            yield b"data: 1\n\n"
            self.begun.set()
            await asyncio.Event().wait()
        finally:
            self.closed = True


async def send_nowhere(message: Message) -> None:
    """Discard a message."""


@pytest.mark.parametrize("slow", [False, True], ids=["reads", "reads nothing"])
async def test_when_the_client_goes_away_the_source_is_closed_at_once(slow: bool) -> None:
    """Includes a client that does not read, so that sending never returns."""
    source, told, stuck = Source(), [], asyncio.Event()

    async def send(message: Message) -> None:
        if slow and message["type"] == "http.response.body":
            stuck.set()
            await asyncio.Event().wait()

    async def receive() -> Message:
        await (stuck if slow else source.begun).wait()
        return {"type": "http.disconnect"}

    async def abandon() -> None:
        told.append("abandoned")

    before = asyncio.all_tasks()
    async with asyncio.timeout(120):
        await EventStream(source.frames(), abandon)(scope(), receive, send)
    assert (source.closed, told) == (True, ["abandoned"])
    assert asyncio.all_tasks() == before


async def test_a_stream_that_is_cancelled_leaves_nothing_behind() -> None:
    source = Source()

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {}

    before = asyncio.all_tasks()
    streaming = asyncio.create_task(EventStream(source.frames())(scope(), receive, send_nowhere))
    await source.begun.wait()
    streaming.cancel()
    await asyncio.wait([streaming], timeout=10)
    assert (streaming.cancelled(), source.closed) == (True, True)
    assert asyncio.all_tasks() == before


async def test_a_source_that_fails_is_told_and_nobody_is_said_to_have_gone_away() -> None:
    told: list[str] = []

    async def failing() -> AsyncGenerator[bytes]:
        yield DONE
        raise RuntimeError("broken")

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {}

    async def abandon() -> None:
        told.append("abandoned")

    with pytest.raises(RuntimeError, match="broken"):
        await EventStream(failing(), abandon)(scope(), receive, send_nowhere)
    assert told == []
