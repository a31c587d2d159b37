"""A saved fact answers a question if it contains all its significant words."""

from typing import Any, cast

import pytest

from retinue.runs.run_options import Run, RunOptions
from retinue.runs.tool_selection.resources import RunResources, Toolbox
from retinue.runs.tool_selection.run_tools import Offers

QUESTION = "What is the code of my locker?"


class Memories:
    """Finds the search for facts, which always has the same results."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    async def find(self, run: Run, name: str) -> str:
        return name

    async def execute(self, tool: str, args: Any, behalf: Any) -> dict[str, Any]:
        return {"memories": [{"text": text} for text in self._texts]}


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        (QUESTION, ["the code of the locker"], "You told me: the code of the locker"),
        (QUESTION, ["my locker code is 7719", "locker code: 1"], "You told me: my locker code is 7719; locker code: 1"),
        (QUESTION, ["the locker is blue", "the code of the door"], ""),
        ("What is my locker?", ["my locker code is 7719"], ""),
        (QUESTION, [], ""),
    ],
)
async def test_answers(question: str, facts: list[str], answer: str) -> None:
    run = Run(1, 1, 1, None, None, False, "base", question, RunOptions())
    memories = Memories(facts)
    resources = RunResources(run, cast("Offers", memories), cast("Toolbox", memories))
    assert await resources.saved_answer(question) == answer
