"""Interest without interest on interest."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_MOST = 1e15


class SimpleInterest(TypedDict):
    """A loan or deposit at simple interest."""

    interest: float
    total: Annotated[float, About("Principal and interest: what is paid back")]
    principal: float
    annual_rate_percent: float
    years: float
    interest_per_day: Annotated[float, About("By the days of a year that were given")]


_RULES: tuple[Rule, ...] = (
    ("interest", lambda principal, rate, years: principal * rate / 100 * years),
    ("principal", lambda interest, rate, years: interest * 100 / (rate * years)),
    ("rate", lambda interest, principal, years: interest * 100 / (principal * years)),
    ("years", lambda interest, principal, rate: interest * 100 / (principal * rate)),
)


@tool(
    tags="simple interest loan deposit note principal rate time years months days late payment lent owe flat",
    use_when=(
        "Simple interest on 5,000 at 4% for 3 years",
        "I lent 1,800 at 5 percent simple interest: what is owed after 30 months?",
        "Interest for 90 days on 12,000 at 4%, a year of 360 days",
        "At what simple rate do 5,000 earn 900 in 4 years?",
    ),
    examples=(
        Example(
            {"principal": 5000, "annual_rate_percent": 4, "years": 3},
            {"interest": 600.0, "total": 5600.0},
            source="by hand: 5000 * 0.04 * 3",
        ),
        Example(
            {"principal": 12000, "annual_rate_percent": 4, "days": 90, "days_of_year": 360},
            {"interest": 120.0, "years": 0.25},
            source="by hand: 12000 * 0.04 / 4",
        ),
        Example(
            {"principal": 5000, "interest": 900, "years": 4}, {"annual_rate_percent": 4.5}, source="900 / (5000 * 4)"
        ),
        Refusal({"principal": 5000, "annual_rate_percent": 4}, "Too little"),
        Refusal({"principal": 5000, "annual_rate_percent": 4, "years": 1, "months": 6}, "one of years"),
    ),
)
def interest_solve_simple(
    principal: Annotated[float | None, About("Sum that bears interest", 5000, minimum=1e-9, maximum=_MOST)] = None,
    annual_rate_percent: Annotated[
        float | None, About("Interest rate a year in percent", 4, minimum=1e-9, maximum=1e6)
    ] = None,
    years: Annotated[float | None, About("Time in years", 3, minimum=1e-9, maximum=1e6)] = None,
    months: Annotated[float | None, About("Time in months, in place of years", 18, minimum=1e-9, maximum=1e7)] = None,
    days: Annotated[float | None, About("Time in days, in place of years", 90, minimum=1e-9, maximum=1e8)] = None,
    interest: Annotated[float | None, About("Interest in all", 600, minimum=1e-9, maximum=_MOST)] = None,
    days_of_year: Annotated[int, About("Days that a year is taken to have", 365, minimum=360, maximum=366)] = 365,
) -> SimpleInterest:
    """Solve simple interest (I = P r t) from any three of principal, yearly rate, time and interest.

    Use it for loans between friends, notes and late payments, where interest bears no interest. Returns the total.
    """
    given = {
        "principal": principal,
        "rate": annual_rate_percent,
        "years": _years(years, months, days, days_of_year),
        "interest": interest,
    }
    found = complete(given, _RULES)
    return {
        "interest": tidy(found["interest"]),
        "total": tidy(found["principal"] + found["interest"]),
        "principal": tidy(found["principal"]),
        "annual_rate_percent": tidy(found["rate"]),
        "years": tidy(found["years"]),
        "interest_per_day": tidy(found["principal"] * found["rate"] / 100 / days_of_year),
    }


def _years(years: float | None, months: float | None, days: float | None, days_of_year: int) -> float | None:
    given = [one for one in (years, months and months / 12, days and days / days_of_year) if one is not None]
    if len(given) > 1:
        raise ToolError("Give one of years, months and days.")
    return given[0] if given else None
