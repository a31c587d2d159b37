"""Imports, syntax errors and bytecode of Python source."""

import ast
import dis
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import PythonCode, parse, walk

_MOST_INSTRUCTIONS = 2000
_MOST_TEXT = 200


class Import(TypedDict):
    """One imported name."""

    module: Annotated[str, About("Module that is imported or imported from; leading dots are relative")]
    name: NotRequired[Annotated[str, About("Imported name of the module")]]
    alias: NotRequired[Annotated[str, About("Name in the importing module")]]
    line: Annotated[int, About("Line, from 1")]
    group: Annotated[str, About("standard, third_party, relative or future")]
    used: Annotated[bool, About("Whether the name is read anywhere in the module")]


class Imports(TypedDict):
    """Imports of a module."""

    imports: Annotated[list[Import], About("In source order")]
    standard: Annotated[list[str], About("Modules of the standard library, top level")]
    third_party: Annotated[
        list[str], About("Other top-level packages, which must be installed or belong to the project")
    ]


class Syntax(TypedDict):
    """Result of a syntax check for a version."""

    valid: Annotated[bool, About("Whether the code is valid in the requested version")]
    line: NotRequired[Annotated[int, About("Line of the first error, from 1")]]
    column: NotRequired[Annotated[int, About("Column of the error, from 1")]]
    message: NotRequired[Annotated[str, About("Description of the problem")]]
    text: NotRequired[Annotated[str, About("Line with the error")]]
    needs_version: NotRequired[Annotated[str, About("Oldest version whose grammar accepts the code, from 3.7 on")]]


class Instruction(TypedDict):
    """A bytecode instruction."""

    offset: Annotated[int, About("Offset in bytes")]
    line: Annotated[int | None, About("Line of the source")]
    operation: Annotated[str, About("Name of the operation")]
    argument: Annotated[str, About("Operand in readable form")]


class Bytecode(TypedDict):
    """Compiled code."""

    python: Annotated[str, About("Python version of the bytecode")]
    names: Annotated[list[str], About("Code objects of the module")]
    instructions: Annotated[list[Instruction], About("Instructions of the chosen code object, the first 2,000")]
    stack_size: Annotated[int, About("Required stack size")]
    local_variables: Annotated[list[str], About("Local variables")]


@tool(
    tags="python imports dependencies standard library third-party packages unused list",
    use_when=(
        "Which packages do I need to install for this script?",
        "List all imports of this Python file",
        "Which of these imports are from the standard library?",
    ),
    examples=(
        Example(
            {"code": "import os.path as p\nfrom numpy import array\nfrom . import util\nprint(p, array)\n"},
            {
                "standard": ["os"],
                "third_party": ["numpy"],
                "imports": [
                    {"module": "os.path", "alias": "p", "line": 1, "group": "standard", "used": True},
                    {"module": "numpy", "name": "array", "line": 2, "group": "third_party", "used": True},
                    {"module": ".", "name": "util", "line": 3, "group": "relative", "used": False},
                ],
            },
            source="by hand",
        ),
        Refusal({"code": "import"}, "not valid Python"),
    ),
    reply={
        "third_party": "The script needs {third_party}. All imports: {imports}",
        "imports": "The script needs only the standard library: {imports}",
        "": "There are no imports.",
    },
)
def python_list_imports(code: PythonCode) -> Imports:
    """List the imports of a Python module, grouped by standard library, third-party and relative.

    Use it to see which packages a script needs. Imports inside functions and conditions are found too. Returns each
    imported name with its line and whether it is used.
    """
    tree = parse(code)
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    exported = {text.value for node in ast.walk(tree) for text in _exports(node)}
    imports = [one for node in walk(tree, (ast.Import, ast.ImportFrom)) for one in _imports(node, read | exported)]
    tops = {group: {one["module"].partition(".")[0] for one in imports if one["group"] == group} for group in _GROUPS}
    return {"imports": imports, "standard": sorted(tops["standard"]), "third_party": sorted(tops["third_party"])}


@tool(
    tags="python syntax check validate error version compatible parse 3.8 3.9 grammar",
    use_when=(
        "Is this valid Python?",
        "Does this code run on Python 3.8, or does it use newer syntax?",
        "Where is the syntax error in my script?",
    ),
    examples=(
        Example(
            {"code": "match x:\n    case 1:\n        pass\n", "version": "3.8"},
            {"valid": False, "needs_version": "3.10"},
            source="PEP 634: match came with Python 3.10",
        ),
        Example({"code": "if (n := 10) > 5:\n    pass\n", "version": "3.8"}, {"valid": True}, source="PEP 572"),
        Example(
            {"code": "x = (1,\ny = 2\n"}, {"valid": False, "line": 1}, source="the bracket of line 1 is not closed"
        ),
        Refusal({"code": "x = 1", "version": "2.7"}, "version"),
    ),
    reply={
        "valid": "Yes, the code is valid Python.",
        "needs_version, message": "No, the code needs Python {needs_version}: {message} in line {line}.",
        "needs_version": "No, the code needs Python {needs_version}.",
        "message": "No, the code is not valid Python: {message} in line {line}.",
        "": "No, the code is not valid Python.",
    },
)
def python_check_syntax(
    code: PythonCode,
    version: Annotated[Literal["3.7", "3.8", "3.9", "3.10", "3.11"], About("Target version of Python")] = "3.11",
) -> Syntax:
    """Check whether Python source is valid, also for an older version.

    Use it to find a syntax error, or the oldest version whose grammar takes the code. It checks the larger additions of
    each version, such as match, except* and the walrus. Returns the first error with line, column and text.
    """
    error = _mistake(code, int(version.partition(".")[2]))
    if error is None:
        return {"valid": True}
    fault: Syntax = {"valid": False, "message": str(error.msg if isinstance(error, SyntaxError) else error)}
    if isinstance(error, SyntaxError):
        fault |= {"line": error.lineno or 1, "column": max(1, error.offset or 1)}
        fault["text"] = (error.text or "").rstrip("\n")[:_MOST_TEXT]
    needed = next((minor for minor in range(7, sys.version_info.minor + 1) if _mistake(code, minor) is None), None)
    if needed:
        fault["needs_version"] = f"3.{needed}"
    return fault


@tool(
    tags="python bytecode disassemble dis opcode compile cpython internals",
    use_when=(
        "Show me the bytecode of this Python function",
        "Disassemble this code to see what Python does",
        "How many stack places does this function need?",
    ),
    examples=(
        Example(
            {"code": "def f(a, b):\n    return a * b\n", "function": "f"},
            {"names": ["<module>", "f"], "local_variables": ["a", "b"], "stack_size": 2},
            source="documentation of the module dis: a product needs both factors on the stack",
        ),
        Example({"code": "x = 1\n"}, {"names": ["<module>"], "local_variables": []}, source="by hand"),
        Refusal({"code": "x = 1\n", "function": "g"}, "has no function g"),
    ),
    reply="The bytecode of Python {python}: {instructions}",
)
def python_disassemble_code(
    code: PythonCode,
    function: Annotated[str, About("Qualified name of a function; default: the module", max_length=200)] = "<module>",
) -> Bytecode:
    """Compile Python source and show the bytecode of the module or one of its functions.

    Use it to see what CPython executes; the code is not run. Returns the instructions with their lines, the stack size
    and the local variables.
    """
    parse(code)
    try:
        compiled = compile(code, "<code>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ToolError(f"The code cannot be compiled: {error}.") from error
    objects = dict(_objects(compiled))
    if function not in objects:
        raise ToolError(f"The code has no function {function}. Available: {', '.join(list(objects)[:50])}.")
    chosen = objects[function]
    instructions = list(_instructions(chosen))
    return {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "names": list(objects),
        "instructions": instructions[:_MOST_INSTRUCTIONS],
        "stack_size": chosen.co_stacksize,
        "local_variables": list(chosen.co_varnames),
    }


_GROUPS = ("standard", "third_party", "relative", "future")


def _exports(node: ast.AST) -> list[ast.Constant]:
    """Return the names in `__all__`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List | ast.Tuple):
        return []
    if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
        return []
    return [item for item in node.value.elts if isinstance(item, ast.Constant)]


def _imports(node: ast.Import | ast.ImportFrom, used: set[object]) -> Iterator[Import]:
    relative = "." * node.level if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        module = relative + (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        known = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])
        one: Import = {"module": module, "line": node.lineno, "group": _group(module), "used": known in used}
        if isinstance(node, ast.ImportFrom):
            one["name"] = alias.name
        if alias.asname:
            one["alias"] = alias.asname
        yield one


def _group(module: str) -> str:
    if module.startswith("."):
        return "relative"
    if module == "__future__":
        return "future"
    return "standard" if module.partition(".")[0] in sys.stdlib_module_names else "third_party"


def _mistake(code: str, minor: int) -> Exception | None:
    try:
        compile(code, "<code>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True, _feature_version=minor)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
    return None


def _objects(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    yield code.co_qualname, code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _objects(constant)


def _instructions(code: CodeType) -> Iterator[Instruction]:
    line = None
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        yield {"offset": step.offset, "line": line, "operation": step.opname, "argument": step.argrepr[:_MOST_TEXT]}
