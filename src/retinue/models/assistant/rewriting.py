"""Splits a message into complete, independent requests, given the conversation, with one constrained prompt."""

import re
from collections.abc import Sequence, Set
from typing import Any

from retinue.language.text_normalization import stems
from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.schemas import one_field
from retinue.models.base import Message

MOST = 4
TOKENS = 256
_RECALLED, _RECALLED_CHARACTERS = 4, 240
"""Messages of the conversation in the prompt, and most characters of each."""

_PROMPT = """\
Rewrite the user's last message as a list of complete, independent requests: one for each thing asked, in order. \
Put in what "it", "its", "that", "and ...?" refer to from the conversation. Copy numbers, names and quoted text \
exactly, and keep the language. A message that asks one thing is returned unchanged. Where a request works on the \
result of an earlier one, write {1}, {2} for that result.
Examples:
Conversation: (none)
Message: How many days from 2026-01-01 to 2026-03-01 and what is 5% of 300?
{"requests":["How many days from 2026-01-01 to 2026-03-01?","What is 5% of 300?"]}
Conversation:
user: Convert 3 pounds to grams.
assistant: 1360.8 g
Message: And 7?
{"requests":["Convert 7 pounds to grams."]}
Conversation:
user: What is the square root of 81?
assistant: 9
Message: Multiply that by 4.
{"requests":["Multiply 9 by 4."]}
Conversation: (none)
Message: Count the letters in 'cabbage' and write that number in Roman numerals.
{"requests":["Count the letters in 'cabbage'.","Write {1} in Roman numerals."]}
Conversation: (none)
Message: Is 15 a square number, and what are its factors?
{"requests":["Is 15 a square number?","What are the factors of 15?"]}
Conversation: (none)
Message: Write a poem about autumn and love.
{"requests":["Write a poem about autumn and love."]}"""

UNKNOWN = "that"
"""The placeholder for a missing result."""
_PLACE = re.compile(r"\{(\d)\}")
_FROM_SOURCE = 0.5
"""Minimum share of the words of a rewritten request that the message or the conversation contains."""


def rewriting_prompt(message: str, history: Sequence[Message]) -> list[Message]:
    """Build the prompt that rewrites a message."""
    told = [f"{one.role}: {one.content[:_RECALLED_CHARACTERS]}" for one in history[-_RECALLED:]]
    conversation = "\n".join(["", *told]) if told else " (none)"
    return [Message("system", _PROMPT), Message("user", f"Conversation:{conversation}\nMessage: {message}")]


def rewriting_schema(number: int) -> dict[str, Any]:
    """Return the JSON Schema of a list of at least `number` requests (at most `MOST`)."""
    requests = {"type": "array", "items": {"type": "string"}, "minItems": min(number, MOST), "maxItems": MOST}
    return one_field("requests", requests)


def checked_requests(answer: dict[str, Any], message: str, history: Sequence[Message]) -> list[str]:
    """Return the model's requests if their numbers match the message, else the message unchanged.

    They must contain every number of the message, and no number that is in neither the message nor the conversation.
    Half of the words of each must be from there too: the model sometimes copies an example of the prompt.
    """
    requests = [text.strip() for text in answer.get("requests", ()) if text.strip()]
    said = digits_in(" ".join(_PLACE.sub(" ", text) for text in requests))
    source = " ".join([message, *(one.content for one in history[-_RECALLED:])])
    if not requests or not digits_in(message) <= said or not said <= digits_in(source):
        return [message]
    known = stems(source)
    return requests if all(_share(stems(text), known) >= _FROM_SOURCE for text in requests) else [message]


def _share(words: Set[str], known: Set[str]) -> float:
    return len(words & known) / max(len(words), 1)


def places_in(request: str) -> list[int]:
    """Return the indexes (from 0) of the earlier requests whose results this request uses."""
    return [int(number) - 1 for number in _PLACE.findall(request)]


def fill_places(request: str, results: Sequence[str]) -> str:
    """Replace the placeholders of a request with earlier results; texts get quotation marks."""
    shown = [one if one[:1] in "-0123456789" or one == UNKNOWN else f'"{one}"' for one in results]
    return _PLACE.sub(lambda place: shown[int(place[1]) - 1] if int(place[1]) <= len(shown) else place[0], request)
