"""Charts of distributions: histograms, box plots and error bars."""

import math
from typing import Annotated, Any, Literal

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import Numbers, Positions, name_ticks, place
from retinue_tools.data_analysis._charts_style import (
    FALL,
    GREY,
    INK,
    PALETTE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    Value,
    axes_of,
    colours,
    compact,
    draw,
    number,
)


class ErrorChart(Picture):
    """Means with their errors."""

    lowest: Annotated[float, About("Lower end of the lowest range")]
    highest: Annotated[float, About("Upper end of the highest range")]


@tool(
    tags="chart error bars confidence interval band mean uncertainty plot",
    use_when=(
        "Plot these means with error bars",
        "Draw the forecast with its confidence band",
        "Show measurements with their standard errors",
    ),
    examples=(
        Example(
            {"x": ["A", "B"], "means": [10, 12], "errors": [1, 2.5]},
            {"file": "errors.png", "lowest": 9.0, "highest": 14.5},
            source="10 - 1 and 12 + 2.5",
        ),
        Example(
            {"x": [1, 2], "means": [10, 12], "lower": [8, 9], "upper": [11, 16], "show": "band"},
            {"lowest": 8.0, "highest": 16.0},
            source="by hand",
        ),
        Refusal({"x": [1, 2], "means": [1, 2]}, "Give errors"),
    ),
    reply="The chart with error bars from {lowest} to {highest}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_error_bars(
    x: Positions,
    means: Numbers,
    errors: Annotated[Numbers | None, About("Distance to either end of each range", [1, 2.5])] = None,
    lower: Annotated[Numbers | None, About("Lower ends of the ranges, instead of errors", [9, 10])] = None,
    upper: Annotated[Numbers | None, About("Upper ends of the ranges, instead of errors", [11, 14])] = None,
    show: Annotated[Literal["bars", "band"], About("Bars at each point, or a band around a line")] = "bars",
    title: Title = "",
    layout: Around = None,
) -> ErrorChart:
    """Draw means with error bars or a confidence band, as a PNG picture.

    Use it for measurements, polls and forecasts with their uncertainty. Give errors, or lower and upper. Returns the
    picture and the limits of all ranges.
    """
    if errors is not None:
        bounds = [mean - abs(error) for mean, error in zip(means, errors, strict=False)]
        ends = [mean + abs(error) for mean, error in zip(means, errors, strict=False)]
    elif lower is not None and upper is not None:
        bounds, ends = list(lower), list(upper)
    else:
        raise ToolError("Give errors, or both lower and upper.")
    if not len(x) == len(means) == len(bounds) == len(ends):
        raise ToolError("x, means and errors (or lower and upper) must have the same number of values.")
    if any(low > mean or mean > high for low, mean, high in zip(bounds, means, ends, strict=True)):
        raise ToolError("A mean is outside its range. Check lower and upper.")

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        places = place(axes, x)
        colour = colours(1)[0]
        if show == "band":
            axes.fill_between(places, bounds, ends, color=colour, alpha=0.18, linewidth=0)
            axes.plot(places, means, color=colour)
        else:
            distances = [np.subtract(means, bounds), np.subtract(ends, means)]
            axes.errorbar(places, means, distances, fmt="o", color=colour, capsize=5, elinewidth=1.8, markersize=7)
        axes.margins(x=0.02 if show == "band" else 0.5 / max(len(x), 1))

    picture = draw("errors", Frame(title, layout, "png"), plot)
    return {**picture, "lowest": float(min(bounds)), "highest": float(max(ends))}


class Histogram(Picture):
    """A histogram."""

    edges: Annotated[list[float], About("Edges of the bins")]
    counts: Annotated[list[int], About("Number of values in each bin")]
    mean: Annotated[float, About("Mean")]
    median: Annotated[float, About("Median")]
    standard_deviation: Annotated[float | None, About("Sample standard deviation; null for a single number")]


class Group(TypedDict):
    """A group of numbers."""

    name: Annotated[str, About("Name of the group", "A", max_length=120)]
    values: Annotated[list[Value], About("Numbers of the group", [2, 4, 4, 5, 9], min_items=1, max_items=20_000)]


class BoxFacts(TypedDict):
    """Statistics of a box."""

    name: Annotated[str, About("Name of the group")]
    count: Annotated[int, About("Number of values")]
    median: Annotated[float, About("Median")]
    lower_quartile: Annotated[float, About("First quartile, by linear interpolation")]
    upper_quartile: Annotated[float, About("Third quartile, by linear interpolation")]
    outliers: Annotated[list[float], About("Values beyond 1.5 times the interquartile range, at most 100")]


class BoxPlot(Picture):
    """Box or violin plots."""

    groups: Annotated[list[BoxFacts], About("Statistics of each group")]


@tool(
    tags="chart histogram distribution bins frequency density curve draw",
    use_when=(
        "Draw a histogram of the ages",
        "How are these measurements distributed?",
        "Show the distribution with a density curve",
    ),
    examples=(
        Example(
            {"values": [1, 2, 2, 3, 3, 3, 4, 6], "bins": 5},
            {
                "file": "histogram.png",
                "edges": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
                "counts": [1, 2, 3, 1, 1],
                "mean": 3.0,
                "median": 3.0,
                "standard_deviation": 1.5118578920369088,
            },
            source="counted by hand; the variance is 16 / 7",
        ),
        Example(
            {"values": [5, 5], "curve": "density", "file_format": "svg"},
            {"file": "histogram.svg", "mean": 5.0, "standard_deviation": 0.0},
            source="by hand",
        ),
        Refusal({"values": [], "bins": 5}, "at least 1 item"),
    ),
    reply="The histogram; the mean is {mean} and the median {median}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_histogram(
    values: Numbers,
    bins: Annotated[
        int | None, About("Number of bins; chosen automatically by default", 10, minimum=1, maximum=200)
    ] = None,
    curve: Annotated[
        Literal["none", "density", "normal"], About("Smoothed density, or the fitted normal curve")
    ] = "none",
    mark: Annotated[Literal["none", "mean", "median"], About("Line at the mean or the median")] = "none",
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Histogram:
    """Draw a histogram of numbers, with an optional density or normal curve and mean or median.

    Use it to see how values are distributed. Returns the picture, the counts and the usual statistics.
    """
    sample = np.array(values, dtype=float)
    try:
        counts, edges = np.histogram(sample, bins or _bins(sample))
    except ValueError as error:
        raise ToolError(
            "The numbers are too close together for these bins. Request fewer bins, or scale the numbers."
        ) from error
    deviation = float(sample.std(ddof=1)) if len(sample) > 1 else None
    middle = {"mean": float(sample.mean()), "median": float(np.median(sample))}

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        axes.bar(
            edges[:-1],
            counts,
            np.diff(edges),
            align="edge",
            color=PALETTE[0],
            alpha=0.85,
            edgecolor="white",
            linewidth=1,
        )
        axes.xaxis.set_major_formatter(lambda value, _: compact(value))
        if curve != "none" and deviation:
            x = np.linspace(edges[0], edges[-1], 400)
            density = _normal(x, middle["mean"], deviation) if curve == "normal" else _density(sample, x, deviation)
            axes.plot(x, density * len(sample) * (edges[1] - edges[0]), color=FALL)
        if mark != "none":
            axes.axvline(middle[mark], color=INK, linewidth=1.4, linestyle=(0, (4, 3)))
            text = f" {mark} {number(middle[mark])}"
            axes.text(
                middle[mark], 1.01, text, transform=axes.get_xaxis_transform(), color=INK, va="bottom", ha="center"
            )

    picture = draw("histogram", Frame(title, layout, file_format), plot)
    return {
        **picture,
        "edges": [float(edge) for edge in edges],
        "counts": [int(count) for count in counts],
        "mean": middle["mean"],
        "median": middle["median"],
        "standard_deviation": deviation,
    }


@tool(
    tags="chart box plot violin whisker quartiles outliers groups compare draw",
    use_when=(
        "Draw box plots of the salaries per department",
        "Compare the distributions of three groups as violins",
        "Which values are outliers?",
    ),
    examples=(
        Example(
            {"groups": [{"name": "A", "values": [1, 2, 3, 4, 5, 20]}, {"name": "B", "values": [2, 2, 2]}]},
            {
                "file": "box.png",
                "groups": [
                    {
                        "name": "A",
                        "count": 6,
                        "median": 3.5,
                        "lower_quartile": 2.25,
                        "upper_quartile": 4.75,
                        "outliers": [20.0],
                    },
                    {"name": "B", "median": 2.0, "outliers": []},
                ],
            },
            source="quartiles by linear interpolation by hand; 20 > 4.75 + 1.5 * 2.5",
        ),
        Example(
            {"groups": [{"name": "A", "values": [1, 2, 4]}], "kind": "violin", "points": True, "file_format": "svg"},
            {"file": "box.svg", "groups": [{"median": 2.0}]},
            source="by hand",
        ),
        Refusal({"groups": [{"name": "A", "values": []}]}, "at least 1 item"),
    ),
    reply="The box plots: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_box(
    groups: Annotated[
        list[Group], About("Groups", [{"name": "A", "values": [2, 4, 4, 5, 9]}], min_items=1, max_items=40)
    ],
    kind: Annotated[Literal["box", "violin"], About("Boxes with whiskers, or density shapes")] = "box",
    points: Annotated[bool, About("Whether to draw each number as a point too")] = False,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> BoxPlot:
    """Draw box or violin plots of groups of numbers side by side.

    Use it to compare distributions. Whiskers extend to the last number within 1.5 times the interquartile range.
    Returns the picture, the quartiles and the outliers.
    """
    samples = [np.array(group["values"], dtype=float) for group in groups]

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        places = range(len(groups))
        spreading = [place for place in places if samples[place].min() < samples[place].max()]
        if kind == "violin" and spreading:
            shapes = axes.violinplot([samples[place] for place in spreading], spreading, showextrema=False, widths=0.8)
            for body in shapes["bodies"]:
                body.set(facecolor=PALETTE[0], alpha=0.35, linewidth=0)
        line = {"color": INK, "linewidth": 1.2}
        axes.boxplot(
            samples, positions=places, widths=0.5 if kind == "box" else 0.12, patch_artist=True, showfliers=not points,
            boxprops={"facecolor": "#7FB8D8" if kind == "box" else "white", "edgecolor": INK, "linewidth": 1.2},
            medianprops={"color": FALL, "linewidth": 2.2}, whiskerprops=line, capprops=line,
            flierprops={"marker": "o", "markersize": 4.5, "markerfacecolor": GREY, "markeredgewidth": 0},
        )  # fmt: skip
        if points:
            shift = np.random.default_rng(1)
            for place, sample in zip(places, samples, strict=True):
                x = place + shift.uniform(-0.16, 0.16, len(sample))
                axes.scatter(x, sample, s=12, color=INK, alpha=0.45, linewidths=0, zorder=3)
        name_ticks(axes, [group["name"] for group in groups])

    picture = draw("box", Frame(title, layout, file_format), plot)
    return {**picture, "groups": [_box(group, sample) for group, sample in zip(groups, samples, strict=True)]}


def _bins(sample: Any) -> int:
    """Return a suitable number of bins, from 5 to 60 (Freedman and Diaconis)."""
    quarter, three = np.quantile(sample, [0.25, 0.75])
    width = 2 * (three - quarter) / len(sample) ** (1 / 3)
    suggested = math.ceil((sample.max() - sample.min()) / width) if width > 0 else 0
    return min(max(suggested, 5), 60)


def _normal(x: Any, mean: float, deviation: float) -> Any:
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def _density(sample: Any, x: Any, deviation: float) -> Any:
    """Compute a Gaussian kernel density of at most 5000 numbers, with the bandwidth of Scott's rule."""
    chosen = sample[:: max(1, len(sample) // 5000)]
    bandwidth = deviation * len(chosen) ** -0.2
    return np.mean([_normal(x, centre, bandwidth) for centre in chosen], axis=0)


def _box(group: Group, sample: Any) -> BoxFacts:
    low, middle, high = (float(edge) for edge in np.quantile(sample, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    outliers = sorted(float(value) for value in sample if not low - reach <= value <= high + reach)
    return {
        "name": group["name"],
        "count": len(sample),
        "median": middle,
        "lower_quartile": low,
        "upper_quartile": high,
        "outliers": outliers[:100],
    }
