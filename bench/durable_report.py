"""Format the figures of durable work as tables."""

from collections.abc import Sequence

from bench.figures import Results
from bench.report import Goal, goals, pair, ratio, show, table

_ROWS = (
    ("three-step runs, SQLite", "runs sqlite"),
    ("three-step runs, PostgreSQL", "runs postgresql"),
    ("webhook deliveries, SQLite", "deliveries sqlite"),
    ("webhook deliveries, PostgreSQL", "deliveries postgresql"),
)
GOALS = (
    Goal("durable three-step runs, SQLite", "runs sqlite", "per_s", 300.0, "a second", True),
    Goal("durable three-step runs, PostgreSQL", "runs postgresql", "per_s", 200.0, "a second", True),
    Goal("webhook deliveries, SQLite", "deliveries sqlite", "per_s", 500.0, "a second", True),
    Goal("webhook deliveries, PostgreSQL", "deliveries postgresql", "per_s", 500.0, "a second", True),
    Goal("memory while the crowd works", "crowd", "memory_mb", 200.0, "MB"),
    Goal("others' p99 meanwhile, to that of an idle server", "crowd", "times", 5.0, "times"),
)


def durable_tables(results: Results) -> str:
    """Return Markdown: the comparison of durable work, the crowd, and the goals."""
    return "\n\n".join([_side_by_side(results), _crowd(results), goals(GOALS, results)])


def _side_by_side(results: Results) -> str:
    head = ["durable work", "a second", "DBOS", "ratio", "CPU ms", "DBOS", "ratio"]
    return table(head, [_row(what, key, results) for what, key in _ROWS])


def _row(what: str, key: str, results: Results) -> Sequence[str]:
    ours, theirs = results[key], results.get(f"dbos {key}", {})
    times = ratio(ours, theirs, "per_s")
    return [what, *pair(ours, theirs, "per_s"), times, *pair(ours, theirs, "cpu_ms"), ratio(theirs, ours, "cpu_ms")]


def _crowd(results: Results) -> str:
    head = [
        "the crowd",
        "seconds",
        "parts a second",
        "peak memory, MB",
        "others' p99, idle, ms",
        "meanwhile, ms",
        "times",
    ]
    keys = ("seconds", "parts_per_s", "memory_mb", "idle_p99_ms", "busy_p99_ms", "times")
    return table(head, [["50 agents, 10 deployments", *(show(results["crowd"], key) for key in keys)]])
