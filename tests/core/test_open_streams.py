"""Open streams share one check of their credential."""

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message, Scope

from retinue.core.errors import AuthRequired, Unavailable
from retinue.core.http.sse import EventStream
from retinue.core.http.streaming import OpenStreams, StreamedResponse

PATIENCE_S = 60.0


class Checks:
    """Records the checks, and refuses the scopes in `refused`."""

    def __init__(self) -> None:
        self.made: list[tuple[str, int]] = []
        self.refused: list[Scope] = []
        self.away = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    async def check(self, token: str, scopes: Collection[Scope]) -> Collection[Scope]:
        """See `streaming.Check`."""
        self.made.append((token, len(scopes)))
        for number, reached in self._waiting:
            if len(self.made) >= number and not reached.done():
                reached.set_result(None)
        if self.away:
            raise Unavailable("The database is away.")
        return [scope for scope in scopes if scope in self.refused]

    async def wait_for(self, number: int) -> None:
        """Wait until `number` more checks have been made."""
        reached = asyncio.get_running_loop().create_future()
        self._waiting.append((len(self.made) + number, reached))
        async with asyncio.timeout(PATIENCE_S):
            await reached


async def test_one_check_serves_all_streams_of_a_credential() -> None:
    checks = Checks()
    streams = OpenStreams(checks.check)
    with ExitStack() as stack:
        for number in range(200):
            stack.enter_context(streams.stream({"token": "a", "number": number}))
        stack.enter_context(streams.stream({"token": "b"}))
        stack.enter_context(streams.stream({}))
        await checks.wait_for(4)
    assert checks.made == [("a", 200), ("b", 1)] * 2


async def test_only_the_refused_streams_end() -> None:
    checks = Checks()
    streams = OpenStreams(checks.check)
    inside, outside, other = {"token": "a", "from": 1}, {"token": "a", "from": 2}, {"token": "b", "from": 2}
    with streams.stream(inside) as kept, streams.stream(outside) as ended, streams.stream(other) as foreign:
        await checks.wait_for(2)
        checks.refused.append(outside)
        async with asyncio.timeout(PATIENCE_S):
            await ended
        await checks.wait_for(2)
        assert not kept.done()
        assert not foreign.done()


async def test_streams_go_on_while_the_database_is_away() -> None:
    checks = Checks()
    checks.away = True
    with OpenStreams(checks.check).stream({"token": "a"}) as ended:
        await checks.wait_for(2)
        assert not ended.done()


async def test_nothing_is_checked_after_the_last_stream() -> None:
    checks = Checks()
    before = asyncio.all_tasks()
    with OpenStreams(checks.check).stream({"token": "a"}):
        await checks.wait_for(1)
    (watching,) = asyncio.all_tasks() - before
    async with asyncio.timeout(PATIENCE_S):
        await watching
    assert checks.made == [("a", 1)]


async def send_nothing() -> AsyncGenerator[bytes]:
    """A source whose first block never comes."""
    await asyncio.get_running_loop().create_future()
    yield b""


@pytest.mark.parametrize("kind", [StreamedResponse, EventStream])
async def test_a_response_whose_credential_ends_before_it_begins_is_an_error(
    kind: type[StreamedResponse | EventStream],
) -> None:
    checks, sent = Checks(), list[Message]()
    app = SimpleNamespace(state=SimpleNamespace(streams=OpenStreams(checks.check)))
    scope: dict[str, Any] = {"token": "a", "app": app}
    checks.refused.append(scope)

    async def receive() -> Message:
        await asyncio.get_running_loop().create_future()
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(AuthRequired):
            await kind(send_nothing())(scope, receive, send)
    assert sent == []
