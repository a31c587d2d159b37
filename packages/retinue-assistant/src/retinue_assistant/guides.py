"""Answers questions about Retinue itself with the passage of its guide `how-to` that fits best, and a link to it.

A small model knows nothing of this server, and invents menus and settings.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from retinue_assistant.passages import subject_words

_PRODUCTS = (
    r"retinue|agents?|fleets?|webhooks?|api[- ]?keys?|(?:the|this) (?:api|server|portal|playground)|knowledge"
    r"|collections?|schedules?|marketplace|mcp|oauth|openai|anthropic|claude|gemini|ollama|mistral|openrouter"
    r"|deepseek|(?:model )?providers?|second factor|voice rooms?|runs?|tools?|approvals?|connections?"
    r"|(?:local|larger|other) models?|usage|audit log|backups?|password|colleagues?|users?|mailbox|phone calls?"
    r"|telephone calls?|documents?|budgets?"
)
_ASKS = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|ok|so|and)\W+){0,2}(?:how (?:do|can|could|would|should) (?:i|we|you|one)"
    r"|how (?:to|does (?:retinue|this server))|where (?:do|can|is|are|should) (?:i|we|the|my)"
    rf"|(?:can|may) (?:i|we)|is it possible to|does (?:retinue|this server))\b.{{0,120}}\b(?:{_PRODUCTS})\b"
    r"|^\W*what (?:is|are|does|can) (?:an? |the )?(?:retinue|fleets?|playground|marketplace|portal|tool sources?)\b",
    re.IGNORECASE,
)
"""Matches a question for the use of this server."""
_LONGEST = 160
_COVERED = 0.55
"""Least share of the weight of a question's words that a passage has."""
_TITLE = 1.5
"""What a word in the heading counts beside one in the text."""
_GUIDE = "how-to"
"""The guide that answers in the words of the portal's pages."""
_LINK = re.compile(r"\]\(([a-z-]+)\.md(#[\w-]+)?\)")
_RETINUE = frozenset(subject_words("Retinue server"))


@dataclass(frozen=True, slots=True)
class _Passage:
    title: str
    text: str
    heading: frozenset[str]
    words: frozenset[str]

    def link(self) -> str:
        """Return a link to the passage, as Markdown."""
        anchor = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        return f"[{self.title}](/docs/guides/{_GUIDE}#{anchor})"


def answer(question: str) -> str:
    """Return a quotation from the guides with a link; empty if the question is about something else."""
    if len(question) > _LONGEST or not _ASKS.match(question):
        return ""
    question_words = frozenset(subject_words(question)) - _RETINUE
    known, weights = _passages(), _weights()
    most = max(weights.values())
    total = sum(weights.get(word, most) for word in question_words)
    best = max(known, key=lambda one: _score(one, question_words))
    covered = sum(weights[word] for word in question_words & (best.words | best.heading))
    if question_words and covered < _COVERED * total:
        return ""
    return f"{best.text}\n\nFrom the guide: {best.link()}"


def _score(passage: _Passage, question_words: frozenset[str]) -> float:
    weights = _weights()
    titled = sum(weights[word] for word in question_words & passage.heading)
    found = sum(weights[word] for word in question_words & passage.words)
    return found + _TITLE * titled


@cache
def _passages() -> Sequence[_Passage]:
    """Split the guide at its headings."""
    text = (files("retinue.reference") / f"guides/{_GUIDE}.md").read_text("utf-8")
    return [_read(*part.partition("\n")[::2]) for part in text.split("\n## ")[1:]]


@cache
def _weights() -> dict[str, float]:
    """Return the inverse document frequency of each word."""
    known = _passages()
    counts = Counter(word for one in known for word in one.words | one.heading)
    return {word: math.log((len(known) + 1) / count) for word, count in counts.items()}


def _read(title: str, body: str) -> _Passage:
    text = _LINK.sub(r"](/docs/guides/\1\2)", " ".join(body.split()))
    return _Passage(title, text, frozenset(subject_words(title)), frozenset(subject_words(body)))
