"""Call graphs, import graphs and class diagrams of Python sources."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Annotated

import networkx as nx
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Files, PythonCode, SourceFile, parse

_MOST_CYCLES = 50
_MOST_EDGES = 2000

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Edge(TypedDict):
    """An edge of a graph."""

    source: Annotated[str, About("Caller or importing module")]
    target: Annotated[str, About("Called function or imported module")]
    line: Annotated[int, About("Line of the first occurrence, from 1")]


class CallGraph(TypedDict):
    """Call graph of a module."""

    functions: Annotated[list[str], About("Functions and methods by qualified name")]
    calls: Annotated[list[Edge], About("Calls between them")]
    external: Annotated[list[str], About("Called names that the module does not define")]
    never_called: Annotated[list[str], About("Functions that nothing in the module calls")]
    recursive: Annotated[list[str], About("Functions that call themselves, directly or indirectly")]
    mermaid: Annotated[str, About("The graph as a Mermaid flowchart")]


class ImportGraph(TypedDict):
    """Import graph of a project."""

    modules: Annotated[list[str], About("Modules by dotted name")]
    imports: Annotated[list[Edge], About("Imports between them")]
    cycles: Annotated[list[list[str]], About("Import cycles, the first 50")]
    layers: Annotated[
        list[list[str]],
        About("Modules in the order of their dependencies, those without imports first; empty if there are cycles"),
    ]
    orphans: Annotated[list[str], About("Modules that import no other and are imported by none")]
    mermaid: Annotated[str, About("The graph as a Mermaid flowchart")]


class ClassDiagram(TypedDict):
    """A diagram of classes."""

    mermaid: Annotated[str, About("Mermaid classDiagram")]
    classes: Annotated[list[str], About("Names of the classes")]


@tool(
    tags="python call graph functions callers callees recursion mermaid dependency",
    use_when=(
        "Which functions call which in this Python module?",
        "Draw the call graph of my script",
        "Is any of these functions recursive?",
    ),
    examples=(
        Example(
            {"code": "def a():\n    b()\n    print(1)\n\ndef b():\n    return c()\n\ndef c():\n    return b()\n"},
            {
                "functions": ["a", "b", "c"],
                "calls": [
                    {"source": "a", "target": "b", "line": 2},
                    {"source": "b", "target": "c", "line": 6},
                    {"source": "c", "target": "b", "line": 9},
                ],
                "external": ["print"],
                "never_called": ["a"],
                "recursive": ["b", "c"],
            },
            source="by hand",
        ),
        Example(
            {"code": "class K:\n    def x(self):\n        self.y()\n\n    def y(self):\n        pass\n"},
            {
                "calls": [{"source": "K.x", "target": "K.y", "line": 3}],
                "mermaid": "flowchart LR\n  n0[K.x] --> n1[K.y]\n",
            },
            source="by hand",
        ),
        Refusal({"code": "x = 1\n"}, "no function"),
    ),
    reply={
        "calls": "Which functions call which: {calls}",
        "": "No function calls another one.",
    },
)
def python_graph_calls(code: PythonCode) -> CallGraph:
    """Find which functions of a Python module call which others.

    Use it to understand a program or before changing a function. Calls are resolved by name: plain names, self.method
    and Class.method; functions that are passed as values are not followed. Returns the calls, functions that are never
    called, recursive functions, and a Mermaid drawing.
    """
    functions = dict(_functions(parse(code), ""))
    if not functions:
        raise ToolError("The code has no functions to analyse.")
    edges: dict[tuple[str, str], int] = {}
    external: set[str] = set()
    for name, node in functions.items():
        for called, line in _calls(node):
            target = _resolve(called, name, functions)
            if target:
                edges.setdefault((name, target), line)
            else:
                external.add(called)
    graph = nx.DiGraph(list(edges))
    loops = {name for part in nx.strongly_connected_components(graph) if len(part) > 1 for name in part}
    called_names = {target for source, target in edges if source != target}
    return {
        "functions": list(functions),
        "calls": _edges(edges),
        "external": sorted(external),
        "never_called": [name for name in functions if name not in called_names],
        "recursive": [name for name in functions if name in loops or (name, name) in edges],
        "mermaid": _mermaid(edges),
    }


@tool(
    tags="python import graph modules cycle circular dependency layers architecture mermaid",
    use_when=(
        "Are there circular imports among these Python files?",
        "Draw the import graph of my package",
        "In which layers are these modules?",
    ),
    examples=(
        Example(
            {
                "files": [
                    {"path": "src/shop/__init__.py", "text": ""},
                    {"path": "src/shop/cart.py", "text": "from shop import prices\n"},
                    {"path": "src/shop/prices.py", "text": "import json\nfrom .cart import Cart\n"},
                ]
            },
            {
                "modules": ["shop", "shop.cart", "shop.prices"],
                "imports": [
                    {"source": "shop.cart", "target": "shop.prices", "line": 1},
                    {"source": "shop.prices", "target": "shop.cart", "line": 2},
                ],
                "cycles": [["shop.cart", "shop.prices"]],
                "orphans": ["shop"],
            },
            source="by hand: cart and prices import each other",
        ),
        Example(
            {
                "files": [
                    {"path": "a.py", "text": "import b"},
                    {"path": "b.py", "text": "import c"},
                    {"path": "c.py", "text": ""},
                ]
            },
            {"cycles": [], "layers": [["c"], ["b"], ["a"]]},
            source="by hand",
        ),
        Refusal({"files": [{"path": "a.txt", "text": ""}]}, "no Python file"),
    ),
    reply={
        "cycles": "There are circular imports: {cycles}",
        "imports": "There are no circular imports. The imports: {imports}",
        "": "No module imports another one.",
    },
)
def python_graph_imports(files: Files) -> ImportGraph:
    """Find which modules of a Python project import which others, and cycles among them.

    Use it to check an architecture or to break a circular import. Paths become module names; a leading src/ is removed.
    Returns the imports, cycles, layers, unconnected modules, and a Mermaid drawing.
    """
    modules = {_module(file): file for file in files if file["path"].endswith(".py")}
    if not modules:
        raise ToolError("There is no Python file among these files. Give files whose path ends in .py.")
    edges: dict[tuple[str, str], int] = {}
    for name, file in modules.items():
        for target, line in _import(name, file, modules):
            if target != name:
                edges.setdefault((name, target), line)
    graph = nx.DiGraph(list(edges))
    cycles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    layers = [] if cycles else [sorted(layer) for layer in nx.topological_generations(graph.reverse())]
    connected = {name for edge in edges for name in edge}
    return {
        "modules": sorted(modules),
        "imports": _edges(edges),
        "cycles": sorted(cycles)[:_MOST_CYCLES],
        "layers": layers,
        "orphans": sorted(set(modules) - connected),
        "mermaid": _mermaid(edges),
    }


@tool(
    tags="python class diagram uml mermaid inheritance attributes methods draw",
    use_when=(
        "Draw a UML class diagram of this Python code",
        "Show the inheritance between these classes as Mermaid",
        "Make a class diagram for my module",
    ),
    examples=(
        Example(
            {"code": "class A:\n    x: int\n\n    def go(self, n: int) -> str: ...\n\nclass B(A):\n    pass\n"},
            {
                "classes": ["A", "B"],
                "mermaid": "classDiagram\n  class A {\n    +x int\n    +go(n) str\n  }\n  class B\n  A <|-- B\n",
            },
            source="the syntax of Mermaid class diagrams",
        ),
        Example(
            {"code": "class A:\n    def _go(self): ...\n", "private": True},
            {"mermaid": "classDiagram\n  class A {\n    -_go()\n  }\n"},
            source="the syntax of Mermaid class diagrams: a minus marks what is private",
        ),
        Refusal({"code": "x = 1"}, "no class"),
    ),
    reply="The class diagram: {mermaid}",
)
def python_draw_classes(
    code: PythonCode, private: Annotated[bool, About("Whether to show members that begin with _")] = False
) -> ClassDiagram:
    """Draw the classes of a Python module as a Mermaid class diagram.

    Use it for documentation: attributes with types, methods, inheritance. Attributes are those annotated in the class
    or set on self in __init__. Returns the Mermaid text.
    """
    classes = [node for node in ast.walk(parse(code)) if isinstance(node, ast.ClassDef)]
    if not classes:
        raise ToolError("The code has no class to draw.")
    names = [node.name for node in classes]
    lines = ["classDiagram"]
    for node in classes:
        members = [line for line in _members(node) if private or not line.startswith("-")]
        body = [f"  class {node.name} {{", *(f"    {line}" for line in members), "  }"]
        lines += body if members else [f"  class {node.name}"]
    bases = [(base, node.name) for node in classes for base in map(_last_name, node.bases) if base]
    lines += [f"  {base} <|-- {name}" for base, name in bases]
    return {"mermaid": "\n".join(lines) + "\n", "classes": names}


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
        inner = f"{prefix}{node.name}." if isinstance(node, Function | ast.ClassDef) else prefix
        yield from _functions(node, inner)


def _calls(function: Function) -> Iterator[tuple[str, int]]:
    """Return the called names with their lines, excluding functions inside the function."""
    pending: list[ast.AST] = list(reversed(function.body))
    while pending:
        node = pending.pop()
        if isinstance(node, Function | ast.ClassDef):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield ast.unparse(node.func)[:200], node.lineno
        pending += reversed(list(ast.iter_child_nodes(node)))


def _resolve(called: str, caller: str, functions: Mapping[str, object]) -> str | None:
    """Find the function that a name refers to: an inner one, a sibling, a method of the same class, or one of the
    module.
    """
    owner = caller.rpartition(".")[0]
    first, _, rest = called.partition(".")
    if first in ("self", "cls"):
        candidates = [f"{owner}.{rest}"]
    else:
        candidates = [f"{caller}.{called}", called, f"{called}.__init__"]
    return next((name for name in candidates if name in functions), None)


def _module(file: SourceFile) -> str:
    path = file["path"].removeprefix("./").removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    return path.strip("/").replace("/", ".")


def _import(name: str, file: SourceFile, modules: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    package = name if file["path"].endswith("__init__.py") else name.rpartition(".")[0]
    for node in ast.walk(parse(file["text"], file["path"])):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            targets = [f"{_base(node, package)}.{alias.name}".strip(".") for alias in node.names]
        else:
            continue
        for target in targets:
            parts = target.split(".")
            longest = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
            if found := next((one for one in longest if one in modules), None):
                yield found, node.lineno


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _edges(edges: Mapping[tuple[str, str], int]) -> list[Edge]:
    found: list[Edge] = [{"source": pair[0], "target": pair[1], "line": line} for pair, line in edges.items()]
    return found[:_MOST_EDGES]


def _mermaid(edges: Mapping[tuple[str, str], int]) -> str:
    ids: dict[str, str] = defaultdict(lambda: f"n{len(ids)}")
    lines = [f"  {ids[source]}[{source}] --> {ids[target]}[{target}]" for source, target in list(edges)[:_MOST_EDGES]]
    return "\n".join(["flowchart LR", *lines]) + "\n"


def _members(node: ast.ClassDef) -> list[str]:
    lines = []
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            lines.append(_mark(part.target.id) + f" {_type(part.annotation)}")
        elif isinstance(part, Function):
            if part.name == "__init__":
                lines += [_mark(name) for name in _own_attributes(part)]
            arguments = ", ".join(one.arg for one in part.args.args if one.arg not in ("self", "cls"))
            returned = f" {_type(part.returns)}" if part.returns else ""
            lines.append(f"{_mark(part.name)}({arguments}){returned}")
    return list(dict.fromkeys(lines))


def _own_attributes(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        own = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        if own and isinstance(node, ast.Attribute) and _last_name(node.value) == "self":
            yield node.attr


def _mark(name: str) -> str:
    return ("-" if name.startswith("_") and not name.endswith("__") else "+") + name


def _type(node: ast.expr) -> str:
    """Write type arguments between tildes for Mermaid, because braces end a class."""
    return ast.unparse(node).replace("[", "~").replace("]", "~").replace("{", "").replace("}", "")


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None
