"""Ordinal numbers in figures: 1st, 22nd, 113th."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:st|nd|rd|th)?(?![\w]|\.\d)")
_SUFFIXES = {"1": "st", "2": "nd", "3": "rd"}


class Ordinals(TypedDict):
    """Numbers as ordinals."""

    result: Annotated[str, About("The text with its numbers as ordinals")]
    ordinals: Annotated[list[str], About("The ordinals alone")]


@tool(
    tags="ordinal st nd rd th suffix number 1st 2nd 3rd 21st list rank position",
    use_when=(
        "Write 21, 22 and 113 as ordinals with st, nd, rd, th",
        "Is it 111st or 111th?",
        "What is the ordinal suffix of 42?",
        "Turn these places into 1st, 2nd, 3rd",
    ),
    examples=(
        Example(
            {"numbers": "21, 22 and 113"},
            {"result": "21st, 22nd and 113th", "ordinals": ["21st", "22nd", "113th"]},
            source="English grammar: 11, 12 and 13 take th",
        ),
        Example({"numbers": "1,003 111"}, {"ordinals": ["1,003rd", "111th"]}, source="English grammar"),
        Refusal({"numbers": "seven"}, "no whole number"),
    ),
)
def number_write_ordinals(
    numbers: Annotated[
        str,
        About("Whole numbers, one or several with anything between", "21, 22 and 113", min_length=1, max_length=20_000),
    ],
) -> Ordinals:
    """Write whole numbers as English ordinals in figures with st, nd, rd or th: 21st, 22nd, 113th.

    In words, as twenty-first, text_spell_number does it. Returns the text with the suffixes, and the list.
    """
    ordinals = [_ordinal(found[0]) for found in _NUMBER.finditer(numbers)]
    if not ordinals:
        raise ToolError("There is no whole number in figures in the text. Write it as 21.")
    return {"result": _NUMBER.sub(lambda found: _ordinal(found[0]), numbers), "ordinals": ordinals}


def _ordinal(number: str) -> str:
    """A number with its suffix: that of its last digit, but th after 11, 12 and 13."""
    figures = number.rstrip("stndrh")
    teen = figures[-2:-1] == "1"
    return figures + ("th" if teen else _SUFFIXES.get(figures[-1], "th"))
