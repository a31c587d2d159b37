"""Paths through a graph."""

import itertools
from typing import Annotated, Any, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import (
    Directed,
    Edges,
    FewEdges,
    Limit,
    Node,
    Nodes,
    Weighted,
    at_most,
    attempt,
    build,
    length,
    no_negative,
    require,
)

_SQUARE = [{"from": "A", "to": "B"}, {"from": "B", "to": "C"}, {"from": "C", "to": "D"}, {"from": "D", "to": "A"}]
_ROADS = [
    {"from": "A", "to": "B", "weight": 4},
    {"from": "A", "to": "C", "weight": 1},
    {"from": "C", "to": "B", "weight": 2},
    {"from": "B", "to": "D", "weight": 5},
]
_BRIDGES = [{"from": one, "to": other} for one, other in ("AB", "AB", "AC", "AC", "AD", "BD", "CD")]
"""The seven bridges of Koenigsberg, with A for the island in the middle."""
_COMPLETE = [{"from": start, "to": end} for start, end in itertools.combinations("ABCD", 2)]


class Way(TypedDict):
    """A path."""

    nodes: Annotated[list[str], About("Nodes along the path")]
    length: Annotated[float, About("Sum of the weights along the path")]


class Ways(TypedDict):
    """Paths, best first."""

    paths: Annotated[list[Way], About("Paths by ascending length")]


class SimplePaths(TypedDict):
    """Paths without repeated nodes."""

    paths: Annotated[list[Way], About("Paths found")]
    complete: Annotated[bool, About("Whether the list is complete")]


class Distances(TypedDict):
    """Distances between all nodes."""

    nodes: Nodes
    matrix: Annotated[list[list[float | None]], About("Row: from; column: to; null if there is no path")]
    diameter: Annotated[float | None, About("Diameter: largest distance; null if some node is not reachable")]
    center: Annotated[list[str], About("Centre: nodes with the smallest largest distance; empty if not connected")]


class Visit(TypedDict):
    """A visited node."""

    node: Annotated[str, About("The node")]
    parent: Annotated[str | None, About("Node from which it was first reached")]
    depth: Annotated[int, About("Edges from the start in the search tree")]


class Traversal(TypedDict):
    """Nodes in the order of a search."""

    visits: Annotated[list[Visit], About("Nodes in visiting order")]


class Walk(TypedDict):
    """A walk over all edges."""

    nodes: Annotated[list[str], About("Nodes along the walk")]
    closed: Annotated[bool, About("Whether it ends at its start")]
    length: Annotated[float, About("Sum of the weights along the walk")]
    repeated: Annotated[list[list[str]], About("Edges that are used twice")]


@tool(
    tags="shortest path dijkstra bellman-ford route k alternatives graph",
    use_when=(
        "What is the shortest way from A to D in this network?",
        "Find the three shortest routes between two stations",
        "Which connection has the fewest changes?",
    ),
    examples=(
        Example(
            {"edges": _ROADS, "source": "A", "target": "D"},
            {"paths": [{"nodes": ["A", "C", "B", "D"], "length": 8.0}]},
            source="by hand: 1 + 2 + 5",
        ),
        Example(
            {"edges": _ROADS, "source": "A", "target": "D", "weighted": False, "count": 2},
            {"paths": [{"nodes": ["A", "B", "D"], "length": 2.0}, {"nodes": ["A", "C", "B", "D"], "length": 3.0}]},
            source="by hand",
        ),
        Refusal({"edges": _ROADS, "source": "D", "target": "A", "directed": True}, "no path"),
        Refusal({"edges": _ROADS, "source": "A", "target": "Z"}, "not a node"),
    ),
    reply={
        "paths.1": "The shortest paths: {paths}",
        "paths": "The shortest path is {paths.0.nodes}, with a length of {paths.0.length}.",
        "": "There is no path between them.",
    },
)
def graph_find_shortest_path(
    edges: Edges,
    source: Node,
    target: Node,
    directed: Directed = False,
    weighted: Weighted = True,
    count: Annotated[int, About("Maximum number of shortest paths without repeated nodes", minimum=1, maximum=50)] = 1,
) -> Ways:
    """Find the shortest path, or the k shortest paths, between two nodes of a graph.

    Use it for routes and fewest steps. A single path may have negative weights in a directed graph.
    """
    graph = build(edges, directed)
    require(graph, source, target)
    weight = "weight" if weighted else None
    with attempt(f"There is no path from {source} to {target}, or a cycle of negative weight."):
        if count == 1:
            negative = weighted and any(value < 0 for *_, value in graph.edges(data="weight"))
            paths = [nx.shortest_path(graph, source, target, weight, "bellman-ford" if negative else "dijkstra")]
        else:
            no_negative(graph)
            paths = list(itertools.islice(nx.shortest_simple_paths(graph, source, target, weight), count))
    return {"paths": [_way(graph, path, weighted) for path in paths]}


def _way(graph: Any, path: list[str], weighted: bool = True) -> Way:
    return {"nodes": path, "length": float(length(graph, path) if weighted else len(path) - 1)}


@tool(
    tags="all simple paths enumerate routes graph",
    use_when=("List every route from A to D with at most 4 edges", "How many ways lead from start to end?"),
    examples=(
        Example(
            {"edges": _SQUARE, "source": "A", "target": "C"},
            {"paths": [{"nodes": ["A", "B", "C"]}, {"nodes": ["A", "D", "C"]}], "complete": True},
            source="both sides of a square",
        ),
        Example(
            {"edges": _SQUARE, "source": "A", "target": "C", "directed": True},
            {"paths": [{"nodes": ["A", "B", "C"]}]},
            source="by hand",
        ),
        Refusal({"edges": _SQUARE, "source": "A", "target": "A"}, "must differ"),
    ),
    reply={
        "complete, paths": "All paths: {paths}",
        "paths": "There are many paths. The first ones: {paths}",
        "": "There is no path between them.",
    },
    pace="normal",
)
def graph_list_simple_paths(
    edges: FewEdges,
    source: Node,
    target: Node,
    directed: Directed = False,
    max_edges: Annotated[int, About("Maximum length of a path in edges", minimum=1, maximum=30)] = 8,
    limit: Limit = 200,
) -> SimplePaths:
    """List all paths between two nodes that visit no node twice, up to a number of edges, shortest first.

    Use it to enumerate alternatives. Returns up to `limit` paths and whether the list is complete.
    """
    graph = build(edges, directed)
    require(graph, source, target)
    if source == target:
        raise ToolError("Source and target must differ.")
    found = list(itertools.islice(nx.all_simple_paths(graph, source, target, max_edges), limit + 1))
    ways = sorted((_way(graph, path) for path in found[:limit]), key=lambda way: (way["length"], way["nodes"]))
    return {"paths": ways, "complete": len(found) <= limit}


@tool(
    tags="distance matrix all pairs shortest floyd-warshall diameter center eccentricity",
    use_when=(
        "Make the table of distances between all towns",
        "Which node is the most central by distance?",
        "What is the diameter of this graph?",
    ),
    examples=(
        Example(
            {"edges": _ROADS},
            {
                "nodes": ["A", "B", "C", "D"],
                "matrix": [[0.0, 3.0, 1.0, 8.0], [3.0, 0.0, 2.0, 5.0], [1.0, 2.0, 0.0, 7.0], [8.0, 5.0, 7.0, 0.0]],
                "diameter": 8.0,
                "center": ["B"],
            },
            source="by hand",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}], "directed": True},
            {"matrix": [[0.0, 1.0], [None, 0.0]], "diameter": None},
            source="by hand",
        ),
        Refusal({"edges": [{"from": "A", "to": "B", "weight": -1}]}, "negative"),
    ),
    reply={
        "diameter, center": (
            "The largest distance is {diameter} and the centre {center}. The distances between {nodes}: {matrix}"
        ),
        "nodes": "Not all nodes can be reached. The distances between {nodes}: {matrix}",
        "": "The distances: {matrix}",
    },
    pace="normal",
)
def graph_compute_distances(edges: Edges, directed: Directed = False, weighted: Weighted = True) -> Distances:
    """Compute the shortest distances between all pairs of up to 300 nodes, with diameter and centre.

    Use it for distance tables. Returns a matrix in the sorted order of the nodes.
    """
    graph = build(edges, directed)
    at_most(graph, 300)
    no_negative(graph)
    nodes = sorted(graph)
    found = dict(nx.all_pairs_dijkstra_path_length(graph, weight="weight" if weighted else None))
    rows = [[float(found[start][end]) if end in found[start] else None for end in nodes] for start in nodes]
    far = [
        max(reached) if len(reached) == len(row) else None
        for row in rows
        for reached in [[d for d in row if d is not None]]
    ]
    whole = [one for one in far if one is not None]
    complete = len(whole) == len(nodes)
    return {
        "nodes": nodes,
        "matrix": rows,
        "diameter": max(whole) if complete else None,
        "center": [node for node, one in zip(nodes, far, strict=True) if one == min(whole)] if complete else [],
    }


@tool(
    tags="bfs dfs breadth depth first search traverse reachability levels",
    use_when=(
        "In what order does a breadth-first search from A visit the nodes?",
        "Which nodes can be reached from X within 2 steps?",
    ),
    examples=(
        Example(
            {"edges": _SQUARE, "source": "A"},
            {
                "visits": [
                    {"node": "A", "parent": None, "depth": 0},
                    {"node": "B", "depth": 1},
                    {"node": "D", "depth": 1},
                    {"node": "C", "parent": "B", "depth": 2},
                ]
            },
            source="by hand",
        ),
        Example(
            {"edges": _SQUARE, "source": "A", "order": "depth_first", "max_depth": 1},
            {"visits": [{"node": "A"}, {"node": "B"}, {"node": "D"}]},
            source="by hand",
        ),
        Refusal({"edges": _SQUARE, "source": "Z"}, "not a node"),
    ),
    reply="The nodes in the order of the visit: {visits}",
)
def graph_traverse_nodes(
    edges: Edges,
    source: Node,
    directed: Directed = False,
    order: Annotated[Literal["breadth_first", "depth_first"], About("Kind of search")] = "breadth_first",
    max_depth: Annotated[int, About("Maximum depth in edges", minimum=1, maximum=20_000)] = 20_000,
) -> Traversal:
    """Visit all nodes that can be reached from one, breadth first or depth first, neighbours by name.

    Use it for reachability and levels. Returns each node with its parent and depth in the search tree.
    """
    graph = build(edges, directed)
    require(graph, source)
    search = nx.bfs_edges if order == "breadth_first" else nx.dfs_edges
    visits: dict[str, Visit] = {source: {"node": source, "parent": None, "depth": 0}}
    for parent, node in search(graph, source, depth_limit=max_depth, sort_neighbors=sorted):
        visits[node] = {"node": node, "parent": parent, "depth": visits[parent]["depth"] + 1}
    return {"visits": list(visits.values())}


@tool(
    tags="euler path circuit bridges koenigsberg chinese postman walk every edge route inspection",
    use_when=(
        "Can this figure be drawn without lifting the pen?",
        "What is the shortest round that walks every street?",
        "Is there an Eulerian path in this graph?",
    ),
    examples=(
        Example({"edges": _SQUARE}, {"closed": True, "length": 4.0, "repeated": []}, source="around a square"),
        Example(
            {"edges": [*_SQUARE, {"from": "A", "to": "C", "weight": 2}], "repeat": True},
            {"closed": True, "length": 8.0},
            source="A and C are odd: 6 in all and the way of length 2 between them once more",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B", "weight": 3}, {"from": "B", "to": "A", "weight": 5}]},
            {"closed": True, "length": 8.0},
            source="there by one of two bridges, back by the other",
        ),
        Refusal({"edges": _COMPLETE}, "odd number"),
        Refusal({"edges": _BRIDGES}, "4 nodes have an odd number"),
    ),
    reply={
        "repeated": "The walk is {nodes}, with a length of {length}; it uses these edges twice: {repeated}",
        "closed": "The round is {nodes}, with a length of {length}.",
        "": "The walk is {nodes}, with a length of {length}; it does not end at its start.",
    },
    pace="normal",
)
def graph_walk_every_edge(
    edges: FewEdges,
    repeat: Annotated[bool, About("Whether edges may be used twice to return: the Chinese postman route")] = False,
) -> Walk:
    """Find an Eulerian path or circuit of an undirected graph, or the shortest closed walk over every edge (Chinese
    postman).

    Use it for one-stroke drawings and for rounds of post, snow ploughs and inspections. There may be several edges
    between two nodes.
    """
    streets = nx.MultiGraph()
    streets.add_weighted_edges_from((edge["from"], edge["to"], edge.get("weight", 1)) for edge in edges)
    no_negative(streets)
    if not nx.is_connected(streets):
        raise ToolError("The graph is not connected.")
    odd = [node for node, degree in streets.degree() if degree % 2]
    if len(odd) > 2 and not repeat:
        raise ToolError(
            f"{len(odd)} nodes have an odd number of edges; at most 2 are possible. Allow repeat for a round trip."
        )
    if len(odd) > 60:
        raise ToolError("More than 60 nodes have an odd number of edges. Use a smaller graph.")
    extra = _pair_odd_nodes(streets, odd) if repeat else []
    shortest = (min(street["weight"] for street in streets[start][end].values()) for start, end in extra)
    whole = streets.size("weight") + sum(shortest)
    streets.add_edges_from(extra)
    walk = list(nx.eulerian_path(streets))
    nodes = [walk[0][0], *(end for _, end in walk)]
    return {
        "nodes": nodes,
        "closed": nodes[0] == nodes[-1],
        "length": float(whole),
        "repeated": [list(edge) for edge in extra],
    }


def _pair_odd_nodes(graph: Any, odd: list[str]) -> list[tuple[str, str]]:
    """Return edges to use twice: the cheapest pairing of the odd nodes along shortest paths."""
    complete = nx.Graph()
    paths = {}
    for start, end in itertools.combinations(odd, 2):
        cost, paths[start, end] = nx.single_source_dijkstra(graph, start, end)
        complete.add_edge(start, end, weight=cost)
    pairs = nx.min_weight_matching(complete)
    ways = [paths.get(pair) or paths[pair[1], pair[0]] for pair in pairs]
    return [edge for way in ways for edge in itertools.pairwise(way)]
