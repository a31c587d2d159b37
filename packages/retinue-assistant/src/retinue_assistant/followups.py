"""Completes a message like "And 25?" from the user's previous one."""

import re
from collections.abc import Sequence
from functools import reduce

from retinue_assistant.numbers import has_digits
from retinue_assistant.references import refers

_SHORT = 7
"""Most words of an elliptical message such as "And 25?"."""
_ELLIPSIS = re.compile(
    r"\W{0,9}(?:[a-z]{2,9},\s)?"
    r"(?:and|or|what about|what if|how about|(?:now )?the same|und|oder|was ist mit|y|qu\u00e9 tal|et)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"^\W*(?:(?:please|and|ok(?:ay)?|now)\W+)?"
    r"(?:another(?: one)?|one more(?: time)?|again|once more|do (?:it|that) again"
    r"|noch (?:eine?[ns]?|einmal|mal)|nochmals?|otr[oa](?: vez)?|encore(?: une? fois)?)"
    r"(?:\W+(?:please|bitte|por favor))?\W*$",
    re.IGNORECASE,
)
_LEAD = r"^\W*(?:(?:no|please|ok(?:ay)?|now|actually|oh|sorry|wait)\W+){0,2}"
_UNDOING = re.compile(
    rf"{_LEAD}(?:undo|revert|take (?:it|that) back"
    r"|(?:cancel|delete|drop|remove) (?:it|that|them|the (?:first|second|third|fourth|last|other)(?: one)?))"
    r"(?: (?:again|please))?\W*$",
    re.IGNORECASE,
)
_CHANGING = re.compile(
    rf"{_LEAD}(?:make|move|change|put|set|postpone|shift|rename) (?:it|that|this)\b.{{0,60}}$", re.IGNORECASE
)
_ACTING = re.compile(r"_(?:add|create|delete|log|put|remember|save|set|update)(?:_|$)")
"""Matches the name of a tool that stores something."""
_SENTENCE_END = re.compile(r"(?<=[^\d\s][.!?])\s+(?=\S)")
_MARKS = ".,;:!?\u00bf\u00a1"
_PREPOSITION, _ENDING = 4, 4
"""Most letters of a word that begins an ending, and most words of an ending."""


def complete(messages: Sequence[str]) -> str:
    """Return the last of the user's messages, completed from the ones before it where that is unambiguous."""
    return reduce(lambda previous, message: substitute(message, previous) or message, messages, "")


def substitute(message: str, previous: str) -> str:
    """Repeat the previous request with the values of an elliptical message: "And of 90?" after "What is 20% of 150?"
    becomes "What is 20% of 90?", and "And in feet?" after "3 m in cm" becomes "3 m in feet?". Returns "" if it is
    unclear what is replaced.
    """
    if not (previous and is_elliptical(message)):
        return ""
    old, new = previous.split(), [word for word in _last_sentence(message).split() if word.strip(_MARKS)]
    values = [at for at, word in enumerate(new) if has_digits(word)]
    pairs = [(_counterparts(old, new, at), at) for at in values]
    if not pairs or any(len(places) != 1 for places, _ in pairs):
        return _with_ending(old, new)
    for (place,), at in pairs:
        old[place] = old[place].replace(old[place].strip(_MARKS), new[at].strip(_MARKS))
    return " ".join(old)


def is_elliptical(message: str) -> bool:
    """Return whether a message only names a replacement for part of an earlier one: "And 25?", "What about Rome?"."""
    sentence = _last_sentence(message)
    has_form = len(sentence.split()) <= _SHORT and _ELLIPSIS.match(sentence) is not None
    return has_form and ("what if" in sentence.lower() or not refers(sentence))


def asks_again(message: str) -> bool:
    """Return whether a message asks for the same once more, as in "Another one"."""
    return _AGAIN.match(message) is not None


def asks_change(message: str, tool: str) -> bool:
    """Return whether a message asks to undo or to change what a call of `tool` stored: "Make it 7pm", "Undo"."""
    return _UNDOING.match(message) is not None or bool(_ACTING.search(tool) and _CHANGING.match(message))


def _last_sentence(message: str) -> str:
    """Return the last sentence of a message: "Thanks! And 25?" ends with "And 25?"."""
    return _SENTENCE_END.split(message)[-1]


def _counterparts(old: Sequence[str], new: Sequence[str], at: int) -> list[int]:
    """Return the numbers that a new one can replace: those before the same word, else those after the same word, else
    all. A number before another word, such as a unit, only replaces one after the same word.
    """
    places = [place for place, word in enumerate(old) if has_digits(word)]
    before = [place for place in places if at + 1 < len(new) and _word(old, place + 1) == _word(new, at + 1)]
    after = [place for place in places if _word(old, place - 1) == _word(new, at - 1)]
    return before or after or ([] if at + 1 < len(new) else places)


def _with_ending(old: Sequence[str], new: Sequence[str]) -> str:
    """Replace the end of a request by an ending that begins with the same short word, such as a preposition."""
    for at, word in enumerate(new[1:], 1):
        places = [place for place in range(len(old)) if _word(old, place) == _word(new, at)]
        if places and word.isalpha() and len(word) <= _PREPOSITION and len(old) - places[-1] <= _ENDING:
            return " ".join([*old[: places[-1]], *new[at:]])
    return ""


def _word(words: Sequence[str], place: int) -> str:
    return words[place].strip(_MARKS).casefold() if 0 <= place < len(words) else ""
