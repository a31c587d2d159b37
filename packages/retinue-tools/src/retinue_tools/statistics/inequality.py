"""How unequally something is shared out."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy


class Inequality(TypedDict):
    """How unequal values are."""

    gini: Annotated[float, About("0 where all are equal, towards 1 where one has all")]
    gini_corrected: Annotated[float, About("Times n / (n - 1), for small samples")]
    herfindahl: Annotated[float, About("Sum of squared shares, 1/n to 1")]
    herfindahl_points: Annotated[float, About("The same with shares in percent, up to 10,000")]
    top_share: Annotated[float, About("Share of the greatest, 0 to 1")]
    shares: Annotated[list[Bounded], About("Share of each in the sum, in their order")]


@tool(
    tags="gini coefficient inequality income lorenz herfindahl hirschman hhi concentration market shares distribution",
    use_when=(
        "Gini coefficient of the incomes 10, 20, 30, 40 and 100",
        "How unequal are 1, 1, 2 and 10?",
        "Herfindahl index of market shares 40, 30, 20, 10",
    ),
    examples=(
        Example({"values": [1, 1, 1, 1]}, {"gini": 0.0, "herfindahl": 0.25}, source="equal values"),
        Example(
            {"values": [1, 2, 3, 4]},
            {"gini": 0.25, "top_share": 0.4},
            source="by hand: mean difference 1.25 / (2 * 2.5)",
        ),
        Example({"values": [40, 30, 20, 10]}, {"herfindahl_points": 3000.0}, source="1600 + 900 + 400 + 100"),
        Refusal({"values": [1, -2]}, "negative"),
    ),
)
def stats_measure_inequality(
    values: Annotated[
        list[Bounded], About("Incomes, holdings or shares", [10, 20, 30, 40, 100], min_items=2, max_items=100_000)
    ],
) -> Inequality:
    """Measure how unequally something is shared out: Gini coefficient and Herfindahl-Hirschman index.

    Use it for incomes, wealth and markets. Values need not add up to anything.
    """
    total, count = sum(values), len(values)
    if min(values) < 0 or total <= 0:
        raise ToolError("Values must not be negative, and not all 0.")
    ranked = sum(rank * value for rank, value in enumerate(sorted(values), start=1))
    gini = 2 * ranked / (count * total) - (count + 1) / count
    shares = [value / total for value in values]
    squares = sum(share**2 for share in shares)
    return {
        "gini": tidy(gini),
        "gini_corrected": tidy(gini * count / (count - 1)),
        "herfindahl": tidy(squares),
        "herfindahl_points": tidy(squares * 1e4),
        "top_share": tidy(max(shares)),
        "shares": [tidy(share) for share in shares],
    }
