"""Linear and integer programs, general ones and common kinds."""

import itertools
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
import scipy.optimize
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._choosing import solve

Name = Annotated[str, About("Name", "chairs", min_length=1, max_length=100)]


Coefficients = Annotated[dict[str, float], About("Coefficient of each variable", {"chairs": 45, "tables": 80})]


Amount = Annotated[float, About("Amount", 100, minimum=0, maximum=1e9)]


class Variable(TypedDict):
    """A variable of a program."""

    name: Name
    lower: NotRequired[Annotated[float, About("Lower bound; default: 0", 0, minimum=-1e9, maximum=1e9)]]
    upper: NotRequired[Annotated[float, About("Upper bound; default: none", 40, minimum=-1e9, maximum=1e9)]]
    integer: NotRequired[Annotated[bool, About("Whether the variable must be a whole number", False)]]


class Constraint(TypedDict):
    """A condition on the variables."""

    coefficients: Coefficients
    relation: Annotated[Literal["<=", ">=", "="], About("Comparison of the sum with the limit")]
    limit: Annotated[float, About("The limit", 400, minimum=-1e12, maximum=1e12)]


class Optimum(TypedDict):
    """Solution of a program."""

    value: Annotated[float, About("Optimal value of the objective")]
    variables: Annotated[dict[str, float], About("Value of each variable")]
    slack: Annotated[list[float], About("Slack of each constraint; 0 if it is binding")]
    optimal: Annotated[bool, About("Whether the result is proved optimal; false if time ran out")]


class Assignment(TypedDict):
    """An assignment."""

    pairs: Annotated[list[list[str]], About("Matched row and column")]
    total: Annotated[float, About("Sum of the chosen entries")]
    unassigned: Annotated[list[str], About("Unassigned rows or columns")]


class Shipment(TypedDict):
    """A shipment."""

    source: Annotated[str, About("Source")]
    sink: Annotated[str, About("Destination")]
    amount: Annotated[float, About("Quantity")]


class Transport(TypedDict):
    """A minimum-cost shipment plan."""

    cost: Annotated[float, About("Total cost")]
    shipments: Annotated[list[Shipment], About("All non-zero shipments")]
    unused: Annotated[dict[str, float], About("Unused supply of the sources")]


@tool(
    tags="linear programming integer program optimise maximise minimise simplex resources constraints production diet",
    use_when=(
        "Maximise 3x + 2y with x + y <= 4 and x + 3y <= 6",
        "How many chairs and tables give the most profit with these hours?",
        "Cheapest diet that meets the nutrients",
    ),
    examples=(
        Example(
            {
                "goal": "maximize",
                "objective": {"x": 3, "y": 2},
                "variables": [{"name": "x"}, {"name": "y"}],
                "constraints": [
                    {"coefficients": {"x": 1, "y": 1}, "relation": "<=", "limit": 4},
                    {"coefficients": {"x": 1, "y": 3}, "relation": "<=", "limit": 6},
                ],
            },
            {"value": 12.0, "variables": {"x": 4.0, "y": 0.0}, "slack": [0.0, 2.0], "optimal": True},
            source="corners (0,0), (4,0), (3,1), (0,2) by hand",
        ),
        Example(
            {
                "goal": "minimize",
                "objective": {"n": 1},
                "variables": [{"name": "n", "integer": True}],
                "constraints": [{"coefficients": {"n": 2}, "relation": ">=", "limit": 5}],
            },
            {"value": 3.0},
            source="the next whole number above 2.5",
        ),
        Refusal(
            {
                "goal": "maximize",
                "objective": {"x": 1},
                "variables": [{"name": "x"}],
                "constraints": [{"coefficients": {"x": 1}, "relation": ">=", "limit": 1}],
            },
            "without bound",
        ),
        Refusal(
            {"goal": "maximize", "objective": {"z": 1}, "variables": [{"name": "x"}], "constraints": []}, "not declared"
        ),
        Refusal(
            {"goal": "minimize", "objective": {"x": 1}, "variables": [{"name": "x"}, {"name": "x"}], "constraints": []},
            "the same name",
        ),
    ),
    reply={
        "optimal": "The best value is {value}, with: {variables}",
        "": "The best value found is {value}, with: {variables}",
    },
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def optimize_linear_program(
    goal: Annotated[Literal["maximize", "minimize"], About("Maximise or minimise")],
    objective: Coefficients,
    variables: Annotated[
        list[Variable],
        About("Variables of the program", [{"name": "chairs", "integer": True}], min_items=1, max_items=1000),
    ],
    constraints: Annotated[
        list[Constraint],
        About(
            "Constraints",
            [{"coefficients": {"chairs": 2, "tables": 5}, "relation": "<=", "limit": 400}],
            max_items=2000,
        ),
    ],
) -> Optimum:
    """Solve a linear program, or a mixed-integer one if variables are whole numbers.

    Use it for production mixes, diets, blending, budgets. Exact within ten seconds; returns whether time ran out.
    """
    place = {variable["name"]: number for number, variable in enumerate(variables)}
    if len(place) < len(variables):
        raise ToolError("Two variables have the same name. Declare each once.")
    for name in itertools.chain(objective, *(constraint["coefficients"] for constraint in constraints)):
        if name not in place:
            raise ToolError(f"{name} is not declared among the variables.")
    sign = -1 if goal == "maximize" else 1
    costs = _row(objective, place) * sign
    matrix = np.array([_row(one["coefficients"], place) for one in constraints] or [np.zeros(len(place))])
    limits = np.array([one["limit"] for one in constraints] or [0.0])
    relations = np.array([one["relation"] for one in constraints] or ["="])
    lower = np.array([one.get("lower", 0) for one in variables], dtype=float)
    upper = np.array([one.get("upper", np.inf) for one in variables], dtype=float)
    if (lower > upper).any():
        raise ToolError("A variable has a lower bound above its upper bound.")
    integral = np.array([int(one.get("integer", False)) for one in variables])
    low, high = np.where(relations == "<=", -np.inf, limits), np.where(relations == ">=", np.inf, limits)
    x, value, optimal = solve(costs, matrix, low, high, (lower, upper), integral)
    x = np.where(integral == 1, np.round(x), x) + 0.0
    return {
        "value": value * sign + 0.0,
        "variables": {name: float(x[number]) for name, number in place.items()},
        "slack": [float(abs(one)) for one in (matrix @ x - limits)[: len(constraints)]],
        "optimal": optimal,
    }


def _row(coefficients: dict[str, float], place: dict[str, int]) -> Any:
    row = np.zeros(len(place))
    for name, factor in coefficients.items():
        if not abs(factor) <= 1e12:
            raise ToolError(f"The factor of {name} must be between -1e12 and 1e12.")
        row[place[name]] = factor
    return row


@tool(
    tags="assignment problem hungarian workers tasks cost matrix pairing",
    use_when=("Assign four workers to four tasks at least cost", "Who should do which job given these ratings?"),
    examples=(
        Example(
            {"rows": ["Ann", "Bob"], "columns": ["x", "y"], "matrix": [[1, 2], [3, 9]]},
            {"pairs": [["Ann", "y"], ["Bob", "x"]], "total": 5.0, "unassigned": []},
            source="2 + 3 < 1 + 9",
        ),
        Example(
            {"rows": ["Ann"], "columns": ["x", "y"], "matrix": [[1, 2]], "goal": "maximize"},
            {"pairs": [["Ann", "y"]], "unassigned": ["x"]},
            source="by hand",
        ),
        Refusal({"rows": ["Ann"], "columns": ["x", "y"], "matrix": [[1]]}, "one number for each"),
    ),
    reply={
        "pairs, unassigned": "The total is {total}, without {unassigned}: {pairs}",
        "pairs": "The total is {total}: {pairs}",
        "": "There is nothing to assign.",
    },
)
def optimize_assignment(
    rows: Annotated[list[Name], About("For example, workers", ["Ann", "Bob"], min_items=1, max_items=300)],
    columns: Annotated[list[Name], About("For example, tasks", ["paint", "wire"], min_items=1, max_items=300)],
    matrix: Annotated[
        list[list[Annotated[float | None, About("Entry", minimum=-1e9, maximum=1e9)]]],
        About("Cost of each row and column; null forbids the pair", [[1, 2], [3, 9]], min_items=1, max_items=300),
    ],
    goal: Annotated[Literal["minimize", "maximize"], About("Whether entries are costs or gains")] = "minimize",
) -> Assignment:
    """Assign rows to columns one to one at the least total cost or greatest gain; left-over rows or columns are listed.

    Use it for workers and tasks. The result is exact.
    """
    if len(matrix) != len(rows) or any(len(row) != len(columns) for row in matrix):
        raise ToolError("The matrix needs one number for each row and column.")
    forbidden = np.inf if goal == "minimize" else -np.inf
    costs = np.array([[forbidden if entry is None else entry for entry in row] for row in matrix], dtype=float)
    try:
        left, right = scipy.optimize.linear_sum_assignment(costs, maximize=goal == "maximize")
    except ValueError as error:
        raise ToolError("The forbidden pairs leave no complete assignment.") from error
    pairs = [[rows[i], columns[j]] for i, j in zip(left, right, strict=True)]
    spare = [rows[i] for i in range(len(rows)) if i not in left] + [
        columns[j] for j in range(len(columns)) if j not in right
    ]
    return {"pairs": pairs, "total": float(costs[left, right].sum()), "unassigned": spare}


@tool(
    tags="transportation problem shipping plan warehouses shops supply demand least cost",
    use_when=(
        "Ship goods from two plants to three shops at least cost",
        "Which warehouse should serve which customer?",
    ),
    examples=(
        Example(
            {
                "supply": {"P": 10, "Q": 10},
                "demand": {"x": 5, "y": 10},
                "costs": {"P": {"x": 1, "y": 4}, "Q": {"x": 2, "y": 3}},
            },
            {
                "cost": 35.0,
                "shipments": [
                    {"source": "P", "sink": "x", "amount": 5.0},
                    {"source": "Q", "sink": "y", "amount": 10.0},
                ],
                "unused": {"P": 5.0},
            },
            source="both cheapest ways: 5 * 1 + 10 * 3",
        ),
        Refusal({"supply": {"P": 1}, "demand": {"x": 5}, "costs": {"P": {"x": 1}}}, "No solution"),
    ),
    reply="The cheapest plan costs {cost}: {shipments}",
    tier="pro",
    pace="normal",
)
def optimize_transport(
    supply: Annotated[dict[str, Amount], About("Supply of each source", {"Lyon": 10, "Turin": 15})],
    demand: Annotated[dict[str, Amount], About("Demand of each sink", {"Bern": 8, "Nice": 12})],
    costs: Annotated[
        dict[str, dict[str, float]],
        About("Unit cost from source to sink; missing routes cannot be used", {"Lyon": {"Bern": 3, "Nice": 4}}),
    ],
) -> Transport:
    """Plan the cheapest shipments from sources with supplies to sinks with demands.

    Use it for distribution. Routes without a cost are closed.
    """
    ways = [(source, sink) for source in supply for sink in demand if sink in costs.get(source, {})]
    if not 0 < len(ways) <= 10_000:
        raise ToolError("Give costs from sources in supply to sinks in demand, for 1 to 10,000 routes.")
    prices = [costs[source][sink] for source, sink in ways]
    if not np.isfinite(prices).all() or max(map(abs, prices)) > 1e9:
        raise ToolError("Costs must be between -1e9 and 1e9.")
    rows = [[source == place for source, _ in ways] for place in supply] + [
        [sink == place for _, sink in ways] for place in demand
    ]
    lower = [-np.inf] * len(supply) + list(demand.values())
    upper = [*supply.values(), *demand.values()]
    x, value, _ = solve(prices, np.array(rows, dtype=float), lower, upper, (0, np.inf), 0)
    shipped = [(*way, float(amount)) for way, amount in zip(ways, x, strict=True) if amount > 1e-9]
    left = {
        place: amount - sum(sent for source, _, sent in shipped if source == place) for place, amount in supply.items()
    }
    return {
        "cost": value,
        "shipments": [{"source": source, "sink": sink, "amount": amount} for source, sink, amount in shipped],
        "unused": {place: amount for place, amount in left.items() if amount > 1e-9},
    }
