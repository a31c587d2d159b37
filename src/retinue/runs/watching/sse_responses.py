"""Renders live runs as server-sent events or as plain responses."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping

import orjson
from starlette.requests import Request

from retinue.core.errors import InternalError, RetinueError
from retinue.core.http.sse import DONE, EventStream
from retinue.core.http.streaming import wait_for_disconnect
from retinue.core.runtime.tasks import cancel_all
from retinue.runs.execution.broadcast import Chunk, RunStream
from retinue.runs.execution.runner import Runner
from retinue.runs.failures import RUN_ID

_HEADERS_WITHIN_S = 2.0
"""How long the response waits for the first chunk, so that an early failure becomes an ordinary error response."""


def frame(chunk: Chunk) -> bytes:
    """Encode one chunk as an event."""
    return b"data: " + orjson.dumps(chunk) + b"\n\n"


async def stream(
    live: RunStream, runner: Runner, final: Mapping[str, object], translate: Callable[[str], str] = str
) -> EventStream:
    """Stream the run's chunks. `final` is merged into the last one. If the client disconnects, the run is cancelled.

    `translate` is applied to the message of an error that ends the stream. Raises the run's error if it fails before
    the first chunk.
    """
    return await stream_frames(live, runner, _frames(live, final, translate))


async def stream_frames(live: RunStream, runner: Runner, frames: AsyncGenerator[bytes]) -> EventStream:
    """Stream the run as `frames`. If the client disconnects, the run is cancelled.

    Raises the run's error if it fails before the first chunk.
    """
    await live.wait_for_begin(_HEADERS_WITHIN_S)
    if live.error and not live.chunks:
        raise live.error

    async def abandon() -> None:
        await runner.cancel(live.run.id)

    response = EventStream(frames, abandon)
    response.headers[RUN_ID] = str(live.run.id)
    return response


async def _frames(
    live: RunStream, final: Mapping[str, object], translate: Callable[[str], str]
) -> AsyncGenerator[bytes]:
    async for chunks in live.follow():
        yield b"".join(map(frame, chunks))
    yield frame(_last(live, final, translate)) + DONE


def _last(live: RunStream, final: Mapping[str, object], translate: Callable[[str], str]) -> Chunk:
    if live.error:
        reported = failure(live.error)
        return {"type": "error", **reported, "message": translate(str(reported["message"]))}
    if live.outcome == "waiting":
        return {"type": "waiting", **final, "run_id": live.run.id, "approval_ids": list(live.journal.approval_ids)}
    return {"type": "done", **final, **figures(live)}


async def wait_while_connected(request: Request, live: RunStream, runner: Runner) -> None:
    """Wait for the run's end. If the client disconnects, the run is cancelled.

    With an idempotency key, the run goes on, so that a repeated request gets its response.
    """
    if request.scope["caller"].claim:
        return await live.wait_until_ended()
    ending = asyncio.ensure_future(live.wait_until_ended())
    leaving = asyncio.ensure_future(wait_for_disconnect(request.receive))
    try:
        await asyncio.wait({ending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not ending.done():
            await runner.cancel(live.run.id)
            await ending
    finally:
        await cancel_all([ending, leaving])


async def wait_until_ended(live: RunStream) -> dict[str, object]:
    """Wait for the run's end and return its reply and figures. Raises the run's error."""
    await live.wait_until_ended()
    if live.error:
        raise live.error
    return {"reply": live.journal.reply, **figures(live)}


def figures(live: RunStream) -> dict[str, object]:
    """Return the run's id, tools, tokens and milliseconds."""
    journal = live.journal
    return {
        "run_id": live.run.id,
        "tools_used": journal.tools_used,
        "tokens_used": journal.tokens_used,
        **journal.totals(),
        "execution_time_ms": journal.took_ms,
    }


def failure(error: RetinueError) -> dict[str, object]:
    """Return the error body for a stream that has already started."""
    known = error if error.message else InternalError("The run failed on our side.")
    return known.envelope()["error"]
