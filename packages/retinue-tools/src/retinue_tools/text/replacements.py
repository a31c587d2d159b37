"""Literal strings replaced."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, tool
from retinue_tools.text.case import with_capitals_of
from retinue_tools.text.patterns import Replaced, check_length


class Pair(TypedDict):
    """What to replace by what."""

    find: Annotated[str, About("What to look for", "colour", min_length=1, max_length=10_000)]
    replace: Annotated[str, About("What to put there; empty deletes", "color", max_length=10_000)]


class ReplacedPairs(Replaced):
    """A text with replacements of several strings."""

    by_pair: Annotated[list[int], About("How many for each pair, in their order")]


@tool(
    tags="find replace substitute strings bulk many dictionary search",
    use_when=(
        "Replace 'colour' by 'color' and 'centre' by 'center' everywhere",
        "Swap the names Alice and Bob in this story",
        "Delete every occurrence of these words",
    ),
    examples=(
        Example(
            {
                "text": "Bob met Alice.",
                "pairs": [{"find": "Bob", "replace": "Alice"}, {"find": "Alice", "replace": "Bob"}],
            },
            {"result": "Alice met Bob.", "replacements": 2, "by_pair": [1, 1]},
            source="by hand: all at once, so a swap works",
        ),
        Example(
            {
                "text": "Cat cat concat CAT",
                "pairs": [{"find": "cat", "replace": "dog"}],
                "whole_words": True,
                "case": "ignore_and_keep",
            },
            {"result": "Dog dog concat DOG", "replacements": 3},
            source="by hand",
        ),
        Refusal({"text": "a", "pairs": [{"find": "", "replace": "b"}]}, "find"),
    ),
)
def text_replace_strings(
    text: Text,
    pairs: Annotated[
        list[Pair],
        About("What to replace by what, all at once", [{"find": "tea", "replace": "chai"}], min_items=1, max_items=500),
    ],
    whole_words: Annotated[bool, About("Whether strings must stand alone as words")] = False,
    case: Annotated[
        Literal["exact", "ignore", "ignore_and_keep"],
        About("ignore_and_keep gives the replacement the capitals of what it replaces"),
    ] = "exact",
) -> ReplacedPairs:
    """Replace many literal strings in a text at once; what was put in is not replaced again.

    Where several strings fit, the longest wins. Returns the text and the number of replacements of each pair.
    """
    keys = {_fold(pair["find"], case): number for number, pair in reversed(list(enumerate(pairs)))}
    ordered = sorted({pair["find"] for pair in pairs}, key=len, reverse=True)
    body = "|".join(map(re.escape, ordered))
    pattern = re.compile(rf"(?<!\w)(?:{body})(?!\w)" if whole_words else body, re.IGNORECASE if case != "exact" else 0)
    counts = [0] * len(pairs)

    def replacement(match: re.Match[str]) -> str:
        number = keys.get(_fold(match[0], case))
        if number is None:
            return match[0]
        counts[number] += 1
        value = pairs[number]["replace"]
        return with_capitals_of(match[0], value) if case == "ignore_and_keep" else value

    result = check_length(pattern.sub(replacement, text))
    return {"result": result, "replacements": sum(counts), "by_pair": counts}


def _fold(text: str, case: str) -> str:
    return text if case == "exact" else text.casefold()
