"""Holds back what a small model writes instead of an answer to an agent's message: its prompt, its instructions, the
names of its tools, and addresses and long numbers that it made up.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from retinue.models.base import Delta, ModelRequest, TextDelta
from retinue_assistant import constraints, passages
from retinue_assistant.invented_values import has_foreign_identifier

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'\u201d)*]*\s+|\n+")
_ECHO = re.compile(r"^\W*the (?:message|task)\W{0,3}[:\"\u201c]", re.IGNORECASE)
_ABOUT_MESSAGE = re.compile(r"^\W*the message\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"\"[^\"]{0,500}\"|\u201c[^\u201d]{0,500}\u201d|(?<!\w)'[^']{0,500}'(?!\w)")
_ROLE = re.compile(r"^\W*(?:you are|you're)\b", re.IGNORECASE)
"""Matches a sentence that an agent may repeat of itself."""
_DISCLAIMER = re.compile(
    r"^\W*(?:(?:i'm sorry|i am sorry|sorry)\W{1,3}(?:but )?)?(?:as an? (?:ai|artificial|(?:large )?language)\b"
    r"|i can(?:not|'t) assist with that)",
    re.IGNORECASE,
)
_RUN = 8
"""Words in the order of the instructions that show that a sentence is copied from them."""
_LONG_NUMBER = re.compile(r"(?<![\d.,])\+?\d(?:[ /()-]?\d){5,}(?![.,]?\d)")
"""Matches what may be the number of an order or a telephone: six digits or more, without separators of thousands."""


_MAY_DISCLAIM = re.compile(r"^\W*(?:$|as?\b|as an?|i\b|i'|so)", re.IGNORECASE)
"""Matches the beginning of a disclaimer, so that other replies are not held back."""
_OPENING = 40
"""Characters of a reply that show whether it is a disclaimer."""


async def without_disclaimer(deltas: AsyncIterator[Delta], instead: str) -> AsyncGenerator[Delta]:
    """Generate the deltas of a reply, or the text `instead` of a reply that begins "As an AI language model"."""
    opening: str | None = ""
    async for delta in deltas:
        if opening is None or not isinstance(delta, TextDelta):
            yield delta
            continue
        opening += delta.content
        if _DISCLAIMER.match(opening):
            break
        if len(opening) >= _OPENING or not _MAY_DISCLAIM.match(opening):
            yield TextDelta(opening)
            opening = None
    if opening:
        yield TextDelta(instead if _DISCLAIMER.match(opening) else opening)


class ReplyGuard:
    """Lets the sentences of a reply pass that the model may say.

    A copy of the prompt ends the reply (`has_ended`); a sentence with an invented address or number is left out. The
    reply gets no longer than the instructions allow.
    """

    def __init__(self, request: ModelRequest, question: str, instructions: str, tools: Sequence[str]) -> None:
        self._known = " ".join(one.content for one in request.messages).casefold()
        self._numbers = re.sub(r"[ /()+-]", "", self._known)
        self._speaks_of_message = "message" in question.casefold()
        sentences = passages.rules(instructions) if passages.has_facts(instructions) else [instructions]
        split = (part for one in sentences for part in _SENTENCE_END.split(one))
        orders = [_QUOTED.sub("\n", one) for one in split if not _ROLE.match(one)]
        self._orders = {run for order in orders for part in order.split("\n") for run in _runs(part)} - _runs(question)
        self._tools = [one.casefold() for one in tools if "_" in one]
        self._length = constraints.length_of(instructions)
        self._rest = self._passed = ""
        self.has_ended = False

    @property
    def is_empty(self) -> bool:
        """True if nothing has passed."""
        return not self._passed.strip()

    def take(self, text: str) -> str:
        """Take a fragment of the reply, and return the sentences that are complete now and may pass."""
        self._rest += text
        before = self._text_within_length()
        while end := _SENTENCE_END.search(self._rest):
            self._check(self._rest[: end.end()])
            self._rest = self._rest[end.end() :]
        return self._text_within_length()[len(before) :]

    def take_rest(self) -> str:
        """Return the end of the reply, if it may pass."""
        before = self._text_within_length()
        self._check(self._rest)
        return self._text_within_length()[len(before) :]

    def _check(self, sentence: str) -> None:
        self.has_ended = self.has_ended or self._is_copied(sentence)
        if not self.has_ended and not self._is_invented(sentence):
            self._passed += sentence

    def _text_within_length(self) -> str:
        return self._length.cut(self._passed) if self._length else self._passed

    def _is_copied(self, sentence: str) -> bool:
        """Return whether a sentence repeats the prompt or the instructions, or has the name of a tool."""
        if _ECHO.match(sentence) or (_ABOUT_MESSAGE.match(sentence) and not self._speaks_of_message):
            return True
        names_tool = any(tool in sentence.casefold() for tool in self._tools)
        return names_tool or not self._orders.isdisjoint(_runs(sentence))

    def _is_invented(self, sentence: str) -> bool:
        """Return whether a sentence has an address or a long number that the model was not given."""
        numbers = (re.sub(r"\D", "", one[0]) for one in _LONG_NUMBER.finditer(sentence))
        return has_foreign_identifier(self._known, sentence) or any(one not in self._numbers for one in numbers)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}
