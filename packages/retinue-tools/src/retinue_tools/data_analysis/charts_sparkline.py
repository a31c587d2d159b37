"""Sparklines: word-sized charts in text or SVG, made with the standard library only."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, save, tool

_BLOCKS = "▁▂▃▄▅▆▇█"
_INK, _LOW, _HIGH = "#0072B2", "#D55E00", "#009E73"


class Sparkline(TypedDict):
    """A sparkline."""

    text: Annotated[str, About("Sparkline as block characters, one for each number")]
    minimum: Annotated[float, About("Least number")]
    maximum: Annotated[float, About("Greatest number")]
    change_percent: Annotated[
        float | None, About("Change from the first to the last number; null if the first is close to 0")
    ]
    svg: NotRequired[Annotated[str, About("SVG text of the drawing")]]
    file: NotRequired[OutputFile]


@tool(
    tags="sparkline tiny chart inline text unicode blocks svg trend",
    use_when=(
        "Show 3, 5, 9, 4 as a sparkline",
        "Give me a tiny text chart of the last 12 months",
        "Make a small SVG trend line for a table cell",
    ),
    examples=(
        Example(
            {"values": [0, 1, 2, 3, 4, 5, 6, 7]},
            {"text": "▁▂▃▄▅▆▇█", "minimum": 0.0, "maximum": 7.0, "change_percent": None},
            source="the eight block characters of Unicode in order (U+2581 to U+2588)",
        ),
        Example(
            {"values": [2, 4], "form": "svg", "width": 60, "height": 16},
            {
                "text": "▁█",
                "change_percent": 100.0,
                "file": "sparkline.svg",
                "svg": '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="16" viewBox="0 0 60 16">'
                '<polyline fill="none" stroke="#0072B2" stroke-width="1.5" stroke-linejoin="round" points="3,13 57,3"/>'
                '<circle cx="3" cy="13" r="2" fill="#D55E00"/><circle cx="57" cy="3" r="2" fill="#009E73"/></svg>',
            },
            source="by hand: the least number at the bottom left, the greatest at the top right, 3 pixels inside",
        ),
        Example(
            {"values": [1e-300, 1e15]},
            {"text": "▁█", "change_percent": None},
            source="by hand: a change of 10^317 percent, which is no number of JSON",
        ),
        Refusal({"values": [1]}, "at least 2 items"),
    ),
    reply={
        "file": "{text} The sparkline as a picture: {file}",
        "svg": "{text} The sparkline as SVG: {svg}",
        "": "{text}",
    },
)
def chart_draw_sparkline(
    values: Annotated[
        list[Annotated[float, About("Number", 5, minimum=-1e15, maximum=1e15)]],
        About("Numbers in order", [3, 5, 9, 4], min_items=2, max_items=500),
    ],
    form: Annotated[Literal["text", "svg"], About("Block characters only, or an SVG drawing too")] = "text",
    width: Annotated[int, About("Width of the SVG in pixels", minimum=20, maximum=1000)] = 120,
    height: Annotated[int, About("Height of the SVG in pixels", minimum=10, maximum=300)] = 24,
) -> Sparkline:
    """Draw a sparkline of numbers: block characters for text, or a tiny SVG with the smallest and largest number
    marked.

    Use it inside sentences, tables and messages. Returns the text, the range and the change.
    """
    low, high = min(values), max(values)
    shares = [(value - low) / (high - low) if high > low else 0.5 for value in values]
    found: Sparkline = {
        "text": "".join(_BLOCKS[min(math.floor(share * 8), 7)] for share in shares),
        "minimum": float(low),
        "maximum": float(high),
        "change_percent": _change_percent(values[0], values[-1]),
    }
    if form == "svg":
        found["svg"] = _draw_svg(shares, width, height)
        found["file"] = save("sparkline.svg", found["svg"].encode())
    return found


def _change_percent(first: float, last: float) -> float | None:
    change = 100 * (last - first) / abs(first) if first else math.inf
    return round(change, 4) if math.isfinite(change) else None


def _draw_svg(shares: Sequence[float], width: int, height: int) -> str:
    step = (width - 6) / (len(shares) - 1)
    points = [
        (f"{3 + number * step:.4g}", f"{height - 3 - share * (height - 6):.4g}") for number, share in enumerate(shares)
    ]
    marks = ((shares.index(min(shares)), _LOW), (shares.index(max(shares)), _HIGH))
    dots = "".join(f'<circle cx="{points[at][0]}" cy="{points[at][1]}" r="2" fill="{colour}"/>' for at, colour in marks)
    line = " ".join(",".join(point) for point in points)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<polyline fill="none" stroke="{_INK}" stroke-width="1.5" stroke-linejoin="round" points="{line}"/>'
        f"{dots}</svg>"
    )
