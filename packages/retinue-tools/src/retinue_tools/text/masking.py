"""Hiding most of a text, counting a word in it, and its brackets."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, tool

_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}


class Masked(TypedDict):
    """A text whose middle or beginning is hidden."""

    text: str


@tool(
    tags="mask hide characters last four card number asterisks redact partially phone account star out",
    use_when=(
        "Mask all but the last four digits of 4539 1488 0343 6467",
        "Hide the account number 12345678 but for the last 3",
        "Show only the first 2 and last 2 characters of s3cretpass",
    ),
    examples=(
        Example({"text": "4539148803436467", "keep_last": 4}, {"text": "************6467"}, source="by hand"),
        Example(
            {"text": "s3cretpass", "keep_first": 2, "keep_last": 2, "mark": "x"},
            {"text": "s3xxxxxxss"},
            source="by hand",
        ),
        Example({"text": "12-34-56", "keep_last": 2}, {"text": "**-**-56"}, source="separators stay"),
        Refusal({"text": "", "keep_last": 2}, "text"),
    ),
)
def text_mask_characters(
    text: Annotated[str, About("Text to hide", "4539148803436467", min_length=1, max_length=10_000)],
    keep_last: Annotated[int, About("Letters and digits to show at the end", minimum=0, maximum=10_000)] = 4,
    keep_first: Annotated[int, About("Letters and digits to show at the beginning", minimum=0, maximum=10_000)] = 0,
    mark: Annotated[str, About("What stands for a hidden character", "*", min_length=1, max_length=4)] = "*",
) -> Masked:
    """Mask a text but for its first or last characters, as a card or account number; blanks and hyphens stay."""
    shown = [place for place, one in enumerate(text) if one.isalnum()]
    hidden = set(shown[keep_first : len(shown) - keep_last])
    return {"text": "".join(mark if place in hidden else one for place, one in enumerate(text))}


class WordCount(TypedDict):
    """How often a word or piece stands in a text."""

    count: Annotated[int, About("As it was asked for: whole words, or any piece")]
    whole_words: int
    anywhere: Annotated[int, About("Also within words")]
    positions: Annotated[list[int], About("Where they begin, from 0")]


@tool(
    tags="count occurrences word phrase substring text how often times appears frequency of one word",
    use_when=(
        "How often does 'the' occur in: the cat and the dog saw the bird?",
        "Count the word rain in 'rain, rain, go away, rainy day'",
        "How many times does 'an' appear in banana?",
    ),
    examples=(
        Example(
            {"text": "Rain, rain, go away, rainy day", "word": "rain"}, {"count": 2, "anywhere": 3}, source="by hand"
        ),
        Example(
            {"text": "banana", "word": "an", "within_words": True}, {"count": 2, "positions": [1, 3]}, source="by hand"
        ),
        Refusal({"text": "a", "word": ""}, "word"),
    ),
)
def text_count_word(
    text: Text,
    word: Annotated[str, About("Word or phrase to count", "rain", min_length=1, max_length=200)],
    match_case: Annotated[bool, About("Whether Rain and rain differ")] = False,
    within_words: Annotated[bool, About("Whether it also counts within other words")] = False,
) -> WordCount:
    """Count how often a word or phrase occurs in a text, as a whole word or anywhere."""
    flags = re.NOFLAG if match_case else re.IGNORECASE
    whole = [one.start() for one in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags)]
    anywhere = [one.start() for one in re.finditer(re.escape(word), text, flags)]
    positions = anywhere if within_words else whole
    return {
        "count": len(positions),
        "whole_words": len(whole),
        "anywhere": len(anywhere),
        "positions": positions[:1000],
    }


class Brackets(TypedDict):
    """Whether brackets match."""

    balanced: bool
    problem: str
    position: Annotated[int | None, About("Of the first bracket that does not match, from 1 on")]
    depth: Annotated[int, About("How deep they are nested at most")]


@tool(
    tags="brackets balanced parentheses braces match unmatched nesting check stack",
    use_when=(
        "Are the brackets in (a[b]{c(d}) balanced?",
        "Which bracket is unmatched in f(x, g(y)?",
        "How deep are the parentheses of ((1+2)*(3+(4-5))) nested?",
    ),
    examples=(
        Example({"text": "(a[b]{c})"}, {"balanced": True, "depth": 2, "position": None}, source="by hand"),
        Example(
            {"text": "(a[b)]"},
            {"balanced": False, "position": 5, "problem": "')' at 5 closes '[' at 3."},
            source="by hand",
        ),
        Refusal({"text": 5}, "text"),
    ),
)
def text_check_brackets(
    text: Text,
    angles: Annotated[bool, About("Whether < and > are brackets too")] = False,
) -> Brackets:
    """Check whether round, square and curly brackets of a text match, and how deep they are nested."""
    pairs = _PAIRS if angles else {close: opening for close, opening in _PAIRS.items() if close != ">"}
    opened: list[tuple[str, int]] = []
    depth = 0
    for place, one in enumerate(text, start=1):
        if one in pairs.values():
            opened.append((one, place))
            depth = max(depth, len(opened))
        elif one in pairs:
            before = opened.pop() if opened else None
            if before is None:
                return _unmatched_brackets(f"{one!r} at {place} closes nothing.", place, depth)
            if before[0] != pairs[one]:
                return _unmatched_brackets(f"{one!r} at {place} closes {before[0]!r} at {before[1]}.", place, depth)
    if opened:
        return _unmatched_brackets(f"{opened[-1][0]!r} at {opened[-1][1]} is not closed.", opened[-1][1], depth)
    return {"balanced": True, "problem": "", "position": None, "depth": depth}


def _unmatched_brackets(problem: str, place: int, depth: int) -> Brackets:
    return {"balanced": False, "problem": problem, "position": place, "depth": depth}
