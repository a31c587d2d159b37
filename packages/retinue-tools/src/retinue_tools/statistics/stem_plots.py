"""Stem-and-leaf plots."""

from collections import defaultdict
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Refusal, ToolError, tool

_LARGEST, _MOST_STEMS = 2.0**53, 10_000
"""Above 2^53 a float has no digit for the leaf."""


class StemPlot(TypedDict):
    """A stem-and-leaf plot."""

    plot: Annotated[str, About("A line for each stem, as 2 | 1 3 3")]
    key: Annotated[str, About("How a line is read")]
    fullest_stem: int


@tool(
    tags="stem and leaf plot diagram display data digits tens units distribution",
    use_when=(
        "Make a stem and leaf plot of 12, 15, 21, 23, 23, 34, 38",
        "Stem-and-leaf diagram of the marks 45 52 58 61 61 67 73",
    ),
    examples=(
        Example(
            {"values": [12, 15, 21, 23, 23, 41]},
            {"plot": "1 | 2 5\n2 | 1 3 3\n3 |\n4 | 1", "key": "1 | 2 means 12", "fullest_stem": 2},
            source="by hand",
        ),
        Example({"values": [1.2, 1.5, 2.1], "leaf": 0.1}, {"plot": "1 | 2 5\n2 | 1"}, source="by hand"),
        Refusal({"values": []}, "values"),
        Refusal({"values": [1, 1e9], "leaf": 1e-30}, "leaf is too small"),
        Refusal({"values": [1, 1e9]}, "stems"),
    ),
)
def stats_draw_stem_plot(
    values: Annotated[list[Bounded], About("Numbers from 0 on", [12, 15, 21, 23], min_items=1, max_items=1000)],
    leaf: Annotated[float, About("What one unit of a leaf is worth", 0.1, minimum=1e-30, maximum=1e9)] = 1,
) -> StemPlot:
    """Draw a stem-and-leaf plot of numbers: tens as stems, units as leaves. Use it for small samples."""
    if any(abs(value) / leaf > _LARGEST for value in values):
        raise ToolError(f"leaf is too small for these values: none may be more than {_LARGEST:g} leaves.")
    whole = sorted(round(value / leaf) for value in values)
    leaves: dict[int, list[str]] = defaultdict(list)
    for value in whole:
        leaves[value // 10].append(str(value % 10))
    if max(leaves) - min(leaves) >= _MOST_STEMS:
        raise ToolError(f"The plot would have more than {_MOST_STEMS:,} stems. Give a larger leaf.")
    stems = range(min(leaves), max(leaves) + 1)
    first = whole[0]
    return {
        "plot": "\n".join(f"{stem} | {' '.join(leaves.get(stem, ()))}".rstrip() for stem in stems),
        "key": f"{first // 10} | {first % 10} means {first * leaf:g}",
        "fullest_stem": max(leaves, key=lambda stem: len(leaves[stem])),
    }
