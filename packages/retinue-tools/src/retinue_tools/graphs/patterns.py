"""Graph comparison, and search for patterns."""

import itertools
from typing import Annotated, Any

import networkx as nx
from networkx.algorithms.isomorphism import DiGraphMatcher, GraphMatcher
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.graphs._graphs import (
    Directed,
    Edge,
    Edges,
    FewEdges,
    Limit,
    MadeEdges,
    build,
    edge_list,
)
from retinue_tools.graphs.graph_formats import TRIANGLE


class Isomorphism(TypedDict):
    """Isomorphism of two graphs."""

    isomorphic: Annotated[bool, About("Whether the graphs are isomorphic")]
    mapping: Annotated[dict[str, str], About("Node of the second graph by node of the first")]


class Occurrences(TypedDict):
    """Occurrences of a pattern."""

    matches: Annotated[list[dict[str, str]], About("For each occurrence, the node for each node of the pattern")]
    complete: Annotated[bool, About("Whether the list is complete")]


class Difference(TypedDict):
    """Differences between two graphs."""

    added_nodes: Annotated[list[str], About("Only in the second")]
    removed_nodes: Annotated[list[str], About("Only in the first")]
    added_edges: MadeEdges
    removed_edges: MadeEdges
    changed_edges: Annotated[MadeEdges, About("In both, with the new weight")]
    similarity: Annotated[float, About("Common edges divided by all edges: Jaccard index")]


@tool(
    tags="isomorphic graphs same structure mapping compare",
    use_when=("Do these two graphs have the same structure?", "Which node corresponds to which?"),
    examples=(
        Example(
            {"first": TRIANGLE[:2], "second": [{"from": "x", "to": "y"}, {"from": "y", "to": "z"}]},
            {"isomorphic": True},
            source="two paths of three nodes",
        ),
        Example(
            {"first": TRIANGLE, "second": TRIANGLE[:2]},
            {"isomorphic": False, "mapping": {}},
            source="different numbers of edges",
        ),
        Refusal({"first": [], "second": TRIANGLE}, "first"),
    ),
    reply={
        "isomorphic": "Yes, both graphs have the same structure; the nodes correspond like this: {mapping}",
        "isomorphic, not mapping": "Yes, both graphs have the same structure.",
        "": "No, the graphs do not have the same structure.",
    },
    pace="normal",
)
def graph_check_isomorphism(first: FewEdges, second: FewEdges, directed: Directed = False) -> Isomorphism:
    """Test whether two graphs are the same but for the names of their nodes, with a mapping.

    Use it to compare structures such as molecules or circuits. Weights are ignored.
    """
    one, other = build(first, directed), build(second, directed)
    matcher = (DiGraphMatcher if directed else GraphMatcher)(one, other)
    same = nx.faster_could_be_isomorphic(one, other) and matcher.is_isomorphic()
    return {"isomorphic": bool(same), "mapping": dict(sorted(matcher.mapping.items())) if same else {}}


@tool(
    tags="subgraph pattern motif match search occurrences",
    use_when=("Where does a triangle occur in this network?", "Find all occurrences of this pattern of nodes"),
    examples=(
        Example(
            {
                "edges": [*TRIANGLE, {"from": "C", "to": "D"}],
                "pattern": [{"from": "1", "to": "2"}, {"from": "2", "to": "3"}, {"from": "3", "to": "1"}],
                "distinct": True,
            },
            {"matches": [{"1": "A", "2": "B", "3": "C"}], "complete": True},
            source="the only triangle",
        ),
        Example(
            {"edges": TRIANGLE, "pattern": [{"from": "1", "to": "2"}], "limit": 2},
            {"complete": False},
            source="three edges",
        ),
        Refusal({"edges": TRIANGLE, "pattern": []}, "pattern"),
    ),
    reply={
        "matches": "The pattern occurs here: {matches}",
        "": "The pattern does not occur in the graph.",
    },
    pace="normal",
)
def graph_find_pattern(
    edges: FewEdges,
    pattern: Annotated[list[Edge], About("Edges of the pattern", TRIANGLE, min_items=1, max_items=20)],
    directed: Directed = False,
    distinct: Annotated[bool, About("Whether to count each set of nodes only once")] = True,
    limit: Limit = 100,
) -> Occurrences:
    """Find where a small pattern of edges occurs in a graph; additional edges between the nodes are allowed.

    Use it for motifs such as triangles, stars or fraud rings.
    """
    matcher = (DiGraphMatcher if directed else GraphMatcher)(build(edges, directed), build(pattern, directed))
    found: dict[Any, dict[str, str]] = {}
    for mapping in itertools.islice(matcher.subgraph_monomorphisms_iter(), 200_000):
        turned = {inner: outer for outer, inner in mapping.items()}
        key = frozenset(mapping) if distinct else tuple(sorted(turned.items()))
        known = found.get(key)
        found[key] = min(known or turned, turned, key=lambda one: sorted(one.items()))
        if len(found) > limit:
            break
    matches = sorted((dict(sorted(one.items())) for one in found.values()), key=lambda one: list(one.items()))
    return {"matches": matches[:limit], "complete": len(found) <= limit}


@tool(
    tags="compare graphs diff added removed edges similarity versions",
    use_when=("What changed between these two networks?", "Which edges were added since the last version?"),
    examples=(
        Example(
            {"first": TRIANGLE[:2], "second": [{"from": "A", "to": "B", "weight": 5}, {"from": "A", "to": "D"}]},
            {
                "added_nodes": ["D"],
                "removed_nodes": ["C"],
                "changed_edges": [{"from": "A", "to": "B", "weight": 5}],
                "similarity": 1 / 3,
            },
            source="by hand",
        ),
        Example(
            {"first": [{"from": "A", "to": "B"}], "second": [{"from": "B", "to": "A"}], "directed": True},
            {"similarity": 0.0},
            source="the direction differs",
        ),
        Refusal({"first": [], "second": TRIANGLE}, "first"),
    ),
    reply={
        "added_edges": "The new edges; the graphs agree to {similarity}: {added_edges}",
        "removed_edges": "The removed edges; the graphs agree to {similarity}: {removed_edges}",
        "changed_edges": "The edges with changed weights: {changed_edges}",
        "added_nodes": "The new nodes are {added_nodes}.",
        "removed_nodes": "The removed nodes are {removed_nodes}.",
        "": "The graphs are the same.",
    },
)
def graph_compare_edges(first: Edges, second: Edges, directed: Directed = False) -> Difference:
    """Compare two graphs whose nodes have the same names: nodes and edges added, removed or changed in weight.

    Use it for versions of a network. Returns the differences and the share of common edges.
    """
    one, other = build(first, directed), build(second, directed)
    common = [edge for edge in edge_list(other) if one.has_edge(edge["from"], edge["to"])]
    removed = [edge for edge in edge_list(one) if not other.has_edge(edge["from"], edge["to"])]
    new = [edge for edge in edge_list(other) if not one.has_edge(edge["from"], edge["to"])]
    return {
        "added_nodes": sorted(set(other) - set(one)),
        "removed_nodes": sorted(set(one) - set(other)),
        "added_edges": new,
        "removed_edges": removed,
        "changed_edges": [edge for edge in common if one[edge["from"]][edge["to"]]["weight"] != edge.get("weight")],
        "similarity": len(common) / (len(common) + len(removed) + len(new)),
    }
