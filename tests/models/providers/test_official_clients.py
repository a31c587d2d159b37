"""The official clients of OpenAI, Anthropic and Google: their types accept what is sent; they read the same streams.

A server for these clients streams the recordings, so that the recordings are what providers really send.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator
from types import ModuleType

import orjson
import pytest
from aiohttp import web
from pydantic import ValidationError

from retinue.models.base import ToolCall
from tests.models.providers.requests import requests
from tests.models.streams.replay import Recording, first_body, recordings, replay

REGULAR = [one for one in recordings() if one.outcome.get("regular")]


@pytest.fixture(scope="module")
def official() -> ModuleType:
    return importlib.import_module("tests.models.providers.official")


@pytest.mark.parametrize("protocol", ["chat", "responses", "anthropic", "gemini"])
async def test_their_types_accept_the_requests(official: ModuleType, protocol: str) -> None:
    for request in requests(protocol).values():
        body = await first_body(protocol, request)
        if protocol == "anthropic":
            body.pop("temperature", None)  # Its newest models take none, and the client learns that from a refusal.
        for message in body["messages"] if protocol == "chat" else ():
            for extension in ("reasoning", "reasoning_content"):
                message.pop(extension, None)
        official.validate(protocol, body)
        conversation = next(name for name in ("messages", "input", "contents") if name in body)
        with pytest.raises(ValidationError):
            official.validate(protocol, body | {conversation: [{"role": "user", "unknown": 5}]})


@pytest.fixture
async def base_url() -> AsyncIterator[str]:
    """Serve each regular recording below a path of its own."""

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        protocol, name = request.match_info["protocol"], request.match_info["name"]
        recording = next(one for one in REGULAR if (one.protocol, one.name) == (protocol, name))
        return web.Response(body=recording.data, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/{protocol}/{name}/{rest:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.mark.parametrize("recording", REGULAR, ids=str)
async def test_they_read_the_recorded_streams_alike(official: ModuleType, base_url: str, recording: Recording) -> None:
    read = official.READERS[recording.protocol](f"{base_url}/{recording.protocol}/{recording.name}")
    text, calls = await asyncio.wait_for(read, 60)
    ours = [delta for delta in await replay(recording, [recording.data]) if isinstance(delta, ToolCall)]
    assert text == recording.outcome["text"]
    theirs = [(name, orjson.loads(given) if isinstance(given, str) else given) for name, given in calls]
    assert theirs == [(call.name, orjson.loads(call.arguments)) for call in ours]
