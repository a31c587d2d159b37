"""What texts begin or end with in common."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool

Words = Annotated[
    list[str], About("Texts to compare", ["interview", "internet", "interval"], min_items=2, max_items=10_000)
]


class CommonEnds(TypedDict):
    """Beginning and end that all have in common."""

    prefix: str
    suffix: str
    prefix_length: int
    suffix_length: int


@tool(
    tags="longest common prefix suffix start beginning end words strings shared",
    use_when=(
        "Longest common prefix of interview, internet and interval",
        "What do hydrogen, hydroxide and hydrate all start with?",
        "Common ending of nation, station and relation",
    ),
    examples=(
        Example(
            {"texts": ["interview", "internet", "interval"]},
            {"prefix": "inter", "prefix_length": 5, "suffix": ""},
            source="by hand",
        ),
        Example({"texts": ["nation", "station"]}, {"suffix": "ation", "prefix": ""}, source="by hand"),
        Refusal({"texts": ["one"]}, "texts"),
    ),
)
def text_find_common_ends(texts: Words) -> CommonEnds:
    """Find the longest beginning (prefix) and the longest end (suffix) that all texts have in common; case counts."""
    prefix = _common_start(texts)
    suffix = _common_start([text[::-1] for text in texts])[::-1]
    return {"prefix": prefix, "suffix": suffix, "prefix_length": len(prefix), "suffix_length": len(suffix)}


def _common_start(texts: Sequence[str]) -> str:
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return "".join(column[0] for column in alike)
