"""Cycles of graphs, including cycles of negative length."""

import itertools
from itertools import pairwise
from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.graphs._graphs import Directed, Edges, FewEdges, Limit, build
from retinue_tools.graphs.structure import TWO_TRIANGLES


class Cycles(TypedDict):
    """Cycles of a graph."""

    cycles: Annotated[list[list[str]], About("Cycles as lists of nodes, shortest first")]
    complete: Annotated[bool, About("Whether the list is complete")]


@tool(
    tags="cycles loops circular dependencies graph simple cycle",
    use_when=(
        "Which circular imports are there?",
        "List all cycles of this graph",
        "Is there a loop between these tasks?",
    ),
    examples=(
        Example(
            {"edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}, {"from": "B", "to": "C"}], "directed": True},
            {"cycles": [["A", "B"]], "complete": True},
            source="by hand",
        ),
        Example(
            {"edges": TWO_TRIANGLES, "directed": False},
            {"cycles": [["A", "B", "C"], ["D", "E", "F"]]},
            source="by hand",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "cycles": "The cycles: {cycles}",
        "": "There are no cycles.",
    },
    pace="normal",
)
def graph_find_cycles(
    edges: FewEdges,
    directed: Directed = True,
    max_length: Annotated[int, About("Maximum length of a cycle in edges", minimum=1, maximum=50)] = 10,
    limit: Limit = 200,
) -> Cycles:
    """Find the simple cycles of a graph up to a length.

    Use it for circular dependencies and feedback loops. Each cycle begins with its alphabetically first node.
    """
    graph = build(edges, directed)
    found = list(itertools.islice(nx.simple_cycles(graph, max_length), limit + 1))
    cycles = sorted((_turn(cycle, directed) for cycle in found[:limit]), key=lambda cycle: (len(cycle), cycle))
    return {"cycles": cycles, "complete": len(found) <= limit}


def _turn(cycle: list[str], directed: bool) -> list[str]:
    first = cycle.index(min(cycle))
    turned = cycle[first:] + cycle[:first]
    return turned if directed or len(turned) < 3 or turned[1] < turned[-1] else [turned[0], *turned[:0:-1]]


class NegativeCycle(TypedDict):
    """A cycle of negative weight, if there is one."""

    exists: bool
    cycle: Annotated[list[str], About("Nodes of the cycle, with the first repeated at the end; empty if there is none")]
    weight: Annotated[float | None, About("Sum of the weights")]


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
    reply={
        "exists": "Yes, {cycle} is a negative cycle with a weight of {weight}.",
        "": "No, there is no negative cycle.",
    },
)
def graph_find_negative_cycle(edges: Edges, directed: Directed = True) -> NegativeCycle:
    """Find a cycle with weights that add up to less than 0 (Bellman-Ford), if the graph has one.

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
