"""Splits a text into sentences for speech while it is generated."""

import re
from collections.abc import Iterator
from enum import Enum, auto

from retinue.voice.speech.speakable import speakable

LONGEST = 1000
"""Most characters of a sentence. A longer one is split, so that speech is not delayed."""

_FENCES = ("```", "~~~")
_END = re.compile(r"[.!?…]+[\"'\u201d\u2019)\]*_`]*(?=\s)|\n")
_LEADING = " \t"
_OPENING = "\"'\u201c\u2018(*_`["
_OPEN_MARKUP = re.compile(
    r"\[[^\[\]]{0,500}\Z|\]\([^()\s]{0,500}(?:\s\"[^\"]{0,200})?\Z|<[A-Za-z/!][^<>]{0,500}\Z",
)
"""Matches an unfinished link text, link address or HTML tag."""

_NEVER_LAST = re.compile(
    "mrs?|ms|mx|dr|prof|messrs|hon|rev|gen|col|lt|capt|sgt|sen|rep|gov|st|mt|ft|vs|e\\.g|i\\.e|cf|approx|dept|est|fig"
)
_SELDOM_LAST = re.compile(
    "nos?|etc|inc|ltd|co|corp|[ap]\\.m|u\\.[sk]|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|ave|blvd|rd|[js]r"
)
"""Abbreviations that end a sentence unless a lowercase letter or a digit follows."""


class _Place(Enum):
    LINE_START = auto()
    TEXT = auto()
    SKIPPED_LINE = auto()


class SentenceStream:
    """Splits a text that arrives in chunks of any size into speakable sentences, each as soon as it is complete.

    A line break ends a sentence. Code blocks are skipped. The chunk boundaries do not affect the sentences.
    """

    def __init__(self) -> None:
        self._pending = ""
        self._place = _Place.LINE_START
        self._fence = ""
        """The fence that closes the open code block; empty if none is open."""

    def feed(self, chunk: str) -> list[str]:
        """Add a chunk and return the sentences that it completes."""
        self._pending += chunk
        return [text for raw in self._split(final=False) if (text := _say(raw))]

    def finish(self) -> list[str]:
        """Return the remaining sentences at the end of the text."""
        return [text for raw in self._split(final=True) if (text := _say(raw))]

    def _split(self, *, final: bool) -> Iterator[str]:
        while self._pending:
            if self._place is _Place.LINE_START:
                going = self._begin_line(final=final)
            elif self._place is _Place.SKIPPED_LINE:
                going = self._skip_line()
            else:
                sentence = self._take_sentence(final=final)
                going = sentence is not None
                yield sentence or ""
            if not going:
                return

    def _begin_line(self, *, final: bool) -> bool:
        """Determine what kind of line begins; False if more of it must arrive first."""
        self._pending = self._pending.lstrip(_LEADING)
        head = self._pending[:3]
        if not head or (not final and len(head) < 3 and any(fence.startswith(head) for fence in _FENCES)):
            return False
        opens = False
        if head in _FENCES and not self._fence:
            line, end, _ = self._pending[:LONGEST].partition("\n")
            if not (end or final or len(line) == LONGEST):
                return False
            # "```code``` and text" is a line of text (CommonMark 0.31, section 4.5).
            opens = head == "~~~" or "`" not in line.lstrip("`")
        closes = bool(self._fence) and head == self._fence
        self._place = _Place.SKIPPED_LINE if opens or self._fence else _Place.TEXT
        self._fence = head if opens else "" if closes else self._fence
        return True

    def _skip_line(self) -> bool:
        _, end, self._pending = self._pending.partition("\n")
        if end:
            self._place = _Place.LINE_START
        return bool(end)

    def _take_sentence(self, *, final: bool) -> str | None:
        """Remove the first sentence from the pending text; None if it is not complete."""
        self._pending = self._pending.lstrip(_LEADING)
        end = self._find_end(final=final)
        if end is None:
            return None
        sentence, self._pending = self._pending[:end], self._pending[end:]
        if sentence.endswith("\n"):
            self._place = _Place.LINE_START
        return sentence

    def _find_end(self, *, final: bool) -> int | None:
        text = self._pending
        for match in _END.finditer(text, 0, LONGEST + 1):
            if text[match.start()] == "\n":
                return match.end()
            # The next two characters decide, so they must have arrived, unless the text has ended.
            if len(text) < match.end() + 2 and not final and _needs_next(text, match):
                return None
            if _ends_sentence(text, match):
                return match.end()
        if len(text) > LONGEST + 1:
            return text.rfind(" ", 1, LONGEST) + 1 or LONGEST
        return len(text) if final else None


def _say(raw: str) -> str:
    # Fence characters at the start of a sentence here do not open a code block.
    text = raw.lstrip("`~ \t")
    return speakable(text) if text.strip() else ""


def _last_word(text: str, match: re.Match[str]) -> str:
    """Return the word before a single full stop, in lowercase; "" before any other end."""
    if match[0][0] != "." or match[0].startswith(".."):
        return ""
    before = text[: match.start()].split()
    return before[-1].lstrip(_OPENING).lower() if before else ""


def _needs_next(text: str, match: re.Match[str]) -> bool:
    return bool(_SELDOM_LAST.fullmatch(_last_word(text, match)))


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if _OPEN_MARKUP.search(text, 0, match.end()):
        return False
    word = _last_word(text, match)
    if _NEVER_LAST.fullmatch(word) or (len(word) == 1 and word.isalpha() and word != "i"):
        return False
    if _SELDOM_LAST.fullmatch(word):
        following = text[match.end() + 1 : match.end() + 2]
        return not (following.islower() or following.isdigit())
    # "1." at the start is a list number, not a sentence.
    return not (word.isdigit() and text[: match.start()].strip() == word)
