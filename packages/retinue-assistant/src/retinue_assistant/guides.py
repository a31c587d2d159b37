"""Answers questions about Retinue itself with the passage of its guide `how-to` that fits best, and a link to it.

A small model knows nothing of this server, and invents menus and settings.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from retinue_assistant.sentence_similarity import Similarities

_ASKS = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|ok|so|and)\W+){0,2}(?:how (?:do|can|could|would|should) (?:i|we|you|one)"
    r"|how (?:to|does)|where (?:do|can|is|are|should) (?:i|we|the|my)|(?:can|may) (?:i|we)|is it possible to"
    r"|why (?:do|does|is|are)|what (?:is|are|does|can) (?:an? |the )?(?:retinue|fleets?|playground|marketplace|portal)"
    r"|wie|wo|kann ich|c\u00f3mo|d\u00f3nde|puedo|comment|o\u00f9|puis-je)\b",
    re.IGNORECASE,
)
"""Matches a question for the use of something."""
_LONGEST = 160
_LEAST = 0.61
"""Least cosine of a question with one that a passage answers: of 129 example requests for tools, none has it."""
_GUIDE = "how-to"
"""The guide that answers in the words of the portal's pages."""
_QUESTION = re.compile(r"[A-Z][^.?!]{5,60}\?")
_LINK = re.compile(r"\]\(([a-z-]+)\.md(#[\w-]+)?\)")


@dataclass(frozen=True, slots=True)
class _Passage:
    title: str
    text: str

    def questions(self) -> list[str]:
        """Return the questions that the passage answers: its title, and those that stand in it."""
        return [f"How do I {self.title[0].lower()}{self.title[1:]}?", *_QUESTION.findall(self.text)]

    def link(self) -> str:
        """Return a link to the passage, as Markdown."""
        anchor = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        return f"[{self.title}](/docs/guides/{_GUIDE}#{anchor})"


async def answer(question: str, similarities: Similarities) -> str:
    """Return a quotation from the guides with a link; empty if the question is about something else."""
    if len(question) > _LONGEST or not _ASKS.match(question):
        return ""
    known = [(text, passage) for passage in _passages() for text in passage.questions()]
    cosines = await similarities(question, [text for text, _ in known])
    best = max(range(len(cosines)), key=lambda at: cosines[at], default=0)
    if not cosines or cosines[best] < _LEAST:
        return ""
    passage = known[best][1]
    return f"{passage.text}\n\nFrom the guide: {passage.link()}"


@cache
def _passages() -> Sequence[_Passage]:
    """Split the guide at its headings."""
    text = (files("retinue.reference") / f"guides/{_GUIDE}.md").read_text("utf-8")
    return [_read(*part.partition("\n")[::2]) for part in text.split("\n## ")[1:]]


def _read(title: str, body: str) -> _Passage:
    return _Passage(title, _LINK.sub(r"](/docs/guides/\1\2)", " ".join(body.split())))
