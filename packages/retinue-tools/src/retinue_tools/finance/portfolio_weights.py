"""Portfolio weights: optimisation and rebalancing."""

import math
from decimal import Decimal
from typing import Annotated, Any, Literal

import numpy as np
from scipy.optimize import minimize
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, cents, dec, percent


class Asset(TypedDict):
    """An asset with its expected values."""

    name: Label
    return_percent: Annotated[float, About("Expected return per year", 7, minimum=-100, maximum=1000)]
    volatility_percent: Annotated[float, About("Volatility per year", 15, minimum=0.01, maximum=500)]


class Weight(TypedDict):
    """Weight of an asset."""

    name: str
    weight_percent: float


class Optimum(TypedDict):
    """Optimal weights."""

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
    reply=(
        "The portfolio returns {return_percent} % at a volatility of {volatility_percent} "
        "%, with these weights: {weights}"
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
    objective: Annotated[Literal["max_sharpe", "min_variance", "risk_parity"], About("Objective")],
    risk_free_percent: Annotated[float, About("Risk-free rate in percent", 2, minimum=-20, maximum=100)] = 0,
    max_weight_percent: Annotated[float, About("Maximum weight of one asset", 100, minimum=1, maximum=100)] = 100,
) -> Optimum:
    """Optimise portfolio weights by mean and variance, without short sales.

    Use it for the highest Sharpe ratio, the lowest risk, or equal risk contributions. Weights add up to 100 percent and
    stay below the limit.
    """
    matrix = _correlation_matrix(correlations, len(assets))
    if max_weight_percent * len(assets) < 100:
        raise ToolError("The maximum weight is too small for so few assets. Increase max_weight_percent.")
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
        raise ToolError("No optimal weights were found. Check the correlations.")
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
    target_percent: Annotated[float, About("Target share of the total", 60, minimum=0, maximum=100)]


class Trade(TypedDict):
    """A trade of a position."""

    name: str
    current_percent: float
    trade: Annotated[float, About("Positive buys, negative sells")]
    new_value: float


class Rebalance(TypedDict):
    """Trades to reach the targets."""

    total: float
    trades: list[Trade]
    turnover: Annotated[float, About("Sum of all purchases")]


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
    reply={
        "trades": "These trades bring the portfolio of {total} to its targets: {trades}",
        "": "No trades are needed.",
    },
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
    new_cash: Annotated[float, About("Money to add, negative to withdraw", 5000, minimum=-1e15, maximum=1e15)] = 0,
) -> Rebalance:
    """Plan the trades that bring a portfolio to its target weights, with money added or withdrawn.

    Use it for periodic rebalancing. Trades are rounded to cents; fees and taxes are not included.
    """
    if abs(sum(holding["target_percent"] for holding in holdings) - 100) > 0.01:
        raise ToolError("The targets must add up to 100 percent.")
    before = sum((cents(dec(holding["value"])) for holding in holdings), Decimal())
    total = before + cents(dec(new_cash))
    if total < 0:
        raise ToolError("The withdrawal exceeds the portfolio. Lower the withdrawal.")
    trades: list[Trade] = []
    for holding in holdings:
        target, value = cents(total * dec(holding["target_percent"]) / 100), cents(dec(holding["value"]))
        share = percent(value / before) if before else 0.0
        trade = float(target - value)
        trades.append({"name": holding["name"], "current_percent": share, "trade": trade, "new_value": float(target)})
    bought = sum((dec(trade["trade"]) for trade in trades if trade["trade"] > 0), Decimal())
    return {"total": float(total), "trades": trades, "turnover": float(bought)}
