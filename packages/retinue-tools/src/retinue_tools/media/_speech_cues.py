"""Grouping of timed words into sentences and subtitle lines."""

from collections.abc import Callable, Sequence

from retinue.sdk.speech import Word

_PAUSE_S = 1.0
"""Pause that ends a sentence, regardless of its last word."""
_ENDS = (".", "?", "!")
_COMMAS = (",", ";", ":")
_CLOSING = "\"')]"
_TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "Mt.", "vs.", "No.", "e.g.", "i.e.")
_COMMA_BONUS = 0.3
"""Distance from the middle, as a share of the length, up to which a comma is preferred for a split."""


def text_of(words: Sequence[Word]) -> str:
    """Join words to a text."""
    return " ".join(word.text for word in words)


def sentences(words: Sequence[Word]) -> list[list[Word]]:
    """Group words into sentences: up to a full stop, or to a pause of a second."""
    found: list[list[Word]] = []
    for word in words:
        if found and not _is_end(found[-1][-1], word):
            found[-1].append(word)
        else:
            found.append([word])
    return found


def pieces(words: Sequence[Word], fits: Callable[[Sequence[Word]], bool]) -> list[Sequence[Word]]:
    """Split words into pieces that fit, at least single words: halved near the middle, preferably after a comma."""
    if len(words) == 1 or fits(words):
        return [words]
    place = _middle(words)
    return [*pieces(words[:place], fits), *pieces(words[place:], fits)]


def _is_end(last: Word, word: Word) -> bool:
    stops = last.text.rstrip(_CLOSING).endswith(_ENDS) and last.text not in _TITLES
    return stops or word.start_s - last.end_s >= _PAUSE_S


def _middle(words: Sequence[Word]) -> int:
    """Return the index of the word before which to split."""
    whole, left = len(text_of(words)), 0
    costs = []
    for word in words[:-1]:
        left += len(word.text) + 1
        costs.append(abs(2 * left - whole) / whole - (_COMMA_BONUS if word.text.endswith(_COMMAS) else 0))
    return 1 + min(range(len(costs)), key=costs.__getitem__)
