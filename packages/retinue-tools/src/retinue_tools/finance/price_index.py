"""Amounts by a price index."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_MOST = 1e15


class IndexedAmount(TypedDict):
    """An amount at another time."""

    amount: float
    change_percent: Annotated[float, About("By how much prices rose")]
    yearly_percent: Annotated[float | None, About("A year, where the years between were given")]


@tool(
    tags="cpi price index inflation adjust amount rent indexation real value consumer prices from to",
    use_when=(
        "The index rose from 107.3 to 117.8. What does a rent of 850 become?",
        "CPI 218.1 then and 305.7 now: what are 1,000 dollars of then in today's money?",
    ),
    examples=(
        Example(
            {"amount": 850, "from_index": 100, "to_index": 112}, {"amount": 952.0, "change_percent": 12.0}, "by hand"
        ),
        Example(
            {"amount": 1, "from_index": 100, "to_index": 121, "years": 2}, {"yearly_percent": 10.0}, source="1.1^2"
        ),
        Refusal({"amount": 1, "from_index": 0, "to_index": 5}, "from_index"),
    ),
)
def inflation_adjust_index(
    amount: Annotated[float, About("Amount at the time of the first index", 850, minimum=-_MOST, maximum=_MOST)],
    from_index: Annotated[float, About("Index then", 107.3, minimum=1e-6, maximum=1e9)],
    to_index: Annotated[float, About("Index now", 117.8, minimum=1e-6, maximum=1e9)],
    years: Annotated[float | None, About("Years between", 5, minimum=0.01, maximum=10_000)] = None,
) -> IndexedAmount:
    """Adjust an amount by a price index, as rents and money of other years: amount times index now by index then."""
    growth = to_index / from_index
    return {
        "amount": tidy(amount * growth),
        "change_percent": tidy(100 * (growth - 1)),
        "yearly_percent": years and tidy(100 * (growth ** (1 / years) - 1)),
    }
