"""Lets the model complete and split a message."""

import re
from collections.abc import Sequence
from typing import Any

from retinue.models.base import Message
from retinue_assistant.few_shot import few_shot_prompt
from retinue_assistant.followups import follows_on
from retinue_assistant.numbers import digits_in, has_digits
from retinue_assistant.references import UNKNOWN, fill_results, mask_quotations
from retinue_assistant.schemas import one_field
from retinue_assistant.splitting import OPENERS

TOKENS = 256
_MOST = 5
_CHARACTERS = 300
"""Most characters of a message in a prompt."""
_SHORT, _LONG = 5, 20
"""Maximum words of a message that may depend on earlier ones: with a number of its own, and without."""
_OWN = frozenset(["my", "our", "mein", "meine", "meinem", "meinen", "meiner", "unser", "mi", "mis", "mon", "ma", "mes"])
_JOINING = frozenset(["&", "+", "also", "and", "btw", "oh", "plus", "then", "und", "dann", "y", "et", "puis"])
_JOINER = "|".join(map(re.escape, sorted(_JOINING)))
JOINED = re.compile(rf"[,;.]?\s(?:{_JOINER}),?\s(?=[^\W\d])", re.IGNORECASE)
"""Matches the words that join two texts, unless a number follows: "1 and 2"."""
BEFORE_REQUEST = re.compile(
    rf"[,;:.]?\s(?:(?:{_JOINER}),?\s){{0,3}}(?:(?<=\W\s)|(?=wh|how))(?=(?:please\s)?{OPENERS}\b)", re.IGNORECASE
)
"""Matches where another request may begin: with any of its words after punctuation, else with "what" or the like."""
_WORDS = 3
"""Fewest words of a joined text."""


def is_dependent(message: str) -> bool:
    """Return whether a message may leave something out that an earlier message or a saved fact has."""
    words = message.lower().split()
    is_short = len(words) <= _SHORT or not has_digits(message)
    return len(words) <= _LONG and (is_short or not _OWN.isdisjoint(words) or follows_on(message))


def may_split(message: str) -> bool:
    """Return whether a message may contain several requests."""
    words = message.split()
    is_short = len(words) <= _SHORT or len(message) > _CHARACTERS
    return not is_short and "\n" not in message and joins(" ".join(words[:-1]))


def joins(text: str) -> bool:
    """Return whether a text has a word that joins two requests, such as "and", or a word that ends with punctuation."""
    return any(word in _JOINING or word[-1] in ",;.?!:" for word in text.lower().split())


def texts_beside(separator: re.Pattern[str], message: str) -> list[tuple[str, str]]:
    """Return what is before and after each separator, such as `JOINED` or `BEFORE_REQUEST`, that is in no quotation."""
    cuts = (cut.span() for cut in separator.finditer(mask_quotations(message)))
    texts = [(message[:begin], message[end:]) for begin, end in cuts]
    return [both for both in texts if all(len(text.split()) >= _WORDS for text in both)][:_MOST]


def completion_prompt(messages: Sequence[str]) -> list[Message]:
    """Build the prompt that completes messages of the user."""
    lines = [f"{number}. {one[:_CHARACTERS]}" for number, one in enumerate(messages, 1)]
    return few_shot_prompt("complete", "\n".join(lines))


def schema(fewest: int, most: int = _MOST) -> dict[str, Any]:
    """Return the JSON Schema of an answer with between `fewest` and `most` requests."""
    return one_field("requests", {"type": "array", "items": {"type": "string"}, "minItems": fewest, "maxItems": most})


def checked_completion(answer: dict[str, Any], messages: Sequence[str]) -> str:
    """Return the completed last message, or the message itself if the answer lacks or invents a number."""
    *_, completed = [messages[-1], *map(str, answer.get("requests", ()))]
    is_faithful = digits_in(messages[-1]) <= digits_in(completed) <= digits_in("\n".join(messages))
    return completed if is_faithful else messages[-1]


def checked_split(answer: dict[str, Any], message: str) -> list[str]:
    """Return the requests of a message, or the message itself if their numbers differ from those of the message."""
    requests = [str(one).strip() for one in answer.get("requests", ())]
    numbers = digits_in(fill_results(" ".join(requests), [UNKNOWN] * _MOST))
    return requests if numbers == digits_in(message) else [message]
