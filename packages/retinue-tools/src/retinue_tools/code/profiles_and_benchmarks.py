"""Profiles and benchmarks: summaries and comparisons."""

import math
import re
import statistics
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, json_list, json_object, json_part, json_value

_MOST = 500


_PROFILE_ROW = re.compile(
    r"^\s*(\d+)(?:/(\d+))?\s+([\d.]+)\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+(?:(.+?):(\d+)\((.+)\)|(\{.+\}))\s*$", re.MULTILINE
)


_GO_BENCH = re.compile(r"^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", re.MULTILINE)


class HotFunction(TypedDict):
    """A function in a profile."""

    function: Annotated[str, About("Function with its file and line")]
    calls: Annotated[int, About("Calls or samples")]
    own: Annotated[float, About("Own seconds or samples")]
    total: Annotated[float, About("Seconds or samples including called functions")]
    own_percent: Annotated[float, About("Own share of the total")]


class ProfileSummary(TypedDict):
    """A profile."""

    format: Annotated[str, About("cprofile, collapsed or cpuprofile")]
    unit: Annotated[str, About("seconds or samples")]
    whole: Annotated[float, About("Total seconds or samples")]
    functions: Annotated[list[HotFunction], About("By own or total share, largest first")]


class BenchmarkChange(TypedDict):
    """A benchmark in two runs."""

    name: Annotated[str, About("Name of the benchmark")]
    old_ns: Annotated[float, About("Nanoseconds before")]
    new_ns: Annotated[float, About("Nanoseconds after")]
    change_percent: Annotated[float, About("Positive is slower")]
    verdict: Annotated[str, About("faster, slower or same")]


class BenchmarkComparison(TypedDict):
    """Two runs compared."""

    benchmarks: Annotated[list[BenchmarkChange], About("Worst change first")]
    geometric_mean_ratio: Annotated[float, About("Geometric mean of new divided by old; below 1 is faster")]
    slower: Annotated[int, About("Number of slower benchmarks")]
    faster: Annotated[int, About("Number of faster benchmarks")]
    only_old: Annotated[list[str], About("Benchmarks missing in the new run")]
    only_new: Annotated[list[str], About("Benchmarks missing in the old run")]


@tool(
    tags="profile cprofile pstats flamegraph collapsed cpuprofile hot functions slow performance",
    use_when=(
        "Which functions take the most time in this cProfile output?",
        "Summarise this Node .cpuprofile",
        "Find the hot spots in these collapsed stacks",
    ),
    examples=(
        Example(
            {"report": "main;load;parse 30\nmain;load 10\nmain;draw 60\n"},
            {
                "format": "collapsed",
                "whole": 100.0,
                "functions": [
                    {"function": "draw", "own": 60.0, "total": 60.0, "own_percent": 60.0},
                    {"function": "parse", "own": 30.0, "own_percent": 30.0},
                    {"function": "load", "own": 10.0, "total": 40.0},
                    {"function": "main", "own": 0.0, "total": 100.0},
                ],
            },
            source="by hand, with the folded format of flame graphs",
        ),
        Example(
            {
                "report": "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
                "        1    0.250    0.250    1.000    1.000 a.py:1(main)\n"
                "     10/5    0.750    0.075    0.750    0.150 a.py:9(f)\n",
                "sort": "total",
                "limit": 1,
            },
            {"format": "cprofile", "unit": "seconds", "functions": [{"function": "main (a.py:1)", "calls": 1}]},
            source="documentation of the module profile",
        ),
        Refusal({"report": "hello"}, "not a known profile format"),
    ),
    reply={
        "functions": "{functions.0.function} takes the most of the {whole} {unit}: {functions}",
        "": "There are no functions in this profile.",
    },
)
def profile_summarize_report(
    report: Document,
    sort: Annotated[Literal["own", "total"], About("Own time only, or including called functions")] = "own",
    limit: Annotated[int, About("Maximum number of functions", minimum=1, maximum=500)] = 30,
) -> ProfileSummary:
    """Find where time goes in a profile: printed cProfile statistics, collapsed stacks, or a .cpuprofile of V8.

    Use it to decide what to optimise. The format is detected. Returns the functions with calls, own and total time or
    samples, the largest share first.
    """
    kind, unit, rows = _profile(report)
    if not rows:
        raise ToolError("This is not a known profile format: printed pstats, collapsed stacks or .cpuprofile JSON.")
    whole = math.fsum(own for _, own, _ in rows.values())
    functions: list[HotFunction] = [
        {
            "function": name,
            "calls": int(calls),
            "own": round(own, 6),
            "total": round(total, 6),
            "own_percent": round(100 * own / whole, 2) if whole else 0.0,
        }
        for name, (calls, own, total) in rows.items()
    ]
    functions.sort(key=lambda one: -(one["own"] if sort == "own" else one["total"]))
    return {"format": kind, "unit": unit, "whole": round(whole, 6), "functions": functions[:limit]}


@tool(
    tags="benchmark compare performance regression go bench pytest-benchmark hyperfine faster slower",
    use_when=(
        "Which benchmarks became slower between these two runs?",
        "Compare two outputs of go test -bench",
        "Is there a performance regression in these pytest-benchmark results?",
    ),
    examples=(
        Example(
            {
                "old": "BenchmarkA-8 100 200 ns/op\nBenchmarkB-8 100 100 ns/op\n",
                "new": "BenchmarkA-8 100 400 ns/op\nBenchmarkB-8 100 50.0 ns/op\nBenchmarkC 1 1 ns/op\n",
            },
            {
                "geometric_mean_ratio": 1.0,
                "slower": 1,
                "faster": 1,
                "only_new": ["BenchmarkC"],
                "benchmarks": [
                    {"name": "BenchmarkA", "old_ns": 200.0, "change_percent": 100.0, "verdict": "slower"},
                    {"name": "BenchmarkB", "change_percent": -50.0, "verdict": "faster"},
                ],
            },
            source="by hand: 2 times one half is 1",
        ),
        Example(
            {
                "old": '{"results": [{"command": "a", "median": 1.0}]}',
                "new": '{"results": [{"command": "a", "median": 1.02}]}',
                "tolerance_percent": 3,
            },
            {"benchmarks": [{"name": "a", "old_ns": 1e9, "verdict": "same", "change_percent": 2.0}]},
            source="by hand, with the JSON of hyperfine",
        ),
        Refusal({"old": "x", "new": "y"}, "no benchmark"),
    ),
    reply="{slower} became slower and {faster} faster. The benchmarks: {benchmarks}",
)
def benchmark_compare_runs(
    old: Annotated[str, About("Results before", "BenchmarkA-8 100 200 ns/op\n", max_length=2_000_000)],
    new: Annotated[str, About("Results after", "BenchmarkA-8 100 210 ns/op\n", max_length=2_000_000)],
    tolerance_percent: Annotated[float, About("Smaller changes count as the same", minimum=0, maximum=100)] = 5,
) -> BenchmarkComparison:
    """Compare two benchmark runs of Go, pytest-benchmark, hyperfine or Google Benchmark.

    Use it to find regressions. Returns the change of each benchmark in percent, the worst first, and the geometric mean
    of all ratios. Several results with the same name are replaced by their median.
    """
    before, after = _benchmarks(old), _benchmarks(new)
    common = [name for name in before if name in after]
    if not common:
        raise ToolError("The runs have no benchmark in common. Send output of the same program for both.")
    changes = [_benchmark_change(name, before[name], after[name], tolerance_percent) for name in common]
    verdicts = [change["verdict"] for change in changes]
    ratio = math.exp(statistics.fmean(math.log(after[name] / before[name]) for name in common))
    return {
        "benchmarks": sorted(changes, key=lambda change: -change["change_percent"])[:_MOST],
        "geometric_mean_ratio": round(ratio, 4),
        "slower": verdicts.count("slower"),
        "faster": verdicts.count("faster"),
        "only_old": [name for name in before if name not in after],
        "only_new": [name for name in after if name not in before],
    }


Rows = dict[str, tuple[float, float, float]]
"""Calls, own and total time or samples of each function."""


def _profile(report: str) -> tuple[str, str, Rows]:
    if report.lstrip().startswith("{"):
        return "cpuprofile", "samples", _cpuprofile(json_object(report))
    if "tottime" in report:
        rows: Rows = {}
        for found in _PROFILE_ROW.finditer(report):
            name = f"{found[7]} ({found[5]}:{found[6]})" if found[5] else found[8]
            rows[name] = (float(found[1]), float(found[3].strip(".") or 0), float(found[4].strip(".") or 0))
        return "cprofile", "seconds", rows
    return "collapsed", "samples", _collapse(report)


def _collapse(report: str) -> Rows:
    rows: Rows = {}
    for line in report.splitlines():
        stack, _, count = line.rpartition(" ")
        if not stack or not re.fullmatch(r"[0-9]{1,15}", count):
            continue
        frames = stack.split(";")
        for name in dict.fromkeys(frames):
            calls, own, total = rows.get(name, (0.0, 0.0, 0.0))
            here = float(count)
            rows[name] = (calls + here, own + here * (name == frames[-1]), total + here)
    return rows


def _cpuprofile(document: dict[str, Any]) -> Rows:
    nodes = {str(json_part(node, "id")): node for node in json_list(document, "nodes") if isinstance(node, dict)}
    above = {str(child): key for key, node in nodes.items() for child in json_list(node, "children")}
    rows: Rows = {}
    for key, node in nodes.items():
        count = json_part(node, "hitCount")
        here = float(count) if isinstance(count, int) else 0.0
        seen: set[str] = set()
        at: Any = key
        for _ in range(len(nodes)):
            name = _call_name(nodes[at])
            calls, own, total = rows.get(name, (0.0, 0.0, 0.0))
            fresh = 0.0 if name in seen else here
            rows[name] = (calls + fresh, own + here * (at == key), total + fresh)
            seen.add(name)
            if above.get(at) not in nodes:
                break
            at = above[at]
    return rows


def _call_name(node: dict[str, Any]) -> str:
    frame = json_part(node, "callFrame")
    name = json_part(frame, "functionName") or "(anonymous)"
    return (
        f"{name} ({json_part(frame, 'url')}:{json_part(frame, 'lineNumber')})" if json_part(frame, "url") else str(name)
    )


def _benchmarks(text: str) -> dict[str, float]:
    """Return nanoseconds by the name of the benchmark."""
    times: dict[str, list[float]] = {}
    pairs = _json_benchmarks(text) if text.lstrip().startswith("{") else _go_benchmarks(text)
    for name, nanoseconds in pairs:
        if math.isfinite(nanoseconds) and nanoseconds > 0:
            times.setdefault(name, []).append(nanoseconds)
    return {name: statistics.median(found) for name, found in times.items()}


def _go_benchmarks(text: str) -> Iterator[tuple[str, float]]:
    for found in _GO_BENCH.finditer(text):
        if re.fullmatch(r"\d{1,18}(\.\d{1,18})?", found[2]):
            yield found[1], float(found[2])


def _json_benchmarks(text: str) -> Iterator[tuple[str, float]]:
    document = json_value(text)
    scales = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    for result in json_list(document, "results"):
        median = json_part(result, "median") or json_part(result, "mean")
        if isinstance(median, int | float):
            yield str(json_part(result, "command")), median * 1e9
    for result in json_list(document, "benchmarks"):
        median, real = json_part(result, "stats", "median"), json_part(result, "real_time")
        if isinstance(median, int | float):
            yield str(json_part(result, "fullname") or json_part(result, "name")), median * 1e9
        elif isinstance(real, int | float):
            yield str(json_part(result, "name")), real * scales.get(str(json_part(result, "time_unit")), 1)


def _benchmark_change(name: str, old: float, new: float, tolerance: float) -> BenchmarkChange:
    change = 100 * (new - old) / old
    verdict = "same" if abs(change) <= tolerance else "slower" if change > 0 else "faster"
    return {
        "name": name,
        "old_ns": old,
        "new_ns": new,
        "change_percent": round(change, 2) if math.isfinite(change) else 0.0,
        "verdict": verdict,
    }
