"""The wire format: the reply does not depend on how the bytes are divided, and invalid bytes cause a defined error."""

from contextlib import suppress
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import ToolCall
from retinue.models.providers.wire import MAX_LINE, MAX_REPLY, EventLines, Garbled, ReplyAssembler, ReportedError
from tests.models.provider import FINISH, delta


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]


@given(
    st.lists(st.text(max_size=20), max_size=8), st.lists(st.integers(0, 5000)), st.sampled_from(["\n\n", "\r\n\r\n"])
)
def test_every_cut_gives_the_same_text(texts: list[str], places: list[int], end: str) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    events = [orjson.dumps(delta(content=text)) for text in texts] + [orjson.dumps(FINISH), b"[DONE]"]
    data = b": a comment\n" + b"".join(b"data: " + event + end.encode() for event in events)
    lines, reply = EventLines(), ReplyAssembler()
    payloads = [payload for piece in cut(data, places) for payload in lines.feed(piece)] + lines.end()
    assert "".join(reply.take(payload) for payload in payloads) == "".join(texts)
    assert reply.complete


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "content", "tool_calls", "function", "usage", "error", "index", "id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=60) | json_values.map(lambda value: orjson.dumps(value, default=str)))
def test_nonsense_is_garbled_and_nothing_else(payload: bytes) -> None:
    reply = ReplyAssembler()
    with suppress(Garbled, ReportedError):
        assert isinstance(reply.take(payload), str)
    assert all(isinstance(call.arguments, str) for call in reply.tool_calls())


def call_fragment(name: str = "", arguments: str = "", **head: Any) -> dict[str, object]:
    return {"function": {"name": name, "arguments": arguments}} | head


def assemble_calls(*fragments: dict[str, object]) -> list[ToolCall]:
    reply = ReplyAssembler()
    for fragment in fragments:
        reply.take(orjson.dumps(delta(tool_calls=[fragment])))
    return reply.tool_calls()


@pytest.mark.parametrize("head", [{}, {"index": 0}])
def test_calls_without_ids_are_separate_calls(head: dict[str, Any]) -> None:
    fragments = [
        call_fragment("a", '{"x":', **head),
        call_fragment("", "1}", **head),
        call_fragment("b", **head),
        call_fragment("", "{}", **head),
    ]
    assert assemble_calls(*fragments) == [ToolCall("call_0", "a", '{"x":1}'), ToolCall("call_1", "b", "{}")]


@pytest.mark.parametrize(
    "fragments",
    [
        [call_fragment("ad", '{"x":'), call_fragment("d", "1}")],
        [call_fragment("ad", '{"x":1}', id="c"), call_fragment("d", id="c")],
        [call_fragment("ad"), call_fragment("d", '{"x":1}')],
    ],
)
def test_fragments_of_one_call_stay_together(fragments: list[dict[str, object]]) -> None:
    (call,) = assemble_calls(*fragments)
    assert (call.name, call.arguments) == ("add", '{"x":1}')


def test_an_endless_line_is_refused() -> None:
    lines = EventLines()
    with pytest.raises(Garbled):
        lines.feed(b"data: " + b"x" * MAX_LINE)


@pytest.mark.parametrize(
    "piece",
    [{"content": "x" * 1000}, {"tool_calls": [{"index": 0, "id": "a", "function": {"arguments": "x" * 1000}}]}],
)
def test_a_reply_without_end_is_broken_off(piece: dict[str, object]) -> None:
    reply, payload = ReplyAssembler(), orjson.dumps(delta(**piece))
    for _ in range(MAX_REPLY // 1000):
        reply.take(payload)
    with pytest.raises(Garbled, match="endless"):
        reply.take(payload)
