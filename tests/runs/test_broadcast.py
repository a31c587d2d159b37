"""The live output of a run within the process that executes it."""

from types import SimpleNamespace
from typing import Any

import pytest

from retinue.core.work.notifier import Notifier
from retinue.runs.execution.broadcast import RunStream


@pytest.mark.parametrize(("kind", "turns"), [("text", 0), ("tool_start", 1), ("tool_end", 1)])
def test_every_chunk_but_text_sends_listeners_to_the_journal(kind: str, turns: int) -> None:
    """Text is in memory. A tool call is a row of the journal, which listeners read only after a turn."""
    journal: Any = SimpleNamespace(run=SimpleNamespace(id=7, attached=False), reply="", reply_seq=1)
    live = RunStream(journal, Notifier())
    before = live.news()
    live.say({"type": kind, "content": "x"})
    assert live.turns == turns
    assert (live.news() != before) == bool(turns)
    live.end("completed")
    assert live.turns == turns + 1
