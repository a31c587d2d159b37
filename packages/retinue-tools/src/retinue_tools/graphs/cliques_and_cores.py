"""Cliques and cores of graphs."""

import itertools
from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import Edges, FewEdges, Limit, Nodes, at_most, build, no_loops
from retinue_tools.graphs.structure import COMPLETE_GRAPH, TWO_TRIANGLES


class Cliques(TypedDict):
    """Cliques of a graph."""

    cliques: Annotated[list[list[str]], About("Maximal cliques, largest first")]
    largest: Annotated[int, About("Size of the largest clique found")]
    complete: Annotated[bool, About("Whether the list is complete")]


class Cores(TypedDict):
    """The k-cores of a graph."""

    core_numbers: Annotated[dict[str, int], About("For each node, the largest k whose core contains it")]
    degeneracy: Annotated[int, About("Largest k")]
    innermost: Nodes


@tool(
    tags="clique maximal fully connected group friends",
    use_when=("Which groups all know each other?", "What is the largest clique of this graph?"),
    examples=(
        Example(
            {"edges": TWO_TRIANGLES},
            {"cliques": [["A", "B", "C"], ["D", "E", "F"], ["C", "D"]], "largest": 3},
            source="by hand",
        ),
        Example({"edges": COMPLETE_GRAPH, "limit": 1}, {"largest": 5, "complete": True}, source="complete graph"),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "cliques.0": "The largest clique has {largest|node}. All cliques: {cliques}",
        "": "There are no cliques.",
    },
    pace="normal",
)
def graph_find_cliques(edges: FewEdges, limit: Limit = 200) -> Cliques:
    """Find the maximal cliques: groups of nodes that are all connected, and that cannot be extended.

    Use it for tight groups. Examines up to 100,000 cliques.
    """
    found = list(itertools.islice(nx.find_cliques(no_loops(build(edges))), 100_000))
    cliques = sorted((sorted(one) for one in found), key=lambda one: (-len(one), one))
    return {"cliques": cliques[:limit], "largest": len(cliques[0]), "complete": len(found) <= limit}


@tool(
    tags="k-core degeneracy core decomposition dense centre",
    use_when=("Which nodes form the dense core of the network?", "What are the k-core numbers?"),
    examples=(
        Example(
            {"edges": [*TWO_TRIANGLES[:3], {"from": "C", "to": "Z"}]},
            {"core_numbers": {"A": 2, "B": 2, "C": 2, "Z": 1}, "degeneracy": 2, "innermost": ["A", "B", "C"]},
            source="a triangle with a tail",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply="The innermost core is {innermost}, with {degeneracy|neighbour} at least.",
)
def graph_find_cores(edges: Edges) -> Cores:
    """Find the k-core number of every node: the core is the part that remains after removing nodes with fewer than k
    neighbours.

    Use it to find the dense centre of a network.
    """
    graph = no_loops(build(edges))
    if not graph.number_of_edges():
        raise ToolError("The graph has only edges from nodes to themselves.")
    at_most(graph, 20_000)
    cores = {node: int(core) for node, core in sorted(nx.core_number(graph).items())}
    top = max(cores.values())
    return {
        "core_numbers": cores,
        "degeneracy": top,
        "innermost": [node for node, core in cores.items() if core == top],
    }
