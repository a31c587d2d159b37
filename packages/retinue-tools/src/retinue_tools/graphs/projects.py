"""Project scheduling and dependency resolution."""

import math
from typing import Annotated, Any, NotRequired

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import (
    Node,
    Nodes,
    acyclic,
    require,
)

_TASKS = [
    {"name": "A", "duration": 3}, {"name": "B", "duration": 4, "after": ["A"]},
    {"name": "C", "duration": 2, "after": ["A"]}, {"name": "D", "duration": 5, "after": ["B", "C"]},
]  # fmt: skip


Duration = Annotated[float, About("Duration, in any unit of time", 4, minimum=0, maximum=1e6)]


class Task(TypedDict):
    """A project task."""

    name: Annotated[str, About("Name of the task", "Foundation", min_length=1, max_length=100)]
    duration: Duration
    after: NotRequired[Annotated[list[Node], About("Tasks that must be finished before it", ["Permit"], max_items=100)]]


class PlannedTask(TypedDict):
    """A scheduled task, with times counted from the start of the project."""

    name: Annotated[str, About("Name of the task")]
    earliest_start: Annotated[float, About("Earliest start")]
    earliest_finish: Annotated[float, About("Earliest finish")]
    latest_start: Annotated[float, About("Latest start")]
    latest_finish: Annotated[float, About("Latest finish")]
    slack: Annotated[float, About("Slack: possible delay without delaying the project")]
    critical: Annotated[bool, About("Whether the task is critical")]


class Plan(TypedDict):
    """Project schedule."""

    duration: Annotated[float, About("Duration of the whole project")]
    critical_path: Annotated[list[str], About("A critical path")]
    tasks: Annotated[list[PlannedTask], About("Tasks in the order of their start")]


class UncertainTask(TypedDict):
    """A task with three estimates of its duration."""

    name: Annotated[str, About("Name of the task", "Design", min_length=1, max_length=100)]
    optimistic: Duration
    likely: Duration
    pessimistic: Duration
    after: NotRequired[Annotated[list[Node], About("Tasks that must be finished before it", ["Permit"], max_items=100)]]


class Pert(TypedDict):
    """Estimated duration of a project with uncertain tasks."""

    expected_duration: Annotated[float, About("Expected duration along the critical path")]
    standard_deviation: Annotated[float, About("Standard deviation along the critical path")]
    critical_path: Annotated[list[str], About("Chain with the longest expected duration")]
    finish_by_80_percent: Annotated[float, About("Duration with a confidence of 80 %")]
    finish_by_95_percent: Annotated[float, About("Duration with a confidence of 95 %")]
    deadline_probability: Annotated[float | None, About("Probability of meeting the deadline; null if none is given")]


class Depending(TypedDict):
    """An item with its dependencies."""

    name: Annotated[str, About("Name of the item", "app", min_length=1, max_length=100)]
    needs: Annotated[list[Node], About("Dependencies of the item", ["library"], max_items=200)]


class Resolution(TypedDict):
    """Order of builds or installations."""

    order: Nodes
    stages: Annotated[list[list[str]], About("Items that can be processed in parallel")]
    undeclared: Annotated[list[str], About("Undeclared names, treated as having no dependencies")]


@tool(
    tags="dependency resolve install build order packages modules stages",
    use_when=(
        "In which order should these packages be built?",
        "Which services can start at the same time?",
        "What must be deployed before app?",
        "In which order should tasks be done that need others first?",
        "What must be finished before what?",
    ),
    examples=(
        Example(
            {"things": [{"name": "app", "needs": ["lib", "db"]}, {"name": "lib", "needs": ["core"]}]},
            {
                "order": ["core", "db", "lib", "app"],
                "stages": [["core", "db"], ["lib"], ["app"]],
                "undeclared": ["core", "db"],
            },
            source="by hand",
        ),
        Example(
            {"things": [{"name": "app", "needs": ["lib"]}, {"name": "x", "needs": []}], "targets": ["app"]},
            {"order": ["lib", "app"]},
            source="x is not needed",
        ),
        Refusal({"things": [{"name": "a", "needs": ["b"]}, {"name": "b", "needs": ["a"]}]}, "cycle"),
    ),
    reply="The order is {order}.",
)
def dependency_resolve_order(
    things: Annotated[
        list[Depending],
        About("Items with their dependencies", [{"name": "app", "needs": ["lib"]}], min_items=1, max_items=5000),
    ],
    targets: Annotated[
        list[Node] | None, About("Only the dependencies of these items; default: all", ["app"], max_items=200)
    ] = None,
) -> Resolution:
    """Resolve dependencies into an order in which everything comes after what it needs, and into parallel stages.

    Use it for builds, installations and deployments. If there is no order, the error names a cycle.
    """
    graph = nx.DiGraph()
    for thing in things:
        graph.add_node(thing["name"])
        graph.add_edges_from((need, thing["name"]) for need in thing["needs"])
    require(graph, *(targets or []))
    if targets:
        needed = set(targets).union(*(nx.ancestors(graph, target) for target in targets))
        graph = graph.subgraph(needed)
    stages = [sorted(stage) for stage in nx.topological_generations(acyclic(graph))]
    declared = {thing["name"] for thing in things}
    return {
        "order": [name for stage in stages for name in stage],
        "stages": stages,
        "undeclared": sorted(set(graph) - declared),
    }


@tool(
    tags="critical path cpm project schedule slack float gantt milestones",
    use_when=(
        "How long does this project take and which tasks are critical?",
        "How much slack has each task?",
        "When can the roof be started?",
        "How long does a project take whose tasks depend on each other?",
    ),
    examples=(
        Example(
            {"tasks": _TASKS},
            {
                "duration": 12.0,
                "critical_path": ["A", "B", "D"],
                "tasks": [
                    {"name": "A"},
                    {"name": "B", "slack": 0.0},
                    {"name": "C", "slack": 2.0, "latest_start": 5.0, "critical": False},
                    {"name": "D", "earliest_start": 7.0},
                ],
            },
            source="by hand: 3 + 4 + 5",
        ),
        Refusal({"tasks": [{"name": "A", "duration": 1, "after": ["B"]}]}, "no task"),
    ),
    reply="The project takes {duration}; the critical path is {critical_path}. The tasks: {tasks}",
)
def project_find_critical_path(
    tasks: Annotated[list[Task], About("Tasks of the project", _TASKS, min_items=1, max_items=2000)],
) -> Plan:
    """Schedule a project by the critical path method: earliest and latest dates, slack, critical tasks, duration.

    Use it to plan work with dependencies. Times count from the start of the project in the unit of the durations.
    """
    durations = {task["name"]: task["duration"] for task in tasks}
    graph = _precedence([(task["name"], task.get("after", [])) for task in tasks])
    order = list(nx.lexicographical_topological_sort(graph))
    finish: dict[str, float] = {}
    for name in order:
        finish[name] = max((finish[before] for before in graph.pred[name]), default=0) + durations[name]
    total = max(finish.values())
    latest: dict[str, float] = {}
    for name in reversed(order):
        latest[name] = min((latest[after] - durations[after] for after in graph.succ[name]), default=total)
    planned = [_plan(name, durations[name], finish[name], latest[name], total) for name in order]
    return {
        "duration": total,
        "critical_path": _critical(graph, finish, durations),
        "tasks": sorted(planned, key=lambda task: (task["earliest_start"], task["name"])),
    }


def _precedence(tasks: list[tuple[str, list[str]]]) -> Any:
    graph = nx.DiGraph()
    graph.add_nodes_from(name for name, _ in tasks)
    if len(graph) != len(tasks):
        raise ToolError("Two tasks have the same name.")
    for name, before in tasks:
        for one in before:
            if one not in graph:
                raise ToolError(f"{name} depends on {one}, but there is no task with that name.")
            graph.add_edge(one, name)
    return acyclic(graph)


def _plan(name: str, duration: float, finish: float, latest: float, total: float) -> PlannedTask:
    slack = latest - finish
    return {
        "name": name,
        "earliest_start": finish - duration,
        "earliest_finish": finish,
        "latest_start": latest - duration,
        "latest_finish": latest,
        "slack": max(0.0, slack),
        "critical": slack <= 1e-9 * max(1.0, total),
    }


def _critical(graph: Any, finish: dict[str, float], durations: dict[str, float]) -> list[str]:
    """Follow the critical path back from the last task."""
    path = [max(sorted(finish), key=lambda name: finish[name])]
    while before := sorted(graph.pred[path[-1]]):
        if finish[path[-1]] - durations[path[-1]] <= 0:
            break
        path.append(max(before, key=lambda name: finish[name]))
    return path[::-1]


@tool(
    tags="pert three-point estimate project risk deadline probability",
    use_when=(
        "What is the chance to finish in 15 weeks?",
        "Estimate this project with optimistic, likely and pessimistic durations",
    ),
    examples=(
        Example(
            {
                "tasks": [
                    {"name": "A", "optimistic": 1, "likely": 4, "pessimistic": 7},
                    {"name": "B", "optimistic": 2, "likely": 5, "pessimistic": 8, "after": ["A"]},
                ],
                "deadline": 9,
            },
            {"expected_duration": 9.0, "standard_deviation": 1.4142135623730951, "deadline_probability": 0.5},
            source="(1+16+7)/6 + (2+20+8)/6 = 4 + 5; each variance is 1",
        ),
        Example(
            {"tasks": [{"name": "A", "optimistic": 2, "likely": 2, "pessimistic": 2}]},
            {"expected_duration": 2.0, "deadline_probability": None},
            source="certain",
        ),
        Refusal({"tasks": [{"name": "A", "optimistic": 5, "likely": 4, "pessimistic": 7}]}, "must be ascending"),
    ),
    reply={
        "deadline_probability": (
            "The project takes {expected_duration} on average; the "
            "chance to meet the deadline is {deadline_probability}, and "
            "{finish_by_95_percent} suffices in 95 % of cases."
        ),
        "": (
            "The project takes {expected_duration} on average, and {finish_by_95_percent} "
            "in 95 % of cases at most; the critical path is {critical_path}."
        ),
    },
)
def project_estimate_pert(
    tasks: Annotated[
        list[UncertainTask],
        About("Tasks", [{"name": "A", "optimistic": 1, "likely": 4, "pessimistic": 7}], min_items=1, max_items=2000),
    ],
    deadline: Annotated[float | None, About("Deadline as a duration", 15, minimum=0, maximum=1e9)] = None,
) -> Pert:
    """Estimate the duration of a project from three-point estimates of its tasks (PERT), and the chance of a deadline.

    Use it for planning under risk. The critical path is assumed to be normally distributed, which is optimistic if
    several paths are nearly as long.
    """
    known = {task["name"]: task for task in tasks}
    if any(not task["optimistic"] <= task["likely"] <= task["pessimistic"] for task in tasks):
        raise ToolError("The estimates of a task must be ascending: optimistic, likely, pessimistic.")
    plan = project_find_critical_path(
        [{"name": task["name"], "duration": _expect(task), "after": task.get("after", [])} for task in tasks]
    )
    spread = [(known[name]["pessimistic"] - known[name]["optimistic"]) / 6 for name in plan["critical_path"]]
    mean, deviation = plan["duration"], math.hypot(*spread)
    return {
        "expected_duration": mean,
        "standard_deviation": deviation,
        "critical_path": plan["critical_path"],
        "finish_by_80_percent": mean + 0.8416212335729143 * deviation,
        "finish_by_95_percent": mean + 1.6448536269514722 * deviation,
        "deadline_probability": None if deadline is None else _chance(deadline, mean, deviation),
    }


def _expect(task: UncertainTask) -> float:
    return (task["optimistic"] + 4 * task["likely"] + task["pessimistic"]) / 6


def _chance(deadline: float, mean: float, deviation: float) -> float:
    """Return the probability that a normal variable stays below the deadline."""
    if not deviation:
        return float(deadline >= mean)
    return 0.5 * math.erfc((mean - deadline) / (deviation * math.sqrt(2)))
