"""Sorting, shuffling and numbering of lines."""

import random
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._entries import entries_of
from retinue_tools.text.transliteration import without_accents

Order = Literal["alphabetical", "natural", "numeric", "length", "last_word", "code_point"]


class Lines(TypedDict):
    """A text line by line."""

    result: Annotated[str, About("Resulting lines")]
    lines: Annotated[int, About("Number of resulting lines")]


@tool(
    tags="sort lines alphabetical natural order numeric length list abc alphabetize",
    use_when=(
        "Sort these names alphabetically by last name",
        "Order the file names so that img2 comes before img10",
        "Sort this list by the numbers in it, largest first",
        "Alphabetical order",
    ),
    examples=(
        Example(
            {"text": "img12\nimg10\nImg2\nimg1", "order": "natural"}, {"result": "img1\nImg2\nimg10\nimg12"}, "by hand"
        ),
        Example(
            {"text": "Zoë Adams\nÉmile Zola\nJane Austen", "order": "last_word"},
            {"result": "Zoë Adams\nJane Austen\nÉmile Zola", "lines": 3},
            source="by hand",
        ),
        Example(
            {"text": "zebra\néclair\nEgg\napple"},
            {"result": "apple\néclair\nEgg\nzebra"},
            "by hand: accents do not count",
        ),
        Example(
            {"text": "3 a\n-1 b\n20 c", "order": "numeric", "descending": True},
            {"result": "20 c\n3 a\n-1 b"},
            "by hand",
        ),
        Example({"text": "Nora, ivan, Zoe, Bert"}, {"result": "Bert, ivan, Nora, Zoe", "lines": 4}, source="by hand"),
        Example(
            {"text": "fig, apple, fig, kiwi", "unique": True},
            {"result": "apple, fig, kiwi", "lines": 3},
            source="by hand",
        ),
        Refusal({"text": "a", "order": "random"}, "order"),
    ),
    reply="The sorted lines: {result}",
)
def text_sort_lines(
    text: Text,
    order: Annotated[
        Order,
        About(
            "alphabetical ignores case and accents, natural compares numbers within names, numeric uses the first "
            "number of a line, last_word is for surnames, code_point is the strict Unicode order"
        ),
    ] = "alphabetical",
    descending: Annotated[bool, About("Whether to reverse the order")] = False,
    skip_blank: Annotated[bool, About("Whether to remove blank lines")] = True,
    unique: Annotated[bool, About("Whether to remove duplicate lines")] = False,
) -> Lines:
    """Sort the lines of a text: alphabetically, naturally (2 before 10), by number, by length or by last word.

    A single line with commas or semicolons is treated as a list. Equal lines keep their order, or are kept once.
    Returns the lines.
    """
    lines, joint = entries_of(text)
    if joint == "\n":
        lines = [line for line in text.splitlines() if line.strip() or not skip_blank]
    distinct = [*dict.fromkeys(lines)] if unique else lines
    return {"result": joint.join(sorted(distinct, key=_KEYS[order], reverse=descending)), "lines": len(distinct)}


@tool(
    tags="line numbers number lines prefix nl listing poem code enumerate",
    use_when=(
        "Put line numbers before each line of this code",
        "Number the items of this list starting at 10",
        "Label the lines as 001:, 002:, 003:",
    ),
    examples=(
        Example({"text": "a\n\nb"}, {"result": "1  a\n2  \n3  b", "lines": 3}, source="by hand"),
        Example(
            {"text": "a\n\nb", "start": 9, "separator": ". ", "skip_blank": True, "pad": "zero"},
            {"result": "09. a\n\n10. b"},
            source="by hand",
        ),
        Refusal({"text": "a", "step": 0}, "step"),
    ),
    reply="The numbered lines: {result}",
)
def text_number_lines(
    text: Text,
    start: Annotated[int, About("First number", minimum=0, maximum=1_000_000)] = 1,
    step: Annotated[int, About("Increment", minimum=1, maximum=1000)] = 1,
    separator: Annotated[str, About("Separator between number and line", max_length=20)] = "  ",
    skip_blank: Annotated[bool, About("Whether to skip blank lines")] = False,
    pad: Annotated[Literal["space", "zero", "none"], About("Alignment of numbers to the same width")] = "space",
) -> Lines:
    """Put a number before each line of a text, list or program.

    Returns the numbered lines.
    """
    lines = text.splitlines()
    numbered = sum(bool(line.strip()) or not skip_blank for line in lines)
    width = 0 if pad == "none" else len(str(start + step * max(numbered - 1, 0)))
    fill = "0" if pad == "zero" else " "
    number, result = start, []
    for line in lines:
        if skip_blank and not line.strip():
            result.append(line)
            continue
        result.append(f"{str(number).rjust(width, fill)}{separator}{line}")
        number += step
    return _lines(result)


@tool(
    tags="shuffle random order lines draw lots sample pick winner raffle reverse",
    use_when=(
        "Put these names in random order",
        "Draw three winners from this list",
        "Shuffle the questions, the same way every time",
        "Random order of players",
    ),
    examples=(
        Example({"text": "a\nb\nc", "pick": 3, "seed": 1}, {"lines": 3}, source="by definition"),
        Example({"text": "only", "seed": 5}, {"result": "only", "lines": 1}, source="one line has one order"),
        Refusal({"text": "a\nb", "pick": 3}, "only 2 lines"),
    ),
    reply="In random order: {result}",
    idempotent=False,
)
def text_shuffle_lines(
    text: Text,
    pick: Annotated[int | None, About("Number of lines to draw; default: all", 3, minimum=1, maximum=100_000)] = None,
    seed: Annotated[int | None, About("The same seed gives the same order", 42, minimum=0, maximum=2**53)] = None,
) -> Lines:
    """Shuffle the lines of a text (random order), or draw some of them, as in a raffle.

    Without a seed, the system's secure randomness is used. Returns the lines.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if pick is not None and pick > len(lines):
        raise ToolError(f"There are only {len(lines)} lines to draw from.")
    source = random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311  asked to be repeatable
    return _lines(source.sample(lines, len(lines) if pick is None else pick))


def _plain(line: str) -> str:
    return without_accents(line).casefold()


def _natural(line: str) -> list[Any]:
    """Split into alternating texts and numbers, so that each is compared with its own kind."""
    parts = re.split("([0-9]+)", _plain(line))
    return [int(part[:4000]) if place % 2 else part for place, part in enumerate(parts)]


_NUMBER = re.compile(r"(?:(?<!\w)[-+])?(?:[0-9]{1,3}(?:,[0-9]{3}){1,90}(?![0-9])|[0-9]{1,300})(?:\.[0-9]{1,300})?")
"""A number with or without thousands separators. A hyphen after a word is no minus sign."""


def _number(line: str) -> tuple[bool, float]:
    found = _NUMBER.search(line.replace("\u2212", "-"))
    return found is None, float(found[0].replace(",", "")) if found else 0.0


_KEYS: dict[Order, Callable[[str], Any]] = {
    "alphabetical": _plain,
    "natural": _natural,
    "numeric": _number,
    "length": len,
    "last_word": lambda line: (_plain((line.split() or [""])[-1]), _plain(line)),
    "code_point": str,
}


def _lines(lines: list[str]) -> Lines:
    return {"result": "\n".join(lines), "lines": len(lines)}
