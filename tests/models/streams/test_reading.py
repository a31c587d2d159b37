"""Server-sent events and replies: any division of the bytes gives the same result, and nonsense a defined error."""

from contextlib import suppress
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import Message, ModelRequest, ReasoningDelta, TextDelta
from retinue.models.providers.anthropic import AnthropicReply
from retinue.models.providers.errors import ReportedError
from retinue.models.providers.gemini import GeminiReply
from retinue.models.providers.openai import CompletionReply
from retinue.models.providers.reasoning_tags import ReasoningTags, UnmarkedReasoning
from retinue.models.providers.reply import MAX_REPLY, Reply
from retinue.models.providers.responses import ResponsesReply
from retinue.models.streams import MAX_BODY, MAX_EVENT, EventParser, MalformedStream, ServerSentEvent
from tests.models.provider import FINISH, delta
from tests.models.streams.replay import cut

REPLIES: list[type[Reply]] = [CompletionReply, ResponsesReply, AnthropicReply, GeminiReply]
REQUEST = ModelRequest([Message("user", "Go")])


def events_of(chunks: list[bytes]) -> list[ServerSentEvent]:
    stream = EventParser()
    return [event for chunk in chunks for event in stream.feed(chunk)] + stream.end()


def text_of(reply: Reply, events: list[ServerSentEvent]) -> str:
    return "".join(part.content for event in events for part in reply.read(event) if isinstance(part, TextDelta))


@given(
    st.lists(st.text(max_size=20), max_size=8),
    st.lists(st.integers(0, 5000)),
    st.sampled_from(["\n\n", "\r\n\r\n", "\r\r", "\n\r\n", "\r\n\r"]),
)
def test_every_cut_gives_the_same_text(texts: list[str], places: list[int], end: str) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in ("Text: ", *texts)]
    chunks = [orjson.dumps(delta(content=text)) for text in texts] + [orjson.dumps(FINISH), b"[DONE]"]
    data = b"\xef\xbb\xbf: a comment\n" + b"".join(b"data: " + chunk + end.encode() for chunk in chunks)
    reply = CompletionReply("origin", REQUEST)
    with suppress(UnmarkedReasoning):
        text = text_of(reply, events_of(cut(data, places)))
        text += "".join(part.content for part in reply.finish() if isinstance(part, TextDelta))
        assert text == "".join(texts)
        assert reply.finished


_line = st.sampled_from(
    ["data: a", "data:b", "data", "data:  c", "event: x", "event", "id: 1", ": d", "retry: 5", "", "e"]
)


@given(st.lists(_line, max_size=12), st.lists(st.integers(0, 500)), st.sampled_from(["\n", "\r", "\r\n"]))
def test_events_are_those_of_the_standard(lines: list[str], places: list[int], end: str) -> None:
    data = "".join(line + end for line in [*lines, ""]).encode()
    expected, name, found = [], "message", list[str]()
    for line in [*lines, "", ""]:
        field, _, value = line.partition(":")
        if field == "data":
            found.append(value.removeprefix(" "))
        elif field == "event":
            name = value.removeprefix(" ") or "message"
        elif not line:
            expected += [ServerSentEvent(name.encode(), "\n".join(found).encode())] if found else []
            name, found = "message", []
    assert events_of(cut(data, places)) == expected


FIELDS = [
    *("choices", "delta", "content", "tool_calls", "function", "usage", "error", "index", "id", "message", "text"),
    *("reasoning", "reasoning_details", "finish_reason", "type", "item", "response", "output", "content_block"),
    *("candidates", "parts", "functionCall", "usageMetadata", "thoughtSignature"),
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner
            | st.sampled_from(["content_block_delta", "content_block_start", "message_start", "message_delta"])
            | st.sampled_from(["response.output_item.done", "response.completed", "thinking", "tool_use", "text"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(REPLIES), st.lists(json_values.map(orjson.dumps) | st.binary(max_size=60), max_size=4))
def test_nonsense_is_a_defined_error(kind: type[Reply], payloads: list[bytes]) -> None:
    reply = kind("origin", REQUEST)
    with suppress(MalformedStream, ReportedError, UnmarkedReasoning):
        for payload in payloads:
            reply.read(ServerSentEvent(b"message", payload))
    assert all(isinstance(call.arguments, str) for call in reply.calls())
    assert all(orjson.dumps(dict(part.value)) for part in reply.opaque())


def split_by_tags(pieces: list[str]) -> tuple[str, str] | None:
    """Return the text and the reasoning; None if its opening tag is missing."""
    tags, parts = ReasoningTags(), list[TextDelta | ReasoningDelta]()
    try:
        for piece in pieces:
            parts += tags.feed(piece)
        parts += tags.end(cut=False)
    except UnmarkedReasoning:
        return None
    texts, thoughts = (
        [part.content for part in parts if isinstance(part, kind)] for kind in (TextDelta, ReasoningDelta)
    )
    return "".join(texts), "".join(thoughts)


_words = st.sampled_from(["<think>", "</think>", "a", "\n", "<", " ", "</thin", "[THINK]", "[/THINK]", "<|end|>"])


@given(st.lists(_words, max_size=10).map("".join), st.lists(st.integers(0, 100)))
def test_tags_are_found_wherever_the_text_is_cut(text: str, places: list[int]) -> None:
    edges = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    assert split_by_tags([text[a:b] for a, b in pairwise(edges)]) == split_by_tags([text])


def test_endless_input_is_refused() -> None:
    with pytest.raises(MalformedStream, match="endless event"):
        EventParser().feed(b"data: " + b"x" * MAX_EVENT)
    body = EventParser()
    body.feed(b"{")
    with pytest.raises(MalformedStream, match="endless body"):
        body.feed(b" " * MAX_BODY)


@pytest.mark.parametrize(
    "piece",
    [
        {"content": "x" * 50_000},
        {"reasoning": "x" * 50_000},
        {"tool_calls": [{"index": 0, "id": "a", "function": {"arguments": "x" * 50_000}}]},
    ],
)
def test_a_reply_without_end_is_broken_off(piece: dict[str, object]) -> None:
    reply, event = CompletionReply("origin", REQUEST), ServerSentEvent(b"message", orjson.dumps(delta(**piece)))
    for _ in range(MAX_REPLY // 50_000):
        reply.read(event)
    with pytest.raises(MalformedStream, match="endless"):
        reply.read(event)
