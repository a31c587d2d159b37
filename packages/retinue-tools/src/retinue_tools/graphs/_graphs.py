"""Graph arguments: edges as a list of objects, and shared helpers of the graph tools."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NotRequired

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, ToolError

Node = Annotated[str, About("Name of a node", "A", min_length=1, max_length=100)]
Edge = TypedDict(
    "Edge",
    {
        "from": Annotated[str, About("Start node of the edge", "A", min_length=1, max_length=100)],
        "to": Annotated[str, About("End node of the edge", "B", min_length=1, max_length=100)],
        "weight": NotRequired[
            Annotated[float, About("Length, cost or strength; default: 1", 4, minimum=-1e12, maximum=1e12)]
        ],
    },
)
Edges = Annotated[
    list[Edge],
    About(
        "Edges of the graph",
        [{"from": "A", "to": "B", "weight": 4}, {"from": "B", "to": "C", "weight": 1}],
        min_items=1,
        max_items=20_000,
    ),
]
FewEdges = Annotated[
    list[Edge], About("Edges of the graph", [{"from": "A", "to": "B", "weight": 4}], min_items=1, max_items=2000)
]
Directed = Annotated[bool, About("Whether edges lead only from `from` to `to`")]
Weighted = Annotated[bool, About("Whether to use weights; otherwise every edge counts as 1")]
Limit = Annotated[int, About("Maximum number of results", minimum=1, maximum=5000)]
Nodes = Annotated[list[str], About("Names of nodes")]
MadeEdges = Annotated[list[Edge], About("Edges with their weights")]


class Scored(TypedDict):
    """A node and its score."""

    node: Annotated[str, About("Name of the node")]
    score: Annotated[float, About("Score of the node")]


def build(edges: list[Edge], directed: bool = False) -> Any:
    """Return the graph; of parallel edges, the last one counts."""
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_weighted_edges_from((edge["from"], edge["to"], edge.get("weight", 1)) for edge in edges)
    return graph


def require(graph: Any, *nodes: str | None) -> None:
    """Raise `ToolError` unless all these nodes are in the graph."""
    for node in nodes:
        if node is not None and node not in graph:
            raise ToolError(f"{node[:60]} is not a node of the graph. Nodes are the ones in edges.")


def no_negative(graph: Any) -> None:
    """Raise `ToolError` if a weight is negative."""
    for start, end, weight in graph.edges(data="weight"):
        if weight < 0:
            raise ToolError(f"The edge from {start} to {end} has a negative weight. Give weights of 0 or more.")


def no_loops(graph: Any) -> Any:
    """Return the graph without edges from a node to itself."""
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def at_most(graph: Any, nodes: int) -> None:
    """Raise `ToolError` for a graph that is too large for the task."""
    if graph.number_of_nodes() > nodes:
        raise ToolError(f"This takes too long for more than {nodes} nodes. Use a part of the graph.")


def acyclic(graph: Any) -> Any:
    """Return the graph. Raises `ToolError` with a cycle if the graph is not acyclic."""
    if not nx.is_directed_acyclic_graph(graph):
        cycle = [start for start, *_ in nx.find_cycle(graph)]
        raise ToolError(f"There is a cycle: {' -> '.join([*cycle, cycle[0]])[:300]}. Remove one of its edges.")
    return graph


def edge_list(graph: Any) -> list[Edge]:
    """Return the edges of a graph."""
    return [
        {"from": start, "to": end, "weight": weight} for start, end, weight in graph.edges(data="weight", default=1)
    ]


def rank(scores: dict[str, float], limit: int) -> list[Scored]:
    """Return nodes by descending score, then by name."""
    best = sorted(scores.items(), key=lambda pair: (-round(pair[1], 12), pair[0]))[:limit]
    return [{"node": node, "score": float(score)} for node, score in best]


def length(graph: Any, path: list[str]) -> float:
    """Return the sum of the weights along a path."""
    return float(sum(graph[start][end]["weight"] for start, end in itertools.pairwise(path)))


@contextmanager
def attempt(failure: str) -> Iterator[None]:
    """Convert networkx errors for a missing solution to a `ToolError` with this message."""
    try:
        yield
    except (nx.NetworkXException, ValueError, ArithmeticError, KeyError, RuntimeError) as error:
        raise ToolError(failure) from error
