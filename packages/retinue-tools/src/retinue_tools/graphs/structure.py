"""Structure of a graph: components, weak points, bipartition and planarity."""

import itertools
from typing import Annotated, Any, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.graphs._graphs import Directed, Edges, FewEdges, Nodes, build, no_loops

TWO_TRIANGLES = [
    {"from": "A", "to": "B"}, {"from": "B", "to": "C"}, {"from": "C", "to": "A"}, {"from": "C", "to": "D"},
    {"from": "D", "to": "E"}, {"from": "E", "to": "F"}, {"from": "F", "to": "D"},
]  # fmt: skip
COMPLETE_GRAPH = [{"from": a, "to": b} for a, b in itertools.combinations("ABCDE", 2)]


class Summary(TypedDict):
    """Metrics of a graph."""

    nodes: Annotated[int, About("Number of nodes")]
    edges: Annotated[int, About("Number of edges")]
    density: Annotated[float, About("Share of the possible edges that exist")]
    components: Annotated[int, About("Connected components, ignoring direction")]
    acyclic: Annotated[bool, About("Whether there is no cycle")]
    tree: Annotated[bool, About("Whether the graph is a tree")]
    self_loops: Annotated[int, About("Edges from a node to itself")]
    mean_degree: Annotated[float, About("Mean degree")]
    max_degree: Annotated[int, About("Maximum degree")]
    degree_counts: Annotated[dict[str, int], About("Number of nodes by degree")]
    total_weight: Annotated[float, About("Sum of all weights")]
    diameter: Annotated[
        int | None,
        About("Longest of the shortest paths in edges, ignoring direction; null if not connected or over 1,000 nodes"),
    ]
    transitivity: Annotated[float, About("Share of paths of two edges that form triangles, ignoring direction")]
    triangles: Annotated[int, About("Number of triangles, ignoring direction")]


class Components(TypedDict):
    """Connected components."""

    count: Annotated[int, About("Number of components")]
    components: Annotated[list[list[str]], About("Largest first; nodes sorted")]
    largest: Annotated[int, About("Number of nodes in the largest one")]
    largest_share: Annotated[float, About("Share of all nodes in the largest one")]


class WeakPoints(TypedDict):
    """Weak points of a network."""

    bridges: Annotated[list[list[str]], About("Bridges: edges whose removal disconnects the graph")]
    articulation_points: Annotated[list[str], About("Articulation points: nodes whose removal disconnects the graph")]
    edge_connectivity: Annotated[
        int, About("Minimum number of edges whose removal disconnects the graph; 0 if not connected")
    ]
    node_connectivity: Annotated[int, About("Minimum number of nodes whose removal disconnects the graph")]
    min_edge_cut: Annotated[list[list[str]], About("A smallest set of such edges")]


class Sides(TypedDict):
    """Bipartition of a graph."""

    bipartite: Annotated[bool, About("Whether the graph is bipartite")]
    left: Nodes
    right: Nodes
    odd_cycle: Annotated[list[str], About("Nodes of an odd cycle if it is not bipartite")]


class Planarity(TypedDict):
    """Planarity of a graph."""

    planar: Annotated[bool, About("Whether the graph can be drawn without crossings")]
    faces: Annotated[int | None, About("Number of faces, including the outer one; null if not planar")]
    positions: Annotated[dict[str, list[float]], About("Positions of the nodes for a straight-line drawing")]
    obstruction: Annotated[list[list[str]], About("Edges of a non-planar subgraph")]


@tool(
    tags="graph summary statistics degree distribution density diameter network overview",
    use_when=(
        "Describe this network",
        "How dense is the graph and what is its diameter?",
        "What is the degree distribution?",
    ),
    examples=(
        Example(
            {"edges": TWO_TRIANGLES},
            {
                "nodes": 6,
                "edges": 7,
                "components": 1,
                "triangles": 2,
                "diameter": 3,
                "degree_counts": {"2": 4, "3": 2},
                "acyclic": False,
                "density": 7 / 15,
            },
            source="counted by hand",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}], "directed": True},
            {"tree": True, "density": 0.5, "acyclic": True},
            source="by hand",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "tree": "The graph is a tree with {nodes|node} and {edges|edge}.",
        "": "The graph has {nodes|node} and {edges|edge}, a density of {density} and {components|component}.",
    },
    pace="normal",
)
def graph_summarize_structure(edges: Edges, directed: Directed = False) -> Summary:
    """Summarise a graph: nodes, edges, density, components, degrees, diameter, triangles, and whether it is a tree.

    Use it first on an unknown network.
    """
    graph = build(edges, directed)
    plain = no_loops(nx.Graph(graph))
    degrees = [degree for _, degree in graph.degree()]
    small = nx.is_connected(plain) and len(plain) <= 1000
    return {
        "nodes": graph.number_of_nodes(),
        "edges": graph.number_of_edges(),
        "density": float(nx.density(graph)),
        "components": nx.number_connected_components(plain),
        "acyclic": bool(nx.is_directed_acyclic_graph(graph) if directed else nx.is_forest(graph)),
        "tree": bool(nx.is_tree(graph)),
        "self_loops": nx.number_of_selfloops(graph),
        "mean_degree": sum(degrees) / len(degrees),
        "max_degree": max(degrees),
        "degree_counts": {str(degree): degrees.count(degree) for degree in sorted(set(degrees))},
        "total_weight": float(graph.size(weight="weight")),
        "diameter": int(nx.diameter(plain)) if small else None,
        "transitivity": float(nx.transitivity(plain)),
        "triangles": sum(nx.triangles(plain).values()) // 3,
    }


@tool(
    tags="connected components strongly weakly clusters islands",
    use_when=(
        "Which groups of accounts are connected?",
        "Find the strongly connected components",
        "Is this network in one piece?",
        "Into how many unconnected parts does a network fall?",
    ),
    examples=(
        Example(
            {"edges": [{"from": "A", "to": "B"}, {"from": "C", "to": "D"}, {"from": "D", "to": "E"}]},
            {"count": 2, "components": [["C", "D", "E"], ["A", "B"]], "largest": 3, "largest_share": 0.6},
            source="by hand",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}, {"from": "B", "to": "C"}], "kind": "strong"},
            {"components": [["A", "B"], ["C"]]},
            source="from C nothing leads back",
        ),
        Refusal({"edges": [], "kind": "strong"}, "edges"),
    ),
    reply={
        "components": "I found {count|component}, the largest with {largest|node}: {components}",
        "": "The graph has no nodes.",
    },
)
def graph_find_components(
    edges: Edges,
    kind: Annotated[
        Literal["connected", "strong"], About("strong takes the direction of edges into account")
    ] = "connected",
) -> Components:
    """Find the connected components of a graph, or the strongly connected ones of a directed graph.

    Use it to find islands and circular groups. Returns the groups, largest first.
    """
    graph = build(edges, kind == "strong")
    groups = nx.strongly_connected_components(graph) if kind == "strong" else nx.connected_components(graph)
    found = sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))
    largest = len(found[0])
    return {"count": len(found), "components": found, "largest": largest, "largest_share": largest / len(graph)}


@tool(
    tags="bridges articulation cut vertices resilience connectivity single point of failure minimum cut",
    use_when=(
        "Which link is a single point of failure?",
        "How many edges must fail to split the network?",
        "Find the articulation points",
    ),
    examples=(
        Example(
            {"edges": TWO_TRIANGLES},
            {
                "bridges": [["C", "D"]],
                "articulation_points": ["C", "D"],
                "edge_connectivity": 1,
                "node_connectivity": 1,
            },
            source="two triangles joined by one edge",
        ),
        Example(
            {"edges": COMPLETE_GRAPH},
            {"bridges": [], "edge_connectivity": 4, "node_connectivity": 4},
            source="complete graph of five",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "articulation_points, bridges": (
            "{articulation_points} are single points of failure, and so are these links: {bridges}"
        ),
        "articulation_points": "{articulation_points} are single points of failure.",
        "bridges": "These links are single points of failure: {bridges}",
        "": (
            "There is no single point of failure; {edge_connectivity|edge} or "
            "{node_connectivity|node} must fail to split the network."
        ),
    },
    pace="normal",
)
def graph_find_weak_points(edges: FewEdges) -> WeakPoints:
    """Find bridges, articulation points and the connectivity of an undirected network.

    Use it to judge resilience. Returns single points of failure and a smallest cut.
    """
    graph = no_loops(build(edges))
    whole = len(graph) > 1 and nx.is_connected(graph)
    cut = nx.minimum_edge_cut(graph) if whole else []
    return {
        "bridges": sorted(sorted(edge) for edge in nx.bridges(graph)),
        "articulation_points": sorted(nx.articulation_points(graph)),
        "edge_connectivity": len(cut),
        "node_connectivity": int(nx.node_connectivity(graph)) if whole else 0,
        "min_edge_cut": sorted(sorted(edge) for edge in cut),
    }


@tool(
    tags="bipartite two-colourable sides odd cycle",
    use_when=("Can these people be split so that no friends share a side?", "Is this graph bipartite?"),
    examples=(
        Example(
            {"edges": [{"from": "A", "to": "X"}, {"from": "B", "to": "X"}, {"from": "B", "to": "Y"}]},
            {"bipartite": True, "left": ["A", "B"], "right": ["X", "Y"], "odd_cycle": []},
            source="by hand",
        ),
        Example({"edges": TWO_TRIANGLES[:3]}, {"bipartite": False, "odd_cycle": ["A", "B", "C"]}, source="a triangle"),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "bipartite": "Yes, the graph is bipartite: {left} on one side and {right} on the other.",
        "odd_cycle": "No, the graph is not bipartite: {odd_cycle} form an odd cycle.",
        "bipartite, not odd_cycle": "Yes, the graph is bipartite.",
        "": "No, the graph is not bipartite.",
    },
)
def graph_check_bipartite(edges: Edges) -> Sides:
    """Test whether a graph is bipartite: its nodes fall into two sides with edges only between them.

    Use it before matching. Returns the sides, or a cycle of odd length that makes them impossible.
    """
    graph = build(edges)
    sides: dict[str, int] = {}
    for part in sorted(nx.connected_components(graph), key=min):
        levels = nx.single_source_shortest_path_length(graph, min(part))
        sides |= {node: level % 2 for node, level in levels.items()}
    clash = next((edge for edge in graph.edges if sides[edge[0]] == sides[edge[1]]), None)
    if clash:
        return {"bipartite": False, "left": [], "right": [], "odd_cycle": sorted(_odd_cycle(graph, *clash))}
    left, right = (sorted(node for node, side in sides.items() if side == number) for number in (0, 1))
    return {"bipartite": True, "left": left, "right": right, "odd_cycle": []}


def _odd_cycle(graph: Any, first: str, second: str) -> set[str]:
    """Return the cycle formed by an edge within one level and the paths to the common ancestor in a search tree."""
    root = min(nx.node_connected_component(graph, first))
    parents = dict(nx.bfs_predecessors(graph, root))
    cycle = {first, second}
    while first != second:
        first, second = parents[first], parents[second]
        cycle |= {first, second}
    return cycle


@tool(
    tags="planar drawing crossings kuratowski faces embedding",
    use_when=("Can this circuit be drawn without crossings?", "Is the complete graph of five nodes planar?"),
    examples=(
        Example(
            {"edges": COMPLETE_GRAPH[:-1]},
            {"planar": True, "faces": 6},
            source="Euler: 9 - 5 + 2 faces; without one edge it is planar",
        ),
        Example({"edges": COMPLETE_GRAPH}, {"planar": False, "faces": None}, source="Kuratowski's theorem"),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "planar": "Yes, the graph can be drawn without crossings, with {faces|face}.",
        "": "No, the graph cannot be drawn without crossings.",
    },
)
def graph_check_planarity(edges: FewEdges) -> Planarity:
    """Test whether a graph can be drawn without crossing edges, with positions for the nodes or an obstruction.

    Use it for layouts of circuits and maps.
    """
    graph = no_loops(build(edges))
    planar, certificate = nx.check_planarity(graph, counterexample=True)
    if not planar:
        part = sorted(sorted(edge) for edge in certificate.edges)
        return {"planar": False, "faces": None, "positions": {}, "obstruction": part}
    places = nx.combinatorial_embedding_to_pos(certificate) if len(graph) > 3 else nx.circular_layout(graph)
    return {
        "planar": True,
        "faces": graph.number_of_edges() - len(graph) + 1 + nx.number_connected_components(graph),
        "positions": {node: [float(x), float(y)] for node, (x, y) in places.items()},
        "obstruction": [],
    }
