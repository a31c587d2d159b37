"""Reads from an agent's instructions what its replies may not say, and how long they may be."""

import re
from dataclasses import dataclass

from retinue_assistant import passages
from retinue_assistant.text_parsing.numbers import numerals

_WITHHOLDING = re.compile(
    r"\b(?:never|do not|don't|must not|may not|without)\s(?!just|only|simply)(?:\w+\s){0,3}?"
    r"(?:giv|reveal|say|show|solv|tell|disclos)\w*\s(?:\w+\s){0,5}?(?:answers?|results?|solutions?)\b",
    re.IGNORECASE,
)
"""Matches a rule that keeps the answer from the user."""
_WANTS_RESULT = re.compile(
    r"^\W*(?:(?:please|just|can you|could you)\W+){0,2}(?:solve|calculate|compute|what(?:'s| is| are| was)|which|who"
    r"|when|where|is it|are they|tell me|give me|how (?:many|much|long|far|old|tall|big))\b"
    r"|\b(?:the|this) (?:answer|result)\b|\d\s?[-+*/x\u00d7\u00f7^=]\s?\w",
    re.IGNORECASE,
)
"""Matches a question for a result, or an attempt at one."""
_LENGTH = re.compile(
    r"(?<!the )\b(?:answer|reply|respond|write)\b[^.:,;]{0,80}?\s(?:of|in|with|than|most|exactly)\s"
    r"(?:\w{1,6}\s(?:to|or)\s)?(?P<count>\w{1,6})\s(?:short\s)?"
    r"(?P<unit>line|sentence)s?\b",
    re.IGNORECASE,
)
"""Matches a rule for the length of every reply."""
_EVERY = re.compile(r"\b(?:every|each|any|all|always|whatever|only)\b", re.IGNORECASE)
_PARTIAL = re.compile(r"\b(?:about|for each|questions? (?:on|of))\b", re.IGNORECASE)
_ENDS = {"line": re.compile(r"\S[^\n]{0,400}\n"), "sentence": re.compile(r"[.!?]['\")\u201d]?\s")}
_TOKENS = {"line": 24, "sentence": 48}


@dataclass(frozen=True, slots=True)
class ReplyLength:
    """The most lines or sentences of a reply."""

    count: int
    unit: str

    @property
    def tokens(self) -> int:
        """Tokens that suffice."""
        return self.count * _TOKENS[self.unit]

    def cut(self, text: str) -> str:
        """Shorten a text to the length."""
        ends = [one.end() for one in _ENDS[self.unit].finditer(text)]
        return text[: ends[self.count - 1]].rstrip() if len(ends) >= self.count else text


def withholds(message: str, instructions: str) -> bool:
    """Return whether a message asks for a result that the instructions forbid to give."""
    forbids = any(_WITHHOLDING.search(rule) for rule in passages.rules(instructions))
    return forbids and _WANTS_RESULT.search(message) is not None


def has_own_form(instructions: str) -> bool:
    """Return whether every reply has a form of its own, such as a poem: a tool's result would not have it."""
    return any(
        _EVERY.search(rule) and (length := _length_in(rule)) and length.unit == "line"
        for rule in passages.rules(instructions)
    )


def length_of(instructions: str) -> ReplyLength | None:
    """Return the length that the instructions set for every reply."""
    return next(filter(None, map(_length_in, passages.rules(instructions))), None)


def _length_in(rule: str) -> ReplyLength | None:
    found = _LENGTH.search(rule)
    count = numerals(found["count"])[:1] if found and not _PARTIAL.search(found[0]) else []
    return ReplyLength(int(count[0].value), found["unit"].lower()) if found and count and count[0].value >= 1 else None
