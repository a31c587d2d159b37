"""Control charts and process capability."""

import math
from typing import Annotated, Literal, NotRequired

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Sample, Value, check_varied, compute, number

_D2 = (1.128, 1.693, 2.059, 2.326, 2.534, 2.704, 2.847, 2.970, 3.078)
_D3 = (0.853, 0.888, 0.880, 0.864, 0.848, 0.833, 0.820, 0.808, 0.797)
"""Mean and deviation of the range of 2 to 10 normal values (Montgomery, Statistical Quality Control, appendix VI)."""


class Chart(TypedDict):
    """One control chart."""

    name: Annotated[str, About("individuals, moving range, means, ranges, p, np, c or u")]
    centre: Annotated[float, About("Centre line")]
    lower: Annotated[list[float], About("Lower control limit: one value, or one for each point if they vary")]
    upper: Annotated[list[float], About("Upper control limit: one value, or one for each point if they vary")]
    points: Annotated[list[float], About("Plotted values, the first 1000")]
    out_of_control: Annotated[list[int], About("Numbers of points beyond the limits, from 1, the first 1000")]


class Control(TypedDict):
    """Control charts of a process."""

    in_control: Annotated[bool, About("Whether all points are within their limits and no long run was found")]
    charts: Annotated[list[Chart], About("One or two charts")]
    long_runs: Annotated[
        list[int], About("Ends of runs of eight or more points on one side of the centre line in the first chart")
    ]


@tool(
    tags="control chart spc shewhart x-bar range individuals moving p np c u chart limits quality six sigma",
    use_when=(
        "Is my filling process in control: 33.75, 33.05, 34.00, 33.81, 33.46?",
        "Make a p chart of 12, 15, 8 defectives in samples of 50",
        "Compute control limits of these subgroups of five",
    ),
    examples=(
        Example(
            {"kind": "individuals", "values": [10, 12, 11, 13, 9]},
            {"charts": [{"centre": 11.0, "upper": [11 + 3 * 2.25 / 1.128], "lower": [11 - 3 * 2.25 / 1.128]},
                        {"centre": 2.25, "lower": [0.0]}], "in_control": True},
            source="by hand: moving ranges 2, 1, 2, 4, and 2.66 times their mean",
        ),
        Example(
            {"kind": "p", "values": [5, 5, 30, 5], "sizes": [50, 50, 50, 50]},
            {"in_control": False,
             "charts": [{"centre": 0.225, "out_of_control": [3], "upper": [0.225 + 3 * math.sqrt(0.0034875)]}]},
            source="by hand: 45 of 200",
        ),
        Example(
            {"kind": "means", "values": [1, 3, 2, 4], "subgroup_size": 2},
            {"charts": [{"centre": 2.5, "points": [2.0, 3.0], "upper": [2.5 + 3 * 2 / 1.128 / math.sqrt(2)]},
                        {"centre": 2.0, "points": [2.0, 2.0]}]},
            source="by hand: A2 = 1.880 for two",
        ),
        Refusal({"kind": "p", "values": [1, 2]}, "sizes"),
    ),
    reply={
        "in_control": "The process is in control: {charts}",
        "": "The process is not in control: {charts}",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_make_control_chart(
    kind: Annotated[
        Literal["individuals", "means", "p", "np", "c", "u"],
        About(
            "Kind of data: single measurements; means of subgroups; share or number defective; defects per unit or "
            "per varying area"
        ),
    ],
    values: Annotated[Sample, About("Measurements, or counts of defects, in chronological order", [10, 12, 11, 13, 9])],
    subgroup_size: Annotated[
        int, About("For means: number of consecutive values in a subgroup", minimum=2, maximum=10)
    ] = 5,
    sizes: Annotated[
        list[Annotated[float, About("A size", 50, exclusive_minimum=0, maximum=1e9)]] | None,
        About("For p, np and u: size of each sample", [50, 50, 50], min_items=2, max_items=10_000),
    ] = None,
) -> Control:
    """Compute Shewhart control charts: limits at three sigma, points out of control and long runs.

    Use it to check whether a process is stable. It supports individuals with moving range, X-bar with R, p, np, c and
    u.
    """
    if kind == "individuals":
        charts = _individuals(values)
    elif kind == "means":
        charts = _means(values, subgroup_size)
    else:
        charts = [_attributes(kind, values, sizes)]
    runs = _long_runs(charts[0]["points"], charts[0]["centre"])
    return {
        "in_control": not runs and not any(chart["out_of_control"] for chart in charts),
        "charts": charts,
        "long_runs": runs,
    }


def _chart(name: str, points: np.ndarray, centre: float, sigma: np.ndarray, floor: float = -math.inf) -> Chart:
    lower, upper = np.maximum(centre - 3 * sigma, floor), centre + 3 * sigma
    beyond = np.flatnonzero((points < lower - 1e-12) | (points > upper + 1e-12)) + 1
    return {
        "name": name,
        "centre": number(centre),
        "lower": [number(value) for value in lower[:1000]],
        "upper": [number(value) for value in upper[:1000]],
        "points": [number(value) for value in points[:1000]],
        "out_of_control": beyond.tolist()[:1000],
    }


def _individuals(values: list[float]) -> list[Chart]:
    points = np.array(values, dtype=float)
    ranges = np.abs(np.diff(points))
    sigma = ranges.mean() / _D2[0]
    return [
        _chart("individuals", points, points.mean(), np.array([sigma])),
        _chart("moving range", ranges, ranges.mean(), np.array([sigma * _D3[0]]), 0.0),
    ]


def _means(values: list[float], size: int) -> list[Chart]:
    if len(values) % size or len(values) < 2 * size:
        raise ToolError(f"The values must form two or more complete subgroups of {size}.")
    groups = np.array(values, dtype=float).reshape(-1, size)
    means, ranges = groups.mean(axis=1), np.ptp(groups, axis=1)
    sigma = ranges.mean() / _D2[size - 2]
    return [
        _chart("means", means, means.mean(), np.array([sigma / math.sqrt(size)])),
        _chart("ranges", ranges, ranges.mean(), np.array([sigma * _D3[size - 2]]), 0.0),
    ]


def _attributes(kind: str, values: list[float], sizes: list[float] | None) -> Chart:
    counts = np.array(values, dtype=float)
    if (counts < 0).any():
        raise ToolError("Counts of defects must not be negative.")
    if kind == "c":
        return _chart("c", counts, counts.mean(), np.array([math.sqrt(counts.mean())]), 0.0)
    if sizes is None or len(sizes) != len(values):
        raise ToolError(f"For {kind}, give the sizes of the samples, one for each value.")
    n = np.array(sizes, dtype=float)
    share = counts.sum() / n.sum()
    if kind == "u":
        return _chart("u", counts / n, share, _merge(np.sqrt(share / n)), 0.0)
    if (counts > n).any():
        raise ToolError("A sample has more defectives than items.")
    if kind == "np":
        if np.ptp(n):
            raise ToolError("For np all sizes must be equal. Use p.")
        return _chart("np", counts, share * n[0], np.array([math.sqrt(n[0] * share * (1 - share))]), 0.0)
    return _chart("p", counts / n, share, _merge(np.sqrt(share * (1 - share) / n)), 0.0)


def _merge(sigma: np.ndarray) -> np.ndarray:
    return sigma[:1] if np.ptp(sigma) == 0 else sigma


def _long_runs(points: list[float], centre: float) -> list[int]:
    ends, length, before = [], 0, 0.0
    for place, point in enumerate(points, 1):
        side = math.copysign(1.0, point - centre) if point != centre else 0.0
        length = length + 1 if side and side == before else 1 if side else 0
        before = side
        if length >= 8:
            ends.append(place)
    return ends


class Capability(TypedDict):
    """Process capability. From mean and deviation alone, short-term and overall figures cannot be distinguished."""

    cp: Annotated[float | None, About("Cp: tolerance divided by six short-term deviations; null with one limit")]
    cpk: Annotated[float, About("Cpk: distance of the mean to the nearer limit divided by three short-term deviations")]
    cpu: Annotated[float | None, About("Like Cpk, for the upper limit; null without one")]
    cpl: Annotated[float | None, About("Like Cpk, for the lower limit; null without one")]
    pp: NotRequired[Annotated[float, About("Pp: like Cp, with the overall deviation")]]
    ppk: NotRequired[Annotated[float, About("Ppk: like Cpk, with the overall deviation")]]
    mean: Annotated[float, About("Mean")]
    overall_deviation: NotRequired[Annotated[float, About("Standard deviation of all values")]]
    short_term_deviation: NotRequired[
        Annotated[float, About("Short-term standard deviation: mean moving range divided by 1.128")]
    ]
    expected_ppm: Annotated[float, About("Expected parts per million outside the limits, if normal (overall)")]
    observed_percent: NotRequired[Annotated[float, About("Share of the values outside the limits")]]


@tool(
    tags="process capability cp cpk pp ppk tolerance specification limits six sigma ppm quality mean standard "
    "deviation usl lsl summary",
    use_when=(
        "What is the Cpk of these diameters with limits 9.8 and 10.2?",
        "How many parts per million will be out of tolerance?",
        "Is my process capable?",
        "Cp and Cpk for mean 10.02, sigma 0.03, limits 9.9 and 10.1",
        "Process capability: USL 50, mean 47, standard deviation 0.8",
    ),
    examples=(
        Example(
            {"values": [9, 11, 9, 11, 10], "lower_limit": 4, "upper_limit": 16},
            {"cp": 12 / (6 * 1.75 / 1.128), "cpk": 6 / (3 * 1.75 / 1.128), "ppk": 2.0, "pp": 2.0, "mean": 10.0},
            source="by hand: deviation 1, moving ranges 2, 2, 2, 1",
        ),
        Example(
            {"values": [9, 11, 9, 11, 10], "upper_limit": 13},
            {"ppk": 1.0, "expected_ppm": 1349.898, "observed_percent": 0.0},
            source="by hand: three deviations; table of the normal distribution",
            tolerance=1e-6,
        ),
        Example(
            {"mean": 10, "deviation": 0.5, "lower_limit": 8, "upper_limit": 11},
            {"cp": 1.0, "cpk": 0.666666666667, "cpl": 1.33333333333, "cpu": 0.666666666667},
            source="arithmetic: 3 / 3; 1 / 1.5; 2 / 1.5",
        ),
        Example(
            {"mean": 47, "deviation": 0.8, "upper_limit": 50}, {"cpk": 1.25, "cp": None, "cpl": None}, source="3 / 2.4"
        ),
        Refusal({"values": [1, 2, 3]}, "limit"),
        Refusal({"mean": 1, "deviation": 1}, "limit"),
        Refusal({"mean": 1, "upper_limit": 2}, "Give values, or mean and deviation"),
    ),
    reply={
        "cp": "Cpk is {cpk} and Cp {cp}; {expected_ppm} parts per million are expected out of tolerance.",
        "": "Cpk is {cpk}; {expected_ppm} parts per million are expected out of tolerance.",
    },
    memory_mb=1024,
    aliases=(Alias("stats_compute_capability_summary"),),
)
@compute()
def stats_compute_process_capability(
    values: Sample | None = None,
    lower_limit: Annotated[Value | None, About("Lower specification limit (LSL)", 9.8)] = None,
    upper_limit: Annotated[Value | None, About("Upper specification limit (USL)", 10.2)] = None,
    mean: Annotated[Value | None, About("Mean of the process, instead of values", 10.02)] = None,
    deviation: Annotated[
        float | None, About("Standard deviation of the process", 0.03, minimum=1e-30, maximum=1e15)
    ] = None,
) -> Capability:
    """Compute the capability of a process against its specification: Cp, Cpk, Pp, Ppk and defects per million.

    Use it for measurements in chronological order with one or two limits, or for a mean and a standard deviation, which
    give only Cp and Cpk. The process should be in control and roughly normal.
    """
    low = -math.inf if lower_limit is None else lower_limit
    high = math.inf if upper_limit is None else upper_limit
    if low >= high or (low, high) == (-math.inf, math.inf):
        raise ToolError("Give a lower limit, a higher upper limit, or both.")
    if values is None and mean is not None and deviation is not None:
        return _capability(low, high, mean, deviation, deviation)
    if values is None or mean is not None or deviation is not None:
        raise ToolError("Give values, or mean and deviation.")
    check_varied(values)
    points = np.array(values, dtype=float)
    centre, overall = number(points.mean()), number(points.std(ddof=1))
    short = number(np.abs(np.diff(points)).mean() / _D2[0])
    result = _capability(low, high, centre, short, overall) | {
        "ppk": min(centre - low, high - centre) / (3 * overall),
        "overall_deviation": overall,
        "short_term_deviation": short,
        "observed_percent": number(100 * ((points < low) | (points > high)).mean()),
    }
    return result | {"pp": (high - low) / (6 * overall)} if math.isfinite(high - low) else result


def _capability(low: float, high: float, mean: float, short: float, overall: float) -> Capability:
    """Compute the capability from the short-term deviation, and the defects from the overall one."""
    below, above = (mean - low) / (3 * short), (high - mean) / (3 * short)
    outside = stats.norm.cdf(low, mean, overall) + stats.norm.sf(high, mean, overall)
    return {
        "cp": (high - low) / (6 * short) if math.isfinite(high - low) else None,
        "cpk": min(below, above),
        "cpu": above if math.isfinite(above) else None,
        "cpl": below if math.isfinite(below) else None,
        "mean": mean,
        "expected_ppm": number(outside * 1e6),
    }
