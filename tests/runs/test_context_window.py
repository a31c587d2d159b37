"""The part of a conversation that fits into a model's context."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import Message, ToolCall, estimate_tokens
from retinue.runs.context_window import CallState, RunConversation

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
    system, *recalled, own = RunConversation(SYSTEM, history, [OWN]).fit_into(tokens)
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


def answer_calls(thread: RunConversation, *results: str) -> RunConversation:
    """Add a step to a thread whose calls have these results."""
    seq = thread.cuts[-1].seq + 1 if thread.cuts else 1
    calls = tuple(ToolCall(f"{seq}-{place}", "show_time", "{}") for place in range(len(results)))
    thread.add_step(seq, Message("assistant", "", calls))
    for item, result in zip(thread.calls, results, strict=True):
        item.end(CallState.DONE, result)
    thread.end_step()
    return thread


@pytest.mark.parametrize(("characters", "whole"), [(16_000, True), (16_001, False)])
def test_the_model_sees_the_beginning_and_the_end_of_a_long_result(characters: int, *, whole: bool) -> None:
    result = "a" * 8000 + "b" * (characters - 12_000) + "c" * 4000
    thread = answer_calls(RunConversation(SYSTEM, [], [OWN], run_id=7), result)
    shown = thread.fit_into(100_000)[-1].content
    assert thread.shortened != whole
    if whole:
        assert shown == result
    else:
        assert (shown[:8000], shown[-4000:], '{"call": "7-2", "offset": 8000}' in shown) == (
            "a" * 8000,
            "c" * 4000,
            True,
        )


@given(st.lists(st.lists(st.integers(1, 9000), max_size=3), max_size=6), st.integers(600, 5000))
def test_a_runs_own_messages_fit_whatever_its_tools_returned(steps: list[list[int]], room: int) -> None:
    thread = RunConversation(SYSTEM, [], [OWN])
    for sizes in steps:
        answer_calls(thread, *("x" * size for size in sizes))
    shown = thread.fit_into(room)
    assert sum(estimate_tokens(one.content) + 9 * len(one.tool_calls) for one in shown) <= room + 150 * len(shown)
    assert shown[:2] == [Message("system", SYSTEM), OWN]
    called = [call.id for one in shown for call in one.tool_calls]
    assert [one.tool_call_id for one in shown if one.role == "tool"] == called
    if thread.own[-1].role == "tool":
        assert shown[-1].tool_call_id == thread.own[-1].tool_call_id


def test_a_summary_replaces_everything_before_the_cut_but_the_request() -> None:
    thread = RunConversation(SYSTEM, [Message("user", "old"), Message("assistant", "older")], [OWN])
    for result in ("one", "two", "three"):
        answer_calls(thread, result)
    first, second, _ = thread.cuts
    thread.compact(first.seq, "one happened")
    assert [one.content for one in thread.own] == [OWN.content, thread.own[1].content, "", "two", "", "three"]
    assert (thread.history, "one happened" in thread.own[1].content) == ([], True)
    thread.compact(second.seq, "one and two happened")
    assert [one.content for one in thread.own][2:] == ["", "three"]
    assert "one and two happened" in thread.own[1].content
