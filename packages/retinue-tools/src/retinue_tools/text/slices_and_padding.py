"""Text slices by position, padding, repetition, rotation and grouping."""

from itertools import pairwise
from typing import Annotated, Literal

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_MOST_CHARACTERS = 1_000_000

Piece = Annotated[str, About("The text", "hello world", min_length=1, max_length=100_000)]
Unit = Literal["characters", "letters", "words", "lines"]


class Slice(TypedDict):
    """A slice of a text."""

    result: Annotated[str, About("The slice")]
    taken: Annotated[int, About("Number of characters, letters, words or lines in the slice")]
    total: Annotated[int, About("Number in the whole text")]


class Laid(TypedDict):
    """A transformed text."""

    result: Annotated[str, About("The text")]
    length: Annotated[int, About("Length in characters")]


class Groups(TypedDict):
    """A text in groups."""

    result: Annotated[str, About("Text with the separators")]
    pieces: Annotated[list[str], About("Groups, at most 10,000")]


@tool(
    tags="substring slice cut piece position index nth character letter first last every second text",
    use_when=(
        "What is the 7th letter of 'alphabetical'?",
        "Substring of 'hello world' from index 3 to 8",
        "Give me the first 10 characters of this text",
        "What are the last 4 characters of this number?",
        "Take every second character of abcdefghij",
        "What is the third word of this sentence?",
    ),
    examples=(
        Example({"text": "alphabetical", "start": 7, "end": 7}, {"result": "e", "total": 12}, source="counted by hand"),
        Example(
            {"text": "hello world", "start": 3, "end": 8, "counting": "from_0_without_end"},
            {"result": "lo wo", "taken": 5},
            source="Python: 'hello world'[3:8]",
        ),
        Example({"text": "4539578763621486", "start": -4}, {"result": "1486"}, source="by hand"),
        Example({"text": "abcdefghij", "every": 2}, {"result": "acegi"}, source="by hand"),
        Example({"text": "to be or not", "unit": "words", "start": 2, "end": 3}, {"result": "be or"}, source="by hand"),
        Refusal({"text": "abc", "start": 9}, "has 3 characters"),
        Refusal({"text": "abc", "start": 3, "end": 2}, "ends before it starts"),
    ),
    reply={
        "result": "It is \u201c{result}\u201d.",
        "": "The slice: {result}",
    },
)
def text_slice_positions(
    text: Piece,
    start: Annotated[int | None, About("Start position: 1 is the first, -1 the last; default: the first", 3)] = None,
    end: Annotated[int | None, About("End position, inclusive; -1 is the last; default: the last", 8)] = None,
    every: Annotated[int, About("Step: 2 for every second", minimum=1, maximum=100_000)] = 1,
    unit: Annotated[Unit, About("Unit to count; letters exclude spaces, digits and signs")] = "characters",
    counting: Annotated[
        Literal["from_1_with_end", "from_0_without_end"],
        About("from_0_without_end is the indexing of programming languages: 0 is the first and the end is excluded"),
    ] = "from_1_with_end",
) -> Slice:
    """Take a slice (piece) of a text by positions: its nth letter, first or last characters, a substring, every second
    word.

    A character is what a reader sees as one, including combined code points. Returns the slice, and the total number of
    units.
    """
    parts = _parts(text, unit)
    programming = counting == "from_0_without_end"
    first, behind = (start or 0, end) if programming else (_index(start), _behind(end))
    bounds = slice(first, behind, every)
    begin, stop, _ = bounds.indices(len(parts))
    if begin >= len(parts):
        raise ToolError(f"The text has {len(parts)} {unit}, so the start does not exist. Give a smaller start.")
    if begin >= stop:
        raise ToolError("The slice ends before it starts. Give an end that is not before the start.")
    taken = parts[bounds]
    return {"result": _GLUE.get(unit, "").join(taken), "taken": len(taken), "total": len(parts)}


@tool(
    tags="pad fill leading zeros zero-pad centre center align right left width dots asterisks column",
    use_when=(
        "Pad 42 with leading zeros to 6 digits",
        "Centre 'MENU' in 20 characters with asterisks around it",
        "Right-align 7.5 in a field of 10 characters",
        "Fill up the word with dots to 15 characters",
    ),
    examples=(
        Example({"text": "42", "width": 6, "side": "before", "fill": "0"}, {"result": "000042"}, source="by hand"),
        Example({"text": "-7", "width": 4, "side": "before", "fill": "0"}, {"result": "-007"}, source="printf('%04d')"),
        Example(
            {"text": "MENU", "width": 10, "side": "both", "fill": "*"},
            {"result": "***MENU***", "length": 10},
            source="by hand",
        ),
        Example({"text": "ab\nc", "width": 3, "side": "after", "fill": "."}, {"result": "ab.\nc.."}, source="by hand"),
        Refusal({"text": "a", "width": 3, "side": "left"}, "side"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_pad_width(
    text: Annotated[str, About("Text or number; each line is padded separately", "42", max_length=20_000)],
    width: Annotated[int, About("Target number of characters", 6, minimum=1, maximum=1000)],
    side: Annotated[
        Literal["before", "after", "both"],
        About("Side of the padding: before aligns right, as for leading zeros, after aligns left, both centres"),
    ],
    fill: Annotated[str, About("Padding character; default: space", "0", min_length=1, max_length=20)] = " ",
) -> Laid:
    """Pad a text or number to a width: leading zeros, trailing dots, spaces before, or centred between asterisks.

    Longer text is unchanged; a sign stays before zeros. Returns the text and its length.
    """
    result = "\n".join(_pad(line, width, side, fill) for line in text.split("\n"))
    return {"result": result, "length": len(_look(result))}


@tool(
    tags="repeat text times string multiply row line dashes again",
    use_when=(
        "Repeat the string 'ha' 5 times",
        "Repeat the word echo 7 times separated by commas",
        "Write a row of 30 dashes",
    ),
    examples=(
        Example({"text": "ha", "times": 5}, {"result": "hahahahaha", "length": 10}, source="by hand"),
        Example({"text": "echo", "times": 3, "separator": ", "}, {"result": "echo, echo, echo"}, source="by hand"),
        Refusal({"text": "a", "times": 0}, "times"),
        Refusal({"text": "abcdefghij" * 100, "times": 10_000}, "fewer times"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_repeat_times(
    text: Annotated[str, About("Text to repeat", "ha", min_length=1, max_length=100_000)],
    times: Annotated[int, About("Number of repetitions", 5, minimum=1, maximum=100_000)],
    separator: Annotated[str, About("Separator, such as a comma, space or line break", ", ", max_length=100)] = "",
) -> Laid:
    """Repeat a word, sign or text several times, with or without a separator. Returns the text."""
    if (len(text) + len(separator)) * times > _MOST_CHARACTERS:
        raise ToolError(f"The result would have more than {_MOST_CHARACTERS:,} characters. Repeat it fewer times.")
    result = separator.join([text] * times)
    return {"result": result, "length": len(_look(result))}


@tool(
    tags="rotate string shift cyclic left right turn letters array list",
    use_when=(
        "Rotate the string abcdef by two places to the left",
        "Shift the letters of this word cyclically to the right",
        "Rotate a list of items by one",
    ),
    examples=(
        Example({"text": "abcdef", "places": 2, "direction": "left"}, {"result": "cdefab"}, source="by hand"),
        Example({"text": "abcdef", "places": 2, "direction": "right"}, {"result": "efabcd"}, source="by hand"),
        Example(
            {"text": "mon, tue, wed", "places": 1, "direction": "left", "unit": "items"},
            {"result": "tue, wed, mon"},
            source="by hand",
        ),
        Refusal({"text": "abc", "places": 1, "direction": "up"}, "direction"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_rotate_places(
    text: Piece,
    places: Annotated[int, About("Number of positions", 2, minimum=0, maximum=1_000_000)],
    direction: Annotated[Literal["left", "right"], About("To the left, the first moves to the end")],
    unit: Annotated[
        Literal["characters", "words", "lines", "items"], About("Unit to move; items are separated by commas")
    ] = "characters",
) -> Laid:
    """Rotate a text by places: what is shifted out at one end is appended at the other. Returns the text.

    It moves characters; to shift letters in the alphabet (Caesar cipher), use cipher_apply_classical.
    """
    parts = [part.strip() for part in text.split(",")] if unit == "items" else _parts(text, unit)
    by = places % len(parts) * (1 if direction == "left" else -1)
    result = _GLUE.get(unit, "").join(parts[by:] + parts[:by])
    return {"result": result, "length": len(_look(result))}


@tool(
    tags="group insert every n characters space hyphen blocks chunks digits split string separator between letters",
    use_when=(
        "Put a space after every 4 digits of this card number",
        "Put a hyphen between all letters of hello",
        "Split this string into pieces of 3 characters",
        "Insert a colon after every two characters of this MAC address",
    ),
    examples=(
        Example(
            {"text": "4539578763621486", "size": 4},
            {"result": "4539 5787 6362 1486", "pieces": ["4539", "5787", "6362", "1486"]},
            source="by hand",
        ),
        Example({"text": "hello", "size": 1, "separator": "-"}, {"result": "h-e-l-l-o"}, source="by hand"),
        Example({"text": "1234567", "size": 3, "separator": ",", "from_end": True}, {"result": "1,234,567"}, "by hand"),
        Refusal({"text": "abc", "size": 0}, "size"),
    ),
    reply={
        "result": "{result}",
        "": "The text: {result}",
    },
)
def text_group_characters(
    text: Piece,
    size: Annotated[int, About("Characters per group", 4, minimum=1, maximum=10_000)],
    separator: Annotated[str, About("Separator of groups; default: space", "-", max_length=20)] = " ",
    from_end: Annotated[bool, About("Whether to count from the end, as for thousands in numbers")] = False,
) -> Groups:
    """Divide a text into groups with a number of characters and a separator between them, such as a card number into
    fours.

    A size of 1 puts the separator between all letters. Returns the text, and the groups as a list.
    """
    seen = _look(text)
    offset = len(seen) % size if from_end else 0
    cuts = [0, *range(offset or size, len(seen), size), len(seen)]
    pieces = ["".join(seen[first:last]) for first, last in pairwise(cuts)]
    return {"result": separator.join(pieces), "pieces": pieces[:10_000]}


_GLUE = {"words": " ", "lines": "\n", "items": ", "}


def _look(text: str) -> list[str]:
    """Return the characters as people see them: accents and emoji of several code points are one."""
    return list(text) if text.isascii() else regex.findall(r"\X", text)


def _parts(text: str, unit: str) -> list[str]:
    if unit == "words":
        parts = text.split()
    elif unit == "lines":
        parts = text.splitlines()
    else:
        parts = [one for one in _look(text) if unit == "characters" or one[0].isalpha()]
    if not parts:
        raise ToolError(f"The text has no {unit}.")
    return parts


def _index(position: int | None) -> int:
    """Return Python's index for a position from 1, or from the end."""
    if position == 0:
        raise ToolError("Position 1 is the first. For indices from 0, set counting to from_0_without_end.")
    return position - 1 if position and position > 0 else position or 0


def _behind(end: int | None) -> int | None:
    """Return the index after that of a position."""
    return None if end is None or end == -1 else _index(end) + 1


def _pad(line: str, width: int, side: str, fill: str) -> str:
    lacking = max(width - len(_look(line)), 0)
    if side == "both":
        before = lacking // 2
        return _row(fill, before) + line + _row(fill, lacking - before)
    if side == "after":
        return line + _row(fill, lacking)
    sign = line[:1] if fill == "0" and line[:1] in {"-", "+"} else ""
    return sign + _row(fill, lacking) + line[len(sign) :]


def _row(fill: str, length: int) -> str:
    return (fill * length)[:length]
