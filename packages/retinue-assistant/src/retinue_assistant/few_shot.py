"""Builds prompts with examples, from the files in `prompts`.

A file has instructions, then examples, separated by blank lines. The last line of an example is the answer.
"""

from functools import cache
from pathlib import Path

from retinue.models.base import Message


def few_shot_prompt(name: str, question: str) -> list[Message]:
    """Return the prompt of a file with a question. Examples are turns of a conversation before it."""
    system, *examples = _read(name).strip().split("\n\n")
    turns = [Message("system", system)]
    for message, _, answer in (example.rpartition("\n") for example in examples):
        turns += [Message("user", message), Message("assistant", answer)]
    return [*turns, Message("user", question)]


@cache
def _read(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.txt").read_text()
