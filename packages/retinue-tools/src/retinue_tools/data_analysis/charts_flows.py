"""Charts of steps and flows: waterfall, funnel and Sankey."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import Names, Numbers, name_ticks
from retinue_tools.data_analysis._charts_style import (
    FALL,
    GREY,
    INK,
    LIGHT,
    PALETTE,
    RISE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    axes_of,
    colours,
    compact,
    draw,
    number,
    percent,
    short,
)
from retinue_tools.data_analysis.charts_bars import check_same_length


class Waterfall(Picture):
    """A waterfall chart."""

    levels: Annotated[list[float], About("Level after the start and after each step")]
    result: Annotated[float, About("Final level")]


class Stage(TypedDict):
    """A stage of a funnel."""

    name: Annotated[str, About("Name of the stage")]
    value: Annotated[float, About("Value of the stage")]
    percent_of_first: Annotated[float, About("Percent of the first stage")]
    percent_of_previous: Annotated[float | None, About("Percent of the previous stage")]


class Funnel(Picture):
    """A funnel chart."""

    stages: Annotated[list[Stage], About("Stages in order")]
    greatest_loss: Annotated[str, About("Stage with the largest loss relative to the previous one")]


@tool(
    tags="chart waterfall bridge increments profit steps cumulative draw",
    use_when=(
        "Draw a waterfall chart from revenue to profit",
        "Show which steps led from 100 to 87",
        "Make a bridge chart of the budget changes",
    ),
    examples=(
        Example(
            {"start": 100, "steps": ["Price", "Costs", "Tax"], "changes": [20, -45.5, -10]},
            {"file": "waterfall.png", "levels": [100.0, 120.0, 74.5, 64.5], "result": 64.5},
            source="added by hand",
        ),
        Example(
            {"start": 0, "steps": ["a"], "changes": [-3], "start_name": "Before", "end_name": "After"},
            {"result": -3.0},
            source="by hand",
        ),
        Refusal(
            {"start": 1, "steps": ["a", "b"], "changes": [1]}, "steps and changes must have the same number of items"
        ),
    ),
    reply="The waterfall chart; the final level is {result}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_waterfall(
    start: Annotated[float, About("Starting value", 100, minimum=-1e15, maximum=1e15)],
    steps: Annotated[Names, About("Names of the steps", ["Price", "Costs"])],
    changes: Annotated[Numbers, About("Change of each step, negative for decreases", [20, -45.5])],
    start_name: Annotated[str, About("Name of the first bar", max_length=60)] = "Start",
    end_name: Annotated[str, About("Name of the last bar", max_length=60)] = "Result",
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Waterfall:
    """Draw a waterfall chart: how positive and negative steps lead from a first number to the last.

    Use it to explain a profit, a budget or a change. Returns the picture and the level after each step.
    """
    if len(steps) != len(changes):
        raise ToolError("steps and changes must have the same number of items.")
    levels = [float(start)]
    for change in changes:
        levels.append(round(levels[-1] + change, 12))
    names = [start_name, *steps, end_name]

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        last = len(names) - 1
        axes.bar([0, last], [levels[0], levels[-1]], color=GREY, width=0.62)
        colour = [RISE if change >= 0 else FALL for change in changes]
        axes.bar(range(1, last), changes, bottom=levels[:-1], color=colour, width=0.62)
        for index, level in enumerate(levels):
            axes.plot([index + 0.31, index + 0.69], [level, level], color=GREY, linewidth=0.9)
        axes.axhline(0, color=LIGHT, linewidth=1)
        tops = [levels[0], *map(max, pairwise(levels)), levels[-1]]
        texts = [number(levels[0]), *(f"+{number(c)}" if c > 0 else number(c) for c in changes), number(levels[-1])]
        for place, (top, text) in enumerate(zip(tops, texts, strict=True)):
            bold = "bold" if place in (0, last) else "normal"
            axes.annotate(text, (place, max(top, 0)), (0, 5), textcoords="offset points", ha="center", weight=bold)
        axes.margins(y=0.1)
        name_ticks(axes, names)

    picture = draw("waterfall", Frame(title, layout, file_format), plot)
    return {**picture, "levels": levels, "result": levels[-1]}


@tool(
    tags="chart funnel stages conversion sales pipeline steps draw",
    use_when=(
        "Draw a funnel from visits to purchases",
        "Show the conversion of each stage of the sales pipeline",
        "At which step do we lose most applicants?",
    ),
    examples=(
        Example(
            {"stages": ["Visits", "Carts", "Orders"], "values": [1000, 200, 150]},
            {
                "file": "funnel.png",
                "stages": [
                    {"name": "Visits", "percent_of_first": 100.0, "percent_of_previous": None},
                    {"name": "Carts", "percent_of_first": 20.0, "percent_of_previous": 20.0},
                    {"name": "Orders", "percent_of_first": 15.0, "percent_of_previous": 75.0},
                ],
                "greatest_loss": "Carts",
            },
            source="divided by hand",
        ),
        Example(
            {"stages": ["a", "b"], "values": [4, 1], "file_format": "svg"},
            {"file": "funnel.svg", "greatest_loss": "b"},
            source="by hand",
        ),
        Refusal({"stages": ["a", "b"], "values": [0, 1]}, "above 0"),
    ),
    reply="The funnel chart; most are lost at {greatest_loss}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_funnel(
    stages: Annotated[
        list[str], About("Names of the stages in order", ["Visits", "Orders"], min_items=2, max_items=20)
    ],
    values: Annotated[Numbers, About("Number of each stage", [1000, 150])],
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Funnel:
    """Draw a funnel chart: the number left after each stage, with conversion rates.

    Use it for sales, sign-ups or recruiting. Returns the picture, the rates, and the stage with the largest loss.
    """
    check_same_length(stages, values)
    if min(values) <= 0:
        raise ToolError("The numbers of a funnel must be above 0.")
    befores = [None, *values[:-1]]
    facts: list[Stage] = [
        {
            "name": name,
            "value": float(value),
            "percent_of_first": round(100 * value / values[0], 4),
            "percent_of_previous": None if before is None else round(100 * value / before, 4),
        }
        for name, value, before in zip(stages, values, befores, strict=True)
    ]

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "none")
        axes.spines["bottom"].set_visible(False)
        widest = max(values)
        axes.barh(
            range(len(values)), values, left=[(widest - value) / 2 for value in values], color=PALETTE[0], height=0.68
        )
        for place, fact in enumerate(facts):
            inside = fact["value"] > widest * 0.16
            edge = widest / 2 if inside else (widest + fact["value"]) / 2 + widest * 0.012
            ha, colour = ("center", "white") if inside else ("left", INK)
            axes.text(edge, place, number(fact["value"]), ha=ha, va="center", color=colour, weight="bold", size=11)
            before = fact["percent_of_previous"]
            rate = f"{percent(fact['percent_of_first'] / 100)} of all"
            step = "" if before is None else f"\n{percent(before / 100)} of the stage before"
            axes.text(widest * 1.03, place, rate + step, va="center", color=GREY, linespacing=1.5)
        axes.set_yticks(range(len(stages)), [short(name, 30) for name in stages], color=INK, size=10.5)
        axes.set_xticks([])
        axes.set_xlim(0, widest)
        axes.invert_yaxis()

    picture = draw("funnel", Frame(title, layout, file_format), plot, (900, max(300, 110 + 62 * len(values))))
    lost = min(facts[1:], key=lambda fact: fact["percent_of_previous"] or 0.0)
    return {**picture, "stages": facts, "greatest_loss": lost["name"]}


class Flow(TypedDict):
    """A flow between two nodes."""

    source: Annotated[str, About("Source node", "Salary", min_length=1, max_length=80)]
    target: Annotated[str, About("Target node", "Rent", min_length=1, max_length=80)]
    value: Annotated[float, About("Amount of the flow", 1200, exclusive_minimum=0, maximum=1e15)]


class NodeFacts(TypedDict):
    """A node of a Sankey diagram."""

    name: Annotated[str, About("Name of the node")]
    inflow: Annotated[float, About("Total inflow")]
    outflow: Annotated[float, About("Total outflow")]
    column: Annotated[int, About("Column of the node, from 0 at the left")]


class Sankey(Picture):
    """A Sankey diagram."""

    nodes: Annotated[list[NodeFacts], About("Nodes of the diagram")]
    total: Annotated[float, About("Total outflow of nodes without inflow")]


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
            "The flows form a cycle",
        ),
    ),
    reply="The Sankey diagram of {total} in all: {file}",
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
    """Draw a Sankey diagram: flows between things (nodes) as bands whose widths are their amounts, from left to right.

    Use it for money, energy or visitors. Flows must not form a cycle. Returns the picture, and the inflow and outflow
    of each node.
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


def _nodes(flows: Sequence[Flow]) -> list[NodeFacts]:
    """Return the nodes, each in the first column to the right of all nodes that flow into it. Raises `ToolError`."""
    names = list(dict.fromkeys(name for flow in flows for name in (flow["source"], flow["target"])))
    column = dict.fromkeys(names, 0)
    for _ in range(len(names) + 1):
        late = [flow for flow in flows if column[flow["target"]] <= column[flow["source"]]]
        if not late:
            break
        for flow in late:
            column[flow["target"]] = column[flow["source"]] + 1
    else:
        raise ToolError("The flows form a cycle. Remove the flow that goes back.")
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
    """Return top and height of each node, as shares of the chart."""
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
