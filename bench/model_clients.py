"""Measure the CPU time of the model clients for a stream of 20 words, including HTTP.

`.venv/bin/python -m bench.model_clients [STREAMS]`. A process of its own stands in for the provider.
"""

import asyncio
import multiprocessing
import statistics
import sys
import time
from multiprocessing.queues import Queue
from typing import Any

import aiohttp
import orjson
from aiohttp import web

from retinue.models.base import Message, ModelRequest, TextDelta
from retinue.models.providers.anthropic import AnthropicModel
from retinue.models.providers.client import ProviderClient
from retinue.models.providers.endpoint import DEFAULT_ORIGIN, Endpoint, ModelLimits
from retinue.models.providers.gemini import GeminiModel
from retinue.models.providers.openai import OpenAIModel
from retinue.models.providers.responses import ResponsesModel

WORDS = [f"word{number} " for number in range(20)]
CLIENTS: dict[str, type[ProviderClient]] = {
    "chat/completions": OpenAIModel,
    "responses": ResponsesModel,
    "messages": AnthropicModel,
    "models/bench:streamGenerateContent": GeminiModel,
}
ROUNDS = 8


def chat_events() -> list[dict[str, Any]]:
    """Return the events of Chat Completions."""
    deltas: list[tuple[dict[str, str], str | None]] = [({"content": word}, None) for word in WORDS]
    return [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        for delta, reason in [*deltas, ({}, "stop")]
    ]


def responses_events() -> list[dict[str, Any]]:
    """Return the events of the Responses API."""
    deltas = [{"type": "response.output_text.delta", "output_index": 0, "delta": word} for word in WORDS]
    return [*deltas, {"type": "response.completed", "response": {"status": "completed"}}]


def anthropic_events() -> list[dict[str, Any]]:
    """Return the events of the Messages API."""
    deltas = [{"type": "text_delta", "text": word} for word in WORDS]
    events = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    return [*events, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


def gemini_events() -> list[dict[str, Any]]:
    """Return the chunks of generateContent."""
    parts = [{"content": {"role": "model", "parts": [{"text": word}]}, "index": 0} for word in WORDS]
    return [{"candidates": [part]} for part in [*parts, {"finishReason": "STOP", "index": 0}]]


EVENTS = dict(zip(CLIENTS, (chat_events(), responses_events(), anthropic_events(), gemini_events()), strict=True))


def serve(ports: "Queue[int]") -> None:
    """Stream the events that belong to the path of a request, each in a chunk of its own."""

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in EVENTS[request.match_info["path"]]:
            await response.write(b"data: " + orjson.dumps(event) + b"\n\n")
            await asyncio.sleep(0)
        return response

    async def run() -> None:
        app = web.Application()
        app.router.add_post("/{path:.*}", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ports.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


async def measure(model: ProviderClient, streams: int) -> float:
    """Return the CPU milliseconds of one stream."""
    request = ModelRequest([Message("system", "Be brief."), Message("user", "Hello")])
    begin = time.process_time()
    for _ in range(streams):
        text = "".join([delta.content async for delta in model.stream(request) if isinstance(delta, TextDelta)])
        if text != "".join(WORDS):
            raise ValueError(f"the stream was read as {text!r}")
    return (time.process_time() - begin) * 1000 / streams


async def main(streams: int) -> None:
    """Measure all protocols in turn and print the figures, with the ratio to the first one."""
    ports: Queue[int] = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(ports,), daemon=True)
    server.start()
    endpoint = Endpoint(f"http://127.0.0.1:{ports.get()}", "key")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        models = {
            path: client(DEFAULT_ORIGIN, "bench", endpoint, session, ModelLimits(8192))
            for path, client in CLIENTS.items()
        }
        rounds = [{path: await measure(model, streams) for path, model in models.items()} for _ in range(ROUNDS)]
    first = next(iter(CLIENTS))
    for path in CLIENTS:
        least, ratio = min(one[path] for one in rounds), statistics.median(one[path] / one[first] for one in rounds)
        print(f"{path:36} {least:.2f} ms, {ratio:.2f} times the first")
    server.kill()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
