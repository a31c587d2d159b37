"""A saved fact or note answers a question if it contains its significant words."""

from typing import Any, cast

import pytest

from retinue.runs.run_options import Run, RunOptions
from retinue.runs.tool_selection.resources import RunResources, ToolExecutor
from retinue.runs.tool_selection.run_tools import ToolSelector

QUESTION = "What is the code of my locker?"


class Workspace:
    """Finds the searches for facts and notes, which always have the same results."""

    def __init__(self, facts: list[str], notes: dict[str, str]) -> None:
        self._facts, self._notes = facts, notes

    async def find(self, run: Run, name: str) -> str:
        return name

    async def execute(self, tool: str, args: Any, principal: Any) -> dict[str, Any]:
        if tool == "note_search":
            return {"notes": [{"title": title, "text": text} for title, text in self._notes.items()]}
        return {"memories": [{"text": text} for text in self._facts]}


@pytest.mark.parametrize(
    ("question", "facts", "answer"),
    [
        (QUESTION, ["the code of the locker"], "You told me: the code of the locker"),
        (QUESTION, ["my locker code is 7719", "locker code: 1"], "You told me: my locker code is 7719; locker code: 1"),
        (QUESTION, ["the locker is blue", "the code of the door"], ""),
        ("hi again, which shoe size does Ana wear?", ["Ana's shoe size is 33"], "You told me: Ana's shoe size is 33"),
        ("Which shoe size does Ana wear?", ["Ana likes shoes"], ""),
        ("What is my locker?", ["my locker code is 7719"], ""),
        ("What's my name?", ["my name is Ada", "my sister's name is Eve"], "You told me: my name is Ada"),
        ("And when is my birthday?", ["My birthday: 9 October"], "You told me: My birthday: 9 October"),
        (QUESTION, [], ""),
        ("Forget my locker code", ["my locker code is 7719"], ""),
        ("please change my locker code to 7720", ["my locker code is 7719"], ""),
    ],
)
async def test_a_question_is_answered_from_saved_facts(question: str, facts: list[str], answer: str) -> None:
    assert await ask(question, Workspace(facts, {})) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What's in my suppliers note?", "Your note suppliers: candles from Nord"),
        ("what did I write down about candles from Nord", "Your note suppliers: candles from Nord"),
        ("Read me the note roof", "Your note roof: slates"),
        ("Add slates to my note roof", ""),
        ("What does my note say?", ""),
        ("Which slates?", ""),
    ],
)
async def test_answers_from_notes(question: str, answer: str) -> None:
    workspace = Workspace(["the roof leaks"], {"suppliers": "candles from Nord", "roof": "slates"})
    assert await ask(question, workspace) == answer


async def ask(question: str, workspace: Workspace) -> str:
    """Ask for the saved answer in a run with this workspace."""
    run = Run(1, 1, 1, None, None, False, "base", question, RunOptions())
    return await RunResources(
        run, cast("ToolSelector", workspace), cast("ToolExecutor", workspace), list[str | None]().append
    ).saved_answer(question)
