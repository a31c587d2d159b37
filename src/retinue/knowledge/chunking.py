"""Split documents into sections at headings, and sections into passages that end with a sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CHARACTERS, OVERLAP = 800, 120
"""Usual maximum length of a passage, and of what it repeats of the one before it, in characters."""

TITLE = 300
"""Maximum length of a title or a section's name."""

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_ITEM = re.compile(r"[-*+\u2022|>]\s|\d{1,3}[.)]\s|\|")
"""Matches the beginning of a line that is an item of a list, or a row of a table."""
_CSV_ROW = re.compile(r"(?:[^,;\t]{0,300}[,;\t](?! )){2}")
"""Matches the beginning of a row of a CSV file: no blank follows its separators."""
_SENTENCE_END = re.compile(r"[.!?:;|\u3002\uff01\uff1f][\"')\]\u201d]*$")
_WRAPPED, _FULL = 50, 0.7
"""Least length of a line that may be wrapped, in characters and as a share of the longest line."""
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document under one heading or on one page."""

    text: str
    page: int | None = None
    section: str | None = None


def split_markdown(text: str, page: int | None = None) -> list[Section]:
    """Split a text at its Markdown headings. A section's name is the path of headings, such as `Leave / Holidays`."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False

    def close() -> None:
        body = "\n".join(lines).strip()
        if body:
            found.append(Section(body, page, " / ".join(name for _, name in path)[:TITLE] or None))
        lines.clear()

    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            close()
            level = len(heading[1])
            path = [*((depth, name) for depth, name in path if depth < level), (level, heading[2].strip("*_ "))]
        else:
            lines.append(line)
    close()
    return found


def text_to_embed(title: str, section: str | None, text: str) -> str:
    """Return what the vector of a passage stands for: its text below the title and the section."""
    return "\n".join(filter(None, (title, section, text)))


def cut(sections: Sequence[Section]) -> Iterator[Section]:
    """Cut sections into passages of at most 800 characters at the ends of sentences.

    A passage begins with the end of the one before it in the same section, if a whole sentence of that is short.
    """
    for section in sections:
        for text in _cut_text(section.text):
            yield Section(text, section.page, section.section)


def _cut_text(text: str) -> Iterator[str]:
    passage = ""
    for break_, piece in _pieces(text):
        if passage and len(passage) + len(piece) + 1 > CHARACTERS:
            yield passage
            *others, last = sentences(passage)
            passage = last if others and len(last) <= OVERLAP else ""
        passage = f"{passage}{break_}{piece}" if passage else piece
    if passage:
        yield passage


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield sentences, each with the space or the line break before it.

    One that is too long is cut at spaces, or anywhere if it has none.
    """
    room = CHARACTERS - OVERLAP - 2
    for line in _unwrap(text):
        break_ = "\n"
        for sentence in sentences(line):
            rest = sentence
            while len(rest) > room:
                at = rest.rfind(" ", room // 2, room)
                at = at if at > 0 else room
                yield break_, rest[:at].strip()
                rest, break_ = rest[at:].strip(), " "
            if rest:
                yield break_, rest
            break_ = " "


def _unwrap(text: str) -> list[str]:
    """Return the lines of a text. Lines that fill the width and end within a sentence are joined with the next one.

    So paragraphs become whole again, and headings and the rows of tables stay lines of their own.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    width = max(_WRAPPED, _FULL * max(map(len, lines), default=0))
    found: list[str] = []
    is_wrapped = False
    for line in lines:
        if is_wrapped and line and not _ITEM.match(line):
            found[-1] += f" {line}"
        elif line:
            found.append(line)
        is_wrapped = len(line) >= width and not (_SENTENCE_END.search(line) or _CSV_ROW.match(line))
    return found


def sentences(text: str) -> list[str]:
    """Return the sentences of a passage."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]
