"""Flows, cuts and matchings of graphs."""

from typing import Annotated, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import (
    Edge,
    FewEdges,
    MadeEdges,
    Node,
    Nodes,
    attempt,
    build,
    edge_list,
    no_loops,
    no_negative,
    require,
)

ROADS: list[Edge] = [
    {"from": "A", "to": "B", "weight": 1}, {"from": "B", "to": "C", "weight": 2}, {"from": "A", "to": "C", "weight": 3},
    {"from": "C", "to": "D", "weight": 4},
]  # fmt: skip


class Flow(TypedDict):
    """A maximum flow and a minimum cut."""

    value: Annotated[float, About("Maximum flow from source to target")]
    flow: Annotated[MadeEdges, About("Flow along each edge with a flow above zero")]
    cut: Annotated[MadeEdges, About("Edges whose capacities limit the flow")]


class CheapFlow(TypedDict):
    """A minimum-cost flow."""

    cost: Annotated[float, About("Total cost")]
    flow: Annotated[MadeEdges, About("Flow along each edge with a flow above zero")]


class Matching(TypedDict):
    """A matching."""

    pairs: Annotated[list[list[str]], About("Matched nodes")]
    size: Annotated[int, About("Number of pairs")]
    total_weight: Annotated[float, About("Sum of the weights of the pairs")]
    unmatched: Annotated[list[str], About("Nodes without a partner")]


class GlobalCut(TypedDict):
    """A minimum cut of a graph."""

    cut_weight: Annotated[float, About("Sum of the weights of the cut edges")]
    edges: MadeEdges
    left: Nodes
    right: Nodes


@tool(
    tags="maximum flow minimum cut capacity bottleneck throughput",
    use_when=(
        "How much can flow from the source to the sink?",
        "Which pipes are the bottleneck?",
        "What is the min cut between S and T?",
    ),
    examples=(
        Example(
            {
                "edges": [
                    {"from": "s", "to": "a", "weight": 3},
                    {"from": "s", "to": "b", "weight": 2},
                    {"from": "a", "to": "t", "weight": 2},
                    {"from": "b", "to": "t", "weight": 3},
                    {"from": "a", "to": "b", "weight": 5},
                ],
                "source": "s",
                "target": "t",
            },
            {"value": 5.0},
            source="both edges from s are full",
        ),
        Example(
            {"edges": ROADS, "source": "A", "target": "D", "directed": False},
            {"value": 4.0, "cut": [{"from": "C", "to": "D", "weight": 4}]},
            source="the last edge limits it",
        ),
        Refusal({"edges": ROADS, "source": "A", "target": "A"}, "differ"),
    ),
    reply={
        "cut": "At most {value} can flow. The bottleneck: {cut}",
        "": "At most {value} can flow.",
    },
    pace="normal",
)
def graph_find_max_flow(
    edges: FewEdges,
    source: Node,
    target: Node,
    directed: Annotated[bool, About("Whether flow goes only in the direction of edges")] = True,
) -> Flow:
    """Find the greatest flow between two nodes, with the weights as capacities, and the cut that limits it.

    Use it for throughput and bottlenecks. Returns the flow on each edge.
    """
    graph = build(edges, directed)
    require(graph, source, target)
    no_negative(graph)
    if source == target:
        raise ToolError("Source and target must differ.")
    value, flows = nx.maximum_flow(graph, source, target, capacity="weight")
    near, _ = nx.minimum_cut(graph, source, target, capacity="weight")[1]
    cut = [edge for edge in edge_list(graph.to_directed()) if edge["from"] in near and edge["to"] not in near]
    return {"value": float(value), "flow": _flow(flows), "cut": cut}


def _flow(flows: dict[str, dict[str, float]]) -> list[Edge]:
    return [
        {"from": start, "to": end, "weight": amount}
        for start, ends in flows.items()
        for end, amount in ends.items()
        if amount > 0
    ]


class Pipe(TypedDict):
    """An edge with a capacity and a cost."""

    source: Annotated[str, About("Start node of the edge", "plant", min_length=1, max_length=100)]
    target: Annotated[str, About("End node of the edge", "shop", min_length=1, max_length=100)]
    capacity: Annotated[int, About("Capacity of the edge", 10, minimum=0, maximum=1_000_000_000)]
    cost: Annotated[int, About("Cost per unit", 3, minimum=0, maximum=1_000_000_000)]


@tool(
    tags="minimum cost flow supply demand transshipment network logistics",
    use_when=(
        "Ship 10 units from the plant to two shops over this network at least cost",
        "Cheapest flow that meets all demands",
    ),
    examples=(
        Example(
            {
                "pipes": [
                    {"source": "p", "target": "a", "capacity": 5, "cost": 1},
                    {"source": "p", "target": "b", "capacity": 9, "cost": 2},
                    {"source": "b", "target": "a", "capacity": 9, "cost": 1},
                ],
                "demands": {"p": -7, "a": 7},
            },
            {"cost": 11.0},
            source="5 * 1 directly, 2 * (2 + 1) over b",
        ),
        Refusal(
            {"pipes": [{"source": "p", "target": "a", "capacity": 5, "cost": 1}], "demands": {"p": -7, "a": 7}},
            "cannot be met",
        ),
    ),
    reply={
        "flow": "The cheapest flow costs {cost}: {flow}",
        "": "No flow is needed.",
    },
    tier="pro",
    pace="normal",
)
def graph_find_cheapest_flow(
    pipes: Annotated[
        list[Pipe],
        About("Edges", [{"source": "p", "target": "a", "capacity": 5, "cost": 1}], min_items=1, max_items=5000),
    ],
    demands: Annotated[
        dict[str, int], About("Demand of nodes; negative for supply; must add up to 0", {"p": -7, "a": 7})
    ],
) -> CheapFlow:
    """Find the cheapest flow that meets all demands from all supplies within the capacities.

    Use it for transshipment over a network, in whole units.
    """
    if sum(demands.values()):
        raise ToolError("Demands and supplies must add up to 0.")
    graph = nx.DiGraph()
    for pipe in pipes:
        graph.add_edge(pipe["source"], pipe["target"], capacity=pipe["capacity"], weight=pipe["cost"])
    require(graph, *demands)
    nx.set_node_attributes(graph, demands, "demand")
    with attempt("The demands cannot be met within the capacities."):
        cost, flows = nx.network_simplex(graph)
    return {"cost": float(cost), "flow": _flow(flows)}


@tool(
    tags="matching pairs maximum weight bipartite partners roommates",
    use_when=("Pair people with the greatest total preference", "What is the largest matching of this graph?"),
    examples=(
        Example(
            {"edges": ROADS},
            {"size": 2, "pairs": [["A", "B"], ["C", "D"]], "total_weight": 5.0, "unmatched": []},
            source="by hand: 1 + 4",
        ),
        Example(
            {"edges": ROADS[:3], "goal": "most_weight"},
            {"size": 1, "pairs": [["A", "C"]]},
            source="a triangle has room for one pair",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "pairs, unmatched": "{size|pair} can be made, without {unmatched}: {pairs}",
        "pairs": "{size|pair} can be made: {pairs}",
        "": "No pairs can be made.",
    },
    pace="normal",
)
def graph_match_nodes(
    edges: FewEdges,
    goal: Annotated[
        Literal["most_pairs", "most_weight", "least_weight"],
        About("least_weight means: as many pairs as possible, then the least weight"),
    ] = "most_pairs",
) -> Matching:
    """Pair nodes along edges so that each has at most one partner, in any graph, bipartite or not.

    Use it for partners and pairings. Most pairs prefers heavier edges if there is a choice.
    """
    graph = no_loops(build(edges))
    if goal == "least_weight":
        pairs = nx.min_weight_matching(graph)
    else:
        pairs = nx.max_weight_matching(graph, maxcardinality=goal == "most_pairs")
    found = sorted(sorted(pair) for pair in pairs)
    return {
        "pairs": found,
        "size": len(found),
        "total_weight": float(sum(graph[first][second]["weight"] for first, second in found)),
        "unmatched": sorted(set(graph) - {node for pair in found for node in pair}),
    }


@tool(
    tags="global minimum cut stoer wagner split network",
    use_when=("What is the cheapest way to cut this network in two?", "Split the graph along its weakest links"),
    examples=(
        Example({"edges": ROADS}, {"cut_weight": 3.0}, source="B alone: 1 + 2; A alone and D alone: 4"),
        Refusal({"edges": [{"from": "A", "to": "B"}, {"from": "C", "to": "D"}]}, "not connected"),
    ),
    reply={
        "left, right": "The cheapest cut has a weight of {cut_weight} and parts {left} from {right}.",
        "": "The cheapest cut has a weight of {cut_weight}: {edges}",
    },
    pace="normal",
)
def graph_find_global_cut(edges: FewEdges) -> GlobalCut:
    """Find the cheapest set of edges whose removal splits an undirected weighted graph in two.

    Use it to find natural boundaries without a source or target.
    """
    graph = no_loops(build(edges))
    no_negative(graph)
    with attempt("The graph is not connected, or has one node only."):
        value, (left, right) = nx.stoer_wagner(graph)
    cut = [edge for edge in edge_list(graph) if (edge["from"] in left) != (edge["to"] in left)]
    return {"cut_weight": float(value), "edges": cut, "left": sorted(left), "right": sorted(right)}
