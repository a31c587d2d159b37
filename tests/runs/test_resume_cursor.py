"""A client that reconnects anywhere receives the same chunks as one that was never disconnected."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retinue.runs.watching.resume_cursor import RunListener, StreamCursor
from retinue.runs.watching.transcript import TextEntry, transcript
from tests.support.chunks import Chunk, interpret, merge

TEXT = st.text(st.sampled_from("ab é😀\n"), max_size=12)


@dataclass(frozen=True)
class Row:
    """A row of a journal, as the listener reads it."""

    seq: int
    role: str = "tool"
    content: str = ""
    tool_calls: tuple[dict[str, str], ...] = ()
    tool_name: str = "look"
    state: str = "done"
    approval_id: int | None = None
    asks: bool = False
    details: dict[str, Any] | None = None


@dataclass
class Moment:
    """What can be read of a run at one instant: its journal, and its partial reply."""

    rows: list[Row] = field(default_factory=list)
    tail: TextEntry | None = None

    def describe(self, asks_first: bool) -> Iterator[Any]:
        """Yield everything that this moment shows."""
        yield from transcript(self.rows, asks_first)
        if self.tail:
            yield self.tail


@st.composite
def histories(draw: st.DrawFn) -> tuple[bool, list[Moment]]:
    """Draw whether tools require approval, and all moments of a run with one to three steps."""
    asks_first = draw(st.booleans())
    moments = [Moment([Row(0, "user")])]
    for _ in range(draw(st.integers(1, 3))):
        calls = tuple({"name": f"tool{n}"} for n in range(draw(st.integers(0, 2))))
        moments += list(_step(draw, moments[-1].rows, calls, asks_first))
    return asks_first, moments


def _step(draw: st.DrawFn, rows: list[Row], calls: Sequence[dict[str, str]], asks_first: bool) -> Iterator[Moment]:
    seq, said = rows[-1].seq + 1, ""
    for piece in draw(st.lists(TEXT, max_size=4)):
        said += piece
        yield Moment(rows, TextEntry(seq, said, complete=False))
    rows = [*rows, Row(seq, "assistant", said, tuple(calls))]
    yield Moment(rows)
    for call in calls:
        seq += 1
        waits = asks_first and draw(st.booleans())
        noted = asks_first or draw(st.booleans())
        tool = Row(seq, tool_name=call["name"], approval_id=1 if waits else None)
        states = [*(["waiting"] if waits else []), *(["started"] if noted else [])]
        yield from (Moment([*rows, replace(tool, state=state)]) for state in states)
        rows = [*rows, replace(tool, state=draw(st.sampled_from(["done", "failed"])))]
        yield Moment(rows)


def hear_all(asks_first: bool, moments: Sequence[Moment]) -> list[Chunk]:
    """Return what a client receives that reads every moment."""
    listener = RunListener(7, StreamCursor())
    return [chunk for moment in moments for _, chunk in listener.new_events(moment.describe(asks_first))]


def hear_in_pieces(asks_first: bool, moments: Sequence[Moment], draw: st.DataObject) -> list[Chunk]:
    """Return what a client receives that misses moments and disconnects after some events, also within a moment."""
    listener, heard = RunListener(7, StreamCursor()), []
    looked = [moment for moment in moments[:-1] if draw.draw(st.booleans())]
    for moment in [*looked, moments[-1]]:
        cut = True
        while cut:
            cut = False
            for event_id, chunk in listener.new_events(moment.describe(asks_first)):
                heard.append(chunk)
                if cut := draw.draw(st.booleans()):
                    listener = RunListener(7, StreamCursor.parse(event_id))
                    break
    return heard


@given(histories(), st.data())
def test_cuts_change_nothing(history: tuple[bool, list[Moment]], draw: st.DataObject) -> None:
    asks_first, moments = history
    whole = merge(hear_all(asks_first, moments))
    assert merge(hear_in_pieces(asks_first, moments, draw)) == whole
    assert merge(hear_all(asks_first, moments[-1:])) == whole
    assert "restart" not in {chunk["type"] for chunk in whole}


@given(TEXT, TEXT, st.data())
def test_text_of_a_dead_process_is_replaced_where_it_differs(lost: str, said: str, draw: st.DataObject) -> None:
    rows = [Row(0, "user")]
    before = [Moment(rows, TextEntry(1, lost[:end], complete=False)) for end in range(len(lost) + 1)]
    after = [Moment(rows, TextEntry(1, said[:end], complete=False)) for end in range(len(said) + 1)]
    moments = [*before, *after, Moment([*rows, Row(1, "assistant", said)])]
    for heard in (hear_all(False, moments), hear_in_pieces(False, moments, draw)):
        assert interpret(heard) == ([{"type": "text", "content": said}] if said else [])
    whole = hear_all(False, moments)
    assert [chunk["type"] for chunk in whole].count("restart") == (not said.startswith(lost))


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.none() | st.integers(0, 2**32 - 1))
def test_a_place_is_read_as_it_was_written(seq: int, at: int, check: int | None) -> None:
    assert StreamCursor.parse(str(StreamCursor(seq, at, check))) == StreamCursor(seq, at, check)
