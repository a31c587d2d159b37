"""What tools are selected by: the last messages of a conversation, the newest first."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import orjson

from retinue.models.base import Message
from retinue.runs.context_window import Thread

SEARCH = "tool_search"
"""The tool by which a model finds tools that it was not offered."""

_EARLIER = (0.4, 0.2)
"""What the user's messages before the last one weigh."""
_ANSWER_WEIGHT, _ANSWER_CHARACTERS = 0.2, 500
"""What the assistant's last answer weighs, of which the beginning counts: "Shall I draw it?" "Yes"."""
_RECENT = 4
"""Tools that were used last stay at hand."""


class Said(NamedTuple):
    """A message, what it weighs, and whether the user wrote it."""

    text: str
    weight: float
    by_user: bool = True


def recent_messages(message: str, history: Sequence[Message]) -> list[Said]:
    """The message to answer, and those before it that it may refer to."""
    asked = (one.content for one in reversed(history) if one.role == "user" and one.content)
    answers = (one.content for one in reversed(history) if one.role == "assistant" and one.content)
    earlier = [Said(text, weight) for text, weight in zip(asked, _EARLIER, strict=False)]
    answer = [Said(text[:_ANSWER_CHARACTERS], _ANSWER_WEIGHT, by_user=False) for text in islice(answers, 1)]
    return [Said(message, 1.0), *earlier, *answer]


def used_tools(history: Sequence[Message]) -> list[str]:
    """The names of the tools that the conversation used last, the latest first."""
    calls = (call.name for one in reversed(history) for call in one.tool_calls if call.name != SEARCH)
    return list(dict.fromkeys(calls))[:_RECENT]


def found_tools(thread: Thread) -> list[str]:
    """The names of the tools that the run's own searches found, those of the latest search first."""
    searches = (one.content for one in reversed(thread.own) if one.role == "tool" and one.tool_name == SEARCH)
    return list(dict.fromkeys(name for content in searches for name in _names_in(content)))


def _names_in(result: str) -> Iterator[str]:
    """The names in a result of a search; none in an error."""
    try:
        tools = orjson.loads(result).get("tools", ())
    except (orjson.JSONDecodeError, AttributeError):
        return
    yield from (str(tool["name"]) for tool in tools)
