"""Survival curves."""

from typing import Annotated, NotRequired

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import AML_EVENTS, AML_GROUPS, AML_TIMES
from retinue_tools.statistics._values import Interval, PValue, compute, figure, number

Times = Annotated[
    list[Annotated[float, About("A time", 9, minimum=0, maximum=1e12)]],
    About("Time of each subject until the event or the end of observation", [9, 13, 13, 18], min_items=2,
          max_items=10_000),
]  # fmt: skip
Events = Annotated[
    list[Annotated[int, About("1 or 0", 1, minimum=0, maximum=1)]],
    About("1 if the event occurred then, 0 if observation ended then (censored)", [1, 1, 0, 1], min_items=2,
          max_items=10_000),
]  # fmt: skip


class Step(TypedDict):
    """A point of a survival curve."""

    time: Annotated[float, About("Time of one or more events")]
    at_risk: Annotated[int, About("Number of subjects at risk just before")]
    events: Annotated[int, About("Number of events at that time")]
    survival: Annotated[float, About("Estimated share that survives beyond this time")]
    interval: Annotated[Interval, About("95 % confidence interval, by the log-log transformation")]


class Curve(TypedDict):
    """Survival curve of a group."""

    group: Annotated[str, About("Name of the group")]
    subjects: Annotated[int, About("Number of subjects")]
    events: Annotated[int, About("Number of events")]
    median: Annotated[float | None, About("Median survival time; null if it is not reached")]
    steps: Annotated[list[Step], About("Curve, at most the first 500 steps")]


class Survival(TypedDict):
    """Survival curves and their comparison."""

    curves: Annotated[list[Curve], About("One curve for each group")]
    log_rank_chi_square: NotRequired[Annotated[float, About("Log-rank statistic, for two or more groups")]]
    degrees_of_freedom: NotRequired[Annotated[int, About("Groups minus 1")]]
    p_value: NotRequired[PValue]


@tool(
    tags="survival kaplan-meier curve log-rank median censored time-to-event churn retention clinical",
    use_when=(
        "What is the median survival with these times and censored cases?",
        "Do the treated patients survive longer? Run a log-rank test",
        "Estimate how long customers stay, when some are still with us",
    ),
    examples=(
        Example(
            {"times": AML_TIMES, "events": AML_EVENTS, "groups": AML_GROUPS},
            {"log_rank_chi_square": 3.396, "p_value": 0.0653, "degrees_of_freedom": 1,
             "curves": [{"group": "maintained", "median": 31.0, "events": 7},
                        {"group": "not maintained", "median": 23.0, "subjects": 12}]},
            source="R, package survival: survfit and survdiff of the data set aml",
            tolerance=2e-3,
        ),
        Example(
            {"times": [1, 2, 3, 4], "events": [1, 0, 1, 0]},
            {"curves": [{"steps": [{"time": 1.0, "at_risk": 4, "survival": 0.75},
                                   {"time": 3.0, "at_risk": 2, "survival": 0.375}], "median": 3.0}]},
            source="by hand: 3/4, then 3/4 * 1/2",
        ),
        Refusal({"times": [1, 2], "events": [1]}, "at least 2"),
        Refusal({"times": [1, 2, 3], "events": [1, 0]}, "the same number"),
    ),
    reply={
        "p_value": "The log-rank test gives a p-value of {p_value}. The curves: {curves}",
        "": "The survival curve: {curves}",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def survival_estimate_curve(
    times: Times,
    events: Events,
    groups: Annotated[
        list[Annotated[str, About("Group of a subject", "treated", max_length=100)]] | None,
        About(
            "Group of each subject, to compare 2 to 20 groups", ["treated", "control"], min_items=2, max_items=10_000
        ),
    ] = None,
) -> Survival:
    """Estimate survival curves from censored times (Kaplan-Meier), and compare groups by the log-rank test.

    Use it for time to death, failure, churn or relapse. Returns the curve and median of each group, and a p-value.
    """  # fmt: skip
    if len(events) != len(times) or (groups is not None and len(groups) != len(times)):
        raise ToolError("There must be the same number of events, and groups if given, as times.")
    moments, happened = np.array(times, dtype=float), np.array(events, dtype=bool)
    member = np.array(groups if groups is not None else ["all"] * len(times))
    names = sorted(set(member.tolist()))
    if len(names) > 20:
        raise ToolError("There may be at most 20 groups.")
    result: Survival = {"curves": [_curve(name, moments[member == name], happened[member == name]) for name in names]}
    if len(names) > 1:
        if not happened.any():
            raise ToolError("No event occurred, so the groups cannot be compared.")
        statistic = _log_rank(moments, happened, member, names)
        result["log_rank_chi_square"] = number(statistic)
        result["degrees_of_freedom"] = len(names) - 1
        result["p_value"] = number(stats.chi2.sf(statistic, len(names) - 1))
    return result


def _curve(name: str, times: np.ndarray, events: np.ndarray) -> Curve:
    moments, deaths = np.unique(times[events], return_counts=True)
    ordered = np.sort(times)
    risk = len(times) - np.searchsorted(ordered, moments, side="left")
    survival = np.cumprod(1 - deaths / risk)
    with np.errstate(all="ignore"):
        variance = np.cumsum(deaths / (risk * (risk - deaths)))
        reach = 1.959963984540054 * np.sqrt(variance) / np.abs(np.log(survival))
        bounds = [np.nan_to_num(survival ** np.exp(sign * reach), nan=0.0) for sign in (1, -1)]
    reached = moments[survival <= 0.5 + 1e-12]
    return {
        "group": name,
        "subjects": len(times),
        "events": int(events.sum()),
        "median": figure(reached[0]) if len(reached) else None,
        "steps": [
            {
                "time": number(moments[k]),
                "at_risk": int(risk[k]),
                "events": int(deaths[k]),
                "survival": number(survival[k]),
                "interval": [number(bounds[0][k]), number(bounds[1][k])],
            }
            for k in range(min(len(moments), 500))
        ],
    }


def _log_rank(times: np.ndarray, events: np.ndarray, member: np.ndarray, names: list[str]) -> float:
    """Return the log-rank statistic of Mantel (1966)."""
    moments = np.unique(times[events])
    risk = np.array([
        (member == name).sum() - np.searchsorted(np.sort(times[member == name]), moments) for name in names
    ])  # fmt: skip
    deaths = np.array([
        np.bincount(np.searchsorted(moments, times[events & (member == name)]), minlength=len(moments))
        for name in names
    ])  # fmt: skip
    whole, died = risk.sum(axis=0), deaths.sum(axis=0)
    gap = (deaths - risk * died / whole).sum(axis=1)[:-1]
    share = (risk / whole)[:-1]
    factor = died * (whole - died) / np.maximum(whole - 1, 1)
    covariance = np.diag((share * factor).sum(axis=1)) - np.einsum("it,jt,t->ij", share, share, factor)
    return float(gap @ np.linalg.solve(covariance, gap))
