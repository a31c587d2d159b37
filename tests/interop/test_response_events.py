"""The events of a response have the same numbers however its text is cut, so that a stream continues from any."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.interop.openai.response_events import ResponseEvents, stored_frames
from retinue.interop.openai.responses import ResponseState
from retinue.models.base import ToolCall
from retinue.runs.execution.broadcast import Chunk

BEGUN = ResponseState(7, "a-model", 1)
FRAGMENTS = st.lists(st.text(min_size=1, max_size=6), max_size=5)
Event = dict[str, Any]


def parse_events(frames: list[bytes]) -> list[Event]:
    """The events of frames."""
    return [json.loads(one.partition(b"data: ")[2]) for one in frames]


def write_events(thoughts: list[str], texts: list[str], after: int = -1) -> list[Event]:
    """The events of a response whose reasoning and text come in these fragments."""
    events = ResponseEvents(BEGUN, after=after)
    calls = [ToolCall("c", "look", "{}")]
    result = ResponseState(7, "a-model", 1, "completed", "".join(thoughts), "".join(texts), calls)
    frames = list(events.begin())
    for text in thoughts:
        frames += events.think(text)
    for text in texts:
        frames += events.say(text)
    return parse_events([*frames, *events.end(result)])


def deltas(events: list[Event]) -> str:
    """The text of the fragments of the message and of the reasoning."""
    kinds = ("response.output_text.delta", "response.reasoning_summary_text.delta")
    return "".join(one["delta"] for one in events if one["type"] in kinds)


@given(FRAGMENTS, FRAGMENTS, st.integers(min_value=0, max_value=80))
def test_a_stream_continues_from_any_number(thoughts: list[str], texts: list[str], after: int) -> None:
    first, whole = write_events(thoughts, texts), write_events(["".join(thoughts)], ["".join(texts)])
    assert [one for one in whole if "delta" not in one] == [one for one in first if "delta" not in one]
    numbers = [one["sequence_number"] for one in first]
    assert numbers == sorted(set(numbers))
    known = [one for one in first if one["sequence_number"] <= after]
    edge = known[-1]["sequence_number"] if known else -1
    rest = write_events(["".join(thoughts)], ["".join(texts)], edge)
    assert deltas(known) + deltas(rest) == deltas(first) == "".join(thoughts + texts)
    assert [one["type"] for one in rest if "delta" not in one] == [
        one["type"] for one in first if one["sequence_number"] > edge and "delta" not in one
    ]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_response_that_did_not_complete_ends_with_a_failure(status: str) -> None:
    (last,) = parse_events(list(ResponseEvents(BEGUN).end(ResponseState(7, "a-model", 1, status))))
    assert (last["type"], last["response"]["status"]) == ("response.failed", status)


def test_text_that_is_written_anew_comes_whole_at_the_end() -> None:
    async def chunks() -> AsyncGenerator[tuple[str, Chunk]]:
        yield "0-1", {"type": "text", "content": "One"}
        yield "0-2", {"type": "restart"}
        yield "0-3", {"type": "text", "content": "Two"}

    async def find_result() -> ResponseState:
        return ResponseState(7, "a-model", 1, "completed", "", "Two")

    async def collect() -> list[bytes]:
        return [one async for one in stored_frames(BEGUN, chunks(), find_result)]

    events = parse_events(b"".join(asyncio.run(collect())).split(b"\n\n")[:-1])
    assert deltas(events) == "One"
    assert [one["text"] for one in events if one["type"] == "response.output_text.done"] == ["Two"]
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "Two"
