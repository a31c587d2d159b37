"""Colorings, covers and independent sets of nodes."""

import itertools
from typing import Annotated, Any, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._choosing import fewest
from retinue_tools.graphs._graphs import Edges, FewEdges, Nodes, build
from retinue_tools.graphs.flows import ROADS
from retinue_tools.graphs.spanning_trees import STAR


class Colouring(TypedDict):
    """Colours of nodes."""

    colors: Annotated[dict[str, int], About("Colour number of each node, from 0")]
    groups: Annotated[list[list[str]], About("Nodes of each colour")]
    count: Annotated[int, About("Number of colours")]
    lower_bound: Annotated[int, About("Lower bound of the number of colours: size of a clique")]


class Chosen(TypedDict):
    """A selected set of nodes."""

    nodes: Nodes
    size: Annotated[int, About("Number of nodes")]
    optimal: Annotated[bool, About("Whether the result is proved optimal")]


@tool(
    tags="graph colouring timetable conflicts exam scheduling register allocation map colours",
    use_when=("Schedule exams so that no student has two at once", "How many colours does this map need?"),
    examples=(
        Example({"edges": ROADS}, {"count": 3, "lower_bound": 3}, source="a triangle needs 3"),
        Refusal({"edges": [{"from": "A", "to": "A"}]}, "itself"),
    ),
    reply="It takes {count|colour}. The nodes of each colour: {groups}",
)
def graph_color_nodes(edges: Edges) -> Colouring:
    """Colour the nodes so that neighbours differ, with few colours (DSATUR and others, the best result).

    Use it for timetables and conflicts. Returns groups that may share a slot, and a lower bound of the number of
    colours.
    """
    graph = build(edges)
    if nx.number_of_selfloops(graph):
        raise ToolError("A node has an edge to itself and cannot be coloured.")
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
            {"edges": STAR, "kind": "vertex_cover"}, {"nodes": ["hub"], "size": 1, "optimal": True}, source="a star"
        ),
        Example({"edges": STAR, "kind": "independent_set"}, {"nodes": ["a", "b", "c"]}, source="the leaves"),
        Example({"edges": STAR, "kind": "dominating_set"}, {"size": 1}, source="the hub"),
        Refusal({"edges": [{"from": "A", "to": "A"}], "kind": "vertex_cover"}, "itself"),
    ),
    reply={
        "optimal, nodes": "The best choice is {nodes}, {size|node}.",
        "nodes": "A good choice is {nodes}, {size|node}; there may be a better one.",
        "": "No nodes are needed.",
    },
    tier="pro",
    pace="normal",
)
def graph_choose_nodes(
    edges: FewEdges,
    kind: Annotated[
        Literal["vertex_cover", "dominating_set", "independent_set"],
        About("vertex cover, dominating set, or maximum independent set"),
    ],
) -> Chosen:
    """Choose the fewest nodes that touch all edges or reach all nodes, or the most nodes that are not neighbours.

    Use it for placement and conflicts. Exact by integer programming within ten seconds; returns whether the result is
    optimal.
    """
    graph = build(edges)
    if nx.number_of_selfloops(graph):
        raise ToolError("A node has an edge to itself. Remove that edge.")
    covering = _choice(graph, kind == "dominating_set")
    chosen = set(graph) - covering[0] if kind == "independent_set" else covering[0]
    return {"nodes": sorted(chosen), "size": len(chosen), "optimal": covering[1]}


def _choice(graph: Any, dominating: bool) -> tuple[set[str], bool]:
    """Choose the fewest nodes with one in each closed neighbourhood, or at each edge."""
    nodes = sorted(graph)
    groups = [{node, *graph[node]} for node in nodes] if dominating else [set(edge) for edge in graph.edges]
    place = {node: number for number, node in enumerate(nodes)}
    chosen, optimal = fewest([[place[node] for node in group] for group in groups], [1.0] * len(nodes))
    return {nodes[number] for number in chosen}, optimal
