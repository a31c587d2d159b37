"""Extracts the parts of a conversation that select tools: recent messages, used tools and search results."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import orjson

from retinue.models.base import Message
from retinue.runs.context_window import RunConversation

SEARCH = "tool_search"
"""The tool with which a model searches for tools that it was not offered."""

_EARLIER = (0.4, 0.2)
"""Weights of the user's messages before the last one, newest first."""
_ANSWER_WEIGHT, _ANSWER_CHARACTERS = 0.2, 500
"""Weight and maximum length of the assistant's last answer, for exchanges like "Shall I draw it?" "Yes"."""
_RECENT = 4
"""The number of recently used tools to offer again."""


class WeightedMessage(NamedTuple):
    """A message with its weight. `by_user` is True if the user wrote it."""

    text: str
    weight: float
    by_user: bool = True


def recent_messages(message: str, history: Sequence[Message]) -> list[WeightedMessage]:
    """Return the message to answer, and the earlier ones that it may refer to."""
    user_texts = (one.content for one in reversed(history) if one.role == "user" and one.content)
    answers = (one.content for one in reversed(history) if one.role == "assistant" and one.content)
    earlier = [WeightedMessage(text, weight) for text, weight in zip(user_texts, _EARLIER, strict=False)]
    answer = [WeightedMessage(text[:_ANSWER_CHARACTERS], _ANSWER_WEIGHT, by_user=False) for text in islice(answers, 1)]
    return [WeightedMessage(message, 1.0), *earlier, *answer]


def used_tools(history: Sequence[Message]) -> list[str]:
    """Return the names of the tools used last, newest first."""
    calls = (call.name for one in reversed(history) for call in one.tool_calls if call.name != SEARCH)
    return list(dict.fromkeys(calls))[:_RECENT]


def found_tools(thread: RunConversation) -> list[str]:
    """Return the names of the tools that the run's searches found, latest search first."""
    searches = (one.content for one in reversed(thread.own) if one.role == "tool" and one.tool_name == SEARCH)
    return list(dict.fromkeys(name for content in searches for name in _names_in(content)))


def _names_in(result: str) -> Iterator[str]:
    """Yield the tool names in a search result. An error has none."""
    try:
        tools = orjson.loads(result).get("tools", ())
    except (orjson.JSONDecodeError, AttributeError):
        return
    yield from (str(tool["name"]) for tool in tools)
