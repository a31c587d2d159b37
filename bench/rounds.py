"""A sitting: rounds over all servers in turn, and the durable runs on each database."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.phases import Figures, measure_phases, measure_target
from bench.targets import Agno, Model, Retinue, Target

_PYTHON = ".venv/bin/python"
_POSTGRES = "RETINUE_BENCH_POSTGRES"
"""The variable that names an empty PostgreSQL database for the durable runs."""

Results = dict[str, Figures]
"""Median figures by server."""


@dataclass(frozen=True)
class Plan:
    """What to measure and how often. `retinue` is the command, `compared` whether to measure Agno too."""

    rounds: int
    seconds: float
    log_level: str
    retinue: str
    compared: bool


def measure(plan: Plan) -> Results:
    """Measure all servers, alternating, each round on fresh data."""
    rounds: dict[str, list[Figures]] = defaultdict(list)
    _measure_journals(rounds, plan.rounds)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        model = Model()
        server = model.start(Path(folder, model.name))
        try:
            for number in range(plan.rounds):
                rounds[model.name].append(asyncio.run(measure_phases(model, server, plan.seconds)))
                for target in _targets(plan, f"{server.url}/v1"):
                    _tell(f"round {number + 1} of {plan.rounds}: {target.name}")
                    rounds[target.name].append(
                        measure_target(target, Path(folder, f"{target.name}-{number}"), plan.seconds)
                    )
        finally:
            server.stop()
    return {name: _medians(figures) for name, figures in rounds.items()}


def _targets(plan: Plan, model_url: str) -> list[Target]:
    ours = Retinue.with_model_at(model_url, plan.log_level, plan.retinue)
    return [ours, Agno(model_url)] if plan.compared else [ours]


def _measure_journals(rounds: dict[str, list[Figures]], number: int) -> None:
    urls = {"journal sqlite": None, "journal postgresql": os.environ.get(_POSTGRES)}
    for _ in range(number):
        for name, url in urls.items():
            if url or name == "journal sqlite":
                _tell(name)
                rounds[name].append(_measure_journal(url))


def _measure_journal(url: str | None) -> Figures:
    """In the server's own environment, because its parts are driven directly."""
    command = [_PYTHON, "-m", "bench.journal", *([url] if url else [])]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    figures: Figures = json.loads(printed)
    return figures


def _medians(rounds: Sequence[Figures]) -> Figures:
    return {key: round(median(figures[key] for figures in rounds), 3) for key in rounds[0]}


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
