"""Charts of parts of a whole: pie and treemap."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from matplotlib.patches import Rectangle, Wedge
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import Names, Numbers, spread
from retinue_tools.data_analysis._charts_style import (
    DPI,
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
    percent,
    short,
    text_on,
    wrap,
)

_OTHER = "#B4BDC6"


class Part(TypedDict):
    """A part of a whole."""

    name: Annotated[str, About("Name of the part")]
    value: Annotated[float, About("Value of the part")]
    percent: Annotated[float, About("Share of the whole")]


class PartsChart(Picture):
    """A chart of parts of a whole."""

    parts: Annotated[list[Part], About("Parts as drawn")]
    total: Annotated[float, About("Sum of all parts")]


@tool(
    tags="chart pie donut doughnut share parts percent circle draw",
    use_when=(
        "Draw a pie chart of the budget",
        "Show market shares as a donut",
        "Make a circle diagram of the votes",
        "Pie chart of my spending",
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
    reply={
        "args.shape": "The {args.shape} chart; the largest part is {parts.0.name} with {parts.0.percent} %: {file}",
        "": "The pie chart; the largest part is {parts.0.name} with {parts.0.percent} %: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_pie(
    names: Names,
    values: Numbers,
    title: Title = "",
    shape: Annotated[Literal["pie", "donut"], About("Full circle, or a ring with the total in it")] = "pie",
    most_parts: Annotated[
        int, About("Smaller parts beyond this number are combined as Other", minimum=2, maximum=12)
    ] = 7,
    layout: Around = None,
    file_format: FileFormat = "png",
) -> PartsChart:
    """Draw a pie or donut chart of the parts of a whole, from the largest, each labelled with name and share.

    Use it for a few parts; many or similar ones are easier to compare as bars. Returns the picture and the shares.
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
    reply="The treemap; the largest part is {parts.0.name} with {parts.0.percent} %: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_treemap(
    names: Names,
    values: Numbers,
    groups: Annotated[
        Names | None, About("Group of each name, which determines its colour", ["Food", "Food", "Rent"])
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> PartsChart:
    """Draw a treemap: rectangles whose areas are the numbers, coloured by group.

    Use it for many parts of a whole. Returns the picture and the shares, largest first.
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


def _parts(names: Sequence[str], values: Sequence[float], most: int) -> list[Part]:
    """Return the parts, largest first, with the smallest combined as Other. Raises `ToolError`."""
    if len(names) != len(values):
        raise ToolError(f"There are {len(names)} names and {len(values)} numbers. Give the same number of each.")
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
    """Write names and shares beside the circle, connected to their wedges, without overlaps on either side."""
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
    """Return rectangles (x, y, width, height) of these areas, nearly square (Bruls et al., Squarified Treemaps)."""
    x, y, width, height = box
    found: list[tuple[float, float, float, float]] = []
    # Smaller than visible, and large enough for the squares not to vanish.
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
