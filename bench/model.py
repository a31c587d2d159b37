"""Serve an instant model: an OpenAI-compatible server that streams the same twenty words without delay."""

import json
import sys
import time
from typing import Any

from aiohttp import web

FIRST_WORD = "The"
_REPLY = f"{FIRST_WORD} quick brown fox jumps over the lazy dog and then takes a long nap under an old oak tree"
WORDS = _REPLY.split()
_USAGE = {"prompt_tokens": 12, "completion_tokens": len(WORDS), "total_tokens": 12 + len(WORDS)}


async def complete(request: web.Request) -> web.StreamResponse:
    """Handle `POST /v1/chat/completions`, as JSON or as server-sent events."""
    body = await request.json()
    head = {"id": f"chatcmpl-{time.time_ns()}", "created": int(time.time()), "model": body.get("model", "mock")}
    return await _stream(request, head) if body.get("stream") else _whole(head)


def _whole(head: dict[str, Any]) -> web.Response:
    message = {"role": "assistant", "content": _REPLY}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return web.json_response({**head, "object": "chat.completion", "choices": [choice], "usage": _USAGE})


async def _stream(request: web.Request, head: dict[str, Any]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(_chunk(head, {"role": "assistant", "content": ""}))
    for word in WORDS:
        await response.write(_chunk(head, {"content": word + " "}))
    await response.write(_chunk(head, {}, "stop"))
    await response.write(_event({**head, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}))
    await response.write(b"data: [DONE]\n\n")
    return response


def _chunk(head: dict[str, Any], delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _event({**head, "object": "chat.completion.chunk", "choices": [choice]})


def _event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


async def health(_request: web.Request) -> web.Response:
    """Handle `GET /health`."""
    return web.Response(text="ok")


if __name__ == "__main__":
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/health", health)
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)
