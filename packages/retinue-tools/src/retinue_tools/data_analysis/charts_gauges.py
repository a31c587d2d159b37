"""Gauges and radar charts."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from matplotlib.patches import Wedge
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import NamedValues, check_lengths
from retinue_tools.data_analysis._charts_style import (
    GREY,
    GRID,
    INK,
    LIGHT,
    PALETTE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    colours,
    compact,
    draw,
    legend,
    number,
    wrap,
)


class Gauge(Picture):
    """A gauge."""

    percent: Annotated[float, About("Position of the value in the range, in percent")]
    zone: Annotated[str | None, About("Zone of the value")]


class Zone(TypedDict):
    """A zone of a gauge."""

    up_to: Annotated[float, About("Upper end of the zone", 60, minimum=-1e15, maximum=1e15)]
    name: NotRequired[Annotated[str, About("Name of the zone", "low", max_length=40)]]
    colour: NotRequired[Annotated[Literal["red", "amber", "green", "grey"], About("Colour of the zone", "red")]]


class Radar(Picture):
    """A radar chart."""

    areas_percent: Annotated[list[float], About("Area of each series, in percent of the whole chart")]
    largest: Annotated[str, About("Series with the largest area")]


@tool(
    tags="chart gauge dial meter kpi speedometer target value draw",
    use_when=(
        "Draw a gauge for 72 of 100",
        "Show the customer satisfaction as a dial with zones",
        "Picture how far we are to the target",
    ),
    examples=(
        Example(
            {"value": 30, "maximum": 40},
            {"file": "gauge.png", "percent": 75.0, "zone": None},
            source="30 / 40",
        ),
        Example(
            {
                "value": 5, "minimum": -10, "maximum": 10, "unit": "°C",
                "zones": [{"up_to": 0, "name": "frost", "colour": "red"}, {"up_to": 10, "name": "mild"}],
            },
            {"percent": 75.0, "zone": "mild"},
            source="15 / 20",
        ),
        Refusal({"value": 50, "maximum": 40}, "outside"),
    ),
    reply={
        "zone": "The gauge stands at {percent} %, in the zone “{zone}”: {file}",
        "": "The gauge stands at {percent} %: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)  # fmt: skip
def chart_draw_gauge(
    value: Annotated[float, About("Value to show", 72, minimum=-1e15, maximum=1e15)],
    minimum: Annotated[float, About("Left end of the scale", minimum=-1e15, maximum=1e15)] = 0,
    maximum: Annotated[float, About("Right end of the scale", minimum=-1e15, maximum=1e15)] = 100,
    unit: Annotated[str, About("Unit after the value", "%", max_length=20)] = "",
    zones: Annotated[
        list[Zone] | None,
        About("Zones from left to right", [{"up_to": 60, "name": "low", "colour": "red"}], max_items=8),
    ] = None,
    title: Title = "",
    file_format: FileFormat = "png",
) -> Gauge:
    """Draw a gauge: one value on a half-round scale, with zones such as low, fair and good.

    Use it for a single key figure. Returns the picture, the position in percent, and the zone.
    """
    if not minimum < maximum or not minimum <= value <= maximum:
        raise ToolError(f"The value {number(value)} is outside the scale {number(minimum)} to {number(maximum)}.")
    share = (value - minimum) / (maximum - minimum)
    ordered = sorted(zones or [], key=lambda zone: zone["up_to"])
    zone = next((found for found in ordered if value <= found["up_to"]), None)

    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.axis("off")
        axes.set_aspect("equal")
        axes.set_xlim(-1.25, 1.25)
        axes.set_ylim(-0.28, 1.12)
        axes.add_patch(Wedge((0, 0), 1, 0, 180, width=0.24, facecolor=GRID))
        start = minimum
        for found in ordered:
            end = min(max(found["up_to"], minimum), maximum)
            angles = [180 - 180 * (edge - minimum) / (maximum - minimum) for edge in (end, start)]
            shade = _ZONES[found.get("colour", "grey")]
            axes.add_patch(Wedge((0, 0), 1, *angles, width=0.24, facecolor=shade, edgecolor="white", linewidth=1.5))
            start = end
        if not ordered:
            axes.add_patch(Wedge((0, 0), 1, 180 - 180 * share, 180, width=0.24, facecolor=PALETTE[0]))
        turn = math.pi * (1 - share)
        along, side = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
        axes.fill(*np.array([along * 0.9, side * 0.028, -side * 0.028]).T, color=INK, zorder=4)
        axes.add_patch(Wedge((0, 0), 0.055, 0, 360, facecolor=INK, zorder=5))
        axes.text(
            0, -0.25, f"{number(value)}{'' if unit in ('', '%') else ' '}{unit}", ha="center", size=24, weight="bold"
        )
        for edge, x in ((minimum, -0.88), (maximum, 0.88)):
            axes.text(x, -0.06, compact(edge), ha="center", va="top", color=GREY)

    picture = draw("gauge", Frame(title, None, file_format), plot, (520, 360))
    return {**picture, "percent": round(100 * share, 6), "zone": zone.get("name") if zone else None}


@tool(
    tags="chart radar spider web profile compare criteria star draw",
    use_when=(
        "Draw a radar chart of the skills of two people",
        "Compare three phones by price, camera and battery",
        "Make a spider diagram of the survey scores",
    ),
    examples=(
        Example(
            {
                "criteria": ["a", "b", "c", "d"],
                "series": [{"name": "X", "values": [5, 5, 5, 5]}, {"name": "Y", "values": [10, 0, 10, 0]}],
                "maximum": 10,
            },
            {"file": "radar.png", "areas_percent": [25.0, 0.0], "largest": "X"},
            source="half the radius is a quarter of the area; two opposite points enclose none",
        ),
        Example(
            {"criteria": ["a", "b", "c"], "series": [{"name": "X", "values": [2, 2, 2]}], "file_format": "svg"},
            {"areas_percent": [100.0]},
            source="the scale ends at the greatest number",
        ),
        Refusal({"criteria": ["a", "b", "c"], "series": [{"name": "X", "values": [1, 2]}]}, "2 values for 3 criteria"),
    ),
    reply="The radar chart; {largest} has the largest area: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_radar(
    criteria: Annotated[
        list[Annotated[str, About("Criterion", "Price", max_length=60)]],
        About("Names of the axes", ["Price", "Camera", "Battery"], min_items=3, max_items=24),
    ],
    series: Annotated[
        list[NamedValues], About("Profiles", [{"name": "A", "values": [5, 3, 4]}], min_items=1, max_items=6)
    ],
    maximum: Annotated[
        float | None, About("End of the scale; default: the largest number", 10, exclusive_minimum=0)
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Radar:
    """Draw a radar (spider) chart: profiles over three or more criteria on one scale from zero.

    Use it for scores of a few things. Returns the picture and the share of the chart that each profile fills.
    """
    check_lengths(len(criteria), "criteria", series)
    values = np.array([[value or 0.0 for value in one["values"]] for one in series])
    end = float(maximum or values.max() or 1)
    if values.min() < 0 or values.max() > end or end > 1e15:
        raise ToolError("The numbers of a radar chart must be between 0 and the end of the scale.")
    areas = (values * np.roll(values, -1, axis=1)).sum(axis=1) / (len(criteria) * end**2) * 100

    def plot(figure: Any) -> None:
        axes = figure.add_subplot(projection="polar")
        turns = np.linspace(0, 2 * np.pi, len(criteria), endpoint=False)
        axes.set_theta_offset(np.pi / 2)
        axes.set_theta_direction(-1)
        axes.set_ylim(0, end)
        _web(axes, turns, end)
        handles = []
        for row, colour in zip(values, colours(len(series)), strict=True):
            closed = np.append(row, row[0])
            handles += axes.plot(np.append(turns, 0), closed, color=colour, linewidth=2)
            axes.fill(np.append(turns, 0), closed, color=colour, alpha=0.12)
        axes.set_xticks(turns, [wrap(name, 16) for name in criteria], color=INK)
        for label, turn in zip(axes.get_xticklabels(), turns, strict=True):
            sine = math.sin(turn)
            label.set_horizontalalignment("center" if abs(sine) < 0.1 else "left" if sine > 0 else "right")
        if len(series) > 1:
            legend(figure, handles, [one["name"] for one in series])

    picture = draw("radar", Frame(title, layout, file_format), plot, (640, 560))
    rounded = [round(float(area), 6) for area in areas]
    return {**picture, "areas_percent": rounded, "largest": series[int(areas.argmax())]["name"]}


_ZONES: Mapping[str, str] = {"red": "#D55E00", "amber": "#E8B54D", "green": "#009E73", "grey": LIGHT}


def _web(axes: Any, turns: Any, end: float) -> None:
    """Draw straight rings instead of circles, with their numbers."""
    axes.spines["polar"].set_visible(False)
    axes.grid(visible=False)
    closed = np.append(turns, turns[0])
    for share in (0.25, 0.5, 0.75, 1):
        axes.plot(closed, [end * share] * len(closed), color=LIGHT if share == 1 else GRID, linewidth=1, zorder=0)
        axes.text(0, end * share, f" {compact(end * share)}", size=8, color=GREY, va="bottom")
    for turn in turns:
        axes.plot([turn, turn], [0, end], color=GRID, linewidth=1, zorder=0)
    axes.set_yticks([])
    axes.tick_params(pad=9)
