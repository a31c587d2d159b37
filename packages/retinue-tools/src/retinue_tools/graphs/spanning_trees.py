"""Spanning trees and Steiner trees."""

from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import Edge, Edges, FewEdges, MadeEdges, Node, build, edge_list, no_negative, require
from retinue_tools.graphs.flows import ROADS

STAR: list[Edge] = [{"from": "hub", "to": leaf} for leaf in ("a", "b", "c")]


class Tree(TypedDict):
    """A tree or forest within a graph."""

    edges: MadeEdges
    total_weight: Annotated[float, About("Sum of the weights")]
    connected: Annotated[bool, About("Whether all required nodes are connected")]


@tool(
    tags="minimum maximum spanning tree kruskal prim cable network",
    use_when=("Connect all houses with the least cable", "What is the minimum spanning tree of these edges?"),
    examples=(
        Example({"edges": ROADS}, {"total_weight": 7.0, "connected": True}, source="Kruskal by hand: 1 + 2 + 4"),
        Example({"edges": ROADS, "maximum": True}, {"total_weight": 9.0}, source="by hand: 4 + 3 + 2"),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "connected": "The tree has a total weight of {total_weight}: {edges}",
        "edges": "Not all nodes are connected. The trees have a total weight of {total_weight}: {edges}",
        "": "There are no edges to choose from.",
    },
)
def graph_find_spanning_tree(
    edges: Edges, maximum: Annotated[bool, About("Whether to find the heaviest tree")] = False
) -> Tree:
    """Find the lightest (or heaviest) tree that joins all nodes of an undirected weighted graph.

    Use it for cheapest networks. For a disconnected graph, the result has a tree for each component.
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
            {"edges": [*STAR, {"from": "a", "to": "b", "weight": 5}], "terminals": ["a", "b"]},
            {"total_weight": 2.0},
            source="over the hub",
        ),
        Example(
            {"edges": [*STAR, {"from": "x", "to": "y"}], "terminals": ["a", "b"]},
            {"total_weight": 2.0},
            source="over the hub; the edge from x to y is of no use",
        ),
        Refusal({"edges": STAR, "terminals": ["a", "q"]}, "not a node"),
        Refusal({"edges": [*STAR, {"from": "x", "to": "y"}], "terminals": ["a", "x"]}, "not connected"),
    ),
    reply={
        "connected": "The tree has a total weight of {total_weight}: {edges}",
        "edges": "The chosen nodes cannot all be joined. The tree of the others: {edges}",
        "": "The chosen nodes cannot be joined.",
    },
    tier="pro",
    pace="normal",
)
def graph_find_steiner_tree(
    edges: FewEdges,
    terminals: Annotated[list[Node], About("Nodes to connect", ["A", "D"], min_items=2, max_items=200)],
) -> Tree:
    """Find a cheap tree that joins the chosen nodes, over other nodes if that helps; at most twice the cheapest.

    Use it if not all nodes have to be connected.
    """
    graph = build(edges)
    no_negative(graph)
    require(graph, *terminals)
    piece = nx.node_connected_component(graph, terminals[0])
    if not set(terminals) <= piece:
        raise ToolError("The nodes to connect are not connected with each other. Add edges between them.")
    tree = nx.algorithms.approximation.steiner_tree(graph.subgraph(piece), terminals, method="mehlhorn")
    return {"edges": edge_list(tree), "total_weight": float(tree.size(weight="weight")), "connected": True}
