"""Directed acyclic graphs: orders, hierarchies, dependencies."""

from typing import Annotated, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import (
    Edges,
    FewEdges,
    MadeEdges,
    Node,
    Nodes,
    acyclic,
    attempt,
    build,
    edge_list,
    length,
    require,
)

_CHAIN = [
    {"from": "A", "to": "B", "weight": 3},
    {"from": "B", "to": "C", "weight": 2},
    {"from": "A", "to": "C", "weight": 1},
]


_TREE = [{"from": "root", "to": "x"}, {"from": "root", "to": "y"}, {"from": "x", "to": "a"}, {"from": "x", "to": "b"}]


class Order(TypedDict):
    """An order in which every edge leads forward."""

    order: Nodes
    levels: Annotated[
        list[list[str]], About("Levels of independent nodes: all their predecessors are in earlier levels")
    ]


class LongestPath(TypedDict):
    """The longest path."""

    nodes: Annotated[list[str], About("Nodes along the path")]
    length: Annotated[float, About("Sum of the weights along the path")]


class Rewired(TypedDict):
    """A graph with other edges and the same reachability."""

    edges: MadeEdges
    count: Annotated[int, About("Number of edges")]
    difference: Annotated[int, About("Number of added edges, negative if removed")]


class Relatives(TypedDict):
    """Ancestors and descendants of a node."""

    ancestors: Annotated[list[str], About("All nodes from which it is reachable")]
    descendants: Annotated[list[str], About("All nodes reachable from it")]
    parents: Annotated[list[str], About("Direct predecessors")]
    children: Annotated[list[str], About("Direct successors")]


class CommonAncestor(TypedDict):
    """Common ancestor of two nodes."""

    ancestor: Annotated[str | None, About("A lowest common ancestor; null if there is none")]
    first_distance: Annotated[int | None, About("Edges from it to the first node")]
    second_distance: Annotated[int | None, About("Edges from it to the second node")]


@tool(
    tags="topological sort order dag precedence levels",
    use_when=("In which order must these steps be done?", "Sort these nodes so that all arrows point forward"),
    examples=(
        Example(
            {"edges": _CHAIN}, {"order": ["A", "B", "C"], "levels": [["A"], ["B"], ["C"]]}, source="the only order"
        ),
        Refusal({"edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}]}, "cycle"),
    ),
    reply="The order is {order}.",
)
def graph_sort_topological(edges: Edges) -> Order:
    """Sort the nodes of a directed acyclic graph so that every edge leads forward, with ties ordered by name.

    Use it for precedence. Returns the order, and levels of independent nodes.
    """
    graph = acyclic(build(edges, directed=True))
    order = list(nx.lexicographical_topological_sort(graph))
    return {"order": order, "levels": [sorted(level) for level in nx.topological_generations(graph)]}


@tool(
    tags="longest path dag critical chain",
    use_when=(
        "What is the longest chain in this acyclic graph?",
        "Which sequence of steps has the greatest total weight?",
    ),
    examples=(
        Example({"edges": _CHAIN}, {"nodes": ["A", "B", "C"], "length": 5.0}, source="3 + 2 > 1"),
        Refusal({"edges": [{"from": "A", "to": "A"}]}, "cycle"),
    ),
    reply={
        "nodes": "The longest path is {nodes}, with a length of {length}.",
        "": "There is no path.",
    },
)
def graph_find_longest_path(edges: Edges) -> LongestPath:
    """Find the path of greatest total weight in a directed acyclic graph.

    Use it for longest chains; for projects with durations use `project_find_critical_path`.
    """
    graph = acyclic(build(edges, directed=True))
    nodes = nx.dag_longest_path(graph)
    return {"nodes": nodes, "length": float(length(graph, nodes))}


@tool(
    tags="transitive closure reduction reachability redundant edges hasse diagram",
    use_when=("Which of these dependencies are redundant?", "Make the transitive closure of this relation"),
    examples=(
        Example(
            {"edges": _CHAIN, "kind": "reduction"},
            {"count": 2, "difference": -1},
            source="A to C follows from the others",
        ),
        Example({"edges": _CHAIN[:2], "kind": "closure"}, {"count": 3, "difference": 1}, source="A reaches C"),
        Refusal({"edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}], "kind": "reduction"}, "cycle"),
    ),
    reply={
        "args.kind, edges": "The {args.kind} has {count|edge}: {edges}",
        "edges": "The resulting graph has {count|edge}: {edges}",
        "": "No edges are left.",
    },
    pace="normal",
)
def graph_reduce_transitively(
    edges: FewEdges,
    kind: Annotated[Literal["reduction", "closure"], About("Fewest edges, or all edges, with the same reachability")],
) -> Rewired:
    """Remove the edges that follow from others (transitive reduction), or add all that follow (transitive closure).

    Use it to simplify dependencies and relations. Up to 10,000 resulting edges are returned.
    """
    graph = build(edges, directed=True)
    result = nx.transitive_reduction(acyclic(graph)) if kind == "reduction" else nx.transitive_closure(graph)
    if result.number_of_edges() > 10_000:
        raise ToolError("The closure has more than 10,000 edges. Use a smaller graph.")
    for start, end in result.edges:
        result[start][end]["weight"] = graph.get_edge_data(start, end, {}).get("weight", 1)
    change = result.number_of_edges() - graph.number_of_edges()
    return {"edges": edge_list(result), "count": result.number_of_edges(), "difference": change}


@tool(
    tags="ancestors descendants impact upstream downstream lineage",
    use_when=(
        "What is affected if this table changes?",
        "List everything upstream of the report",
        "Who are all descendants of X?",
    ),
    examples=(
        Example(
            {"edges": _TREE, "node": "x"},
            {"ancestors": ["root"], "descendants": ["a", "b"], "parents": ["root"], "children": ["a", "b"]},
            source="by hand",
        ),
        Refusal({"edges": _TREE, "node": "z"}, "not a node"),
    ),
    reply={
        "ancestors, descendants": "{args.node} depends on {ancestors} and leads to {descendants}.",
        "ancestors": "{args.node} is reached from {ancestors} and leads nowhere.",
        "descendants": "{args.node} leads to {descendants} and is reached from nowhere.",
        "": "{args.node} is not connected with any other node.",
    },
)
def graph_find_relatives(edges: Edges, node: Node) -> Relatives:
    """Find all nodes from which a node can be reached and all nodes that it reaches, in a directed graph.

    Use it for impact analysis and lineage.
    """
    graph = build(edges, directed=True)
    require(graph, node)
    return {
        "ancestors": sorted(nx.ancestors(graph, node)),
        "descendants": sorted(nx.descendants(graph, node)),
        "parents": sorted(graph.predecessors(node)),
        "children": sorted(graph.successors(node)),
    }


@tool(
    tags="lowest common ancestor tree hierarchy manager taxonomy",
    use_when=("Who is the nearest common manager of two people?", "Where do two branches of a tree meet?"),
    examples=(
        Example(
            {"edges": _TREE, "first": "a", "second": "y"},
            {"ancestor": "root", "first_distance": 2, "second_distance": 1},
            source="by hand",
        ),
        Refusal({"edges": _TREE, "first": "a", "second": "q"}, "not a node"),
    ),
    reply={
        "ancestor": "The lowest common ancestor of {args.first} and {args.second} is {ancestor}.",
        "": "{args.first} and {args.second} have no common ancestor.",
    },
)
def graph_find_common_ancestor(edges: Edges, first: Node, second: Node) -> CommonAncestor:
    """Find the lowest common ancestor of two nodes in a tree or acyclic graph with edges from parent to child.

    Use it for hierarchies. Returns the ancestor and its distances.
    """
    graph = acyclic(build(edges, directed=True))
    require(graph, first, second)
    with attempt("The ancestor could not be found."):
        found = nx.lowest_common_ancestor(graph, first, second)
    if found is None:
        return {"ancestor": None, "first_distance": None, "second_distance": None}
    distances = nx.single_source_shortest_path_length(graph, found)
    return {"ancestor": found, "first_distance": distances[first], "second_distance": distances[second]}
