"""Line charts, area charts and candlesticks."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import NamedValues, Positions, check_lengths, label_ends, place
from retinue_tools.data_analysis._charts_style import (
    FALL,
    GREY,
    INK,
    RISE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    axes_of,
    colours,
    draw,
    legend,
    number,
    short,
)
from retinue_tools.data_analysis.charts_time import DAY_PATTERN, day_of


class Candle(TypedDict):
    """Prices of a period."""

    date: Annotated[str, About("Date of the period", "2026-03-02", pattern=DAY_PATTERN, max_length=10)]
    open: Annotated[float, About("First price", 10, minimum=0, maximum=1e12)]
    high: Annotated[float, About("Highest price", 12, minimum=0, maximum=1e12)]
    low: Annotated[float, About("Lowest price", 9, minimum=0, maximum=1e12)]
    close: Annotated[float, About("Last price", 11, minimum=0, maximum=1e12)]


class Candles(Picture):
    """A candlestick chart."""

    change_percent: Annotated[float | None, About("From the first opening to the last closing price")]
    highest: Annotated[float, About("Highest price")]
    lowest: Annotated[float, About("Lowest price")]
    rising_days: Annotated[int, About("Periods that closed above their opening")]


@tool(
    tags="chart candlestick ohlc stock price market open high low close draw",
    use_when=(
        "Draw a candlestick chart of the share price",
        "Plot open, high, low and close of each day",
        "Show the prices with a moving average",
    ),
    examples=(
        Example(
            {
                "candles": [
                    {"date": "2026-03-02", "open": 10, "high": 12, "low": 9, "close": 11},
                    {"date": "2026-03-03", "open": 11, "high": 13, "low": 8, "close": 9},
                ]
            },
            {"file": "candles.png", "change_percent": -10.0, "highest": 13.0, "lowest": 8.0, "rising_days": 1},
            source="by hand",
        ),
        Example(
            {
                "candles": [{"date": "2026-03-02", "open": 0, "high": 1, "low": 0, "close": 1}],
                "average_of": 5,
                "file_format": "svg",
            },
            {"file": "candles.svg", "change_percent": None, "rising_days": 1},
            source="by hand",
        ),
        Refusal(
            {"candles": [{"date": "2026-03-02", "open": 10, "high": 9, "low": 8, "close": 9}]},
            "highest price of 2026-03-02",
        ),
    ),
    reply={
        "change_percent": (
            "The candlestick chart; the price changed by {change_percent} %, between {lowest} and {highest}: {file}"
        ),
        "": "The candlestick chart; the price was between {lowest} and {highest}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_candlestick(
    candles: Annotated[
        list[Candle],
        About(
            "Prices in chronological order",
            [{"date": "2026-03-02", "open": 10, "high": 12, "low": 9, "close": 11}],
            min_items=1,
            max_items=1000,
        ),
    ],
    average_of: Annotated[
        int | None, About("Number of periods of an optional moving average", 20, minimum=2, maximum=250)
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Candles:
    """Draw a candlestick chart of prices: bodies from open to close, wicks from low to high, without gaps.

    Use it for shares and currencies. Blue rises, orange falls. Returns the picture, the change and the range.
    """
    for candle in candles:
        _check_prices(candle)
    dates = [day_of(candle["date"]) for candle in candles]

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        places = range(len(candles))
        rises = [candle["close"] >= candle["open"] for candle in candles]
        shades = [RISE if rise else FALL for rise in rises]
        axes.vlines(
            places, [one["low"] for one in candles], [one["high"] for one in candles], color=shades, linewidth=1.2
        )
        least = (max(one["high"] for one in candles) - min(one["low"] for one in candles)) * 0.003
        bottoms = [min(one["open"], one["close"]) for one in candles]
        heights = [max(abs(one["close"] - one["open"]), least) for one in candles]
        axes.bar(places, heights, bottom=bottoms, width=0.66, color=shades)
        if average_of and len(candles) >= average_of:
            means = _moving_average([one["close"] for one in candles], average_of)
            axes.plot(range(average_of - 1, len(candles)), means, color=GREY, linewidth=1.6)
        step = max(1, -(-len(candles) // 9))
        axes.set_xticks(places[::step], [f"{when:%d %b}\n{when:%Y}" for when in dates[::step]])
        axes.set_xlim(-0.8, len(candles) - 0.2)

    picture = draw("candles", Frame(title, layout, file_format), plot)
    start, end = candles[0]["open"], candles[-1]["close"]
    return {
        **picture,
        "change_percent": round(100 * (end - start) / start, 4) if start else None,
        "highest": float(max(candle["high"] for candle in candles)),
        "lowest": float(min(candle["low"] for candle in candles)),
        "rising_days": sum(candle["close"] > candle["open"] for candle in candles),
    }


def _check_prices(candle: Candle) -> None:
    first, last = sorted((candle["open"], candle["close"]))
    if not candle["low"] <= first <= last <= candle["high"]:
        raise ToolError(f"The lowest and highest price of {candle['date']} must enclose its opening and closing price.")


def _moving_average(values: list[float], count: int) -> list[float]:
    """Return the mean of each value and those before it, `count` in total; the first values have none."""
    return [math.fsum(values[at - count + 1 : at + 1]) / count for at in range(count - 1, len(values))]


_MOST_LABELLED = 9
_MONTHS = ["2026-01", "2026-02", "2026-03"]

Lines = Annotated[
    list[NamedValues],
    About("Series of numbers", [{"name": "Tea", "values": [12, 9.5, 14]}], min_items=1, max_items=24),
]


class SeriesFacts(TypedDict):
    """Statistics of a series."""

    name: Annotated[str, About("Name of the series")]
    first: Annotated[float, About("First value")]
    last: Annotated[float, About("Last value")]
    change_percent: Annotated[float | None, About("Change from the first to the last value; null if the first is 0")]
    minimum: Annotated[float, About("Smallest value")]
    maximum: Annotated[float, About("Largest value")]
    mean: Annotated[float, About("Mean")]


class LineChart(Picture):
    """A line chart."""

    points: Annotated[int, About("Number of positions along the axis")]
    series: Annotated[list[SeriesFacts], About("Statistics of each series")]


class AreaChart(Picture):
    """An area chart."""

    totals: Annotated[list[float], About("Sum of all series at each position")]
    largest: Annotated[str, About("Series with the largest sum")]


@tool(
    tags="chart line graph plot trend series time draw",
    use_when=(
        "Draw a line chart of the monthly sales",
        "Plot temperature over time for three cities",
        "Show how the price developed, as an SVG",
    ),
    examples=(
        Example(
            {
                "x": _MONTHS,
                "series": [{"name": "Tea", "values": [10, None, 15]}, {"name": "Mate", "values": [4, 5, 3]}],
            },
            {
                "file": "line.png",
                "width": 1800,
                "height": 1040,
                "points": 3,
                "series": [
                    {"name": "Tea", "first": 10.0, "last": 15.0, "change_percent": 50.0, "mean": 12.5},
                    {
                        "name": "Mate",
                        "first": 4.0,
                        "last": 3.0,
                        "change_percent": -25.0,
                        "minimum": 3.0,
                        "maximum": 5.0,
                    },
                ],
            },
            source="by hand; pictures have twice 900 by 520 pixels",
        ),
        Example(
            {
                "x": [1, 2],
                "series": [{"name": "a", "values": [0, 2]}],
                "shape": "steps",
                "file_format": "svg",
                "layout": {"width": 400, "height": 300},
            },
            {"file": "line.svg", "width": 400, "height": 300, "series": [{"change_percent": None}]},
            source="by hand",
        ),
        Refusal({"x": _MONTHS, "series": [{"name": "Tea", "values": [1]}]}, "Tea has 1 value for 3 places"),
    ),
    reply="The line chart: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_line(
    x: Positions,
    series: Lines,
    title: Title = "",
    shape: Annotated[Literal["straight", "markers", "steps"], About("Style of the line between points")] = "straight",
    from_zero: Annotated[bool, About("Whether the vertical axis begins at zero")] = False,
    layout: Around = None,
    file_format: FileFormat = "png",
) -> LineChart:
    """Draw a line chart of one or more series over dates, numbers or names, each line labelled at its end.

    Use it for trends over time. Returns the picture and, for each series, its change, range and mean.
    """
    check_lengths(len(x), "places", series)

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        places = place(axes, x)
        handles = []
        for one, colour in zip(series, colours(len(series)), strict=True):
            handles += axes.plot(
                places, _numbers(one), color=colour, drawstyle="steps-post" if shape == "steps" else "default",
                marker="o" if shape == "markers" or len(x) == 1 else None, markersize=5.5,
            )  # fmt: skip
        if from_zero:
            axes.set_ylim(**_zero(series))
        axes.margins(x=0.02)
        _label(figure, axes, series, handles)

    picture = draw("line", Frame(title, layout, file_format), plot)
    return {**picture, "points": len(x), "series": [_facts(one) for one in series]}


@tool(
    tags="chart area stacked share composition plot graph draw",
    use_when=(
        "Draw a stacked area chart of energy sources by year",
        "Show how the shares of three products changed",
        "Plot the composition over time",
    ),
    examples=(
        Example(
            {"x": [2024, 2025], "series": [{"name": "Wind", "values": [1, 4]}, {"name": "Sun", "values": [2, 3]}]},
            {"file": "area.png", "totals": [3.0, 7.0], "largest": "Wind"},
            source="1 + 2, 4 + 3; both sum to 5, the first is named",
        ),
        Example(
            {
                "x": ["a", "b"],
                "series": [{"name": "Wind", "values": [1, 4]}, {"name": "Sun", "values": [3, 6]}],
                "stacking": "share",
            },
            {"totals": [4.0, 10.0], "largest": "Sun"},
            source="by hand",
        ),
        Refusal({"x": [1, 2], "series": [{"name": "Wind", "values": [1, -4]}]}, "negative"),
    ),
    reply="The area chart; {largest} has the largest sum: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_area(
    x: Positions,
    series: Lines,
    title: Title = "",
    stacking: Annotated[Literal["sum", "share"], About("Stack the values, or their shares of 100%")] = "sum",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> AreaChart:
    """Draw a stacked area chart: how parts make up a whole over dates, numbers or names.

    Use it for compositions that change. Numbers must not be negative; gaps count as 0. Returns the picture and the
    totals.
    """
    check_lengths(len(x), "places", series)
    parts = np.nan_to_num(np.array([_numbers(one) for one in series]))
    if (parts < 0).any():
        raise ToolError("Stacked areas cannot show negative numbers. Use chart_draw_line.")
    totals = parts.sum(axis=0)
    heights = np.divide(parts, totals, out=np.zeros_like(parts), where=totals > 0) if stacking == "share" else parts

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        colour = colours(len(series))
        axes.stackplot(place(axes, x), heights, colors=colour, alpha=0.88, edgecolor="white", linewidth=0.8)
        axes.margins(x=0)
        axes.set_ylim(0, 1 if stacking == "share" else None)
        if stacking == "share":
            axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
        if len(series) <= _MOST_LABELLED:
            middles = heights[:, -1].cumsum() - heights[:, -1] / 2
            names = [short(one["name"], 24) for one in series]
            label_ends(figure, axes, list(zip(names, map(float, middles), colour, strict=True)))
        else:
            legend(figure, axes.collections, [one["name"] for one in series])

    largest = max(zip(parts.sum(axis=1), series, strict=True), key=lambda pair: float(pair[0]))[1]["name"]
    picture = draw("area", Frame(title, layout, file_format), plot)
    return {**picture, "totals": [float(total) for total in totals], "largest": largest}


def _numbers(one: NamedValues) -> list[float]:
    return [math.nan if value is None else float(value) for value in one["values"]]


def _facts(one: NamedValues) -> SeriesFacts:
    values = [float(value) for value in one["values"] if value is not None]
    return {
        "name": one["name"],
        "first": values[0],
        "last": values[-1],
        "change_percent": round(100 * (values[-1] - values[0]) / abs(values[0]), 4) if values[0] else None,
        "minimum": min(values),
        "maximum": max(values),
        "mean": math.fsum(values) / len(values),
    }


def _zero(series: Sequence[NamedValues]) -> dict[str, float]:
    """Return an axis limit that includes zero."""
    values = [value for one in series for value in one["values"] if value is not None]
    return {"bottom": 0} if min(values) >= 0 else {"top": 0} if max(values) <= 0 else {}


def _label(figure: Any, axes: Any, series: Sequence[NamedValues], handles: Sequence[Any]) -> None:
    """Write names at the ends of lines, with the last number if there is only one line."""
    ends = [_facts(one)["last"] for one in series]
    names = [short(one["name"], 24) for one in series]
    if len(series) == 1:
        label_ends(figure, axes, [(number(ends[0]), ends[0], INK)])
    elif len(series) <= _MOST_LABELLED:
        label_ends(figure, axes, list(zip(names, ends, colours(len(series)), strict=True)))
    else:
        legend(figure, handles, names)
