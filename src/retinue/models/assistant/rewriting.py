"""Lets the model complete a message from the ones before it, and split it into requests, where rules cannot.

Both prompts ask for a list of requests, and show examples as turns of a conversation. A model of 1.5 billion
parameters does both well. One of 0.5 billion leaves most messages unchanged, so it only splits.
"""

from collections.abc import Sequence
from typing import Any

from retinue.models.assistant.followups import is_elliptical
from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.schemas import one_field
from retinue.models.assistant.splitting import UNKNOWN, fill_places
from retinue.models.base import Message

TOKENS = 256
_MOST = 5
_CHARACTERS = 300
"""Most characters of a message in a prompt."""

_SHORT, _LONG = 5, 20
"""Most words of a message that depends on others even if it has a number, and of any that does."""
_OWN = frozenset(["my", "our", "mein", "meine", "meinem", "meinen", "meiner", "unser", "mi", "mis", "mon", "ma", "mes"])
_JOINING = frozenset(["also", "and", "btw", "plus", "then", "und", "dann", "y", "et", "puis"])

_COMPLETE = (
    "The user's messages are numbered. Write each one as a complete request that can be understood without the others: "
    "put in what it leaves out or refers to. Copy numbers, names and quoted text exactly. Keep the language."
)
_COMPLETED = """\
1. Convert 3 pounds to grams.
2. And 7?
["Convert 3 pounds to grams.","Convert 7 pounds to grams."]

1. What is the square root of 81? (9)
2. times 4 please
["What is the square root of 81?","What is 9 times 4?"]

1. Loan of 9000 at 4% over 2 years, what do I pay a month? (390.82)
2. make it 3 years
["Loan of 9000 at 4% over 2 years, what do I pay a month?","Loan of 9000 at 4% over 3 years, what do I pay a month?"]

1. My desk is 1.4 m by 0.7 m.
2. It is brown.
3. How big is its area?
["My desk is 1.4 m by 0.7 m.","My desk is brown.","How big is the area of a desk of 1.4 m by 0.7 m?"]

1. Count the vowels in 'banana'. (3)
2. consonants?
["Count the vowels in 'banana'.","Count the consonants in 'banana'."]

1. 5 kg in pounds (11.02)
2. the other way round
["5 kg in pounds","5 pounds in kg"]

1. I have 30 euros.
2. I spent 12 on a book.
3. How much is left?
["I have 30 euros.","I spent 12 euros on a book.","I have 30 euros and spent 12 on a book. How much is left?"]

1. Write a poem about autumn.
2. thanks!
["Write a poem about autumn.","thanks!"]"""
_DIVIDE = (
    "Write the user's message as a list of complete, independent requests, one for each thing asked, in order. Copy "
    "numbers, names and quoted text exactly and keep the language. Where a request uses the result of an earlier one, "
    "write {1}, {2} for that result."
)
_DIVIDED = """\
How many days from 2026-01-01 to 2026-03-01 and what is 5% of 300?
["How many days from 2026-01-01 to 2026-03-01?","What is 5% of 300?"]

volume of a sphere of radius 3 m plus its surface
["volume of a sphere of radius 3 m","surface of a sphere of radius 3 m"]

Count the letters in 'cabbage' and write that in Roman numerals.
["Count the letters in 'cabbage'.","Write {1} in Roman numerals."]

I cycle 12 km a day, 5 days a week. How far do I cycle in 4 weeks?
["I cycle 12 km a day, 5 days a week. How far do I cycle in 4 weeks?"]

cube root of 27, 9 in binary and 77 in hex
["cube root of 27","9 in binary","77 in hex"]

Add 10 days to 3 May 2026, and on what weekday is that? thx
["Add 10 days to 3 May 2026.","On what weekday is {1}?"]

A sum of 400 is split 3 : 5. How much is each part?
["A sum of 400 is split 3 : 5. How much is each part?"]

Write a poem about autumn and love.
["Write a poem about autumn and love."]"""


def is_dependent(message: str) -> bool:
    """True if a message may leave something out that an earlier message or a saved fact has."""
    words = message.lower().split()
    is_short = len(words) <= _SHORT or not any(map(str.isdigit, message))
    return len(words) <= _LONG and (is_short or not _OWN.isdisjoint(words) or is_elliptical(message))


def is_divisible(message: str) -> bool:
    """True if a message may contain several requests."""
    words = message.lower().split()
    is_joined = any(word in _JOINING or word[-1] in ",;.?!:" for word in words[:-1])
    return len(words) > _SHORT and len(message) <= _CHARACTERS and "\n" not in message and is_joined


def completion_prompt(messages: Sequence[str]) -> list[Message]:
    """Build the prompt that completes messages of the user."""
    lines = [f"{number}. {one[:_CHARACTERS]}" for number, one in enumerate(messages, 1)]
    return _prompt(_COMPLETE, _COMPLETED, "\n".join(lines))


def division_prompt(message: str) -> list[Message]:
    """Build the prompt that divides a message into requests."""
    return _prompt(_DIVIDE, _DIVIDED, message)


def schema(fewest: int, most: int = _MOST) -> dict[str, Any]:
    """Return the JSON Schema of an answer with between `fewest` and `most` requests."""
    return one_field("requests", {"type": "array", "items": {"type": "string"}, "minItems": fewest, "maxItems": most})


def checked_completion(answer: dict[str, Any], messages: Sequence[str]) -> str:
    """Return the completed last message, or the message itself if the answer lacks a number of it, or has a number that
    no message has.
    """
    *_, completed = [messages[-1], *map(str, answer.get("requests", ()))]
    is_faithful = digits_in(messages[-1]) <= digits_in(completed) <= digits_in("\n".join(messages))
    return completed if is_faithful else messages[-1]


def checked_division(answer: dict[str, Any], message: str) -> list[str]:
    """Return the requests of a message, or the message itself if their numbers differ from those of the message."""
    requests = [str(one).strip() for one in answer.get("requests", ())]
    said = digits_in(fill_places(" ".join(requests), [UNKNOWN] * _MOST))
    return requests if said == digits_in(message) else [message]


def _prompt(system: str, examples: str, asked: str) -> list[Message]:
    """Build a prompt. The last line of each example is the answer."""
    turns = [Message("system", system)]
    for said, _, answer in (example.rpartition("\n") for example in examples.split("\n\n")):
        turns += [Message("user", said), Message("assistant", f'{{"requests":{answer}}}')]
    return [*turns, Message("user", asked)]
