"""Format figures as tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.figures import Figures, Results
from bench.phases import PHASES


@dataclass(frozen=True)
class Goal:
    """A target for a figure. `at_least` means that higher is better."""

    what: str
    server: str
    key: str
    bound: float
    unit: str
    at_least: bool = False


GOALS = (
    Goal("create an agent", "retinue", "create.cpu_ms", 0.5, "CPU ms"),
    Goal("list 20 agents", "retinue", "list.cpu_ms", 0.6, "CPU ms"),
    Goal("get an agent", "retinue", "get.cpu_ms", 0.35, "CPU ms"),
    Goal("execute", "retinue", "execute.cpu_ms", 2.5, "CPU ms"),
    Goal("a stream of 20 words", "retinue", "stream 50.cpu_ms", 3.0, "CPU ms"),
    Goal("first token added, alone", "retinue", "stream 1.added_ms", 1.5, "ms"),
    Goal("first token added, 50 streams", "retinue", "stream 50.added_ms", 40.0, "ms"),
    Goal("a warm tool call", "retinue", "tool.p50_ms", 3.0, "ms"),
    Goal("what the pool adds to a warm tool", "tools", "warm.p50_ms", 3.0, "ms"),
    Goal("the first call of a worker, a light tool", "tools", "cold.p50_ms", 3000.0, "ms"),
    Goal("a search over the catalogue", "tools", "search.p50_ms", 2.0, "ms"),
    Goal("the catalogue in memory", "tools", "catalogue.mb", 25.0, "MB"),
    Goal("start to the first answer", "retinue", "start.cpu_s", 2.0, "CPU s"),
    Goal("memory at rest", "retinue", "memory idle.mb", 130.0, "MB"),
)

_SINGLE = ("first start.cpu_s", "start.cpu_s", "start.seconds", "memory idle.mb", "memory after.mb")


def tables(results: Results) -> str:
    """Return Markdown: the operations, the single figures, and the goals."""
    whole = _with_added(results)
    return "\n\n".join([_operations(whole), _singles(whole), goals(GOALS, whole)])


def _with_added(results: Results) -> Results:
    """Add the time to first token that each server adds to the model's own."""
    model = results["model"]
    return {name: {**figures, **_add(figures, model)} for name, figures in results.items()}


def _add(figures: Figures, model: Figures) -> Figures:
    keys = [key for key in figures if key.endswith(".first_token_ms")]
    return {f"{key.split('.')[0]}.added_ms": figures[key] - model[key] for key in keys}


def _operations(results: Results) -> str:
    ours, theirs, model = results["retinue"], results.get("agno", {}), results["model"]
    rows = [
        [
            name,
            *pair(ours, theirs, f"{name}.cpu_ms"),
            ratio(theirs, ours, f"{name}.cpu_ms"),
            *pair(ours, theirs, f"{name}.per_s"),
            f"{show(ours, f'{name}.p50_ms')} / {show(ours, f'{name}.p99_ms')}",
            f"{show(theirs, f'{name}.p50_ms')} / {show(theirs, f'{name}.p99_ms')}",
            *pair(ours, theirs, f"{name}.added_ms"),
            show(model, f"{name}.first_token_ms"),
        ]
        for name, _, _ in PHASES
    ]
    head = [
        "operation", "CPU ms", "Agno", "ratio", "a second", "Agno", "p50 / p99 ms", "Agno",
        "first token added, ms", "Agno", "the model's own",
    ]  # fmt: skip
    return table(head, rows)


def _singles(results: Results) -> str:
    ours, theirs = results["retinue"], results.get("agno", {})
    rows = [[key.replace(".", ", "), *pair(ours, theirs, key), ratio(theirs, ours, key)] for key in _SINGLE]
    return table(["", "Retinue", "Agno", "ratio"], rows)


def goals(wanted: Sequence[Goal], results: Results) -> str:
    """Return a table of goals and whether they were reached."""
    rows = [
        _goal_row(goal, results[goal.server][goal.key]) for goal in wanted if goal.key in results.get(goal.server, {})
    ]
    return table(["goal", "bound", "measured", "reached"], rows)


def _goal_row(goal: Goal, value: float) -> list[str]:
    reached = value >= goal.bound if goal.at_least else value <= goal.bound
    sign = "≥" if goal.at_least else "≤"
    return [goal.what, f"{sign} {goal.bound:g} {goal.unit}", _digits(value), "yes" if reached else "no"]


def pair(ours: Figures, theirs: Figures, key: str) -> list[str]:
    """Format both figures."""
    return [show(ours, key), show(theirs, key)]


def ratio(above: Figures, below: Figures, key: str) -> str:
    """Format the ratio of two figures, or return an empty string if one is missing."""
    return f"{above[key] / below[key]:.1f}" if above.get(key) and below.get(key) else ""


def show(figures: Figures, key: str) -> str:
    """Format a figure, or return an empty string if it is missing."""
    return _digits(figures[key]) if key in figures else ""


def _digits(value: float) -> str:
    """Format with three significant digits, but never drop digits before the decimal point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
