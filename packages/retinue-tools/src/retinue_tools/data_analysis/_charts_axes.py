"""Axes of dates, numbers and names, and placement of labels without overlaps."""

import itertools
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from matplotlib import dates as mpl_dates
from typing_extensions import TypedDict

from retinue.sdk import About, ToolError
from retinue_tools.data_analysis._charts_style import DPI, Gap, Value, short, wrap

MOST_POINTS = 20_000

Positions = Annotated[
    list[Annotated[str | float, About("Date, number or name", "2026-01", max_length=120)]],
    About("Positions of the points: dates (2026-01-31, 2026-01), numbers or names", ["2026-01", "2026-02", "2026-03"],
          min_items=1, max_items=MOST_POINTS),
]  # fmt: skip
Names = Annotated[
    list[Annotated[str, About("Name", "North", max_length=120)]],
    About("Names of the categories", ["North", "South", "West"], min_items=1, max_items=200),
]
Numbers = Annotated[list[Value], About("Numbers", [12, 9.5, 7], min_items=1, max_items=50_000)]


class NamedValues(TypedDict):
    """A series of numbers."""

    name: Annotated[str, About("Name of the series", "2026", max_length=120)]
    values: Annotated[
        list[Gap], About("Values in order; null for a gap", [12, 9.5, 7], min_items=1, max_items=MOST_POINTS)
    ]


def check_lengths(count: int, what: str, series: Sequence[NamedValues]) -> None:
    """Raise `ToolError` unless each series has as many values as there are positions."""
    for one in series:
        if len(one["values"]) != count:
            got = len(one["values"])
            raise ToolError(
                f"{short(one['name'])} has {got} value{'s' * (got != 1)} for {count} {what}. Give the same number of "
                "each."
            )
        if all(value is None for value in one["values"]):
            raise ToolError(f"{short(one['name'])} has no numbers. Leave it out.")


def place(axes: Any, x: Sequence[str | float]) -> Sequence[Any]:
    """Return the positions of the points on the horizontal axis, and set up the axis for dates, numbers or names."""
    if all(isinstance(value, int | float) for value in x):
        axes.xaxis.set_major_formatter(lambda value, _: _plain(value))
        return x
    moments = [moment(str(value)) for value in x]
    if all(moments):
        locator = mpl_dates.AutoDateLocator(minticks=3, maxticks=_room(axes, 70))
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(mpl_dates.ConciseDateFormatter(locator))
        return [mpl_dates.date2num(when) for when in moments]
    name_ticks(axes, [str(value) for value in x])
    return range(len(x))


def moment(text: str) -> datetime | None:
    """Parse a date such as 2026-01-31, 2026-01 or 2026-01-31T12:00 from the years 1000 to 2999. Returns None for other
    texts.
    """
    try:
        found = datetime.fromisoformat(f"{text}-01" if len(text) == 7 and text[4] == "-" else text)
    except ValueError:
        return None
    return found.replace(tzinfo=None) if 1000 <= found.year < 3000 else None


def name_ticks(axes: Any, names: Sequence[str]) -> None:
    """Write names below the axis: on two lines if that helps, and only some if they do not all fit."""
    room = figure_width(axes) * 0.9 / max(len(names), 1)
    letters = max(int(room / 7.2), 4)
    texts = [wrap(name, max(letters, 8)) for name in names]
    widest = max(max(map(len, text.split("\n"))) for text in texts) * 7.2
    step = max(1, -(-int(widest + 6) // max(int(room), 1)))
    axes.set_xticks(range(0, len(names), step), texts[::step])


def spread(positions: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible so that they are `distance` apart, within the bounds if they fit."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    placed = list(positions)
    for _ in range(200):
        moved = False
        for lower, upper in itertools.pairwise(order):
            overlap = distance - (placed[upper] - placed[lower])
            if overlap > 0.01:
                placed[lower] -= overlap / 2
                placed[upper] += overlap / 2
                moved = True
        if order and (excess := low - placed[order[0]]) > 0:
            placed[order[0]] += excess
        if order and (excess := placed[order[-1]] - high) > 0:
            placed[order[-1]] -= excess
        if not moved:
            break
    return placed


def label_ends(figure: Any, axes: Any, ends: Sequence[tuple[str, float, str]], points: float = 9.5) -> None:
    """Write names at the right edge, each (text, value, colour) at the height of its value if there is room."""
    texts = [
        axes.text(1.012, value, text, transform=axes.get_yaxis_transform(), color=colour, va="center", size=points)
        for text, value, colour in ends
    ]
    figure.draw_without_rendering()
    low, high = axes.transAxes.transform([(0, 0), (1, 1)])[:, 1]
    heights = [float(axes.transData.transform((0, value))[1]) for _, value, _ in ends]
    for text, height in zip(texts, spread(heights, points * 1.75, low, high), strict=True):
        text.set_y(axes.transData.inverted().transform((0, height))[1])


def figure_width(axes: Any) -> float:
    """Return the width of the chart in pixels."""
    return float(axes.figure.get_size_inches()[0] * DPI)


def _room(axes: Any, pixels: int) -> int:
    return max(3, int(figure_width(axes) // (pixels * 1.3)))


def _plain(value: float) -> str:
    """Format a number on the position axis, where years have no thousands separator."""
    text = f"{value:.6g}" if abs(value) >= 10_000 or value != int(value) else f"{value:.0f}"
    return f"{value:,.0f}" if 10_000 <= abs(value) < 1e12 and value == int(value) else text.replace("-", "\u2212")
