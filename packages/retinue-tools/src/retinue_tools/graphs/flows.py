"""Trees, flows, matchings, colourings and covers."""

import itertools
from typing import Annotated, Any, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._choosing import fewest
from retinue_tools.graphs._graphs import (
    Edge,
    Edges,
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

_ROADS: list[Edge] = [
    {"from": "A", "to": "B", "weight": 1}, {"from": "B", "to": "C", "weight": 2}, {"from": "A", "to": "C", "weight": 3},
    {"from": "C", "to": "D", "weight": 4},
]  # fmt: skip
_STAR: list[Edge] = [{"from": "hub", "to": leaf} for leaf in ("a", "b", "c")]


class Tree(TypedDict):
    """A tree or forest within a graph."""

    edges: MadeEdges
    total_weight: Annotated[float, About("Sum of its weights")]
    connected: Annotated[bool, About("Whether it joins all nodes that it should")]


class Flow(TypedDict):
    """A maximum flow and a minimum cut."""

    value: Annotated[float, About("Greatest flow from source to target")]
    flow: Annotated[MadeEdges, About("How much flows along each edge, where more than nothing")]
    cut: Annotated[MadeEdges, About("Edges whose capacities limit the flow")]


class CheapFlow(TypedDict):
    """A cheapest flow."""

    cost: Annotated[float, About("Total cost")]
    flow: Annotated[MadeEdges, About("How much flows along each edge, where more than nothing")]


class Matching(TypedDict):
    """Pairs."""

    pairs: Annotated[list[list[str]], About("Matched nodes")]
    size: Annotated[int, About("How many pairs")]
    total_weight: Annotated[float, About("Sum of the weights of the pairs")]
    unmatched: Annotated[list[str], About("Nodes without a partner")]


class Colouring(TypedDict):
    """Colours of nodes."""

    colors: Annotated[dict[str, int], About("A colour number from 0 for each node")]
    groups: Annotated[list[list[str]], About("Nodes of each colour")]
    count: Annotated[int, About("How many colours are used")]
    lower_bound: Annotated[int, About("No colouring can use fewer: size of a clique")]


class Chosen(TypedDict):
    """A set of nodes."""

    nodes: Nodes
    size: Annotated[int, About("How many nodes")]
    optimal: Annotated[bool, About("Whether it is proved that no better set exists")]


class GlobalCut(TypedDict):
    """The cheapest way to split a graph."""

    cut_weight: Annotated[float, About("Sum of the weights of the cut edges")]
    edges: MadeEdges
    left: Nodes
    right: Nodes


@tool(
    tags="minimum maximum spanning tree kruskal prim cable network",
    use_when=("Connect all houses with the least cable", "What is the minimum spanning tree of these edges?"),
    examples=(
        Example({"edges": _ROADS}, {"total_weight": 7.0, "connected": True}, source="Kruskal by hand: 1 + 2 + 4"),
        Example({"edges": _ROADS, "maximum": True}, {"total_weight": 9.0}, source="by hand: 4 + 3 + 2"),
        Refusal({"edges": []}, "edges"),
    ),
)
def graph_find_spanning_tree(
    edges: Edges, maximum: Annotated[bool, About("Whether the heaviest tree is wanted")] = False
) -> Tree:
    """Find the lightest (or heaviest) tree that joins all nodes of an undirected weighted graph.

    Use it for cheapest networks. A graph in several pieces gives a tree for each.
    """
    graph = build(edges)
    tree = (nx.maximum_spanning_tree if maximum else nx.minimum_spanning_tree)(graph)
    return {
        "edges": edge_list(tree), "total_weight": float(tree.size(weight="weight")), "connected": nx.is_connected(tree)
    }  # fmt: skip


@tool(
    tags="steiner tree connect terminals cheapest network",
    use_when=(
        "Join only these four towns at least cost, over others if need be",
        "Cheapest network that connects A, D and F",
    ),
    examples=(
        Example(
            {"edges": [*_STAR, {"from": "a", "to": "b", "weight": 5}], "terminals": ["a", "b"]},
            {"total_weight": 2.0},
            source="over the hub",
        ),
        Example(
            {"edges": [*_STAR, {"from": "x", "to": "y"}], "terminals": ["a", "b"]},
            {"total_weight": 2.0},
            source="over the hub; the edge from x to y is of no use",
        ),
        Refusal({"edges": _STAR, "terminals": ["a", "q"]}, "not a node"),
        Refusal({"edges": [*_STAR, {"from": "x", "to": "y"}], "terminals": ["a", "x"]}, "not connected"),
    ),
    tier="pro",
    pace="normal",
)
def graph_find_steiner_tree(
    edges: FewEdges,
    terminals: Annotated[list[Node], About("Nodes to be joined", ["A", "D"], min_items=2, max_items=200)],
) -> Tree:
    """Find a cheap tree that joins the chosen nodes, over other nodes where that helps; at most twice the cheapest.

    Use it when not all nodes have to be joined.
    """
    graph = build(edges)
    no_negative(graph)
    require(graph, *terminals)
    piece = nx.node_connected_component(graph, terminals[0])
    if not set(terminals) <= piece:
        raise ToolError("The nodes to be joined are not connected with each other. Add edges between them.")
    tree = nx.algorithms.approximation.steiner_tree(graph.subgraph(piece), terminals, method="mehlhorn")
    return {"edges": edge_list(tree), "total_weight": float(tree.size(weight="weight")), "connected": True}


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
            {"edges": _ROADS, "source": "A", "target": "D", "directed": False},
            {"value": 4.0, "cut": [{"from": "C", "to": "D", "weight": 4}]},
            source="the last edge limits it",
        ),
        Refusal({"edges": _ROADS, "source": "A", "target": "A"}, "differ"),
    ),
    pace="normal",
)
def graph_find_max_flow(
    edges: FewEdges,
    source: Node,
    target: Node,
    directed: Annotated[bool, About("Whether flow goes only forward")] = True,
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

    source: Annotated[str, About("Node where it begins", "plant", min_length=1, max_length=100)]
    target: Annotated[str, About("Node where it ends", "shop", min_length=1, max_length=100)]
    capacity: Annotated[int, About("Most units that it carries", 10, minimum=0, maximum=1_000_000_000)]
    cost: Annotated[int, About("Cost of one unit", 3, minimum=0, maximum=1_000_000_000)]


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
    tier="pro",
    pace="normal",
)
def graph_find_cheapest_flow(
    pipes: Annotated[
        list[Pipe],
        About("Edges", [{"source": "p", "target": "a", "capacity": 5, "cost": 1}], min_items=1, max_items=5000),
    ],
    demands: Annotated[
        dict[str, int], About("Demand of nodes; negative for supply; they add up to 0", {"p": -7, "a": 7})
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
            {"edges": _ROADS},
            {"size": 2, "pairs": [["A", "B"], ["C", "D"]], "total_weight": 5.0, "unmatched": []},
            source="by hand: 1 + 4",
        ),
        Example(
            {"edges": _ROADS[:3], "goal": "most_weight"},
            {"size": 1, "pairs": [["A", "C"]]},
            source="a triangle has room for one pair",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    pace="normal",
)
def graph_match_nodes(
    edges: FewEdges,
    goal: Annotated[
        Literal["most_pairs", "most_weight", "least_weight"],
        About("least_weight means: as many pairs as possible, then least weight"),
    ] = "most_pairs",
) -> Matching:
    """Pair nodes along edges so that each has one partner at most, in any graph, bipartite or not.

    Use it for partners and pairings. Most pairs prefers heavier edges where there is a choice.
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
    tags="graph colouring timetable conflicts exam scheduling register allocation map colours",
    use_when=("Schedule exams so that no student has two at once", "How many colours does this map need?"),
    examples=(
        Example({"edges": _ROADS}, {"count": 3, "lower_bound": 3}, source="a triangle needs 3"),
        Refusal({"edges": [{"from": "A", "to": "A"}]}, "itself"),
    ),
)
def graph_color_nodes(edges: Edges) -> Colouring:
    """Colour the nodes so that neighbours differ, with few colours (DSATUR and others, the best result).

    Use it for timetables and conflicts. Returns groups that may share a slot, and a bound below which none can go.
    """
    graph = build(edges)
    if nx.number_of_selfloops(graph):
        raise ToolError("A node is joined to itself and can have no colour.")
    strategies = ("DSATUR", "largest_first", "smallest_last")
    colors = min((nx.greedy_color(graph, one) for one in strategies), key=lambda found: max(found.values()))
    count = max(colors.values()) + 1
    cliques = itertools.islice(nx.find_cliques(graph), 2000)
    return {
        "colors": {node: int(colors[node]) for node in sorted(colors)},
        "groups": [sorted(node for node, color in colors.items() if color == one) for one in range(count)],
        "count": count,
        "lower_bound": max(map(len, cliques)),
    }


@tool(
    tags="vertex cover dominating set independent set monitoring placement",
    use_when=(
        "Where to put the fewest guards so that every street is seen?",
        "What is the largest group without two neighbours?",
    ),
    examples=(
        Example(
            {"edges": _STAR, "kind": "vertex_cover"}, {"nodes": ["hub"], "size": 1, "optimal": True}, source="a star"
        ),
        Example({"edges": _STAR, "kind": "independent_set"}, {"nodes": ["a", "b", "c"]}, source="the leaves"),
        Example({"edges": _STAR, "kind": "dominating_set"}, {"size": 1}, source="the hub"),
        Refusal({"edges": [{"from": "A", "to": "A"}], "kind": "vertex_cover"}, "itself"),
    ),
    tier="pro",
    pace="normal",
)
def graph_choose_nodes(
    edges: FewEdges,
    kind: Annotated[
        Literal["vertex_cover", "dominating_set", "independent_set"],
        About("Touch every edge; be in or beside every node; or the most nodes without an edge between them"),
    ],
) -> Chosen:
    """Choose the fewest nodes that touch all edges or reach all nodes, or the most nodes without neighbours among them.

    Use it for placement and conflicts. Exact by integer programming within ten seconds; says whether it is optimal.
    """
    graph = build(edges)
    if nx.number_of_selfloops(graph):
        raise ToolError("A node is joined to itself. Remove that edge.")
    covering = _choice(graph, kind == "dominating_set")
    chosen = set(graph) - covering[0] if kind == "independent_set" else covering[0]
    return {"nodes": sorted(chosen), "size": len(chosen), "optimal": covering[1]}


def _choice(graph: Any, dominating: bool) -> tuple[set[str], bool]:
    """Fewest nodes of which one is in each closed neighbourhood, or at each edge."""
    nodes = sorted(graph)
    groups = [{node, *graph[node]} for node in nodes] if dominating else [set(edge) for edge in graph.edges]
    place = {node: number for number, node in enumerate(nodes)}
    chosen, optimal = fewest([[place[node] for node in group] for group in groups], [1.0] * len(nodes))
    return {nodes[number] for number in chosen}, optimal


@tool(
    tags="global minimum cut stoer wagner split network",
    use_when=("What is the cheapest way to cut this network in two?", "Split the graph along its weakest links"),
    examples=(
        Example({"edges": _ROADS}, {"cut_weight": 3.0}, source="B alone: 1 + 2; A alone and D alone: 4"),
        Refusal({"edges": [{"from": "A", "to": "B"}, {"from": "C", "to": "D"}]}, "not connected"),
    ),
    pace="normal",
)
def graph_find_global_cut(edges: FewEdges) -> GlobalCut:
    """Find the cheapest set of edges whose removal splits an undirected weighted graph in two.

    Use it to find natural borders, with no source or target given.
    """
    graph = no_loops(build(edges))
    no_negative(graph)
    with attempt("The graph is not connected, or has one node only."):
        value, (left, right) = nx.stoer_wagner(graph)
    cut = [edge for edge in edge_list(graph) if (edge["from"] in left) != (edge["to"] in left)]
    return {"cut_weight": float(value), "edges": cut, "left": sorted(left), "right": sorted(right)}
