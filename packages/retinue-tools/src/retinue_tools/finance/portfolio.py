"""Portfolios: performance, drawdowns, value at risk, weights and rebalancing."""

import math
from decimal import Decimal
from typing import Annotated, Any, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, cents, dec, money, percent

PerYear = Annotated[
    int, About("Periods a year: 252 for days, 52 for weeks, 12 for months", 252, minimum=1, maximum=366)
]
Values = Annotated[
    list[Annotated[float, About("Price or value", 100, exclusive_minimum=0, maximum=1e12)]],
    About("Prices or values in order of time", [100, 104, 102, 108], min_items=3, max_items=20_000),
]


class Performance(TypedDict):
    """How a series of values did."""

    total_return_percent: float
    annual_return_percent: Annotated[float, About("Geometric, scaled to a year")]
    annual_volatility_percent: float
    sharpe_ratio: Annotated[float | None, About("Null without volatility")]
    sortino_ratio: Annotated[float | None, About("Null without losses below the risk-free rate")]
    max_drawdown_percent: Annotated[float, About("Largest fall from a peak, as a positive number")]
    drawdown_peak: Annotated[int, About("Position of the peak before it, 0 is the first value")]
    drawdown_trough: Annotated[int, About("Position of the lowest point")]
    recovered_at: Annotated[int | None, About("Position where the peak is reached again; null if never")]
    calmar_ratio: Annotated[float | None, About("Annual return by maximal drawdown")]


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
)
def portfolio_measure_performance(
    values: Values,
    periods_per_year: PerYear = 252,
    risk_free_percent: Annotated[float, About("Risk-free rate in percent a year", 2, minimum=-20, maximum=100)] = 0,
) -> Performance:
    """Measure return, volatility, Sharpe, Sortino and Calmar ratio and the worst drawdown of a series of values.

    Use it for funds, shares or a strategy's equity. Volatility is the sample deviation of simple returns, scaled by
    the root of the periods a year.
    """
    series = np.asarray(values, float)
    returns = series[1:] / series[:-1] - 1
    free = risk_free_percent / 100 / periods_per_year
    deviation = float(np.std(returns, ddof=1))
    downside = math.sqrt(float(np.mean(np.minimum(returns - free, 0) ** 2)))
    excess, root = float(np.mean(returns)) - free, math.sqrt(periods_per_year)
    exponent = math.log(values[-1] / values[0]) * periods_per_year / len(returns)
    if exponent > 100 or not math.isfinite(deviation):
        raise ToolError("The values grow too fast to scale them to a year. Check periods_per_year.")
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
    """The largest fall as a share of the peak, and the positions of peak and trough."""
    falls = 1 - series / np.maximum.accumulate(series)
    trough = int(np.argmax(falls))
    return float(falls[trough]), int(np.argmax(series[: trough + 1])), trough


class ValueAtRisk(TypedDict):
    """Losses of one period, as positive numbers."""

    value_at_risk: Annotated[float, About("Loss that is exceeded with the rest probability only")]
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
)
def portfolio_compute_value_at_risk(
    value: Cost,
    returns_percent: Annotated[
        list[Annotated[float, About("Return in percent", -1.2, minimum=-100, maximum=1000)]],
        About("Returns of past periods", [-1.2, 0.4, 0.9, -0.3], min_items=3, max_items=50_000),
    ],
    confidence_percent: Annotated[float, About("Confidence", 95, minimum=50, maximum=99.99)] = 95,
    method: Annotated[Literal["historical", "normal"], About("From the past itself or a normal curve")] = "historical",
) -> ValueAtRisk:
    """Compute value at risk and expected shortfall of one period from past returns.

    Use it to state the risk of a portfolio. The historical method leaves out the worst share of returns, rounded
    down, and takes the next one; the shortfall is the mean of those left out.
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


class Asset(TypedDict):
    """An asset with its expectations."""

    name: Label
    return_percent: Annotated[float, About("Expected return a year", 7, minimum=-100, maximum=1000)]
    volatility_percent: Annotated[float, About("Volatility a year", 15, minimum=0.01, maximum=500)]


class Weight(TypedDict):
    """A part of a portfolio."""

    name: str
    weight_percent: float


class Optimum(TypedDict):
    """The best weights."""

    weights: list[Weight]
    return_percent: float
    volatility_percent: float
    sharpe_ratio: float


@tool(
    tags="portfolio optimize markowitz mean variance weights sharpe minimum variance risk parity",
    use_when=(
        "Which weights of these assets give the lowest risk?",
        "Maximise the Sharpe ratio of stocks, bonds and gold",
        "Find risk-parity weights for three funds",
    ),
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=1024,
    examples=(
        Example(
            {
                "assets": [
                    {"name": "A", "return_percent": 8, "volatility_percent": 20},
                    {"name": "B", "return_percent": 4, "volatility_percent": 10},
                ],
                "correlations": [[1, 0], [0, 1]],
                "objective": "min_variance",
            },
            {"weights": [{"name": "A", "weight_percent": 20.0}, {"weight_percent": 80.0}], "volatility_percent": 8.944},
            source="by hand: weights as 1 / variance; root of 0.04 x 0.04 + 0.64 x 0.01",
            tolerance=1e-3,
        ),
        Example(
            {
                "assets": [
                    {"name": "A", "return_percent": 8, "volatility_percent": 20},
                    {"name": "B", "return_percent": 4, "volatility_percent": 10},
                ],
                "correlations": [[1, 0], [0, 1]],
                "objective": "risk_parity",
            },
            {"weights": [{"weight_percent": 33.333}, {"weight_percent": 66.667}]},
            source="by hand: weights as 1 / volatility",
            tolerance=1e-3,
        ),
        Refusal(
            {
                "assets": [{"name": n, "return_percent": 8, "volatility_percent": 20} for n in ("A", "B")],
                "correlations": [[1, 0.5], [0.2, 1]],
                "objective": "min_variance",
            },
            "symmetric",
        ),
    ),
)
def portfolio_optimize_weights(
    assets: Annotated[
        list[Asset],
        About(
            "Assets to choose from",
            [{"name": "Stocks", "return_percent": 7, "volatility_percent": 15}],
            min_items=2,
            max_items=30,
        ),
    ],
    correlations: Annotated[
        list[list[Annotated[float, About("Correlation", 0.2, minimum=-1, maximum=1)]]],
        About("Correlation matrix in the order of the assets", [[1, 0.2], [0.2, 1]], min_items=2, max_items=30),
    ],
    objective: Annotated[Literal["max_sharpe", "min_variance", "risk_parity"], About("What to seek")],
    risk_free_percent: Annotated[float, About("Risk-free rate in percent", 2, minimum=-20, maximum=100)] = 0,
    max_weight_percent: Annotated[float, About("Largest weight of one asset", 100, minimum=1, maximum=100)] = 100,
) -> Optimum:
    """Optimise portfolio weights by mean and variance, without short sales.

    Use it for the highest Sharpe ratio, the lowest risk, or equal risk contributions. Weights add up to 100 percent
    and keep below the limit.
    """
    matrix = _correlation_matrix(correlations, len(assets))
    if max_weight_percent * len(assets) < 100:
        raise ToolError("The largest weight is too small for so few assets. Raise max_weight_percent.")
    means = np.array([asset["return_percent"] for asset in assets], float) / 100
    deviations = np.array([asset["volatility_percent"] for asset in assets], float) / 100
    covariance = np.outer(deviations, deviations) * matrix
    scale = float(np.max(covariance))

    def goal(weights: Any) -> float:
        variance = max(float(weights @ covariance @ weights), 1e-18)
        if objective == "max_sharpe":
            return -(float(weights @ means) - risk_free_percent / 100) / math.sqrt(variance)
        if objective == "min_variance":
            return variance / scale
        parts = weights * (covariance @ weights) / variance
        return float(np.sum((parts - 1 / len(assets)) ** 2))

    limits = [(0, max_weight_percent / 100)] * len(assets)
    start = np.full(len(assets), 1 / len(assets))
    whole = {"type": "eq", "fun": lambda weights: float(np.sum(weights)) - 1}
    found = minimize(
        goal, start, method="SLSQP", bounds=limits, constraints=[whole], tol=1e-12, options={"maxiter": 500}
    )
    if not found.success and found.status != 8:
        raise ToolError("No best weights were found. Check the correlations.")
    weights = np.clip(found.x, 0, None) / np.sum(np.clip(found.x, 0, None))
    mean, deviation = float(weights @ means), math.sqrt(max(float(weights @ covariance @ weights), 0))
    return {
        "weights": [
            {"name": asset["name"], "weight_percent": percent(float(weight))}
            for asset, weight in zip(assets, weights, strict=True)
        ],
        "return_percent": percent(mean),
        "volatility_percent": percent(deviation),
        "sharpe_ratio": round((mean - risk_free_percent / 100) / max(deviation, 1e-9), 6),
    }


def _correlation_matrix(rows: list[list[float]], count: int) -> Any:
    if len(rows) != count or any(len(row) != count for row in rows):
        raise ToolError(f"The correlations must be {count} rows of {count} numbers.")
    matrix = np.array(rows, float)
    if not np.allclose(matrix, matrix.T) or not np.allclose(np.diag(matrix), 1):
        raise ToolError("The correlation matrix must be symmetric with ones on the diagonal.")
    if np.linalg.eigvalsh(matrix)[0] < -1e-8:
        raise ToolError("The correlations contradict each other: the matrix is not positive semi-definite.")
    return matrix


class Holding(TypedDict):
    """A position and its target."""

    name: Label
    value: Cost
    target_percent: Annotated[float, About("Share of the whole to reach", 60, minimum=0, maximum=100)]


class Trade(TypedDict):
    """What to do with a position."""

    name: str
    current_percent: float
    trade: Annotated[float, About("Positive buys, negative sells")]
    new_value: float


class Rebalance(TypedDict):
    """Trades that lead to the targets."""

    total: float
    trades: list[Trade]
    turnover: Annotated[float, About("All purchases together")]


@tool(
    tags="portfolio rebalance trades target weights allocation buy sell",
    use_when=(
        "How do I rebalance 70,000 stocks and 30,000 bonds to 60/40?",
        "Where should a new deposit of 5,000 go?",
        "Which trades reach my target weights?",
    ),
    memory_mb=1024,
    examples=(
        Example(
            {
                "holdings": [
                    {"name": "Stocks", "value": 70000, "target_percent": 60},
                    {"name": "Bonds", "value": 30000, "target_percent": 40},
                ]
            },
            {"total": 100000.0, "trades": [{"trade": -10000.0}, {"trade": 10000.0}], "turnover": 10000.0},
            source="by hand",
        ),
        Example(
            {
                "holdings": [
                    {"name": "Stocks", "value": 60, "target_percent": 50},
                    {"name": "Bonds", "value": 40, "target_percent": 50},
                ],
                "new_cash": 20,
            },
            {"total": 120.0, "trades": [{"trade": 0.0, "current_percent": 60.0}, {"trade": 20.0}]},
            source="by hand",
        ),
        Refusal({"holdings": [{"name": "A", "value": 60, "target_percent": 50}]}, "add up to 100"),
    ),
)
def portfolio_plan_rebalance(
    holdings: Annotated[
        list[Holding],
        About(
            "Positions with targets",
            [{"name": "Stocks", "value": 70000, "target_percent": 60}],
            min_items=1,
            max_items=200,
        ),
    ],
    new_cash: Annotated[float, About("Money to add, negative to take out", 5000, minimum=-1e15, maximum=1e15)] = 0,
) -> Rebalance:
    """Plan the trades that bring a portfolio to its target weights, with money added or taken out.

    Use it for periodic rebalancing. Trades are rounded to cents; fees and taxes are not in it.
    """
    if abs(sum(holding["target_percent"] for holding in holdings) - 100) > 0.01:
        raise ToolError("The targets must add up to 100 percent.")
    before = sum((cents(dec(holding["value"])) for holding in holdings), Decimal())
    total = before + cents(dec(new_cash))
    if total < 0:
        raise ToolError("More is taken out than there is. Lower the withdrawal.")
    trades: list[Trade] = []
    for holding in holdings:
        target, value = cents(total * dec(holding["target_percent"]) / 100), cents(dec(holding["value"]))
        share = percent(value / before) if before else 0.0
        trade = float(target - value)
        trades.append({"name": holding["name"], "current_percent": share, "trade": trade, "new_value": float(target)})
    bought = sum((dec(trade["trade"]) for trade in trades if trade["trade"] > 0), Decimal())
    return {"total": float(total), "trades": trades, "turnover": float(bought)}
