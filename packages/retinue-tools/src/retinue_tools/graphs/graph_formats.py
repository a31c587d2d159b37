"""Graph conversion, random graphs, and subgraphs."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.graphs._graphs import (
    Directed,
    Edge,
    Edges,
    FewEdges,
    MadeEdges,
    Node,
    at_most,
    build,
    edge_list,
    require,
)

_MOST = 20_000


_LINK = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\w.]+)\s*(?:\[[^\]]*\]|\(+[^)]*\)+|\{+[^}]*\}+)?\s*')


_ARROW = re.compile(r"(-->|---|->|--)(?:\|([^|]*)\|)?")


TRIANGLE: list[Edge] = [{"from": "A", "to": "B"}, {"from": "B", "to": "C"}, {"from": "C", "to": "A"}]


class Converted(TypedDict):
    """A graph as text."""

    text: Annotated[str, About("Graph in the target format")]
    nodes: Annotated[int, About("Number of nodes")]
    edges: Annotated[int, About("Number of edges")]


class Parsed(TypedDict):
    """A parsed graph."""

    edges: MadeEdges
    nodes: Annotated[int, About("Number of nodes")]
    directed: Annotated[bool, About("Whether the graph is directed")]


class Made(TypedDict):
    """A subgraph or a new graph."""

    edges: MadeEdges
    nodes: Annotated[list[str], About("All nodes, including those without edges")]


class TextTree(TypedDict):
    """A tree drawn as text."""

    text: Annotated[str, About("Drawing with one node per line")]
    depth: Annotated[int, About("Edges from the root to the deepest node")]
    nodes: Annotated[int, About("Number of nodes")]


@tool(
    tags="convert graph dot graphviz mermaid graphml gexf adjacency matrix export diagram",
    use_when=(
        "Write this graph as a Mermaid diagram",
        "Export the network to GraphML for Gephi",
        "Give me the Graphviz DOT of these edges",
    ),
    examples=(
        Example(
            {"edges": [{"from": "A", "to": "B", "weight": 2}], "target_format": "dot"},
            {"text": 'graph {\n  "A" -- "B" [label="2"];\n}\n'},
            source="the DOT language",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}], "target_format": "mermaid", "directed": True},
            {"text": 'graph LR\n  n0["A"]\n  n1["B"]\n  n0 --> n1\n'},
            source="Mermaid's flowchart syntax",
        ),
        Example(
            {"edges": [{"from": "A", "to": "B"}], "target_format": "adjacency_matrix"},
            {"text": ",A,B\nA,0,1\nB,1,0\n"},
            source="by hand",
        ),
        Refusal({"edges": [], "target_format": "dot"}, "edges"),
    ),
    reply="The graph with {nodes|node} and {edges|edge}: {text}",
    pace="normal",
)
def graph_convert_format(
    edges: Edges,
    target_format: Annotated[
        Literal["dot", "mermaid", "graphml", "gexf", "adjacency_matrix", "adjacency_list"], About("Target format")
    ],
    directed: Directed = False,
) -> Converted:
    """Write a graph as Graphviz DOT, Mermaid, GraphML, GEXF, adjacency matrix (CSV) or adjacency list.

    Use it to draw a graph or to pass it to other programs.
    """
    graph = build(edges, directed)
    if target_format == "adjacency_matrix":
        at_most(graph, 300)
    writers: dict[str, Callable[[Any], str]] = {
        "dot": _dot,
        "mermaid": _mermaid,
        "adjacency_matrix": _matrix,
        "adjacency_list": _adjacency,
        "graphml": lambda one: "\n".join(nx.generate_graphml(one)),
        "gexf": lambda one: "\n".join(nx.generate_gexf(one)),
    }
    try:
        text = writers[target_format](graph)
    except ValueError as error:
        raise ToolError(
            "A name has characters that this format does not support, such as control characters."
        ) from error
    return {"text": text, "nodes": len(graph), "edges": graph.number_of_edges()}


def _quote(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _dot(graph: Any) -> str:
    arrow = "->" if graph.is_directed() else "--"
    lines = [
        f"  {_quote(start)} {arrow} {_quote(end)}" + (f' [label="{weight:g}"];' if weight != 1 else ";")
        for start, end, weight in graph.edges(data="weight")
    ]
    return "\n".join(["digraph {" if graph.is_directed() else "graph {", *lines, "}", ""])


def _mermaid(graph: Any) -> str:
    arrow = "-->" if graph.is_directed() else "---"
    ids = {node: f"n{place}" for place, node in enumerate(graph)}
    names = [f'  {ids[node]}["{node.replace(chr(34), "#quot;")}"]' for node in graph]
    lines = [
        f"  {ids[start]} {arrow}{f'|{weight:g}|' if weight != 1 else ''} {ids[end]}"
        for start, end, weight in graph.edges(data="weight")
    ]
    return "\n".join(["graph LR", *names, *lines, ""])


def _matrix(graph: Any) -> str:
    nodes = sorted(graph)
    head = ["", *nodes]
    rows = [
        [node, *(f"{graph.get_edge_data(node, other, {'weight': 0})['weight']:g}" for other in nodes)] for node in nodes
    ]
    quoted = [[f'"{cell}"' if "," in cell else cell for cell in row] for row in [head, *rows]]
    return "".join(",".join(row) + "\n" for row in quoted)


def _adjacency(graph: Any) -> str:
    return "".join(f"{node}: {', '.join(sorted(graph[node]))}\n" for node in sorted(graph))


@tool(
    tags="parse dot mermaid graphviz edges import diagram read graph",
    use_when=(
        "Which edges has this Mermaid diagram?",
        "Read this DOT file so that I can analyse it",
        "Find the cycles in a Graphviz graph",
    ),
    examples=(
        Example(
            {"text": "digraph { a -> b -> c; }"},
            {"edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}], "directed": True, "nodes": 3},
            source="the DOT language",
        ),
        Example(
            {"text": "graph LR\n A[Start] -->|2| B(End)\n B --> C"},
            {"edges": [{"from": "A", "to": "B", "weight": 2.0}, {"from": "B", "to": "C", "weight": 1}]},
            source="Mermaid's flowchart syntax",
        ),
        Refusal({"text": "hello world"}, "no edges"),
    ),
    reply={
        "directed": "The diagram is directed and has {nodes|node}: {edges}",
        "edges": "The diagram is undirected and has {nodes|node}: {edges}",
        "": "The diagram has no edges.",
    },
)
def graph_read_diagram(
    text: Annotated[
        str, About("DOT or Mermaid flowchart", "digraph { a -> b; b -> c; }", min_length=3, max_length=200_000)
    ],
) -> Parsed:
    """Read the edges out of a simple Graphviz DOT graph or Mermaid flowchart, with numeric labels as weights.

    Use it to analyse a diagram with the other graph tools. Subgraphs are flattened and styles ignored.
    """
    edges: list[Edge] = []
    for line in re.split(r"[;\n]|(?<=\{)(?=\s)", text):
        edges.extend(_line_edges(line))
        if len(edges) > _MOST:
            raise ToolError(f"The diagram has more than {_MOST} edges.")
    if not edges:
        raise ToolError("There are no edges in this text. Write them as a -> b, a -- b or A --> B.")
    nodes = {end for edge in edges for end in (edge["from"], edge["to"])}
    return {"edges": edges, "nodes": len(nodes), "directed": "->" in text}


def _line_edges(line: str) -> list[Edge]:
    """Return the edges of a chain such as a -> b -> c."""
    found: list[Edge] = []
    label = re.search(r'label\s*=\s*"?(-?[\d.]+)', line)
    node = _LINK.match(line)
    while node and (arrow := _ARROW.match(line, node.end())):
        after = _LINK.match(line, arrow.end())
        if not after:
            break
        weight = _number(arrow[2] or (label[1] if label else ""))
        found.append({"from": _name(node[1]), "to": _name(after[1]), "weight": weight})
        node = after
    return found


def _name(text: str) -> str:
    return text[1:-1].replace('\\"', '"')[:100] or " " if text.startswith('"') else text[:100]


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"\s*-?\d{1,12}(\.\d{1,9})?\s*", text) else 1


@tool(
    tags="subgraph neighbourhood ego network extract filter contract",
    use_when=("Show only what lies within two steps of A", "Extract the part of the graph with these nodes"),
    examples=(
        Example(
            {
                "edges": [{"from": "A", "to": "B"}, {"from": "B", "to": "C"}, {"from": "C", "to": "D"}],
                "nodes": ["A"],
                "steps": 2,
            },
            {"nodes": ["A", "B", "C"]},
            source="by hand",
        ),
        Example(
            {"edges": TRIANGLE, "nodes": ["A", "B"], "steps": 0},
            {"nodes": ["A", "B"], "edges": [{"from": "A", "to": "B", "weight": 1}]},
            source="the induced subgraph",
        ),
        Refusal({"edges": TRIANGLE, "nodes": ["Q"]}, "not a node"),
    ),
    reply={
        "edges": "The part has the nodes {nodes} and these edges: {edges}",
        "edges, edges": "The edges of this part: {edges}",
        "": "There are no edges between these nodes.",
    },
)
def graph_extract_neighbourhood(
    edges: Edges,
    nodes: Annotated[list[Node], About("Start nodes", ["A"], min_items=1, max_items=1000)],
    steps: Annotated[
        int, About("Number of steps to include neighbours; 0 for the start nodes alone", minimum=0, maximum=20)
    ] = 1,
    directed: Directed = False,
) -> Made:
    """Extract the part of a graph around some nodes, with all edges between these nodes.

    Use it to view a part of a large network.
    """
    graph = build(edges, directed)
    require(graph, *nodes)
    neighbourhood = set().union(*(nx.single_source_shortest_path_length(graph, node, cutoff=steps) for node in nodes))
    return {"edges": edge_list(graph.subgraph(neighbourhood)), "nodes": sorted(neighbourhood)}


@tool(
    tags="random graph generate erdos renyi barabasi albert small world watts strogatz tree grid",
    use_when=(
        "Generate a random network of 50 nodes",
        "Make a scale-free graph to test with",
        "Create a random tree with seed 7",
    ),
    examples=(
        Example(
            {"kind": "complete", "nodes": 3},
            {
                "nodes": ["0", "1", "2"],
                "edges": [
                    {"from": "0", "to": "1", "weight": 1},
                    {"from": "0", "to": "2", "weight": 1},
                    {"from": "1", "to": "2", "weight": 1},
                ],
            },
            source="definition",
        ),
        Example(
            {"kind": "erdos_renyi", "nodes": 4, "probability": 0},
            {"edges": [], "nodes": ["0", "1", "2", "3"]},
            source="no edge without a chance",
        ),
        Refusal({"kind": "scale_free", "nodes": 3, "neighbours": 5}, "neighbours must be"),
    ),
    reply={
        "edges": "The random graph: {edges}",
        "": "The random graph has no edges, only the nodes {nodes}.",
    },
)
def graph_generate_random(
    kind: Annotated[
        Literal["erdos_renyi", "scale_free", "small_world", "tree", "regular", "complete"],
        About("Model: independent edges; Barabasi-Albert; Watts-Strogatz; random labelled tree; regular; complete"),
    ],
    nodes: Annotated[int, About("Number of nodes", 20, minimum=1, maximum=500)],
    probability: Annotated[
        float, About("Probability of an edge, or of rewiring in a small world", minimum=0, maximum=1)
    ] = 0.1,
    neighbours: Annotated[int, About("Number of edges of each (new) node", minimum=1, maximum=50)] = 2,
    seed: Annotated[int, About("The same seed gives the same graph", minimum=0, maximum=2**31 - 1)] = 1,
) -> Made:
    """Generate a random graph by a model: Erdos-Renyi, scale-free, small world, tree or regular, reproducible by seed.

    Use it for tests and comparisons. Nodes are named 0, 1, 2, ...
    """
    if kind in ("scale_free", "small_world", "regular") and neighbours >= nodes:
        raise ToolError("neighbours must be below the number of nodes.")
    if kind == "regular" and nodes * neighbours % 2:
        raise ToolError("nodes times neighbours must be even for a regular graph.")
    makers = {
        "erdos_renyi": lambda: nx.gnp_random_graph(nodes, probability, seed=seed),
        "scale_free": lambda: nx.barabasi_albert_graph(nodes, neighbours, seed=seed),
        "small_world": lambda: nx.watts_strogatz_graph(nodes, neighbours, probability, seed=seed),
        "tree": lambda: nx.random_labeled_tree(nodes, seed=seed),
        "regular": lambda: nx.random_regular_graph(neighbours, nodes, seed=seed),
        "complete": lambda: nx.complete_graph(min(nodes, 200)),
    }
    graph = nx.relabel_nodes(makers[kind](), str)
    if graph.number_of_edges() > _MOST:
        raise ToolError(f"The graph would have more than {_MOST} edges. Use fewer nodes or a smaller probability.")
    return {"edges": edge_list(graph), "nodes": list(graph)}


@tool(
    tags="tree draw text ascii hierarchy indent outline org chart",
    use_when=(
        "Draw this hierarchy as a text tree",
        "Show the folder structure with lines",
        "Print the org chart as text",
        "Family tree",
    ),
    examples=(
        Example(
            {"edges": [{"from": "root", "to": "a"}, {"from": "root", "to": "b"}, {"from": "a", "to": "c"}]},
            {"text": "root\n├── a\n│   └── c\n└── b", "depth": 2, "nodes": 4},
            source="drawn by hand",
        ),
        Refusal({"edges": TRIANGLE}, "one root"),
    ),
    reply="The tree of {nodes|node}: {text}",
)
def tree_draw_text(edges: FewEdges) -> TextTree:
    """Draw a tree, with edges from parent to child, as text with lines.

    Use it to show hierarchies. Children are in the order of the edges.
    """
    graph = build(edges, directed=True)
    roots = [node for node, degree in graph.in_degree() if not degree]
    if len(roots) != 1 or not nx.is_arborescence(graph):
        raise ToolError("The edges must form a tree with one root: every other node has one parent.")
    lines, stack, deepest = [], [(roots[0], "", "", 0)], 0
    while stack:
        node, before, beneath, depth = stack.pop()
        deepest = max(deepest, depth)
        if depth > 100:
            raise ToolError("The tree is deeper than 100 levels.")
        lines.append(before + node)
        children = list(graph.successors(node))
        for place, child in reversed(list(enumerate(children))):
            last = place == len(children) - 1
            stack.append(
                (child, beneath + ("└── " if last else "├── "), beneath + ("    " if last else "│   "), depth + 1)
            )
    return {"text": "\n".join(lines), "depth": deepest, "nodes": len(graph)}
