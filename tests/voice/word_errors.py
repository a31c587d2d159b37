"""Word errors of a transcript: insertions, deletions and substitutions against what was said."""

import re

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_DIGITS = {word: str(number) for number, word in enumerate(_SMALL)}
_DIGITS |= {word: str(10 * number) for number, word in enumerate(_TENS, 2)}
_JOINED = re.compile(rf"\b({'|'.join(_TENS)})[ -]({'|'.join(_SMALL[1:10])})\b")
_SILENT = {"and", "dollars", "cents", "euros", "pounds"}
"""Words that written amounts do without."""


def normal_words(text: str) -> list[str]:
    """Words in one spelling, numbers digit by digit: "3rd", "3" and "three" are the same, and so are "@" and "at"."""
    plain = text.lower().replace("@", " at ").replace("%", " percent ").replace("p.m.", "pm").replace("doctor", "dr")
    plain = re.sub(r"(?<=[a-z])\.(?=[a-z])", " dot ", plain)
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain)
    plain = _JOINED.sub(lambda number: str(int(_DIGITS[number[1]]) + int(_DIGITS[number[2]])), plain)
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
