"""Words with times, put together to sentences and to pieces for a screen."""

from collections.abc import Callable, Sequence

from retinue.sdk.speech import Word

_PAUSE_S = 1.0
"""A pause that ends a sentence, whatever its last word is."""
_ENDS = (".", "?", "!")
_COMMAS = (",", ";", ":")
_CLOSING = "\"')]"
_TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "Mt.", "vs.", "No.", "e.g.", "i.e.")
_COMMA_BONUS = 0.3
"""How far from the middle, as a share of the length, a comma is a better place to divide than the middle."""


def text_of(words: Sequence[Word]) -> str:
    """Words as a text."""
    return " ".join(word.text for word in words)


def sentences(words: Sequence[Word]) -> list[list[Word]]:
    """Words in sentences: up to a full stop, or to a pause of a second."""
    found: list[list[Word]] = []
    for word in words:
        if found and not _is_end(found[-1][-1], word):
            found[-1].append(word)
        else:
            found.append([word])
    return found


def pieces(words: Sequence[Word], fits: Callable[[Sequence[Word]], bool]) -> list[Sequence[Word]]:
    """Words in pieces that fit, single words at the least: halved near the middle, rather after a comma."""
    if len(words) == 1 or fits(words):
        return [words]
    place = _middle(words)
    return [*pieces(words[:place], fits), *pieces(words[place:], fits)]


def _is_end(last: Word, word: Word) -> bool:
    stops = last.text.rstrip(_CLOSING).endswith(_ENDS) and last.text not in _TITLES
    return stops or word.start_s - last.end_s >= _PAUSE_S


def _middle(words: Sequence[Word]) -> int:
    """Before which word to divide."""
    whole, left = len(text_of(words)), 0
    costs = []
    for word in words[:-1]:
        left += len(word.text) + 1
        costs.append(abs(2 * left - whole) / whole - (_COMMA_BONUS if word.text.endswith(_COMMAS) else 0))
    return 1 + min(range(len(costs)), key=costs.__getitem__)
