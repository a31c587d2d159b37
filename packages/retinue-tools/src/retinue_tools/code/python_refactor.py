"""Python source rewrites that keep the meaning: renames, stubs, test skeletons, stripped code."""

import ast
import io
import keyword
import tokenize
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import libcst as cst
from libcst.metadata import Assignment, MetadataWrapper, PositionProvider, ScopeProvider
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import PythonCode, parse

Function = ast.FunctionDef | ast.AsyncFunctionDef
Identifier = Annotated[str, About("Name of a variable, function, class or argument", "total", max_length=100)]


class Renamed(TypedDict):
    """Code with a new name."""

    code: Annotated[str, About("Code with the new name")]
    lines: Annotated[list[int], About("Lines that changed, from 1")]
    count: Annotated[int, About("Number of renamed occurrences")]


class Reduced(TypedDict):
    """Code without comments or docstrings."""

    code: Annotated[str, About("Code without the removed comments and docstrings")]
    saved_characters: Annotated[int, About("Reduction of the size")]


class Stub(TypedDict):
    """Interface of a module."""

    stub: Annotated[str, About("Content of the .pyi file")]
    definitions: Annotated[int, About("Number of classes, functions and variables")]


class Skeleton(TypedDict):
    """Generated test skeletons."""

    code: Annotated[str, About("The test module")]
    tests: Annotated[list[str], About("Names of the tests")]


@tool(
    tags="python rename refactor symbol variable function class scope libcst",
    use_when=(
        "Rename the function calc to compute_total everywhere in this file",
        "Rename this variable without touching strings and comments",
        "Change the name of a class and all its uses in my module",
    ),
    examples=(
        Example(
            {
                "code": "def f(a):\n    x = a  # x\n    return x\n\nx = f(1)\nprint(x, 'x')\n",
                "old": "x",
                "new": "total",
            },
            {
                "code": "def f(a):\n    x = a  # x\n    return x\n\ntotal = f(1)\nprint(total, 'x')\n",
                "lines": [5, 6],
                "count": 2,
            },
            source="Python language reference, section 4.2: the x inside the function is another one",
        ),
        Example(
            {"code": "def f(a):\n    return a + 1\n\nf(a=2)\n", "old": "a", "new": "n", "scope": "f"},
            {"code": "def f(n):\n    return n + 1\n\nf(a=2)\n", "count": 2},
            source="by hand: the keyword at the call is not a name of the function's scope",
        ),
        Refusal({"code": "x = 1\n", "old": "y", "new": "z"}, "is not defined"),
        Refusal({"code": "x = 1\n", "old": "x", "new": "class"}, "is not a valid Python name"),
        Refusal({"code": "x = 1\ny = 2\n", "old": "x", "new": "y"}, "already"),
    ),
    reply={
        "count": "I renamed {args.old} to {args.new} in {count|place}: {code}",
        "": "{args.old} does not occur.",
    },
    pace="normal",
)
def python_rename_symbol(
    code: PythonCode,
    old: Identifier,
    new: Annotated[str, About("New name", "order_total", max_length=100)],
    scope: Annotated[
        str, About("Function or class in whose scope the name is defined; default: the module", max_length=200)
    ] = "",
) -> Renamed:
    """Rename a variable, function, class or argument of a Python module in its scope.

    Use it instead of find and replace: strings, comments, and other variables of the same name stay as they are, and so
    does the layout. Attributes and keyword arguments of calls are not renamed. Returns the code and the changed lines.
    """
    if not new.isidentifier() or keyword.iskeyword(new):
        raise ToolError(f"{new!r} is not a valid Python name. Use letters, digits and _.")
    parse(code)
    wrapper = MetadataWrapper(cst.parse_module(code))
    found = _scope(wrapper, scope)
    if any(one.scope is found for one in found[new]):
        raise ToolError(f"{new} is already defined there. Choose another name, or rename that one first.")
    places = sorted({(where.line, where.column) for where in _places(wrapper, found, old)}, reverse=True)
    if not places:
        raise ToolError(f"{old} is not defined {'in ' + scope if scope else 'at the top of the module'}.")
    lines = code.split("\n")
    for number, column in places:
        line = lines[number - 1]
        lines[number - 1] = line[:column] + new + line[column + len(old) :]
    return {"code": "\n".join(lines), "lines": sorted({number for number, _ in places}), "count": len(places)}


@tool(
    tags="python strip remove comments docstrings minify shrink bare code",
    use_when=(
        "Remove all comments from this Python file",
        "Strip docstrings and comments to save tokens",
        "Shorten this module to what the interpreter needs",
    ),
    examples=(
        Example(
            {"code": "# start\nx = '#1'  # one\n"},
            {"code": "x = '#1'\n", "saved_characters": 15},
            source="by hand: what stands in a string is no comment",
        ),
        Example(
            {"code": 'def f():\n    """Doc."""\n    return 1  # r\n', "remove": "both"},
            {"code": "def f():\n    return 1\n"},
            source="by hand",
        ),
        Example(
            {"code": 'def f():\n    """Doc."""\n', "remove": "docstrings"},
            {"code": "def f():\n    pass\n"},
            source="Python language reference: a body needs a statement",
        ),
        Refusal({"code": "x = ("}, "not valid Python"),
    ),
    reply="The code without comments: {code}",
)
def python_strip_comments(
    code: PythonCode,
    remove: Annotated[Literal["comments", "docstrings", "both"], About("Parts to remove")] = "comments",
) -> Reduced:
    """Remove comments, docstrings or both from Python source.

    Use it to make code shorter for a prompt, or to compare code alone. Strings stay as they are; lines with only a
    comment are removed. Removing docstrings reformats the code. Returns the code and the reduction.
    """
    parse(code)
    new = code if remove == "docstrings" else _without_comments(code)
    if remove != "comments":
        new = _without_docstrings(new)
    return {"code": new, "saved_characters": len(code) - len(new)}


@tool(
    tags="python stub pyi type interface signatures mypy typing generate",
    use_when=(
        "Generate a .pyi stub file for this module",
        "Reduce this Python code to signatures only",
        "Show only the interface of this class for a prompt",
    ),
    examples=(
        Example(
            {"code": 'MAX = 3\n\ndef f(a: int = 1) -> str:\n    """Doc."""\n    return str(a)\n'},
            {"stub": "MAX: int\n\ndef f(a: int=...) -> str:\n    ...\n", "definitions": 2},
            source="PEP 484, section Stub files",
        ),
        Example(
            {"code": "class A(B):\n    x: int = 0\n    def _go(self):\n        pass\n", "docstrings": True},
            {"stub": "class A(B):\n    x: int\n\n    def _go(self):\n        ...\n"},
            source="PEP 484, section Stub files",
        ),
        Refusal({"code": "print(1)"}, "defines nothing"),
    ),
    reply="The stub with {definitions|definition}: {stub}",
)
def python_generate_stub(
    code: PythonCode, docstrings: Annotated[bool, About("Whether to keep docstrings")] = False
) -> Stub:
    """Reduce a Python module to its interface, as a .pyi stub.

    Use it for type checkers, or to show a library in brief: imports, signatures and annotated variables without bodies.
    Returns the stub.
    """
    tree = parse(code)
    tree.body = [one for node in tree.body for one in _stub(node, docstrings)]
    definitions = sum(isinstance(node, Function | ast.ClassDef | ast.AnnAssign) for node in ast.walk(tree))
    if not definitions:
        raise ToolError("The code defines nothing: no function, class or constant.")
    return {"stub": ast.unparse(ast.fix_missing_locations(tree)) + "\n", "definitions": definitions}


@tool(
    tags="python unit test skeleton pytest generate template scaffold cases parametrize",
    use_when=(
        "Write a pytest skeleton for these functions",
        "Create empty unit tests for every method of this class",
        "Scaffold a test file for my module",
    ),
    examples=(
        Example(
            {
                "code": "def add(a: int, b: int = 2) -> int:\n    if a < 0:\n        raise ValueError\n    return a\n",
                "module": "calc",
            },
            {"tests": ["test_add", "test_add_raises_value_error"]},
            source="by hand: one test for the result, one for the exception",
        ),
        Example(
            {"code": "class Cart:\n    def total(self) -> int: ...\n    def _x(self): ...\n", "module": "shop.cart"},
            {"tests": ["test_cart_total"]},
            source="by hand: private methods are not tested by themselves",
        ),
        Refusal({"code": "def _hidden(): ...", "module": "m"}, "no public function"),
    ),
    reply="The tests: {code}",
)
def python_generate_tests(
    code: PythonCode,
    module: Annotated[
        str,
        About(
            "Dotted module name from which the tests import the code",
            "shop.cart",
            pattern=r"^[A-Za-z_][\w.]*$",
            max_length=200,
        ),
    ],
) -> Skeleton:
    """Write a pytest module with a test for each public function and method, and for each exception they raise.

    Use it as the start of a test file: arguments get sample values by their annotations, and expected results are an
    ellipsis to fill in. Returns the code and the names of the tests.
    """
    targets = list(_targets(parse(code)))
    if not targets:
        raise ToolError("The code has no public function or method to test.")
    tests = [test for owner, node in targets for test in _tests(owner, node)]
    imported = sorted({owner or node.name for owner, node in targets})
    head = ["import pytest", ""] if any("pytest." in body for _, body in tests) else []
    lines = [*head, f"from {module} import {', '.join(imported)}", *(f"\n\n{body}" for _, body in tests)]
    return {"code": "\n".join(lines) + "\n", "tests": [name for name, _ in tests]}


def _scope(wrapper: Any, name: str) -> Any:
    """Return the scope of the module, or of the function or class with that qualified name."""
    scopes = {scope for scope in wrapper.resolve(ScopeProvider).values() if scope is not None}
    matching = [one for one in scopes if (_scope_name(one) if name else type(one).__name__) == (name or "GlobalScope")]
    if not matching:
        raise ToolError(f"There is no function or class {name}. Write it as total or Cart.total.")
    return matching[0]


def _scope_name(scope: Any) -> str:
    name = getattr(scope, "name", None)
    parent = _scope_name(scope.parent) if name and scope.parent is not scope else ""
    return f"{parent}.{name}" if parent and name else str(name or "")


def _places(wrapper: Any, scope: Any, old: str) -> Iterator[Any]:
    """Return the start positions of names that refer to this variable; lines count from 1, columns from 0."""
    nodes: set[Any] = set()
    for assignment in scope[old]:
        if isinstance(assignment, Assignment) and assignment.scope is scope:
            nodes |= set(_names(assignment.node))
            nodes |= {access.node for access in assignment.references}
    positions = wrapper.resolve(PositionProvider)
    return (positions[node].start for node in nodes if isinstance(node, cst.Name) and node.value == old)


def _names(node: Any) -> Iterator[Any]:
    """Return the node with the name of a definition."""
    if isinstance(node, cst.Import | cst.ImportFrom):
        raise ToolError("An imported name cannot be renamed here. Import it under another name with `as`.")
    yield node if isinstance(node, cst.Name) else getattr(node, "name", node)


def _without_comments(code: str) -> str:
    lines = code.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(code).readline))):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            code_part = lines[row - 1][:column].rstrip()
            ending = "\n" if lines[row - 1].endswith("\n") else ""
            lines[row - 1] = code_part + ending if code_part else ""
    return "".join(lines)


def _without_docstrings(code: str) -> str:
    """Return the code without the lines of its docstrings; an empty body gets `pass`."""
    tree = parse(code)
    lines = code.splitlines(keepends=True)
    holders = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | Function)]
    for node in sorted(holders, key=lambda one: getattr(one, "lineno", 0), reverse=True):
        if ast.get_docstring(node, clean=False) is None:
            continue
        text = node.body[0]
        alone = len(node.body) == 1 and not isinstance(node, ast.Module)
        start, end = text.lineno - 1, text.end_lineno or text.lineno
        before, after = lines[start][: text.col_offset], lines[end - 1].encode()[text.end_col_offset :].decode()
        rest = after.lstrip("; ") if after.strip() else ""
        filler = "pass\n" if alone else rest
        lines[start:end] = [before + filler] if filler else ([before + "\n"] if before.strip() else [])
    return "".join(lines)


def _stub(node: ast.stmt, docstrings: bool) -> list[ast.stmt]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [node]
    if isinstance(node, ast.AnnAssign):
        node.value = None
        return [node]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.targets[0], ast.Name):
        kind = ast.Name(type(node.value.value).__name__) if node.value.value is not None else ast.Constant(None)
        return [ast.AnnAssign(node.targets[0], kind, None, 1)]
    if not isinstance(node, ast.ClassDef | Function):
        return []
    docstring = [node.body[0]] if docstrings and ast.get_docstring(node) else []
    if isinstance(node, ast.ClassDef):
        inner = [one for part in node.body for one in _stub(part, docstrings)]
    else:
        inner = []
        node.args.defaults = [ast.Constant(...) for _ in node.args.defaults]
        node.args.kw_defaults = [value and ast.Constant(...) for value in node.args.kw_defaults]
    node.body = [*docstring, *inner] if inner else [*docstring, ast.Expr(ast.Constant(...))]
    return [node]


def _targets(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for node in tree.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield "", node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from ((node.name, one) for one in node.body if isinstance(one, Function) and one.name[0] != "_")


_SAMPLES = {
    "int": "1",
    "float": "1.5",
    "str": '"text"',
    "bool": "True",
    "bytes": 'b"bytes"',
    "list": "[]",
    "dict": "{}",
}


def _tests(owner: str, node: Function) -> Iterator[tuple[str, str]]:
    subject = f"test_{owner.lower()}_{node.name}" if owner else f"test_{node.name}"
    start, wait = ("async def", "await ") if isinstance(node, ast.AsyncFunctionDef) else ("def", "")
    call = f"{wait}{owner + '().' if owner else ''}{node.name}({_sample_arguments(node)})"
    yield subject, f"{start} {subject}():\n    assert {call} == ..."
    for error in _raise(node):
        name = f"{subject}_raises_{_snake(error)}"
        yield name, f"{start} {name}():\n    with pytest.raises({error}):\n        {call}"


def _sample_arguments(node: Function) -> str:
    """Return a sample value for each argument without a default."""
    positional = [one for one in (*node.args.posonlyargs, *node.args.args) if one.arg not in ("self", "cls")]
    needed = positional[: len(positional) - len(node.args.defaults)] if node.args.defaults else positional
    keywords = [one for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value is None]
    return ", ".join([*map(_sample, needed), *(f"{one.arg}={_sample(one)}" for one in keywords)])


def _sample(argument: ast.arg) -> str:
    kind = ast.unparse(argument.annotation).partition("[")[0] if argument.annotation else ""
    return _SAMPLES.get(kind, "...")


def _raise(node: Function) -> list[str]:
    errors = [part.exc for part in ast.walk(node) if isinstance(part, ast.Raise) and part.exc]
    calls = [error.func if isinstance(error, ast.Call) else error for error in errors]
    return list(dict.fromkeys(call.id for call in calls if isinstance(call, ast.Name) and call.id[0].isupper()))


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
