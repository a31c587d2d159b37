"""Charts of parts and flows: pie, treemap, Sankey, gauge, radar."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from matplotlib.patches import PathPatch, Rectangle, Wedge
from matplotlib.path import Path
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import NamedValues, Names, Numbers, check_lengths, spread
from retinue_tools.data_analysis._charts_style import (
    DPI,
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
    percent,
    short,
    text_on,
    wrap,
)

_OTHER = "#B4BDC6"


class Part(TypedDict):
    """A part of a whole."""

    name: Annotated[str, About("Its name")]
    value: Annotated[float, About("Its number")]
    percent: Annotated[float, About("Its share of the whole")]


class PartsChart(Picture):
    """A chart of parts."""

    parts: Annotated[list[Part], About("The parts as drawn")]
    total: Annotated[float, About("The whole")]


class Flow(TypedDict):
    """A flow between two things."""

    source: Annotated[str, About("Where it comes from", "Salary", min_length=1, max_length=80)]
    target: Annotated[str, About("Where it goes", "Rent", min_length=1, max_length=80)]
    value: Annotated[float, About("How much", 1200, exclusive_minimum=0, maximum=1e15)]


class NodeFacts(TypedDict):
    """A thing in a Sankey diagram."""

    name: Annotated[str, About("Its name")]
    inflow: Annotated[float, About("What comes in")]
    outflow: Annotated[float, About("What goes out")]
    column: Annotated[int, About("Its column, from 0 at the left")]


class Sankey(Picture):
    """A Sankey diagram."""

    nodes: Annotated[list[NodeFacts], About("Things that flows join")]
    total: Annotated[float, About("What comes out of things without inflow")]


class Gauge(Picture):
    """A gauge."""

    percent: Annotated[float, About("Place of the value in the range, in percent")]
    zone: Annotated[str | None, About("Zone that the value lies in")]


class Zone(TypedDict):
    """A zone of a gauge."""

    up_to: Annotated[float, About("Its upper end", 60, minimum=-1e15, maximum=1e15)]
    name: NotRequired[Annotated[str, About("Its name", "low", max_length=40)]]
    colour: NotRequired[Annotated[Literal["red", "amber", "green", "grey"], About("Its colour", "red")]]


class Radar(Picture):
    """A radar chart."""

    areas_percent: Annotated[list[float], About("Area of each series, in percent of the whole chart")]
    largest: Annotated[str, About("Series with the greatest area")]


@tool(
    tags="chart pie donut doughnut share parts percent circle draw",
    use_when=(
        "Draw a pie chart of the budget",
        "Show market shares as a donut",
        "Make a circle diagram of the votes",
    ),
    examples=(
        Example(
            {"names": ["Rent", "Food"], "values": [300, 100]},
            {
                "file": "pie.png",
                "parts": [
                    {"name": "Rent", "value": 300.0, "percent": 75.0},
                    {"name": "Food", "value": 100.0, "percent": 25.0},
                ],
                "total": 400.0,
            },
            source="divided by hand",
        ),
        Example(
            {"names": ["a", "b", "c", "d"], "values": [1, 6, 1, 2], "shape": "donut", "most_parts": 3},
            {
                "parts": [
                    {"name": "b", "percent": 60.0},
                    {"name": "d"},
                    {"name": "Other", "value": 2.0, "percent": 20.0},
                ]
            },
            source="the smallest two together, by hand",
        ),
        Refusal({"names": ["a"], "values": [-1]}, "negative"),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_pie(
    names: Names,
    values: Numbers,
    title: Title = "",
    shape: Annotated[Literal["pie", "donut"], About("A full circle, or a ring with the total in it")] = "pie",
    most_parts: Annotated[int, About("Smaller parts beyond this count become Other", minimum=2, maximum=12)] = 7,
    layout: Around = None,
    file_format: FileFormat = "png",
) -> PartsChart:
    """Draw a pie or donut chart of the parts of a whole, from the greatest, each labelled with name and share.

    Use it for a few parts; for many or similar ones bars are read better. Returns the picture and the shares.
    """
    parts = _parts(names, values, most_parts)
    total = math.fsum(part["value"] for part in parts)

    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.axis("off")
        axes.set_aspect("equal")
        axes.set_xlim(-2.1, 2.1)
        axes.set_ylim(-1.12, 1.12)
        angle, width = 90.0, 0.42 if shape == "donut" else None
        middles = []
        for part, colour in zip(parts, _part_colours(parts), strict=True):
            end = angle - 3.6 * part["percent"]
            axes.add_patch(
                Wedge((0, 0), 1, end, angle, width=width, facecolor=colour, edgecolor="white", linewidth=1.6)
            )
            middles.append(math.radians((angle + end) / 2))
            angle = end
        _label_wedges(axes, parts, middles)
        if shape == "donut":
            axes.text(0, 0.03, compact(total), ha="center", va="center", size=19, weight="bold")

    picture = draw("pie", Frame(title, layout, file_format), plot, (760, 480))
    return {**picture, "parts": parts, "total": total}


@tool(
    tags="chart treemap rectangles parts hierarchy area share draw",
    use_when=(
        "Draw a treemap of the expenses",
        "Show disk usage by folder as rectangles",
        "Picture how big each product is",
    ),
    examples=(
        Example(
            {"names": ["a", "b", "c"], "values": [6, 3, 1]},
            {
                "file": "treemap.png",
                "parts": [{"name": "a", "percent": 60.0}, {"name": "b"}, {"name": "c"}],
                "total": 10.0,
            },
            source="divided by hand",
        ),
        Example(
            {"names": ["a", "b"], "values": [1, 3], "groups": ["x", "y"], "file_format": "svg"},
            {"file": "treemap.svg", "parts": [{"name": "b", "percent": 75.0}, {"name": "a", "percent": 25.0}]},
            source="by hand",
        ),
        Refusal({"names": ["a"], "values": [0]}, "above 0"),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_treemap(
    names: Names,
    values: Numbers,
    groups: Annotated[
        Names | None, About("Group of each name, which gives its colour", ["Food", "Food", "Rent"])
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> PartsChart:
    """Draw a treemap: rectangles whose areas are the numbers, coloured by group.

    Use it for many parts of a whole. Returns the picture and the shares from the greatest.
    """
    if groups is not None and len(groups) != len(names):
        raise ToolError("groups must have a group for each name.")
    parts = _parts(names, values, len(names))
    kinds = dict(zip(names, groups or names, strict=True))
    order = list(dict.fromkeys(kinds[part["name"]] for part in parts))
    colour = dict(zip(order, colours(len(order)) if groups else [PALETTE[0]] * len(order), strict=True))
    total = math.fsum(part["value"] for part in parts)

    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.axis("off")
        width, height = (float(side) * DPI for side in figure.get_size_inches())
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        boxes = _squares([part["value"] / total * width * height for part in parts], (0.0, 0.0, width, height))
        for part, box in zip(parts, boxes, strict=True):
            _box(axes, part, box, colour[kinds[part["name"]]])
        if groups:
            legend(figure, [Rectangle((0, 0), 1, 1, facecolor=colour[kind]) for kind in order], order)

    picture = draw("treemap", Frame(title, layout, file_format), plot)
    return {**picture, "parts": parts, "total": total}


@tool(
    tags="chart sankey flow diagram energy budget money transfer draw",
    use_when=(
        "Draw a Sankey diagram of my budget",
        "Show how energy flows from sources to uses",
        "Picture the flows between these accounts",
    ),
    examples=(
        Example(
            {
                "flows": [
                    {"source": "Salary", "target": "Budget", "value": 30},
                    {"source": "Gift", "target": "Budget", "value": 10},
                    {"source": "Budget", "target": "Rent", "value": 25},
                    {"source": "Budget", "target": "Food", "value": 15},
                ]
            },
            {
                "file": "sankey.png",
                "nodes": [
                    {"name": "Salary", "inflow": 0.0, "outflow": 30.0, "column": 0},
                    {"name": "Budget", "inflow": 40.0, "outflow": 40.0, "column": 1},
                    {"name": "Gift", "column": 0},
                    {"name": "Rent", "inflow": 25.0, "column": 2},
                    {"name": "Food", "inflow": 15.0, "column": 2},
                ],
                "total": 40.0,
            },
            source="added by hand",
        ),
        Example(
            {"flows": [{"source": "a", "target": "b", "value": 1}], "file_format": "svg"},
            {"file": "sankey.svg", "total": 1.0},
            source="by hand",
        ),
        Refusal(
            {"flows": [{"source": "a", "target": "b", "value": 1}, {"source": "b", "target": "a", "value": 1}]},
            "circle",
        ),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_sankey(
    flows: Annotated[
        list[Flow],
        About("Flows", [{"source": "Salary", "target": "Rent", "value": 1200}], min_items=1, max_items=200),
    ],
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Sankey:
    """Draw a Sankey diagram: flows between things as bands whose widths are their amounts, from left to right.

    Use it for money, energy or visitors. Flows must not run in a circle. Returns the picture and what goes in and out.
    """
    nodes = _nodes(flows)
    columns = max(node["column"] for node in nodes) + 1

    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.axis("off")
        heights = _node_places(nodes, columns)
        axes.set_xlim(0, 1)
        axes.set_ylim(1.02, -0.02)
        colour = dict(zip((node["name"] for node in nodes), colours(len(nodes)), strict=True))
        _bands(axes, flows, nodes, heights, colour, columns)
        for node in nodes:
            top, height = heights[node["name"]]
            x = _column_place(node["column"], columns)
            axes.add_patch(Rectangle((x, top), 0.014, height, facecolor=colour[node["name"]]))
            last = node["column"] == columns - 1
            text = f"{short(node['name'], 26)}  {compact(max(node['inflow'], node['outflow']))}"
            axes.text(
                x - 0.008 if last else x + 0.022, top + height / 2, text, va="center", ha="right" if last else "left"
            )

    rows = max(sum(node["column"] == column for node in nodes) for column in range(columns))
    picture = draw("sankey", Frame(title, layout, file_format), plot, (960, min(max(480, 44 * rows), 2000)))
    return {**picture, "nodes": nodes, "total": math.fsum(node["outflow"] for node in nodes if not node["inflow"])}


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
        list[Zone] | None, About("Zones from the left", [{"up_to": 60, "name": "low", "colour": "red"}], max_items=8)
    ] = None,
    title: Title = "",
    file_format: FileFormat = "png",
) -> Gauge:
    """Draw a gauge: one value on a half-round scale, with zones such as low, fair and good.

    Use it for a single key figure. Returns the picture, the place in percent, and the zone.
    """
    if not minimum < maximum or not minimum <= value <= maximum:
        raise ToolError(f"The value {number(value)} lies outside of the scale {number(minimum)} to {number(maximum)}.")
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
        float | None, About("End of the scale; the greatest number if not given", 10, exclusive_minimum=0)
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Radar:
    """Draw a radar (spider) chart: profiles over three or more criteria on one scale from zero.

    Use it for scores of a few things. Returns the picture and how much of the chart each profile fills.
    """
    check_lengths(len(criteria), "criteria", series)
    values = np.array([[value or 0.0 for value in one["values"]] for one in series])
    end = float(maximum or values.max() or 1)
    if values.min() < 0 or values.max() > end or end > 1e15:
        raise ToolError("The numbers of a radar chart must lie between 0 and the end of the scale.")
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


def _parts(names: Sequence[str], values: Sequence[float], most: int) -> list[Part]:
    """Parts from the greatest, the smallest together as Other. Raises `ToolError`."""
    if len(names) != len(values):
        raise ToolError(f"There are {len(names)} names and {len(values)} numbers. Give as many of each.")
    if min(values) < 0:
        raise ToolError("Parts of a whole cannot be negative. Use chart_draw_bars.")
    total = math.fsum(values)
    if total <= 0:
        raise ToolError("At least one number must be above 0.")
    pairs = sorted(
        ((name, float(value)) for name, value in zip(names, values, strict=True) if value), key=lambda pair: -pair[1]
    )
    if len(pairs) > most:
        pairs = [*pairs[: most - 1], ("Other", math.fsum(value for _, value in pairs[most - 1 :]))]
    return [{"name": name, "value": value, "percent": round(100 * value / total, 6)} for name, value in pairs]


def _part_colours(parts: Sequence[Part]) -> list[str]:
    shades = colours(len(parts))
    return [_OTHER if part["name"] == "Other" else shade for part, shade in zip(parts, shades, strict=True)]


def _label_wedges(axes: Any, parts: Sequence[Part], middles: Sequence[float]) -> None:
    """Names and shares beside the circle, joined to their wedges, those of a side kept apart."""
    for right in (True, False):
        chosen = [index for index, turn in enumerate(middles) if (math.cos(turn) >= 0) == right]
        heights = spread([1.12 * math.sin(middles[index]) for index in chosen], 0.19, -1.05, 1.05)
        for index, height in zip(chosen, heights, strict=True):
            turn, sign = middles[index], 1 if right else -1
            along, bend = (math.cos(turn), math.sin(turn)), sign * math.sqrt(max(1.12**2 - height**2, 0))
            xs, ys = [along[0], along[0] * 1.1, bend, sign * 1.17], [along[1], along[1] * 1.1, height, height]
            axes.plot(xs, ys, color=LIGHT, linewidth=1)
            text = f"{short(parts[index]['name'], 24)}  {percent(parts[index]['percent'] / 100)}"
            axes.text(sign * 1.2, height, text, ha="left" if right else "right", va="center", size=10)


def _squares(areas: Sequence[float], box: tuple[float, float, float, float]) -> list[tuple[float, float, float, float]]:
    """Rectangles (x, y, width, height) of these areas, nearly square (Bruls et al., Squarified Treemaps)."""
    x, y, width, height = box
    found: list[tuple[float, float, float, float]] = []
    # Smaller than can be seen, and large enough for their squares not to vanish.
    rest = [max(area, 1e-12) for area in areas]
    while rest:
        side = max(min(width, height), 1e-9)
        count = 1
        while count < len(rest) and _worst(rest[: count + 1], side) <= _worst(rest[:count], side):
            count += 1
        row, rest = rest[:count], rest[count:]
        depth, along = sum(row) / side, 0.0
        for area in row:
            length = area / depth if depth else 0.0
            found.append((x, y + along, depth, length) if width >= height else (x + along, y, length, depth))
            along += length
        x, y, width, height = (
            (x + depth, y, width - depth, height) if width >= height else (x, y + depth, width, height - depth)
        )
    return found


def _worst(row: Sequence[float], side: float) -> float:
    total = sum(row)
    return max(side**2 * max(row) / total**2, total**2 / (side**2 * min(row)))


def _box(axes: Any, part: Part, box: tuple[float, float, float, float], colour: str) -> None:
    x, y, width, height = box
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor="white", linewidth=2.5))
    letters = int((width - 16) / 7.6)
    if letters < 4 or height < 26:
        return
    cut = max(map(len, part["name"].split()), default=0) > letters
    name = short(part["name"], letters) if cut else wrap(part["name"], letters, 2 if height > 60 else 1)
    share = (
        f"\n{compact(part['value'])} \u00b7 {percent(part['percent'] / 100)}" if height > 44 and letters > 10 else ""
    )
    axes.text(x + 9, y + 8, name + share, va="top", color=text_on(colour), linespacing=1.4, clip_on=True)


def _nodes(flows: Sequence[Flow]) -> list[NodeFacts]:
    """The things that flows join, each in the first column right of all that flow into it. Raises `ToolError`."""
    names = list(dict.fromkeys(name for flow in flows for name in (flow["source"], flow["target"])))
    column = dict.fromkeys(names, 0)
    for _ in range(len(names) + 1):
        late = [flow for flow in flows if column[flow["target"]] <= column[flow["source"]]]
        if not late:
            break
        for flow in late:
            column[flow["target"]] = column[flow["source"]] + 1
    else:
        raise ToolError("The flows run in a circle. Take out the flow that goes back.")
    return [
        {
            "name": name,
            "inflow": math.fsum(flow["value"] for flow in flows if flow["target"] == name),
            "outflow": math.fsum(flow["value"] for flow in flows if flow["source"] == name),
            "column": column[name],
        }
        for name in names
    ]


def _column_place(column: int, columns: int) -> float:
    return 0.986 * column / max(columns - 1, 1)


def _node_places(nodes: Sequence[NodeFacts], columns: int) -> dict[str, tuple[float, float]]:
    """Top and height of each thing, in shares of the chart."""
    stacks = [[node for node in nodes if node["column"] == column] for column in range(columns)]
    gap = min(0.05, 0.4 / max(map(len, stacks)))
    sums = [math.fsum(max(node["inflow"], node["outflow"]) for node in stack) for stack in stacks]
    scale = min((1 - gap * (len(stack) - 1)) / total for stack, total in zip(stacks, sums, strict=True) if total)
    places = {}
    for stack, total in zip(stacks, sums, strict=True):
        top = (1 - total * scale - gap * (len(stack) - 1)) / 2
        for node in stack:
            height = max(node["inflow"], node["outflow"]) * scale
            places[node["name"]] = (top, height)
            top += height + gap
    return places


def _bands(
    axes: Any,
    flows: Sequence[Flow],
    nodes: Sequence[NodeFacts],
    places: Mapping[str, tuple[float, float]],
    colour: Mapping[str, str],
    columns: int,
) -> None:
    facts = {node["name"]: node for node in nodes}
    leaves = {name: place[0] for name, place in places.items()}
    enters = dict(leaves)
    starts: dict[int, float] = {}
    for index, flow in sorted(enumerate(flows), key=lambda pair: places[pair[1]["target"]][0]):
        starts[index] = leaves[flow["source"]]
        leaves[flow["source"]] += _thick(flow, facts, places)
    for index, flow in sorted(enumerate(flows), key=lambda pair: places[pair[1]["source"]][0]):
        thick, start, end = _thick(flow, facts, places), starts[index], enters[flow["target"]]
        enters[flow["target"]] += thick
        left = _column_place(facts[flow["source"]]["column"], columns) + 0.014
        right = _column_place(facts[flow["target"]]["column"], columns)
        middle = (left + right) / 2
        points = [
            (left, start), (middle, start), (middle, end), (right, end), (right, end + thick), (middle, end + thick),
            (middle, start + thick), (left, start + thick), (left, start),
        ]  # fmt: skip
        codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
        axes.add_patch(PathPatch(Path(points, codes), facecolor=colour[flow["source"]], alpha=0.32))


def _thick(flow: Flow, facts: Mapping[str, NodeFacts], places: Mapping[str, tuple[float, float]]) -> float:
    node = facts[flow["source"]]
    return places[flow["source"]][1] * flow["value"] / max(node["inflow"], node["outflow"])


def _web(axes: Any, turns: Any, end: float) -> None:
    """Straight rings instead of circles, with their numbers."""
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
