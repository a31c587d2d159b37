"""Earned value of projects."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_MOST = 1e15


class EarnedValue(TypedDict):
    """Status of a project."""

    cost_variance: Annotated[float, About("EV - AC, negative over budget")]
    schedule_variance: Annotated[float, About("EV - PV, negative behind schedule")]
    cpi: Annotated[float, About("EV / AC")]
    spi: Annotated[float, About("EV / PV")]
    estimate_at_completion: Annotated[float | None, About("BAC / CPI")]
    estimate_to_complete: Annotated[float | None, About("EAC - AC")]
    variance_at_completion: Annotated[float | None, About("BAC - EAC")]
    tcpi: Annotated[float | None, About("(BAC - EV) / (BAC - AC)")]
    state: str


@tool(
    tags="earned value management evm cpi spi eac etc vac tcpi planned actual cost budget project schedule variance",
    use_when=(
        "EVM: PV 400k, EV 350k, AC 380k, BAC 1.2M. CPI, SPI and EAC?",
        "Project planned 50,000 by now, done work worth 45,000, spent 48,000: are we over budget?",
    ),
    examples=(
        Example(
            {"planned": 400, "earned": 350, "actual": 380, "budget": 1200},
            {"cost_variance": -30.0, "schedule_variance": -50.0, "spi": 0.875, "estimate_at_completion": 1302.85714286},
            source="arithmetic: 1200 * 380 / 350",
        ),
        Example(
            {"planned": 10, "earned": 12, "actual": 8},
            {"cpi": 1.5, "state": "under budget, ahead of schedule"},
            "12 / 8",
        ),
        Refusal({"planned": 10, "earned": 12, "actual": 0}, "actual"),
    ),
    reply={
        "estimate_at_completion": (
            "The project is {state}: CPI is {cpi}, SPI {spi}, and it will cost {estimate_at_completion} in the end."
        ),
        "": "The project is {state}: CPI is {cpi} and SPI {spi}.",
    },
)
def project_measure_earned_value(
    planned: Annotated[float, About("Planned value (PV) so far", 400_000, minimum=1e-30, maximum=_MOST)],
    earned: Annotated[float, About("Earned value (EV) so far", 350_000, minimum=1e-30, maximum=_MOST)],
    actual: Annotated[float, About("Actual cost (AC) so far", 380_000, minimum=1e-30, maximum=_MOST)],
    budget: Annotated[
        float | None, About("Budget at completion (BAC)", 1_200_000, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> EarnedValue:
    """Measure a project by earned value: variances, CPI, SPI and the estimate at completion."""
    index = earned / actual
    total = None if budget is None else budget / index
    left = None if budget is None or budget == actual else (budget - earned) / (budget - actual)
    return {
        "cost_variance": tidy(earned - actual),
        "schedule_variance": tidy(earned - planned),
        "cpi": tidy(index),
        "spi": tidy(earned / planned),
        "estimate_at_completion": total and tidy(total),
        "estimate_to_complete": None if total is None else tidy(total - actual),
        "variance_at_completion": None if total is None or budget is None else tidy(budget - total),
        "tcpi": None if left is None else tidy(left),
        "state": f"{_compare(earned, actual, 'under', 'over', 'on')} budget, "
        f"{_compare(earned, planned, 'ahead of', 'behind', 'on')} schedule",
    }


def _compare(value: float, other: float, more: str, less: str, same: str) -> str:
    return more if value > other else less if value < other else same
