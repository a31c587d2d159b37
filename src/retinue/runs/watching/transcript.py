"""Converts journal rows into a sequence of output events that is the same for every reader."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from retinue.core.database.statements import Row

WAITS, BEGUN, OVER = 1, 2, 3
"""The stages of a tool call, in order: waiting for approval, started, ended."""


class Said(NamedTuple):
    """The model's text in the journal row `seq`, or the text so far."""

    seq: int
    text: str
    complete: bool = True


class Used(NamedTuple):
    """A stage of the tool call in the journal row `seq`. `at` is `WAITS`, `BEGUN` or `OVER`."""

    seq: int
    at: int
    tool: str


def transcript(rows: Sequence[Row], asks_first: bool) -> Iterator[Said | Used]:
    """Yield the events of the journal rows, in order.

    A model step names the tools that follow, and they run one after the other. So the first tool without a row has
    started, unless `asks_first`: then it may need approval, and gets a row before it starts.
    """
    due: list[Any] = []
    under_way = False
    for row in rows:
        if row.role == "assistant":
            yield Said(row.seq, row.content)
            due = list(row.tool_calls or ())
        elif row.role == "tool":
            due = due[1:]
            under_way = row.state in ("started", "waiting")
            yield from _use(row)
    if due and not under_way and not asks_first:
        yield Used(rows[-1].seq + 1, BEGUN, due[0]["name"])


def _use(row: Row) -> Iterator[Used]:
    if row.approval_id is not None or row.state == "waiting":
        yield Used(row.seq, WAITS, row.tool_name)
    if row.state != "waiting":
        yield Used(row.seq, BEGUN, row.tool_name)
    if row.state in ("done", "failed"):
        yield Used(row.seq, OVER, row.tool_name)
