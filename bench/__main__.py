"""`bench/run`: measures, prints the tables, and keeps the figures in bench/results/latest.json."""

import argparse
import json
from pathlib import Path

from bench.document import write_tables
from bench.report import tables
from bench.rounds import Plan, measure

_RESULTS = Path("bench/results/latest.json")
_DOCUMENT = Path("docs/performance.md")


def main() -> None:
    """Measure, tell and keep."""
    options = _options()
    plan = Plan(options.rounds, options.seconds, options.log_level, options.retinue, not options.alone)
    results = measure(plan)
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(results, indent=1))
    text = tables(results)
    print(text)
    if options.write:
        write_tables(_DOCUMENT, text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "bench/run", description="Measure the server, and the comparison server beside it."
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured; medians are told")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each operation is loaded in a round")
    parser.add_argument("--log-level", default="info", help="Retinue's, where info logs every request (the default)")
    parser.add_argument("--retinue", default=".venv/bin/retinue", help="the command to measure")
    parser.add_argument("--alone", action="store_true", help="leave the comparison server out")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {_DOCUMENT}")
    return parser.parse_args()


if __name__ == "__main__":
    main()
