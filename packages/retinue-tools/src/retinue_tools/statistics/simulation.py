"""Stochastic models: Markov chains, Monte Carlo simulation, and coincidences (the birthday problem)."""

from math import ceil, expm1, isqrt, log, log1p, sqrt
from typing import Annotated, Literal, NotRequired

import mpmath
import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_expressions import evaluate, expression_of
from retinue_tools.statistics._values import Interval, Seed, Value, compute, interval, number
from retinue_tools.tidy import tidy

_WEATHER = [[0.9, 0.1], [0.5, 0.5]]


class State(TypedDict):
    """A state of the chain."""

    state: Annotated[str, About("Name of the state")]
    probability: Annotated[float, About("Probability after the steps")]
    stationary: NotRequired[Annotated[float, About("Long-run share of time, if it is unique")]]
    absorbing: Annotated[bool, About("Whether the state is absorbing: never left")]


class Chain(TypedDict):
    """A Markov chain after a number of steps."""

    states: Annotated[list[State], About("States in the order of the matrix")]
    transition_after_steps: Annotated[
        list[list[float]],
        About("Transition probabilities from each state (row) to each state (column) in this number of steps"),
    ]


@tool(
    tags="markov chain transition matrix stationary steady-state distribution steps absorbing",
    use_when=(
        "If today is sunny, how likely is rain in three days with these transition chances?",
        "What is the long-run share of each state of this Markov chain?",
        "Which market share results from these switching rates?",
    ),
    examples=(
        Example(
            {"transitions": _WEATHER, "start": 0, "steps": 2},
            {"states": [{"probability": 0.86, "stationary": 5 / 6}, {"probability": 0.14, "stationary": 1 / 6}],
             "transition_after_steps": [[0.86, 0.14], [0.7, 0.3]]},
            source="Wikipedia, Examples of Markov chains: a simple weather model",
        ),
        Example(
            {"transitions": [[1, 0], [0.5, 0.5]], "names": ["done", "open"], "start": 1},
            {"states": [{"state": "done", "absorbing": True, "probability": 0.5, "stationary": 1.0},
                        {"state": "open", "absorbing": False}]},
            source="by hand",
        ),
        Refusal({"transitions": [[0.9, 0.2], [0.5, 0.5]]}, "sum to 1"),
    ),
    reply="The states, with their long-run shares: {states}",
)  # fmt: skip
@compute()
def stats_analyze_markov_chain(
    transitions: Annotated[
        list[
            Annotated[
                list[Annotated[float, About("Probability", 0.9, minimum=0, maximum=1)]],
                About("Probabilities from one state", [0.9, 0.1], min_items=2, max_items=100),
            ]
        ],
        About("Transition matrix: row from, column to; every row sums to 1", _WEATHER, min_items=2, max_items=100),
    ],
    names: Annotated[
        list[Annotated[str, About("Name of a state", "sunny", max_length=100)]] | None,
        About("Names of the states", ["sunny", "rainy"], min_items=2, max_items=100),
    ] = None,
    start: Annotated[int, About("Index of the initial state, from 0", minimum=0, maximum=99)] = 0,
    steps: Annotated[int, About("Number of steps", minimum=0, maximum=1_000_000)] = 1,
) -> Chain:
    """Analyse a Markov chain: probabilities after some steps, long-run shares and absorbing states.

    Use it for weather, customer migration and any process whose next state depends only on the present one.
    """
    count = len(transitions)
    if any(len(row) != count for row in transitions) or (names and len(names) != count) or start >= count:
        raise ToolError("The matrix must be square, with a name for each state, and start must be one of its states.")
    matrix = np.array(transitions, dtype=float)
    if np.abs(matrix.sum(axis=1) - 1).max() > 1e-6:
        raise ToolError("Every row of the transition matrix must sum to 1.")
    matrix /= matrix.sum(axis=1, keepdims=True)
    after = np.linalg.matrix_power(matrix, steps)
    shares = _stationary(matrix)
    states: list[State] = [
        {
            "state": names[place] if names else f"state {place}",
            "probability": number(after[start, place]),
            "absorbing": bool(matrix[place, place] == 1),
        }
        for place in range(count)
    ]
    if shares is not None:
        for state, share in zip(states, shares, strict=True):
            state["stationary"] = share
    return {"states": states, "transition_after_steps": after.tolist()}


def _stationary(matrix: np.ndarray) -> list[float] | None:
    """Return the unique stationary distribution, or None."""
    count = len(matrix)
    equations = np.vstack([matrix.T - np.eye(count), np.ones(count)])
    if np.linalg.matrix_rank(equations) < count:
        return None
    found = np.linalg.lstsq(equations, np.append(np.zeros(count), 1.0), rcond=None)[0]
    return [number(value) for value in np.clip(found, 0, 1)]


class Input(TypedDict):
    """An uncertain input."""

    name: Annotated[str, About("Variable in the formula", "price", pattern=r"^[A-Za-z][A-Za-z0-9_]{0,29}$")]
    distribution: Annotated[
        Literal["normal", "uniform", "triangular", "lognormal", "exponential", "constant"],
        About("Kind of distribution", "normal"),
    ]
    parameters: Annotated[
        list[Value],
        About("normal mean, deviation; uniform low, high; triangular low, mode, high; lognormal mean and deviation of "
              "the logarithm; exponential mean; constant value", [100, 15], min_items=1, max_items=3),
    ]  # fmt: skip


class Simulation(TypedDict):
    """Distribution of the simulated result."""

    mean: Annotated[float, About("Mean of the result")]
    deviation: Annotated[float, About("Standard deviation")]
    mean_error: Annotated[float, About("Simulation error: standard error of the mean")]
    percentiles: Annotated[dict[str, float], About("5th, 25th, 50th, 75th and 95th percentile")]
    range: Annotated[Interval, About("Smallest and largest result")]
    probability_above: NotRequired[Annotated[float, About("Share of results above the threshold")]]
    sensitivity: Annotated[dict[str, float], About("Correlation of each uncertain input with the result")]
    left_out_percent: Annotated[float, About("Percentage of draws without a finite result, such as a division by zero")]


_COUNTS = {"normal": 2, "uniform": 2, "triangular": 3, "lognormal": 2, "exponential": 1, "constant": 1}


@tool(
    tags="monte carlo simulation uncertainty risk formula probabilistic forecast sensitivity",
    use_when=(
        "Profit is price * volume - cost, each uncertain: how likely is a loss?",
        "Simulate the project duration with triangular estimates",
        "What is the 95th percentile of a + b if both are uncertain?",
    ),
    examples=(
        Example(
            {"formula": "a + b",
             "inputs": [{"name": "a", "distribution": "normal", "parameters": [10, 3]},
                        {"name": "b", "distribution": "normal", "parameters": [20, 4]}], "draws": 100000,
             "threshold": 30},
            {"mean": 30.0, "deviation": 5.0, "probability_above": 0.5, "sensitivity": {"a": 0.6, "b": 0.8}},
            source="by hand: normal with deviation sqrt(9 + 16)",
            tolerance=0.02,
        ),
        Example(
            {"formula": "2*x^2", "inputs": [{"name": "x", "distribution": "constant", "parameters": [3]}]},
            {"mean": 18.0, "deviation": 0.0, "left_out_percent": 0.0},
            source="by hand",
        ),
        Refusal(
            {"formula": "a +", "inputs": [{"name": "a", "distribution": "constant", "parameters": [1]}]},
            "cannot be parsed",
        ),
        Refusal(
            {"formula": "a", "inputs": [{"name": "a", "distribution": "uniform", "parameters": [2, 1]}]}, "ascending"
        ),
    ),
    reply={
        "args.threshold": "The mean is {mean}, and {probability_above} of the results are above {args.threshold}.",
        "": "The mean is {mean}, with a standard deviation of {deviation}.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_simulate_formula(
    formula: Annotated[
        str,
        About(
            "Formula of the inputs with + - * / ^ and functions such as exp, log, sqrt",
            "price * volume - cost",
            min_length=1,
            max_length=500,
        ),
    ],
    inputs: Annotated[
        list[Input],
        About(
            "Uncertain inputs",
            [{"name": "price", "distribution": "normal", "parameters": [100, 15]}],
            min_items=1,
            max_items=30,
        ),
    ],
    threshold: Annotated[
        Value | None, About("Threshold for which to compute the probability of exceeding it", 0)
    ] = None,
    draws: Annotated[int, About("Number of simulated cases", minimum=100, maximum=200_000)] = 20_000,
    seed: Seed = 1,
) -> Simulation:
    """Simulate a formula whose inputs are uncertain (Monte Carlo), repeatable by its seed.

    Use it for risk, budgets and error propagation. Returns percentiles, the probability above a threshold and the
    inputs that drive the result. Inputs are drawn independently.
    """  # fmt: skip
    names = [part["name"] for part in inputs]
    if len(set(names)) < len(names):
        raise ToolError("Inputs must have unique names.")
    generator = np.random.default_rng(seed)
    values = {part["name"]: _draw(generator, part, draws) for part in inputs}
    found = evaluate(expression_of(formula, names), values)
    finite = np.isfinite(found)
    if finite.sum() < 2:
        raise ToolError("The formula has no finite result for these inputs.")
    results = found[finite]
    result: Simulation = {
        "mean": number(results.mean()),
        "deviation": number(results.std(ddof=1)),
        "mean_error": number(results.std(ddof=1) / np.sqrt(len(results))),
        "percentiles": {f"p{percent}": number(np.percentile(results, percent)) for percent in (5, 25, 50, 75, 95)},
        "range": interval(results.min(), results.max()),
        "sensitivity": {
            name: number(np.corrcoef(column[finite], results)[0, 1])
            for name, column in values.items()
            if np.ptp(column[finite]) and np.ptp(results)
        },
        "left_out_percent": number(100 * (1 - finite.mean())),
    }
    if threshold is not None:
        result["probability_above"] = number((results > threshold).mean())
    return result


def _draw(generator: np.random.Generator, part: Input, draws: int) -> np.ndarray:
    kind, parameters = part["distribution"], part["parameters"]
    if len(parameters) != _COUNTS[kind]:
        raise ToolError(f"{part['name']}: {kind} needs {_COUNTS[kind]} parameters.")
    if kind in ("uniform", "triangular") and (sorted(parameters) != parameters or parameters[0] == parameters[-1]):
        raise ToolError(f"{part['name']}: the parameters of {kind} must be ascending.")
    if kind in ("normal", "lognormal", "exponential") and parameters[-1] < 0:
        raise ToolError(f"{part['name']}: the deviation, or the mean of exponential, must not be negative.")
    if kind == "constant":
        return np.full(draws, float(parameters[0]))
    drawn: np.ndarray = getattr(generator, kind)(*parameters, size=draws)
    return drawn


_SUMMED = 100_000
"""Up to this number of items, the probabilities are multiplied one by one."""


class Coincidence(TypedDict):
    """Probability that two items are equal."""

    probability: float
    percent: float
    possible: Annotated[float, About("Number of possible values")]
    expected_pairs: Annotated[float, About("Expected number of equal pairs")]
    items_for_half: Annotated[int | float, About("Approximate number of items for a probability of one half")]


@tool(
    tags="birthday problem paradox collision probability hash uuid random same people coincidence bits",
    use_when=(
        "What is the chance that two of 23 people share a birthday?",
        "How likely is a collision among 100,000 random 64-bit ids?",
        "Probability that two of 5 people were born in the same month",
    ),
    examples=(
        Example({"items": 23, "possible": 365}, {"probability": 0.507297234324}, source="the birthday problem"),
        Example(
            {"items": 100000, "bits": 64},
            {"probability": 2.7104735e-10},
            source="1 - exp(-n (n - 1) / 2^65)",
            tolerance=1e-6,
        ),
        Example({"items": 2, "possible": 6}, {"probability": 0.166666666667}, source="two dice"),
        Example(
            {"items": 40_000_000, "possible": 10**15},
            {"probability": 0.5507},
            source="1 - exp(-n (n - 1) / 2 m)",
            tolerance=1e-3,
        ),
        Example(
            {"items": 6_000_000_000, "bits": 64}, {"probability": 0.6231}, "1 - exp(-n (n - 1) / 2^65)", tolerance=1e-3
        ),
        Example({"items": 1_300_000, "possible": 10**12}, {"probability": 0.57044}, "1 - exp(-n (n - 1) / 2 m)", 1e-4),
        Example({"items": 23, "bits": 512}, {"probability": 0.0}, source="253 pairs of 2^512", tolerance=1e-9),
        Refusal({"items": 5}, "either"),
    ),
    reply="The chance is {percent} %.",
)
def stats_compute_coincidence(
    items: Annotated[int, About("Number of people, ids or draws", 23, minimum=2, maximum=10**18)],
    possible: Annotated[
        int | None, About("Number of equally likely values: 365 days", 365, minimum=1, maximum=10**18)
    ] = None,
    bits: Annotated[
        int | None, About("Random bits of each item, instead of possible", 64, minimum=1, maximum=512)
    ] = None,
) -> Coincidence:
    """Compute the probability that at least two of several random items are the same (birthday problem).

    Use it for birthdays, identifiers and hashes. Give the number of possible values, or the number of bits.
    """
    if (possible is None) == (bits is None):
        raise ToolError("Give either possible, the number of values, or bits.")
    values = possible if possible is not None else 2 ** (bits or 0)
    chance = _chance(items, values)
    return {
        "probability": tidy(chance),
        "percent": tidy(chance * 100),
        "possible": float(values),
        "expected_pairs": tidy(items * (items - 1) / 2 / values),
        "items_for_half": half if (half := _items_for_half(values)) < 2**53 else float(half),
    }


def _chance(items: int, values: int) -> float:
    """Return one minus the product of (1 - k/values), by its logarithm; for many items that of values! / (values -
    items)!.
    """
    if items > values:
        return 1.0
    if items <= _SUMMED:
        return -expm1(sum(log1p(-rank / values) for rank in range(1, items)))
    # The two logarithms agree in up to twice as many digits as `values` has, so their difference requires more digits
    # than that.
    with mpmath.workdps(2 * len(str(values)) + 30):
        logarithm = mpmath.loggamma(values + 1) - mpmath.loggamma(values - items + 1) - items * mpmath.log(values)
        return float(-mpmath.expm1(logarithm))


def _items_for_half(values: int) -> int:
    if values <= _SUMMED:
        return next(count for count in range(2, values + 2) if _chance(count, values) >= 0.5)
    return ceil(0.5 + sqrt(0.25 + 2 * log(2) * values)) if values < 10**30 else isqrt(values * 1386294361120 // 10**12)
