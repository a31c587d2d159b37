"""Degrees of nodes, and degree sequences of graphs."""

from collections import Counter
from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.graphs._graphs import Directed, Edges


class DegreeSequence(TypedDict):
    """Result of checking a degree sequence."""

    graphical: Annotated[bool, About("Whether a simple graph has these degrees")]
    edges: Annotated[float, About("Number of edges: half of the sum")]
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
    reply={
        "graphical": "Yes, there is a simple graph with these degrees and {edges|edge}.",
        "": "No, there is no such graph: {reason}",
    },
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


class Degree(TypedDict):
    """Degrees of a vertex."""

    node: str
    degree: Annotated[int, About("Number of edges at the node; an edge to itself counts twice")]
    in_degree: Annotated[int | None, About("Number of incoming edges; null if not directed")]
    out_degree: Annotated[int | None, About("Number of outgoing edges; null if not directed")]


class Degrees(TypedDict):
    """Degrees of all vertices."""

    degrees: Annotated[list[Degree], About("Degrees by node name")]
    highest_degree: int
    highest_nodes: Annotated[list[str], About("Nodes with the highest degree")]
    sequence: Annotated[list[int], About("Degree sequence, descending")]
    sum: Annotated[int, About("Sum of all degrees: twice the number of edges")]
    odd_nodes: Annotated[list[str], About("Nodes of odd degree")]


@tool(
    tags="degree vertex node in-degree out-degree count edges neighbours highest graph sequence odd",
    use_when=(
        "What is the degree of each vertex: A-B, A-C, B-C, C-D? Which has the highest?",
        "In-degree and out-degree of every node of a directed graph",
        "Degree sequence of the graph with edges 1-2, 2-3, 3-1, 3-4",
    ),
    examples=(
        Example(
            {"edges": [{"from": "A", "to": "B"}, {"from": "A", "to": "C"}, {"from": "B", "to": "C"},
                       {"from": "C", "to": "D"}]},
            {"highest_degree": 3, "highest_nodes": ["C"], "sequence": [3, 2, 2, 1], "sum": 8, "odd_nodes": ["C", "D"]},
            source="by hand",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}, {"from": "C", "to": "B"}], "directed": True},
            {
                "degrees": [
                    {"node": "A", "degree": 1, "in_degree": 0, "out_degree": 1},
                    {"node": "B", "degree": 2, "in_degree": 2, "out_degree": 0},
                    {"node": "C", "degree": 1, "in_degree": 0, "out_degree": 1},
                ]
            },
            source="by hand",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply="The highest degree is {highest_degree}, at {highest_nodes}. The degrees: {degrees}",
)  # fmt: skip
def graph_count_degrees(edges: Edges, directed: Directed = False) -> Degrees:
    """Count the edges at each vertex of a graph: degree, and in- and out-degree if it is directed.

    Use it for degree sequences and the vertex with the most neighbours. Parallel edges are counted separately.
    """
    out, into = Counter(edge["from"] for edge in edges), Counter(edge["to"] for edge in edges)
    total = out + into
    highest = max(total.values())
    return {
        "degrees": [
            {
                "node": node,
                "degree": total[node],
                "in_degree": into[node] if directed else None,
                "out_degree": out[node] if directed else None,
            }
            for node in sorted(total)
        ],
        "highest_degree": highest,
        "highest_nodes": sorted(node for node, degree in total.items() if degree == highest),
        "sequence": sorted(total.values(), reverse=True),
        "sum": sum(total.values()),
        "odd_nodes": sorted(node for node, degree in total.items() if degree % 2),
    }
