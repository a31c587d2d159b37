"""`bench/run`: run benchmarks, print the tables, and store the figures in bench/results/."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from bench.document import write_tables
from bench.durable import measure_durable
from bench.durable_report import durable_tables
from bench.figures import Results
from bench.report import tables
from bench.rounds import Plan, measure

_RESULTS = Path("bench/results")
_DOCUMENT = Path("docs/performance.md")


def main() -> None:
    """Run each part; print and store its results."""
    options = _options()
    parts: dict[str, tuple[Callable[[], Results], Callable[[Results], str]]] = {
        "operations": (lambda: measure(_plan(options)), tables),
        "durable": (lambda: measure_durable(options.rounds, options.retinue, not options.alone), durable_tables),
    }
    _RESULTS.mkdir(exist_ok=True)
    for part in [options.part] if options.part else parts:
        measured, told = parts[part]
        results = measured()
        (_RESULTS / f"{part}.json").write_text(json.dumps(results, indent=1))
        text = told(results)
        print(text)
        if options.write:
            write_tables(_DOCUMENT, part, text)


def _plan(options: argparse.Namespace) -> Plan:
    return Plan(options.rounds, options.seconds, options.log_level, options.retinue, not options.alone)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("bench/run", description="Measure the server, and the compared ones beside it.")
    parser.add_argument("part", nargs="?", choices=["operations", "durable"], help="what to measure; both by default")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured; medians are told")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each operation is loaded in a round")
    parser.add_argument("--log-level", default="info", help="Retinue's, where info logs every request (the default)")
    parser.add_argument("--retinue", default=".venv/bin/retinue", help="the command to measure")
    parser.add_argument("--alone", action="store_true", help="leave the compared servers out")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {_DOCUMENT}")
    return parser.parse_args()


if __name__ == "__main__":
    main()
