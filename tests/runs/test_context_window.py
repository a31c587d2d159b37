"""The part of a conversation that fits into a model's context."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import Message, ToolCall, estimate_tokens
from retinue.runs.context_window import Thread

SYSTEM, OWN = "Be brief.", Message("user", "And now?")
TEXTS = st.text("ab ", min_size=1, max_size=60)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """Return a user's message and its answer, between which there may be a tool call."""
    asked, answer = Message("user", draw(TEXTS)), Message("assistant", draw(TEXTS))
    if not draw(st.booleans()):
        return [asked, answer]
    call = ToolCall(draw(st.uuids()).hex, "show_time", "{}")
    result = Message("tool", draw(TEXTS), tool_call_id=call.id, tool_name=call.name)
    return [asked, Message("assistant", "", (call,)), result, answer]


CONVERSATIONS = st.lists(exchanges(), max_size=6)


def recall(history: list[Message], tokens: int) -> list[Message]:
    """Return the part of the history that fits, which must stand between the system message and the run's own."""
    system, *recalled, own = Thread(SYSTEM, history, [OWN]).fit_into(tokens)
    assert (system, own) == (Message("system", SYSTEM), OWN)
    return recalled


@given(CONVERSATIONS, st.integers(0, 300))
def test_the_newest_whole_exchanges_that_fit_are_recalled(conversation: list[list[Message]], tokens: int) -> None:
    left = tokens - estimate_tokens(SYSTEM) - estimate_tokens(OWN.content)
    expected: list[Message] = []
    for exchange in reversed(conversation):
        left -= sum(estimate_tokens(one.content) for one in exchange)
        left -= sum(estimate_tokens("{}") + 8 for one in exchange if one.tool_calls)
        if left < 0:
            break
        expected = [*exchange, *expected]
    assert recall([message for exchange in conversation for message in exchange], tokens) == expected


@given(CONVERSATIONS, exchanges(), st.integers(1, 3))
def test_a_history_that_was_cut_begins_with_its_first_request(
    conversation: list[list[Message]], broken: list[Message], cut: int
) -> None:
    whole = [message for exchange in conversation for message in exchange]
    assert recall([*broken[min(cut, len(broken) - 1) :], *whole], 10_000) == whole


@pytest.mark.parametrize(("characters", "mark"), [(16_000, ""), (16_001, " … (shortened)")])
def test_a_result_beyond_16000_characters_is_shortened(characters: int, mark: str) -> None:
    call = ToolCall("1", "show_time", "{}")
    said = Message("tool", "x" * characters, tool_call_id="1", tool_name="show_time")
    shown = Thread(SYSTEM, [], [Message("assistant", "", (call,)), said]).fit_into(10_000)[-1]
    assert shown.content == "x" * 16_000 + mark
