"""Round trips along the edges of a graph."""

from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import FewEdges, at_most, build, no_negative, require
from retinue_tools.graphs._tours import EXACT_UP_TO, length_of, tour

_MOST = 60
_DISTANCES = [
    {"from": "A", "to": "B", "weight": 10},
    {"from": "A", "to": "C", "weight": 15},
    {"from": "A", "to": "D", "weight": 20},
    {"from": "B", "to": "C", "weight": 35},
    {"from": "B", "to": "D", "weight": 25},
    {"from": "C", "to": "D", "weight": 30},
]


class RoundTrip(TypedDict):
    """A trip through all places and back."""

    route: Annotated[list[str], About("Places in visiting order, with the first repeated at the end")]
    length: float
    optimal: Annotated[bool, About("Whether the result is proved optimal: up to 11 places")]


@tool(
    tags="tsp travelling salesman round trip all cities tour edges distances between pairs shortest return home",
    use_when=(
        "A-B 10, A-C 15, A-D 20, B-C 35, B-D 25, C-D 30: shortest round trip through all four",
        "I start in Ulm, visit every town once and come home; the distances are Ulm-Aalen 70, Ulm-Biberach 45 ...",
        "Length of the shortest tour that visits each node and returns to P",
    ),
    examples=(
        Example({"edges": _DISTANCES, "start": "A"}, {"length": 80.0, "optimal": True}, source="by hand: 10+25+30+15"),
        Example(
            {"edges": [{"from": "x", "to": "y", "weight": 2}, {"from": "y", "to": "z", "weight": 3}]},
            {"length": 10.0},
            source="by hand: there and back",
        ),
        Refusal({"edges": _DISTANCES, "start": "E"}, "not a node"),
        Refusal({"edges": [{"from": "a", "to": "b"}, {"from": "c", "to": "d"}]}, "not connected"),
    ),
    reply={
        "optimal": "The shortest round trip is {route}, with a length of {length}.",
        "": "A short round trip is {route}, with a length of {length}.",
    },
)
def graph_solve_round_trip(
    edges: FewEdges,
    start: Annotated[str | None, About("Start and end of the trip", "A", min_length=1, max_length=100)] = None,
) -> RoundTrip:
    """Find the shortest round trip that visits every node of a graph (travelling salesman), along its edges.

    Use it for tours if distances between pairs of places are given. Places without an edge between them are connected
    by the shortest path; above 11 places the trip is short, but not proved optimal.
    """
    graph = build(edges)
    require(graph, start)
    no_negative(graph)
    at_most(graph, _MOST)
    if not nx.is_connected(graph):
        raise ToolError("The graph is not connected: no trip reaches all of its nodes. Add edges.")
    first = start or edges[0]["from"]
    places = [first, *(node for node in graph if node != first)]
    ways = dict(nx.all_pairs_dijkstra_path_length(graph))
    legs = [[float(ways[one][other]) for other in places] for one in places]
    order = tour(legs) if len(places) > 1 else [0]
    route = [places[place] for place in [*order, 0]]
    return {"route": route, "length": length_of(order, legs), "optimal": len(places) <= EXACT_UP_TO}
