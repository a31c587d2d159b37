"""Tables without a head: one piece like the other, as `rose 4.25, fern 7.10` or `jar A grams 410; jar B grams 300`."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import mode
from typing import NamedTuple

from retinue.models.reading.bounds import read
from retinue.models.reading.data import with_iso_dates
from retinue.models.reading.tables import FEWEST, FIGURE, Cell, Table, value_of

_BREAK = re.compile(r"\r?\n|\\n|;\s?|,\s(?:and\s)?|\s{1,3}/\s{1,3}|\sand\s|\s{0,3}\|\s{0,3}")
_SENTENCE = re.compile(r"[.?!]\s|[?!]")
_CLAUSE = re.compile(r"[.?!:]\s|[?!]|\s[-\u2013]{1,2}\s")
_COLON = re.compile(r":\s")
_COLONS = 2
"""More of them stand within the pieces and not before them."""
_BEFORE_PIECE, _BEHIND_PIECE = re.compile(r"[:?.!(]\s|:$"), re.compile(r"[.?!:)](?:\s|$)|\s[-\u2013]\s|\s->")
_JOINING = re.compile(r"\s(?:at|by|costs?|for|from|had|has|is|of|on|paid|to|was|with|worth)$", re.IGNORECASE)
"""A word that joins a text to the number behind it."""
_AROUND = " :=()@-\u2013"


class _Piece(NamedTuple):
    """Texts and numbers in turn; the first and the last are texts, which may be empty."""

    texts: tuple[str, ...]
    numbers: tuple[float, ...]

    def last(self, count: int) -> "_Piece":
        """Its end, from so many numbers on."""
        return _Piece(self.texts[-count - 1 :], self.numbers[-count:])

    def first(self, count: int) -> "_Piece":
        """Its beginning, up to so many numbers."""
        return _Piece((*self.texts[:count], ""), self.numbers[:count])


Column = tuple[str, Sequence[Cell]]


@lru_cache(512)
def tables_in_series(request: str) -> tuple[Table, ...]:
    """The tables that a request tells piece by piece; none of a very long one."""
    return tuple(_tables(read(request)))


def _tables(text: str) -> Iterator[Table]:
    ends = _SENTENCE if len(_COLON.findall(text)) > _COLONS else _CLAUSE
    for sentence in ends.split(with_iso_dates(text)):
        run = _alike([_piece(part) for part in _BREAK.split(sentence)])
        columns = _columns(run) if len(run) >= FEWEST else []
        if len(columns) > 1 or (columns and len(run) > FEWEST):
            names = tuple(name for name, _ in columns)
            yield Table(names, tuple(zip(*(cells for _, cells in columns), strict=True)))


def _piece(text: str) -> _Piece:
    found = list(FIGURE.finditer(text))
    edges = [0, *(edge for match in found for edge in match.span()), len(text)]
    between = (text[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True))
    texts = tuple(_JOINING.sub("", one.strip(_AROUND)) for one in between)
    return _Piece(texts, tuple(map(value_of, found)))


def _alike(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces that have as many numbers, without what the sentence says before and behind them."""
    counts = [len(piece.numbers) for piece in pieces if piece.numbers]
    if len(counts) < FEWEST:
        return []
    count = mode(counts)
    places = [place for place, piece in enumerate(pieces) if len(piece.numbers) >= count]
    run = pieces[places[0] : places[-1] + 1]
    if len(run) > FEWEST:
        run[0], run[-1] = run[0].last(count), run[-1].first(count)
    return run if all(len(piece.numbers) == count for piece in run) else []


def _columns(run: Sequence[_Piece]) -> list[Column]:
    """The columns of pieces; none where some of them say what others leave out."""
    size = len(run[0].numbers)
    texts = [[piece.texts[slot] for piece in run] for slot in range(size + 1)]
    texts[0][0] = _without_preamble(texts[0])
    texts[-1][-1] = _BEHIND_PIECE.split(texts[-1][-1])[0].strip(" )")
    columns: list[Column] = []
    label = ""
    for slot, told in enumerate(texts):
        if any(told[1:]) and not all(told):
            return []
        own, after = _split(told) if all(told) else ([], told[0])
        columns += [(name or (label if place == 0 else ""), cells) for place, (name, cells) in enumerate(own)]
        label = after or ("" if own else label)
        if slot < size:
            columns.append((label, [piece.numbers[slot] for piece in run]))
            label = ""
    return columns


def _split(texts: Sequence[str]) -> tuple[list[Column], str]:
    """The columns that the texts of one place are, and the label of what follows: words that all of them share."""
    words = [text.split() for text in texts]
    if len({*map(len, words)}) > 1:
        return [("", texts)], ""
    found: list[Column] = []
    label, varying = "", []
    for column in (*zip(*words, strict=True), None):
        if column is not None and len({*column}) > 1:
            varying.append(column)
            continue
        found += _named(varying, label)
        label = column[0].rstrip(":=") if column else "" if varying else label
        varying = []
    return found, label


def _named(varying: Sequence[Sequence[str]], label: str) -> Iterator[Column]:
    """Words side by side that vary: one column, or two where words of both come again, as in Jan North, Jan South."""
    repeats = len(varying) == 2 and all(len({*column}) < len(column) for column in varying)
    for place, columns in enumerate([[column] for column in varying] if repeats else [varying] if varying else []):
        cells = [" ".join(words).rstrip(":=") for words in zip(*columns, strict=True)]
        yield ("" if place else label), cells


def _without_preamble(texts: Sequence[str]) -> str:
    """The first text without what stands before the table: it has as many words as the others, if all have so many."""
    first = _BEFORE_PIECE.split(texts[0])[-1].strip(" (")
    words, lengths = first.split(), {len(text.split()) for text in texts[1:]}
    most = max(lengths, default=0)
    if len(lengths) != 1 or len(words) <= most:
        return first
    ends = range(len(words), most - 1, -1) if most and all(text[0].isupper() for text in texts[1:]) else ()
    end = next((end for end in ends if words[end - most][0].isupper()), len(words))
    return " ".join(words[end - most : end])
