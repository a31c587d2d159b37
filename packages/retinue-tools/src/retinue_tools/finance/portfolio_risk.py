"""Performance, drawdowns and value at risk of portfolios."""

import math
from typing import Annotated, Any, Literal

import numpy as np
from scipy.stats import norm
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, dec, money, percent

PerYear = Annotated[
    int, About("Periods per year: 252 for days, 52 for weeks, 12 for months", 252, minimum=1, maximum=366)
]
Values = Annotated[
    list[Annotated[float, About("Price or value", 100, exclusive_minimum=0, maximum=1e12)]],
    About("Prices or values in chronological order", [100, 104, 102, 108], min_items=3, max_items=20_000),
]


class Performance(TypedDict):
    """Performance of a series of values."""

    total_return_percent: float
    annual_return_percent: Annotated[float, About("Geometric mean return per year")]
    annual_volatility_percent: float
    sharpe_ratio: Annotated[float | None, About("Null without volatility")]
    sortino_ratio: Annotated[float | None, About("Null without losses below the risk-free rate")]
    max_drawdown_percent: Annotated[float, About("Largest fall from a peak, as a positive number")]
    drawdown_peak: Annotated[int, About("Position of the preceding peak, 0 is the first value")]
    drawdown_trough: Annotated[int, About("Position of the lowest point")]
    recovered_at: Annotated[int | None, About("Position of the recovery to the peak; null if never")]
    calmar_ratio: Annotated[float | None, About("Annual return divided by maximum drawdown")]


@tool(
    tags="portfolio performance return volatility sharpe sortino calmar drawdown recovery fund",
    use_when=(
        "What are return, volatility and Sharpe ratio of these monthly values?",
        "What is the maximum drawdown of my portfolio?",
        "When did the fund recover from its worst fall?",
    ),
    tier="starter",
    memory_mb=1024,
    examples=(
        Example(
            {"values": [100, 120, 90, 120, 132], "periods_per_year": 4},
            {
                "total_return_percent": 32.0,
                "annual_return_percent": 32.0,
                "max_drawdown_percent": 25.0,
                "drawdown_peak": 1,
                "drawdown_trough": 2,
                "recovered_at": 3,
                "calmar_ratio": 1.28,
            },
            source="by hand: from 120 to 90",
        ),
        Example(
            {"values": [100, 110, 121], "periods_per_year": 1},
            {"annual_return_percent": 10.0, "annual_volatility_percent": 0.0, "sharpe_ratio": None},
            source="by hand: 10 % each year",
        ),
        Refusal({"values": [100, 110], "periods_per_year": 1}, "values"),
    ),
    reply={
        "sharpe_ratio": (
            "The return is {annual_return_percent} % a year at a volatility of "
            "{annual_volatility_percent} %, a Sharpe ratio of {sharpe_ratio}; "
            "the largest drawdown is {max_drawdown_percent} %."
        ),
        "": (
            "The return is {annual_return_percent} % a year at a volatility of "
            "{annual_volatility_percent} %; the largest drawdown is {max_drawdown_percent} "
            "%."
        ),
    },
)
def portfolio_measure_performance(
    values: Values,
    periods_per_year: PerYear = 252,
    risk_free_percent: Annotated[float, About("Risk-free rate in percent per year", 2, minimum=-20, maximum=100)] = 0,
) -> Performance:
    """Measure return, volatility, Sharpe, Sortino and Calmar ratio and the worst drawdown of a series of values.

    Use it for funds, shares or a strategy's equity. Volatility is the sample deviation of simple returns, scaled by the
    square root of the periods per year.
    """
    series = np.asarray(values, float)
    returns = series[1:] / series[:-1] - 1
    free = risk_free_percent / 100 / periods_per_year
    deviation = float(np.std(returns, ddof=1))
    downside = math.sqrt(float(np.mean(np.minimum(returns - free, 0) ** 2)))
    excess, root = float(np.mean(returns)) - free, math.sqrt(periods_per_year)
    exponent = math.log(values[-1] / values[0]) * periods_per_year / len(returns)
    if exponent > 100 or not math.isfinite(deviation):
        raise ToolError("The growth is too fast to scale it to a year. Check periods_per_year.")
    annual = math.expm1(exponent)
    fall, peak, trough = _drawdown(series)
    after = np.flatnonzero(series[trough:] >= series[peak])
    return {
        "total_return_percent": percent(values[-1] / values[0] - 1, 6),
        "annual_return_percent": percent(annual, 6),
        "annual_volatility_percent": percent(deviation * root, 6),
        "sharpe_ratio": round(excess / deviation * root, 6) if deviation > 1e-12 else None,
        "sortino_ratio": round(excess / downside * root, 6) if downside > 1e-12 else None,
        "max_drawdown_percent": percent(fall, 6),
        "drawdown_peak": peak,
        "drawdown_trough": trough,
        "recovered_at": trough + int(after[0]) if len(after) else None,
        "calmar_ratio": round(annual / fall, 6) if fall > 1e-12 else None,
    }


def _drawdown(series: Any) -> tuple[float, int, int]:
    """Return the largest fall as a share of the peak, and the positions of peak and trough."""
    falls = 1 - series / np.maximum.accumulate(series)
    trough = int(np.argmax(falls))
    return float(falls[trough]), int(np.argmax(series[: trough + 1])), trough


class ValueAtRisk(TypedDict):
    """Losses of one period, as positive numbers."""

    value_at_risk: Annotated[float, About("Loss that is exceeded only with the remaining probability")]
    expected_shortfall: Annotated[float, About("Mean loss in those cases")]
    value_at_risk_percent: float


@tool(
    tags="value at risk var expected shortfall cvar loss confidence historical parametric",
    use_when=(
        "What is the 95% value at risk of a 100,000 portfolio with these returns?",
        "Expected shortfall of my daily returns",
        "How much can I lose in a day with 99% confidence?",
    ),
    tier="starter",
    memory_mb=1024,
    examples=(
        Example(
            {"value": 1000, "returns_percent": [-10, -5, 0, 5, 10], "confidence_percent": 80, "method": "historical"},
            {"value_at_risk": 50.0, "expected_shortfall": 100.0},
            source="by hand: the worst fifth of five returns is -10, the next one is -5",
        ),
        Example(
            {"value": 1000, "returns_percent": [-1, 0, 1], "confidence_percent": 95, "method": "normal"},
            {"value_at_risk": 16.45, "expected_shortfall": 20.63},
            source="normal table: 1.6449 and 2.0627 deviations of 1 %",
            tolerance=1e-3,
        ),
        Refusal({"value": 1000, "returns_percent": [1], "confidence_percent": 95}, "returns_percent"),
    ),
    reply=(
        "The value at risk is {value_at_risk}, or {value_at_risk_percent} %; in the worse "
        "cases the mean loss is {expected_shortfall}."
    ),
)
def portfolio_compute_value_at_risk(
    value: Cost,
    returns_percent: Annotated[
        list[Annotated[float, About("Return in percent", -1.2, minimum=-100, maximum=1000)]],
        About("Returns of past periods", [-1.2, 0.4, 0.9, -0.3], min_items=3, max_items=50_000),
    ],
    confidence_percent: Annotated[float, About("Confidence level", 95, minimum=50, maximum=99.99)] = 95,
    method: Annotated[
        Literal["historical", "normal"], About("Historical returns or a normal distribution")
    ] = "historical",
) -> ValueAtRisk:
    """Compute value at risk and expected shortfall of one period from past returns.

    Use it to state the risk of a portfolio. The historical method skips the worst share of returns, rounded down, and
    takes the next one; the shortfall is the mean of those skipped.
    """
    returns = np.sort(np.asarray(returns_percent, float)) / 100
    tail = 1 - confidence_percent / 100
    if method == "normal":
        mean, deviation = float(np.mean(returns)), float(np.std(returns, ddof=1))
        z = float(norm.ppf(tail))
        loss, shortfall = -(mean + z * deviation), -(mean - deviation * float(norm.pdf(z)) / tail)
    else:
        count = int(tail * len(returns) + 1e-9)
        loss, shortfall = -float(returns[count]), -float(np.mean(returns[: max(count, 1)]))
    return {
        "value_at_risk": money(dec(value) * dec(loss)),
        "expected_shortfall": money(dec(value) * dec(shortfall)),
        "value_at_risk_percent": percent(loss),
    }
