"""Packing, covering and balancing."""

from typing import Annotated, NotRequired

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._choosing import fewest, solve
from retinue_tools.graphs.linear_programs import Amount, Name


class Item(TypedDict):
    """An item for a knapsack."""

    name: Name
    value: Amount
    weight: Amount
    copies: NotRequired[Annotated[int, About("Available quantity; default: 1", 1, minimum=1, maximum=1000)]]


class Packed(TypedDict):
    """Content of the knapsack."""

    chosen: Annotated[dict[str, int], About("Quantity of each chosen item")]
    value: Annotated[float, About("Total value")]
    weight: Annotated[float, About("Total weight")]
    optimal: Annotated[bool, About("Whether the result is proved optimal")]


class Piece(TypedDict):
    """A size and the required quantity."""

    name: Name
    size: Annotated[float, About("Size", 3, exclusive_minimum=0, maximum=1e9)]
    count: NotRequired[Annotated[int, About("Quantity; default: 1", 1, minimum=1, maximum=500)]]


class Bins(TypedDict):
    """A packing into bins."""

    bins: Annotated[list[list[str]], About("Names of the pieces in each bin")]
    free: Annotated[list[float], About("Remaining capacity of each bin")]
    count: Annotated[int, About("Number of bins")]
    lower_bound: Annotated[int, About("Lower bound of the number of bins")]


class Cover(TypedDict):
    """Sets that cover everything."""

    chosen: Annotated[list[str], About("Names of the sets")]
    cost: Annotated[float, About("Total cost")]
    optimal: Annotated[bool, About("Whether the result is proved optimal")]


class Job(TypedDict):
    """A job for a machine."""

    name: Name
    duration: Annotated[float, About("Duration", 5, exclusive_minimum=0, maximum=1e6)]


class MachinePlan(TypedDict):
    """Jobs on machines."""

    machines: Annotated[list[list[str]], About("Jobs of each machine")]
    loads: Annotated[list[float], About("Completion time of each machine")]
    makespan: Annotated[float, About("Completion time of all jobs")]
    optimal: Annotated[bool, About("Whether the result is proved optimal")]


@tool(
    tags="knapsack choose items budget value capacity selection portfolio projects",
    use_when=(
        "Which items give the most value within 10 kg?",
        "Choose projects for a budget of 50,000",
        "What should I pack?",
    ),
    examples=(
        Example(
            {
                "items": [
                    {"name": "a", "value": 60, "weight": 10},
                    {"name": "b", "value": 100, "weight": 20},
                    {"name": "c", "value": 120, "weight": 30},
                ],
                "capacity": 50,
            },
            {"chosen": {"b": 1, "c": 1}, "value": 220.0, "weight": 50.0, "optimal": True},
            source="the usual textbook instance (Cormen et al., 0-1 knapsack)",
        ),
        Example(
            {"items": [{"name": "a", "value": 1, "weight": 2, "copies": 9}], "capacity": 7},
            {"chosen": {"a": 3}},
            source="by hand",
        ),
        Refusal({"items": [{"name": "a", "value": -1, "weight": 2}], "capacity": 7}, "at least 0"),
    ),
    reply={
        "chosen": "Take these, with a value of {value} and a weight of {weight}: {chosen}",
        "": "Nothing fits.",
    },
    tier="pro",
    pace="normal",
)
def optimize_knapsack_choice(
    items: Annotated[
        list[Item], About("Items", [{"name": "tent", "value": 60, "weight": 10}], min_items=1, max_items=2000)
    ],
    capacity: Amount,
) -> Packed:
    """Choose items of the greatest total value whose total weight (or cost) stays within a capacity.

    Use it for packing and for budgets. Exact by integer programming.
    """
    copies = np.array([item.get("copies", 1) for item in items])
    weights = np.array([item["weight"] for item in items], dtype=float)
    values = np.array([item["value"] for item in items], dtype=float)
    x, _, optimal = solve(-values, weights[None, :], -np.inf, capacity, (0, copies))
    counts = np.round(x)
    chosen: dict[str, int] = {}
    for item, count in zip(items, counts, strict=True):
        if count:
            chosen[item["name"]] = chosen.get(item["name"], 0) + int(count)
    return {"chosen": chosen, "value": float(values @ counts), "weight": float(weights @ counts), "optimal": optimal}


@tool(
    tags="bin packing cutting stock waste boxes containers pipes boards cut",
    use_when=(
        "Pack these files onto the fewest 4 GB sticks",
        "How to cut these lengths from 6 m pipes with little waste?",
        "Cut planks with little waste",
        "How do I load the boxes into the car?",
    ),
    examples=(
        Example(
            {"pieces": [{"name": "p", "size": 4, "count": 2}, {"name": "q", "size": 6, "count": 2}], "capacity": 10},
            {"bins": [["q", "p"], ["q", "p"]], "free": [0.0, 0.0], "count": 2, "lower_bound": 2},
            source="6 + 4 = 10",
        ),
        Example(
            {"pieces": [{"name": "a", "size": 2}], "capacity": 6, "kerf": 1},
            {"count": 1, "free": [3.0]},
            source="the cut costs 1",
        ),
        Refusal({"pieces": [{"name": "p", "size": 11}], "capacity": 10}, "larger than"),
    ),
    reply="It takes {count|bin or bar|bins or bars}: {bins}",
)
def optimize_bin_packing(
    pieces: Annotated[
        list[Piece], About("Pieces", [{"name": "shelf", "size": 3, "count": 4}], min_items=1, max_items=500)
    ],
    capacity: Annotated[float, About("Size of a bin, or length of a bar", 10, exclusive_minimum=0, maximum=1e9)],
    kerf: Annotated[float, About("Loss per piece, such as the width of a saw cut", minimum=0, maximum=1e6)] = 0,
) -> Bins:
    """Pack pieces into few bins, or cut them from few bars, by best fit in descending order of size.

    Use it for packing and cutting lists. Rarely more than one bin above the optimum; a lower bound is returned.
    """
    sizes = [(piece["size"] + kerf, piece["name"]) for piece in pieces for _ in range(piece.get("count", 1))]
    room = capacity + kerf
    if len(sizes) > 5000:
        raise ToolError("At most 5,000 pieces in total can be packed.")
    free: list[float] = []
    bins: list[list[str]] = []
    edge = 1e-9 * room
    for size, name in sorted(sizes, key=lambda one: -one[0]):
        if size > room + edge:
            raise ToolError(f"{name} is larger than a bin.")
        fitting = [place for place, left in enumerate(free) if left >= size - edge]
        place = min(fitting, key=lambda one: free[one]) if fitting else len(bins)
        if place == len(bins):
            bins.append([])
            free.append(room)
        bins[place].append(name)
        free[place] -= size
    bound = int(np.ceil(sum(size for size, _ in sizes) / room - 1e-9))
    return {
        "bins": bins, "free": [max(0.0, float(left - kerf)) for left in free], "count": len(bins), "lower_bound": bound
    }  # fmt: skip


@tool(
    tags="set cover choose fewest sets cover requirements skills stations",
    use_when=(
        "Which fewest people have all skills together?",
        "Choose stations so that every district is covered at least cost",
    ),
    examples=(
        Example(
            {"sets": {"A": ["1", "2", "3"], "B": ["3", "4"], "C": ["4", "5"], "D": ["1", "5"]}},
            {"chosen": ["A", "C"], "cost": 2.0, "optimal": True},
            source="by hand",
        ),
        Example(
            {"sets": {"A": ["1", "2"], "B": ["1"], "C": ["2"]}, "costs": {"A": 5}},
            {"chosen": ["B", "C"], "cost": 2.0},
            source="1 + 1 < 5",
        ),
        Refusal({"sets": {"A": ["1"]}, "required": ["2"]}, "in no set"),
    ),
    reply="Choose {chosen}, at a cost of {cost}.",
    tier="pro",
    pace="normal",
)
def optimize_set_cover(
    sets: Annotated[
        dict[str, list[Name]], About("Elements that each set covers", {"Ann": ["sql", "css"], "Bob": ["go"]})
    ],
    required: Annotated[list[Name] | None, About("Elements to cover; default: all", ["sql"], max_items=2000)] = None,
    costs: Annotated[dict[str, Amount] | None, About("Cost of sets; default: 1", {"Ann": 5})] = None,
) -> Cover:
    """Choose the cheapest (or fewest) sets that together cover everything required.

    Use it for teams, stations, test suites. Exact by integer programming.
    """
    names = list(sets)
    elements = required or sorted({item for items in sets.values() for item in items})
    groups = [[place for place, name in enumerate(names) if item in sets[name]] for item in elements]
    if missing := [item for item, group in zip(elements, groups, strict=True) if not group]:
        raise ToolError(f"{', '.join(missing)[:200]} is in no set.")
    if not groups:
        raise ToolError("There is nothing to cover.")
    prices = [float((costs or {}).get(name, 1)) for name in names]
    chosen, optimal = fewest(groups, prices)
    return {"chosen": [names[one] for one in chosen], "cost": sum(prices[one] for one in chosen), "optimal": optimal}


@tool(
    tags="scheduling machines jobs makespan load balancing parallel",
    use_when=("Distribute these jobs over 3 machines so that all finish early", "Balance the workload of two people"),
    examples=(
        Example(
            {
                "jobs": [
                    {"name": name, "duration": time}
                    for name, time in (("a", 3), ("b", 3), ("c", 2), ("d", 2), ("e", 2))
                ],
                "machines": 2,
            },
            {"makespan": 6.0, "loads": [6.0, 6.0], "optimal": True},
            source="3 + 3 and 2 + 2 + 2; longest first alone gives 7",
        ),
        Refusal({"jobs": [], "machines": 2}, "jobs"),
    ),
    reply={
        "optimal": "All is done after {makespan}, the earliest possible: {machines}",
        "": "All is done after {makespan}: {machines}",
    },
    tier="pro",
    pace="normal",
)
def schedule_balance_machines(
    jobs: Annotated[list[Job], About("Jobs", [{"name": "print", "duration": 3}], min_items=1, max_items=60)],
    machines: Annotated[int, About("Number of parallel machines or people", 2, minimum=1, maximum=10)],
) -> MachinePlan:
    """Distribute jobs over equal machines so that the last one is done as early as possible.

    Use it for load balancing. Integer programming within ten seconds; returns whether the plan is proved optimal.
    """
    size, times = len(jobs), np.array([job["duration"] for job in jobs], dtype=float)
    once = np.hstack([np.tile(np.eye(size), machines), np.zeros((size, 1))])
    done = np.hstack([np.kron(np.eye(machines), times), -np.ones((machines, 1))])
    lower = np.concatenate([np.ones(size), np.full(machines, -np.inf)])
    upper = np.concatenate([np.ones(size), np.zeros(machines)])
    integral = np.append(np.ones(size * machines), 0)
    highest = np.append(np.ones(size * machines), times.sum())
    costs = np.append(np.zeros(size * machines), 1)
    x, _, optimal = solve(costs, np.vstack([once, done]), lower, upper, (0, highest), integral)
    assigned = x[:-1].reshape(machines, size) > 0.5
    loads = [float(times[row].sum()) for row in assigned]
    plan = [[job["name"] for job, mine in zip(jobs, row, strict=True) if mine] for row in assigned]
    return {"machines": plan, "loads": loads, "makespan": max(loads), "optimal": optimal}
