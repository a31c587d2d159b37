"""Summarizes the results of a simulation."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from statistics import mean

from retinue.core.database.statements import Row
from retinue.simulations.tables import Scenario
from retinue.usage.money import cost_text


def summarize(scenarios: Sequence[Scenario], rows: Sequence[Row]) -> Mapping[str, object]:
    """Return the fields of `SimulationSummary`. `rows` are the results of all conversations."""
    rated = [row for row in rows if row.status == "completed"]
    costs = [row.cost_usd for row in rows]
    return {
        "goal_reached": share_of(row.goal_reached for row in rated),
        "criteria_passed": share_of(passed for row in rated for passed in row.passed),
        "scenarios": [
            _summarize_scenario(number, scenario, [row for row in rated if row.scenario == number])
            for number, scenario in enumerate(scenarios, 1)
        ],
        "mean_turns": mean(row.turns for row in rated) if rated else None,
        "mean_first_text_ms": mean_ms(row.first_text_ms for row in rated),
        "mean_reply_ms": mean_ms(row.reply_ms for row in rated),
        "tokens_used": sum(row.tokens_used for row in rows),
        "cost_usd": None if None in costs else cost_text(sum(map(Decimal, costs), Decimal(0))),
    }


def _summarize_scenario(number: int, scenario: Scenario, rated: Sequence[Row]) -> Mapping[str, object]:
    return {
        "scenario": number,
        "name": scenario["name"],
        "conversations": len(rated),
        "goal_reached": share_of(row.goal_reached for row in rated),
        "criteria": [
            {"criterion": criterion, "passed": share_of(row.passed[place] for row in rated)}
            for place, criterion in enumerate(scenario["success_criteria"])
        ],
    }


def share_of(results: Iterable[bool]) -> float | None:
    """Return the share of true results; None without any."""
    known = [*results]
    return sum(known) / len(known) if known else None


def mean_ms(times: Iterable[int | None]) -> int | None:
    """Return the mean of the times that are known; None without any."""
    known = [time for time in times if time is not None]
    return round(mean(known)) if known else None
