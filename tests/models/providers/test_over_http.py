"""Clients of all protocols with a real server: addresses, headers, endings of connections, and lists of models."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from retinue.core.errors import Unavailable
from retinue.models.base import Delta, Finish, Message, ModelRequest
from retinue.models.providers import anthropic, gemini, openai, responses
from retinue.models.providers.catalogue import ModelListing
from retinue.models.providers.endpoint import Endpoint, ModelLimits
from tests.models.streams.replay import CLIENTS, recordings

PLAIN = {one.protocol: one.data for one in recordings() if one.name == "plain"}
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1/models/wire-1:streamGenerateContent",
}
HELLO = ModelRequest([Message("user", "Hello")])


class Stand:
    """Answers every request with `answer` and records requests."""

    def __init__(self) -> None:
        self.answer: Callable[[web.Request], Awaitable[web.StreamResponse]]
        self.requests: list[web.Request] = []
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.requests.append(request)
        return await self.answer(request)


@pytest.fixture
async def stand() -> AsyncIterator[Stand]:
    stand, app = Stand(), web.Application()
    app.router.add_route("*", "/{path:.*}", stand.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stand.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield stand
    await runner.cleanup()


def bytes_answer(data: bytes, status: int = 200) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(body=data, status=status, content_type="text/event-stream")

    return answer


async def collect(protocol: str, endpoint: Endpoint) -> list[Delta]:
    async with aiohttp.ClientSession() as session:
        model = CLIENTS[protocol]("acme", "wire-1", endpoint, session, ModelLimits(8192))
        return [delta async for delta in model.stream(HELLO)]


@pytest.mark.parametrize("protocol", list(CLIENTS))
async def test_address_and_headers(stand: Stand, protocol: str) -> None:
    stand.answer = bytes_answer(PLAIN[protocol])
    endpoint = Endpoint(stand.url + "/", "sk-hidden", {"X-Team": "blue"}, {"api-version": "2026-01-01"})
    assert Finish("stop") in await collect(protocol, endpoint)
    (request,) = stand.requests
    assert request.path == PATHS[protocol]
    assert request.query["api-version"] == "2026-01-01"
    assert (request.query.get("alt") == "sse") is (protocol == "gemini")
    assert request.headers["X-Team"] == "blue"
    keys = {name: request.headers.get(name) for name in ("Authorization", "x-api-key", "x-goog-api-key")}
    assert [value for value in keys.values() if value] in (["Bearer sk-hidden"], ["sk-hidden"])
    assert "sk-hidden" not in str(request.url)
    assert ("anthropic-version" in request.headers) is (protocol == "anthropic")


@pytest.mark.parametrize("protocol", list(CLIENTS))
async def test_headers_of_the_provider_replace_others(stand: Stand, protocol: str) -> None:
    stand.answer = bytes_answer(PLAIN[protocol])
    names = {
        "chat": "authorization",
        "responses": "Authorization",
        "anthropic": "X-Api-Key",
        "gemini": "X-Goog-Api-Key",
    }
    await collect(protocol, Endpoint(stand.url, "sk-hidden", {names[protocol]: "own"}))
    assert stand.requests[0].headers.getall(names[protocol]) == ["own"]


@pytest.mark.parametrize("protocol", ["chat", "responses", "anthropic"])  # Gemini marks no end.
async def test_a_connection_that_stays_open_after_the_reply_does_not_delay_it(stand: Stand, protocol: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(PLAIN[protocol])
        await asyncio.Event().wait()
        return response

    stand.answer = answer
    assert Finish("stop") in await asyncio.wait_for(collect(protocol, Endpoint(stand.url)), 120)


async def test_secrets_in_headers_are_not_quoted(stand: Stand) -> None:
    stand.answer = bytes_answer(b'{"error": {"message": "bad header top-secret-value"}}', 400)
    with pytest.raises(Unavailable) as caught:
        await collect("chat", Endpoint(stand.url, "", {"api-key": "top-secret-value"}))
    assert "bad header" in caught.value.message
    assert "top-secret-value" not in caught.value.message
    assert "top-secret-value" not in repr(Endpoint(stand.url, "", {"api-key": "top-secret-value"}))


OPENROUTER = {
    "id": "a/b",
    "context_length": 131072,
    "architecture": {"input_modalities": ["text", "image", "file", "video"]},
    "top_provider": {"context_length": 131072, "max_completion_tokens": 16384},
}
CLAUDE = {
    "type": "model",
    "id": "claude-x",
    "max_input_tokens": 200_000,
    "max_tokens": 64_000,
    "capabilities": {"image_input": {"supported": True}, "pdf_input": {"supported": False}},
}
GEMINI = {
    "name": "models/gemini-x",
    "inputTokenLimit": 1_048_576,
    "outputTokenLimit": 65_536,
    "supportedGenerationMethods": ["generateContent"],
}
EMBEDDER = {"name": "models/embedding-x", "supportedGenerationMethods": ["embedContent"]}


@pytest.mark.parametrize(
    ("module", "answer", "listed"),
    [
        (openai, {"data": [{"id": "gpt-x"}, {}]}, [ModelListing("gpt-x")]),
        (responses, {"data": [{"id": "gpt-x"}]}, [ModelListing("gpt-x")]),
        (openai, [{"id": "x", "max_model_len": 4096}], [ModelListing("x", 4096)]),
        (openai, {"data": [OPENROUTER]}, [ModelListing("a/b", 131072, 16384, frozenset({"text", "image", "pdf"}))]),
        (anthropic, {"data": [CLAUDE]}, [ModelListing("claude-x", 200_000, 64_000, frozenset({"text", "image"}))]),
        (gemini, {"models": [GEMINI, EMBEDDER]}, [ModelListing("gemini-x", 1_048_576, 65_536)]),
        (openai, {"data": []}, []),
        (openai, {"data": None}, []),
    ],
)
async def test_lists_of_models(stand: Stand, module: Any, answer: Any, listed: list[ModelListing]) -> None:
    async def respond(request: web.Request) -> web.StreamResponse:
        return web.json_response(answer)

    stand.answer = respond
    async with aiohttp.ClientSession() as session:
        assert await module.list_models(Endpoint(stand.url, "sk-hidden"), session) == listed
    assert stand.requests[0].path == "/v1/models"


@pytest.mark.parametrize("body", [b"{}", b'{"data": 5}', b"<html>", b"5"])
async def test_a_list_that_is_none_is_an_error(stand: Stand, body: bytes) -> None:
    stand.answer = bytes_answer(body)
    async with aiohttp.ClientSession() as session:
        with pytest.raises(Unavailable, match="invalid response"):
            await openai.list_models(Endpoint(stand.url), session)


async def test_a_refused_list_names_the_key(stand: Stand) -> None:
    stand.answer = bytes_answer(b'{"error": {"message": "bad key sk-hidden"}}', 401)
    async with aiohttp.ClientSession() as session:
        with pytest.raises(Unavailable, match="Check the key of the provider"):
            await openai.list_models(Endpoint(stand.url, "sk-hidden"), session)
