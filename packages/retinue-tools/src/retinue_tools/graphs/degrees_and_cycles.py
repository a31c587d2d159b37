"""Which degrees a graph may have, and cycles that cost less than nothing."""

from itertools import pairwise
from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.graphs._graphs import Directed, Edges, build


class NegativeCycle(TypedDict):
    """A cycle of negative weight, if there is one."""

    exists: bool
    cycle: Annotated[list[str], About("Its nodes, the first again at the end; empty if there is none")]
    weight: Annotated[float | None, About("Sum of its weights")]


@tool(
    tags="negative cycle bellman ford weights arbitrage loop directed graph detect",
    use_when=(
        "A->B 2, B->C -3, C->A -1: is there a negative cycle?",
        "Does the graph with edges s->a 4, a->b -2, b->a 1 have a cycle of negative weight?",
    ),
    examples=(
        Example(
            {
                "edges": [
                    {"from": "A", "to": "B", "weight": 2},
                    {"from": "B", "to": "C", "weight": -3},
                    {"from": "C", "to": "A", "weight": -1},
                ]
            },
            {"exists": True, "weight": -2.0},
            source="by hand: 2 - 3 - 1",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B", "weight": -2}, {"from": "B", "to": "A", "weight": 3}]},
            {"exists": False, "cycle": [], "weight": None},
            source="by hand: 3 - 2",
        ),
        Refusal({"edges": []}, "edges"),
    ),
)
def graph_find_negative_cycle(edges: Edges, directed: Directed = True) -> NegativeCycle:
    """Find whether a graph has a cycle whose weights add up to less than 0 (Bellman-Ford), and one of them.

    Use it before shortest paths with negative weights. Returns the cycle and its weight.
    """
    graph = build(edges, directed)
    source = object()
    graph.add_weighted_edges_from((source, node, 0) for node in list(graph))
    try:
        cycle = nx.find_negative_cycle(graph, source)
    except nx.NetworkXError:
        return {"exists": False, "cycle": [], "weight": None}
    weight = sum(graph[one][other]["weight"] for one, other in pairwise(cycle))
    return {"exists": True, "cycle": cycle, "weight": float(weight)}


class DegreeSequence(TypedDict):
    """Whether a graph has these degrees."""

    graphical: Annotated[bool, About("Whether a simple graph has these degrees")]
    edges: Annotated[float, About("Half of the sum: how many edges it has")]
    sum: int
    reason: str


@tool(
    tags="degree sequence graphical havel hakimi erdos gallai simple graph exists vertices handshake edges",
    use_when=(
        "Is 3, 3, 2, 2, 2 the degree sequence of a simple graph?",
        "Can seven people each know exactly three of the others?",
        "How many edges has a graph with the degrees 4, 3, 3, 2, 2?",
    ),
    examples=(
        Example(
            {"degrees": [3, 3, 2, 2, 2]}, {"graphical": True, "edges": 6.0, "sum": 12}, source="Havel-Hakimi by hand"
        ),
        Example({"degrees": [3, 3, 3, 3, 3, 3, 3]}, {"graphical": False, "sum": 21}, source="odd sum"),
        Example({"degrees": [4, 4, 1, 1, 2]}, {"graphical": False, "sum": 12}, source="Havel-Hakimi by hand"),
        Refusal({"degrees": []}, "degrees"),
    ),
)
def graph_check_degrees(
    degrees: Annotated[list[int], About("Degree of each node", [3, 3, 2, 2, 2], min_items=1, max_items=10_000)],
) -> DegreeSequence:
    """Check whether numbers are the degrees of a simple graph (Havel-Hakimi, Erdos-Gallai), and count its edges."""
    total = sum(degrees)
    graphical = bool(nx.is_graphical(degrees))
    reason = "A simple graph with these degrees exists." if graphical else "No simple graph has these degrees."
    return {
        "graphical": graphical,
        "edges": total / 2,
        "sum": total,
        "reason": "The sum of the degrees is odd." if total % 2 else reason,
    }
