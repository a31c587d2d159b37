"""Contents of a Python module: symbols, signatures and documentation."""

import ast
from collections.abc import Iterator
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import PythonCode, parse

_MOST_TEXT = 200

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Symbol(TypedDict):
    """A class, function, method or constant."""

    name: Annotated[str, About("Name, qualified by the enclosing classes")]
    kind: Annotated[str, About("class, function, method or variable")]
    signature: Annotated[str, About("Text after def or class, or the annotated name")]
    line: Annotated[int, About("First line, from 1")]
    end_line: Annotated[int, About("Last line")]
    decorators: Annotated[list[str], About("Decorators, without the @")]
    summary: Annotated[str, About("First line of the docstring; empty if there is none")]


class Outline(TypedDict):
    """Contents of a module."""

    docstring: Annotated[str, About("Docstring of the module; empty if there is none")]
    symbols: Annotated[list[Symbol], About("In source order")]
    classes: Annotated[int, About("Number of classes")]
    functions: Annotated[int, About("Number of functions and methods")]


class ApiDocs(TypedDict):
    """Reference documentation."""

    markdown: Annotated[str, About("The reference in Markdown")]
    documented: Annotated[int, About("Public definitions with a docstring")]
    undocumented: Annotated[list[str], About("Public definitions without one")]


@tool(
    tags="python outline symbols classes functions methods signature structure ast map",
    use_when=(
        "List the classes and functions in this Python file",
        "What are the signatures of all methods here?",
        "Give me an outline of this module with line numbers",
    ),
    examples=(
        Example(
            {
                "code": '"""Shop."""\n\nclass Cart:\n    @property\n    def total(self) -> int:\n'
                '        """Sum in cents."""\n        return 0\n'
            },
            {
                "docstring": "Shop.",
                "classes": 1,
                "functions": 1,
                "symbols": [
                    {"name": "Cart", "kind": "class", "line": 3, "end_line": 7},
                    {
                        "name": "Cart.total",
                        "kind": "method",
                        "signature": "total(self) -> int",
                        "line": 5,
                        "decorators": ["property"],
                        "summary": "Sum in cents.",
                    },
                ],
            },
            source="by hand",
        ),
        Example(
            {"code": "MAX: int = 3\n\nasync def go(x, *, y=1): ...\n\ndef _hidden(): ...\n", "public_only": True},
            {
                "symbols": [
                    {"name": "MAX", "kind": "variable", "signature": "MAX: int"},
                    {"name": "go", "kind": "function", "signature": "async go(x, *, y=1)"},
                ]
            },
            source="by hand",
        ),
        Refusal({"code": "class"}, "not valid Python"),
    ),
    reply={
        "symbols": "The module has {classes|class|classes} and {functions|function}: {symbols}",
        "": "The module defines nothing.",
    },
)
def python_outline_module(
    code: PythonCode, public_only: Annotated[bool, About("Whether to omit names that begin with _")] = False
) -> Outline:
    """List the classes, functions, methods and module variables of Python source.

    Use it to get an overview of a file. Returns for each symbol its signature, lines, decorators and the first line of
    its docstring.
    """
    tree = parse(code)
    symbols = [one for one in _symbols(tree, "") if not (public_only and _private(one["name"]))]
    return {
        "docstring": ast.get_docstring(tree) or "",
        "symbols": symbols,
        "classes": sum(one["kind"] == "class" for one in symbols),
        "functions": sum(one["kind"] in ("function", "method") for one in symbols),
    }


@tool(
    tags="python documentation docstring api reference markdown docs extract",
    use_when=(
        "Make API documentation in Markdown from the docstrings of this module",
        "Extract all docstrings from my Python file",
        "Write the reference page for these functions",
    ),
    examples=(
        Example(
            {
                "code": 'def area(r: float) -> float:\n    """Area of a circle."""\n    return 3.14 * r * r\n',
                "title": "shapes",
            },
            {
                "markdown": "# shapes\n\n## `area(r: float) -> float`\n\nArea of a circle.\n",
                "documented": 1,
                "undocumented": [],
            },
            source="by hand",
        ),
        Example(
            {"code": "class A:\n    def b(self): ...\n    def _c(self): ...\n"},
            {"documented": 0, "undocumented": ["A", "A.b"]},
            source="by hand: _c is private",
        ),
        Refusal({"code": "x = 1"}, "no public class or function"),
    ),
    reply={
        "undocumented": "Without a docstring: {undocumented}. The reference: {markdown}",
        "": "The reference: {markdown}",
    },
)
def python_document_api(
    code: PythonCode, title: Annotated[str, About("Heading of the reference", max_length=100)] = "API reference"
) -> ApiDocs:
    """Write a Markdown reference of a Python module from its signatures and docstrings.

    Use it for documentation pages. Private names are omitted. Returns the Markdown and the public definitions without a
    docstring.
    """
    tree = parse(code)
    found = [(name, node) for name, node in _definitions(tree, "") if not _private(name)]
    if not found:
        raise ToolError("The code has no public class or function to document.")
    parts = [f"# {title}", ast.get_docstring(tree) or ""]
    for name, node in found:
        owner = name.rpartition(".")[0]
        heading = f"{'#' * min(6, 2 + name.count('.'))} `{owner + '.' if owner else ''}{_signature(node)}`"
        parts += [heading, ast.get_docstring(node) or ""]
    missing = [name for name, node in found if not ast.get_docstring(node)]
    return {
        "markdown": "\n\n".join(filter(None, parts)) + "\n",
        "documented": len(found) - len(missing),
        "undocumented": missing,
    }


def _definitions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    """Yield classes, functions and methods, excluding those inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions(node, prefix)


def _symbols(tree: ast.AST, prefix: str) -> list[Symbol]:
    symbols = [_symbol(name, node, "." in name) for name, node in _definitions(tree, prefix)]
    symbols += [_variable(node) for node in ast.iter_child_nodes(tree) if isinstance(node, ast.Assign | ast.AnnAssign)]
    return sorted(symbols, key=lambda symbol: symbol["line"])


def _symbol(name: str, node: Definition, inside: bool) -> Symbol:
    kind = "class" if isinstance(node, ast.ClassDef) else "method" if inside else "function"
    return {
        "name": name,
        "kind": kind,
        "signature": _signature(node),
        "line": node.lineno,
        "end_line": node.end_lineno or node.lineno,
        "decorators": [ast.unparse(decorator)[:_MOST_TEXT] for decorator in node.decorator_list],
        "summary": (ast.get_docstring(node) or "").partition("\n")[0],
    }


def _variable(node: ast.Assign | ast.AnnAssign) -> Symbol:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    name = ", ".join(ast.unparse(target) for target in targets)[:_MOST_TEXT]
    annotation = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
    return {
        "name": name,
        "kind": "variable",
        "signature": name + annotation,
        "line": node.lineno,
        "end_line": node.end_lineno or node.lineno,
        "decorators": [],
        "summary": "",
    }


def _signature(node: Definition) -> str:
    if isinstance(node, ast.ClassDef):
        parts = [ast.unparse(part) for part in (*node.bases, *node.keywords)]
        return node.name + (f"({', '.join(parts)})" if parts else "")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    start = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{start}{node.name}({ast.unparse(node.args)}){returns}"


def _private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))
