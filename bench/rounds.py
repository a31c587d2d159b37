"""Run rounds of benchmarks over all servers in turn."""

import asyncio
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figures, Results, medians, tell
from bench.phases import measure_phases, measure_target
from bench.programs import RETINUE, measure_command
from bench.targets import Agno, Model, Retinue, Target


@dataclass(frozen=True)
class Plan:
    """The plan of a benchmark. `retinue` is the command; `compared` also measures Agno."""

    rounds: int
    seconds: float
    log_level: str
    retinue: str
    compared: bool


def measure(plan: Plan) -> Results:
    """Measure all servers in turn, each round on fresh data."""
    rounds: dict[str, list[Figures]] = defaultdict(list)
    _measure_tools(rounds, plan.rounds)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        model = Model()
        server = model.start(Path(folder, model.name))
        try:
            for number in range(plan.rounds):
                rounds[model.name].append(asyncio.run(measure_phases(model, server, plan.seconds)))
                for target in _targets(plan, f"{server.url}/v1"):
                    tell(f"round {number + 1} of {plan.rounds}: {target.name}")
                    rounds[target.name].append(
                        measure_target(target, Path(folder, f"{target.name}-{number}"), plan.seconds)
                    )
        finally:
            server.stop()
    return {name: medians(figures) for name, figures in rounds.items()}


def _targets(plan: Plan, model_url: str) -> list[Target]:
    ours = Retinue.with_model_at(model_url, plan.log_level, plan.retinue)
    return [ours, Agno(model_url)] if plan.compared else [ours]


def _measure_tools(rounds: dict[str, list[Figures]], number: int) -> None:
    for _ in range(number):
        tell("tools")
        rounds["tools"].append(measure_command([RETINUE, "-m", "bench.tools"]))
