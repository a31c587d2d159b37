"""Recorded streams of all protocols: each has the right outcome, however its bytes are divided."""

import random
from typing import Any

import orjson
import pytest

from retinue.core.errors import RetinueError
from retinue.models.base import (
    ContextExceeded,
    Delta,
    Finish,
    ProviderFailed,
    ProviderItem,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)
from tests.models.streams.replay import Recording, cut, recordings, replay

RECORDINGS = recordings()
_random = random.Random(4)


def chunkings(data: bytes) -> list[list[bytes]]:
    events = [event + b"\n\n" for event in data.split(b"\n\n") if event]
    by_chance = [cut(data, [_random.randrange(len(data) + 1) for _ in range(count)]) for count in (1, 3, 20)]
    return [[data] if data else [], events, [data[at : at + 1] for at in range(len(data))], *by_chance]


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
async def test_a_recorded_stream_has_its_outcome_however_it_is_cut(recording: Recording) -> None:
    for chunks in chunkings(recording.data):
        if "error" in recording.outcome:
            await check_failure(recording, chunks)
        else:
            check(await replay(recording, chunks), recording.outcome)


async def check_failure(recording: Recording, chunks: list[bytes]) -> None:
    with pytest.raises(RetinueError) as caught:
        await replay(recording, chunks)
    assert recording.outcome["error"] in caught.value.message
    assert "sk-hidden" not in caught.value.message
    may_retry = caught.value.may_retry if isinstance(caught.value, ProviderFailed) else None
    assert isinstance(caught.value, ProviderFailed | ContextExceeded)
    assert may_retry == recording.outcome["may_retry"]


def check(deltas: list[Delta], outcome: dict[str, Any]) -> None:
    assert "".join(d.content for d in deltas if isinstance(d, TextDelta)) == outcome["text"]
    assert "".join(d.content for d in deltas if isinstance(d, ReasoningDelta)) == outcome.get("reasoning", "")
    calls = [d for d in deltas if isinstance(d, ToolCall)]
    wanted = outcome.get("calls", [])
    assert [(call.name, call.arguments) for call in calls] == [(call["name"], call["arguments"]) for call in wanted]
    assert all(call.id == want["id"] for call, want in zip(calls, wanted, strict=True) if "id" in want)
    assert len({call.id for call in calls} - {""}) == len(calls)
    assert [d for d in deltas if isinstance(d, Finish)] == [Finish(outcome["finish"])]
    kept = [next(iter(d.value.values())) for d in deltas if isinstance(d, ProviderItem)]
    assert kept == ([outcome["opaque"]] if "opaque" in outcome else [])
    check_usage(deltas, outcome.get("usage"))


def check_usage(deltas: list[Delta], wanted: Any) -> None:
    assert [at for at, d in enumerate(deltas) if isinstance(d, Usage)] == [len(deltas) - 1]
    usage = deltas[-1]
    assert isinstance(usage, Usage)
    if wanted == "estimated":
        assert usage.prompt_tokens > 0
        assert usage.completion_tokens > 0
    elif wanted:
        assert usage == Usage(*wanted)


@pytest.mark.parametrize("protocol", ["chat", "responses", "anthropic", "gemini"])
async def test_a_stream_that_is_cut_anywhere_is_no_success(protocol: str) -> None:
    recording = next(one for one in RECORDINGS if (one.protocol, one.name) == (protocol, "plain"))
    whole = await replay(recording, [recording.data])
    for end in range(0, len(recording.data), 7):
        try:
            deltas = await replay(recording, [recording.data[:end]])
        except ProviderFailed:
            continue
        text = "".join(d.content for d in deltas if isinstance(d, TextDelta))
        assert text == recording.outcome["text"], recording.data[:end]
        assert Finish("stop") in deltas
    assert Finish("stop") in whole


def test_outcomes_are_sorted_into_known_fields() -> None:
    known = {"text", "reasoning", "calls", "finish", "opaque", "usage", "regular", "offered", "wire_name"}
    known |= {"error", "may_retry"}
    assert not [(str(one), set(one.outcome) - known) for one in RECORDINGS if set(one.outcome) - known]
    assert all(orjson.dumps(one.outcome) for one in RECORDINGS)
