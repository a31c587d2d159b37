"""What a run has said and done, told from its journal: the same sequence whoever reads it, wherever and whenever."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from retinue.core.statements import Row

WAITS, BEGUN, OVER = 1, 2, 3
"""What can be told of a tool, in order: a person must agree to it, it has begun, it has ended."""


class Said(NamedTuple):
    """What the model said, or has said so far, in the journal's row `seq`."""

    seq: int
    text: str
    complete: bool = True


class Used(NamedTuple):
    """What happened with the tool of the journal's row `seq`; `at` is `WAITS`, `BEGUN` or `OVER`."""

    seq: int
    at: int
    tool: str


def transcript(rows: Sequence[Row], asks_first: bool) -> Iterator[Said | Used]:
    """Everything that the journal's rows tell, in order.

    The model's step names the tools that follow it, and they are run one after the other: so the first one without a
    row has begun, unless `asks_first`: then it may have to wait for a person, and is noted before it begins.
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
