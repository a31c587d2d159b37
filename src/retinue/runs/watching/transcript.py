"""Converts journal rows into a sequence of output events that is the same for every reader."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retinue.core.database.statements import Row

WAITS, BEGUN, ASKS, OVER = 1, 2, 3, 4
"""The stages of a tool call, in order: waiting for approval, started, waiting for an answer to its server, ended."""

RETRIES = 1
"""The only stage of a model call that failed."""


class TextEntry(NamedTuple):
    """The model's text in the journal row `seq`, or the text so far."""

    seq: int
    text: str
    complete: bool = True


class ToolEntry(NamedTuple):
    """A stage of the tool call in the journal row `seq`. `at` is `WAITS`, `BEGUN`, `ASKS` or `OVER`.

    `state` and `result` are those of the row, once the call is over.
    """

    seq: int
    at: int
    tool: str
    state: str = ""
    result: str = ""


class RetryEntry(NamedTuple):
    """A model call that failed, in the journal row `seq`, and when it is repeated (ISO 8601)."""

    seq: int
    message: str
    next_attempt_at: str


def transcript(rows: Sequence[Row], asks_first: bool) -> Iterator[TextEntry | ToolEntry | RetryEntry]:
    """Yield the events of the journal rows, in order.

    A model step names the tools that follow. They run at the same time, but their events come in the model's order, so
    that every reader receives the same sequence: those after the first one that has not ended come later. A tool
    without a row has started, unless `asks_first`: then it may need approval, and gets a row before it starts.
    """
    due: list[tuple[int, str]] = []
    for row in rows:
        if row.role == "assistant" and row.tool_calls != []:
            yield TextEntry(row.seq, row.content)
            due = [(row.seq + place, call["name"]) for place, call in enumerate(row.tool_calls or (), start=1)]
        elif row.role == "assistant" and (next_attempt_at := (row.details or {}).get("next_attempt_at")):
            yield RetryEntry(row.seq, row.details["attempts"][-1]["reason"], next_attempt_at)
        elif row.role == "tool" and due and row.seq == due[0][0]:
            yield from _use(row)
            if row.state in ("started", "waiting"):
                return
            del due[0]
    if due and not asks_first:
        yield ToolEntry(due[0][0], BEGUN, due[0][1])


def _use(row: Row) -> Iterator[ToolEntry]:
    if row.asks:
        yield ToolEntry(row.seq, BEGUN, row.tool_name)
        yield ToolEntry(row.seq, ASKS, row.tool_name)
    elif row.approval_id is not None or row.state == "waiting":
        yield ToolEntry(row.seq, WAITS, row.tool_name)
    if row.state != "waiting" and not row.asks:
        yield ToolEntry(row.seq, BEGUN, row.tool_name)
    if row.state in ("done", "failed"):
        yield ToolEntry(row.seq, OVER, row.tool_name, row.state, row.content)
