"""Important nodes of a network, and communities."""

import itertools
from typing import Annotated, Any, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import (
    Directed,
    Edge,
    Edges,
    FewEdges,
    Limit,
    Node,
    Scored,
    at_most,
    attempt,
    build,
    no_loops,
    no_negative,
    rank,
    require,
)

_STAR: list[Edge] = [{"from": "hub", "to": leaf} for leaf in ("a", "b", "c")]
_TWO_TRIANGLES: list[Edge] = [
    {"from": "A", "to": "B"}, {"from": "B", "to": "C"}, {"from": "C", "to": "A"}, {"from": "C", "to": "D"},
    {"from": "D", "to": "E"}, {"from": "E", "to": "F"}, {"from": "F", "to": "D"},
]  # fmt: skip

Measure = Literal[
    "degree", "in_degree", "out_degree", "betweenness", "closeness", "harmonic", "eigenvector", "katz", "pagerank"
]
_ONE_WAY = ("in_degree", "out_degree", "pagerank")
_MOST_EDGES = 2000
"""Limit for measures other than PageRank, which take long on large graphs."""


class Ranking(TypedDict):
    """Nodes by their score."""

    nodes: Annotated[list[Scored], About("Highest score first")]


class ScoredEdge(TypedDict):
    """An edge and its score."""

    source: Annotated[str, About("Start node of the edge")]
    target: Annotated[str, About("End node of the edge")]
    score: Annotated[float, About("Score of the edge or pair")]


class EdgeRanking(TypedDict):
    """Edges, or pairs of nodes, by their score."""

    edges: Annotated[list[ScoredEdge], About("Highest score first")]


class HubsAndAuthorities(TypedDict):
    """Two rankings of a directed graph."""

    hubs: Annotated[list[Scored], About("Nodes that point to good authorities")]
    authorities: Annotated[list[Scored], About("Nodes that good hubs point to")]


class Clustering(TypedDict):
    """Density of connections between neighbours."""

    nodes: Annotated[list[Scored], About("Share of pairs of neighbours that are connected")]
    average: Annotated[float, About("Mean over all nodes")]
    transitivity: Annotated[float, About("Share of paths of two edges that form triangles")]
    degree_assortativity: Annotated[float | None, About("Correlation of degrees along edges; null if all are equal")]


class Communities(TypedDict):
    """Groups of nodes."""

    communities: Annotated[list[list[str]], About("Largest first; nodes sorted")]
    modularity: Annotated[float, About("Modularity: edges within groups compared with chance, from -0.5 to 1")]
    coverage: Annotated[float, About("Share of edges within groups")]


@tool(
    tags="centrality degree betweenness closeness harmonic eigenvector katz influence importance pagerank link "
    "analysis ranking random walk personalized",
    use_when=(
        "Who is the most influential person in this network?",
        "Which station lies on most shortest routes?",
        "Rank the nodes by closeness",
        "Who is the most connected person in a group of friends?",
        "Which node is the most central or influential?",
        "Rank these web pages by PageRank",
        "Which node matters most in this citation network?",
        "Personalised PageRank from node A",
    ),
    examples=(
        Example(
            {"edges": _STAR, "measure": "betweenness", "limit": 1},
            {"nodes": [{"node": "hub", "score": 1.0}]},
            source="all shortest paths between leaves lead over the hub",
        ),
        Example(
            {"edges": _STAR, "measure": "closeness", "limit": 2},
            {"nodes": [{"node": "hub", "score": 1.0}, {"node": "a", "score": 0.6}]},
            source="3 others at distances 1 + 2 + 2",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}], "measure": "pagerank"},
            {"nodes": [{"node": "A", "score": 0.5}, {"node": "B", "score": 0.5}]},
            source="symmetry",
            tolerance=1e-5,
        ),
        Example(
            {
                "edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}],
                "measure": "pagerank",
                "start": ["A"],
                "damping": 0.5,
                "directed": True,
            },
            {"nodes": [{"node": "A", "score": 2 / 3}, {"node": "B", "score": 1 / 3}]},
            source="b = a/2 and a + b = 1",
            tolerance=1e-5,
        ),
        Refusal(
            {"edges": [{"from": "A", "to": "B", "weight": -1}], "measure": "closeness", "weighted": True}, "negative"
        ),
        Refusal({"edges": _STAR, "measure": "pagerank", "start": ["zz"]}, "not a node"),
    ),
    reply={
        "nodes.1": "{nodes.0.node} comes first: {nodes}",
        "nodes": "{nodes.0.node} comes first, with a score of {nodes.0.score}.",
        "": "There are no nodes.",
    },
    pace="normal",
    aliases=(Alias("graph_rank_pagerank", constants={"measure": "pagerank"}),),
)
def graph_rank_nodes(
    edges: Edges,
    measure: Annotated[Measure, About("Centrality measure")],
    directed: Annotated[
        bool | None, About("Whether edges lead only from `from` to `to`; default: true for pagerank only", True)
    ] = None,
    weighted: Annotated[
        bool, About("Whether to use weights: as lengths, for eigenvector as strengths; pagerank always uses them")
    ] = False,
    limit: Limit = 50,
    damping: Annotated[
        float, About("For pagerank: probability of following an edge instead of jumping", minimum=0.01, maximum=0.99)
    ] = 0.85,
    start: Annotated[
        list[Node] | None,
        About("For pagerank: nodes to jump to; default: all", ["A"], min_items=1, max_items=1000),
    ] = None,
) -> Ranking:
    """Rank the nodes of a network by a centrality: degree, betweenness, closeness, eigenvector, Katz or PageRank.

    Use it to find influential, connecting or well-placed nodes, for links, citations and recommendations. Scores are
    normalised by the size of the network; those of PageRank add up to 1, over all nodes or personalised to some.
    """
    if measure != "pagerank" and len(edges) > _MOST_EDGES:
        raise ToolError(f"There are more than {_MOST_EDGES:,} edges. Send fewer, or rank by pagerank.")
    one_way = measure in _ONE_WAY if directed is None else directed or measure in ("in_degree", "out_degree")
    graph = build(edges, one_way)
    if weighted or measure == "pagerank":
        no_negative(graph)
    require(graph, *(start or []))
    with attempt("This measure does not settle on this graph. Choose another one, or a smaller damping."):
        if measure == "pagerank":
            jumps = dict.fromkeys(start, 1.0) if start else None
            return {"nodes": rank(nx.pagerank(graph, damping, jumps, max_iter=1000), limit)}
        return {"nodes": rank(_scores(graph, measure, "weight" if weighted else None), limit)}


def _scores(graph: Any, measure: str, weight: str | None) -> Any:
    match measure:
        case "betweenness":
            return nx.betweenness_centrality(graph, weight=weight)
        case "closeness":
            return nx.closeness_centrality(graph, distance=weight)
        case "harmonic":
            return nx.harmonic_centrality(graph, distance=weight)
        case "eigenvector":
            return nx.eigenvector_centrality(graph, max_iter=5000, weight=weight)
        case "katz":
            alpha = 0.5 / max([1, *(degree for _, degree in graph.degree(weight=weight))])
            return nx.katz_centrality(graph, alpha=alpha, max_iter=5000, weight=weight)
    degrees = {
        "degree": graph.degree,
        "in_degree": getattr(graph, "in_degree", None),
        "out_degree": getattr(graph, "out_degree", None),
    }
    return {node: degree / max(1, len(graph) - 1) for node, degree in degrees[measure](weight=weight)}


@tool(
    tags="edge betweenness critical links bridges traffic network",
    use_when=("Which links carry the most shortest paths?", "Where is the bottleneck edge of this network?"),
    examples=(
        Example(
            {"edges": _TWO_TRIANGLES, "limit": 1},
            {"edges": [{"source": "C", "target": "D", "score": 9 / 15}]},
            source="9 of the 15 pairs lie on different sides",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}], "directed": True},
            {"edges": [{"score": 0.5}]},
            source="1 of 2 ordered pairs",
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply={
        "edges.1": "The edge between {edges.0.source} and {edges.0.target} carries the most shortest paths: {edges}",
        "edges": (
            "The edge between {edges.0.source} and {edges.0.target} carries the most "
            "shortest paths, a share of {edges.0.score}."
        ),
        "": "There are no edges.",
    },
    pace="normal",
)
def graph_rank_edges(edges: FewEdges, directed: Directed = False, limit: Limit = 50) -> EdgeRanking:
    """Rank the edges of a network by betweenness: the share of shortest paths, in steps, that use them.

    Use it to find critical links.
    """
    scores = nx.edge_betweenness_centrality(build(edges, directed))
    best = sorted(scores.items(), key=lambda pair: (-round(pair[1], 12), pair[0]))[:limit]
    return {"edges": [{"source": start, "target": end, "score": float(score)} for (start, end), score in best]}


@tool(
    tags="hits hubs authorities kleinberg link analysis",
    use_when=("Which pages are hubs and which are authorities?", "Apply the HITS algorithm to these links"),
    examples=(
        Example(
            {"edges": [{"from": "h", "to": "x"}, {"from": "h", "to": "y"}], "limit": 1},
            {"hubs": [{"node": "h", "score": 1.0}], "authorities": [{"node": "x", "score": 0.5}]},
            source="h is the only hub, x and y are equal",
            tolerance=1e-6,
        ),
        Example(
            {"edges": [{"from": "h", "to": "x"}]}, {"authorities": [{"node": "x"}, {"node": "h"}]}, source="by hand"
        ),
        Refusal({"edges": []}, "edges"),
    ),
    reply="The best hub is {hubs.0.node}, and the best authority {authorities.0.node}.",
    pace="normal",
)
def graph_rank_hubs(edges: FewEdges, limit: Limit = 50) -> HubsAndAuthorities:
    """Score the nodes of a directed graph as hubs and as authorities by Kleinberg's HITS.

    Use it if good collections and good sources differ. The scores of each kind add up to 1.
    """
    graph = build(edges, directed=True)
    no_negative(graph)
    with attempt("HITS does not settle on this graph."):
        hubs, authorities = nx.hits(graph, max_iter=5000)
    return {"hubs": rank(hubs, limit), "authorities": rank(authorities, limit)}


@tool(
    tags="clustering coefficient transitivity assortativity small world triangles",
    use_when=("What is the clustering coefficient of this network?", "Do well-connected nodes join each other?"),
    examples=(
        Example(
            {"edges": _TWO_TRIANGLES, "limit": 1},
            {"average": 7 / 9, "transitivity": 0.6, "nodes": [{"node": "A", "score": 1.0}]},
            source="four nodes 1, two nodes 1/3; 6 of 10 paths close",
        ),
        Example({"edges": _STAR}, {"average": 0.0, "degree_assortativity": -1.0}, source="the hub has only leaves"),
        Refusal({"edges": []}, "edges"),
    ),
    reply="The mean clustering coefficient is {average}, and the transitivity {transitivity}.",
    pace="normal",
)
def graph_measure_clustering(edges: Edges, limit: Limit = 50) -> Clustering:
    """Measure how often neighbours of a node are connected, and whether nodes of similar degree are connected with each
    other.

    Use it to characterise social and other networks. Direction and weights are ignored.
    """
    graph = no_loops(build(edges))
    if not graph.number_of_edges():
        raise ToolError("The graph has only edges from nodes to themselves.")
    scores = nx.clustering(graph)
    spread = {(graph.degree(start), graph.degree(end)) for start, end in graph.edges}
    same = len({degree for pair in spread for degree in pair}) == 1
    return {
        "nodes": rank(scores, limit),
        "average": sum(scores.values()) / len(scores),
        "transitivity": float(nx.transitivity(graph)),
        "degree_assortativity": None if same else float(nx.degree_assortativity_coefficient(graph)),
    }


@tool(
    tags="community detection louvain modularity label propagation clusters groups",
    use_when=(
        "Which communities are in this social network?",
        "Split the graph into densely connected groups",
        "How good is this grouping?",
    ),
    examples=(
        Example(
            {"edges": _TWO_TRIANGLES},
            {"communities": [["A", "B", "C"], ["D", "E", "F"]], "modularity": 5 / 14, "coverage": 6 / 7},
            source="2 (3/7 - 1/4)",
        ),
        Example(
            {"edges": _TWO_TRIANGLES, "groups": [["A", "B", "C", "D", "E", "F"]]},
            {"modularity": 0.0, "coverage": 1.0},
            source="one group",
        ),
        Refusal({"edges": _TWO_TRIANGLES, "groups": [["A"]]}, "each node exactly once"),
    ),
    reply={
        "communities": "The communities, with a modularity of {modularity}: {communities}",
        "": "There are no communities.",
    },
    pace="normal",
)
def graph_detect_communities(
    edges: Edges,
    method: Annotated[Literal["louvain", "greedy_modularity", "label_propagation"], About("Algorithm")] = "louvain",
    resolution: Annotated[
        float, About("Above 1 for smaller groups, below 1 for larger ones", minimum=0.1, maximum=10)
    ] = 1,
    seed: Annotated[int, About("Seed of the random order", minimum=0, maximum=2**31 - 1)] = 1,
    groups: Annotated[
        list[list[Node]] | None, About("Groups to evaluate instead", [["A", "B"]], max_items=5000)
    ] = None,
) -> Communities:
    """Detect communities: groups with many edges within and few between, or evaluate given groups by modularity.

    Use it to find the parts of a network. Returns the groups, their modularity and coverage.
    """
    graph = build(edges)
    no_negative(graph)
    if not graph.size(weight="weight"):
        raise ToolError("All weights are 0.")
    if method != "louvain":
        at_most(graph, 3000)
    found = [set(group) for group in groups] if groups else _communities(graph, method, resolution, seed)
    if sum(map(len, found)) != len(graph) or set().union(*found) != set(graph):
        raise ToolError("The groups must contain each node exactly once.")
    inside = sum(graph.subgraph(group).size() for group in found)
    return {
        "communities": sorted((sorted(group) for group in found), key=lambda group: (-len(group), group)),
        "modularity": float(nx.community.modularity(graph, found, resolution=resolution)),
        "coverage": inside / graph.size(),
    }


def _communities(graph: Any, method: str, resolution: float, seed: int) -> list[set[str]]:
    if method == "louvain":
        return list(nx.community.louvain_communities(graph, resolution=resolution, seed=seed))
    if method == "label_propagation":
        return list(nx.community.asyn_lpa_communities(graph, weight="weight", seed=seed))
    return [set(one) for one in nx.community.greedy_modularity_communities(graph, "weight", resolution)]


@tool(
    tags="link prediction recommend friends missing edges common neighbours adamic adar jaccard",
    use_when=("Whom should A know next?", "Which links are likely missing in this network?"),
    examples=(
        Example(
            {"edges": [*_STAR, {"from": "a", "to": "z"}], "method": "jaccard", "limit": 1},
            {"edges": [{"source": "b", "target": "c", "score": 1.0}]},
            source="b and c have the same neighbours",
        ),
        Example(
            {"edges": _STAR, "node": "a"},
            {"edges": [{"source": "a", "target": "b"}, {"source": "a", "target": "c"}]},
            source="by hand",
        ),
        Refusal({"edges": _STAR, "node": "q"}, "not a node"),
    ),
    reply={
        "edges.1": "The most likely links: {edges}",
        "edges": "The most likely link is between {edges.0.source} and {edges.0.target}.",
        "": "There are no likely links.",
    },
    pace="normal",
)
def graph_predict_links(
    edges: FewEdges,
    node: Annotated[str | None, About("Only links of this node", "A", max_length=100)] = None,
    method: Annotated[
        Literal["adamic_adar", "jaccard", "resource_allocation"], About("Scoring method")
    ] = "adamic_adar",
    limit: Limit = 20,
) -> EdgeRanking:
    """Score pairs of unconnected nodes by their common neighbours: likely missing or future links.

    Use it for recommendations. Pairs without common neighbours are omitted.
    """
    graph = no_loops(build(edges))
    at_most(graph, 1000)
    require(graph, node)
    pairs = itertools.combinations(sorted(graph), 2)
    candidates = [pair for pair in pairs if (node is None or node in pair) and not graph.has_edge(*pair)]
    methods = {
        "adamic_adar": nx.adamic_adar_index,
        "jaccard": nx.jaccard_coefficient,
        "resource_allocation": nx.resource_allocation_index,
    }
    scored = [one for one in methods[method](graph, candidates) if one[2] > 0]
    best = sorted(scored, key=lambda one: (-round(one[2], 12), one[0], one[1]))[:limit]
    return {"edges": [{"source": start, "target": end, "score": float(score)} for start, end, score in best]}
