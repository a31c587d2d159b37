"""Word errors of a transcript: insertions, deletions and substitutions against what was said."""

import re

_DIGITS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "nine": "9", "ten": "10"}
_SILENT = {"and", "dollars", "cents"}
"""Words that written amounts do without."""


def normal_words(text: str) -> list[str]:
    """Words in one spelling, numbers digit by digit: "3rd", "3" and "three" are the same, and so are "@" and "at"."""
    plain = text.lower().replace("@", " at ").replace("%", " percent ").replace("p.m.", "pm").replace("doctor", "dr")
    plain = re.sub(r"(?<=[a-z])\.(?=[a-z])", " dot ", plain)
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain)
    words = (_DIGITS.get(word, word) for word in re.findall(r"\d|[a-z']+", plain))
    return [sign for word in words if word not in _SILENT for sign in (word if word.isdigit() else [word])]


def word_errors(said: list[str], heard: list[str]) -> int:
    """The Levenshtein distance of two texts in words."""
    row = list(range(len(heard) + 1))
    for place, word in enumerate(said, 1):
        diagonal, row[0] = row[0], place
        for column, other in enumerate(heard, 1):
            changed = diagonal + (word != other)
            diagonal, row[column] = row[column], min(changed, row[column] + 1, row[column - 1] + 1)
    return row[-1]
