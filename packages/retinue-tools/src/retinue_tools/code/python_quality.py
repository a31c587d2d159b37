"""Measures and findings about Python source: complexity, dead code, security, annotations, docstrings."""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from bandit.core.config import BanditConfig
from bandit.core.manager import BanditManager
from radon.complexity import cc_rank, cc_visit
from radon.metrics import h_visit, mi_rank, mi_visit
from radon.raw import analyze
from typing_extensions import TypedDict
from vulture import Vulture

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import PythonCode, parse

_LEVELS = ("low", "medium", "high")

Level = Literal["low", "medium", "high"]


class Block(TypedDict):
    """A function, method or class."""

    name: Annotated[str, About("Name, qualified by the class for methods")]
    kind: Annotated[str, About("function, method or class")]
    line: Annotated[int, About("First line, from 1")]
    complexity: Annotated[int, About("Cyclomatic complexity: independent paths through the code")]
    rank: Annotated[str, About("A (simple, up to 5) to F (untestable, over 40)")]


class Complexity(TypedDict):
    """Measures of a module."""

    blocks: Annotated[list[Block], About("Functions, methods and classes, the most complex first")]
    mean_complexity: Annotated[float | None, About("Mean over functions and methods")]
    too_complex: Annotated[list[str], About("Functions and methods over the threshold")]
    maintainability_index: Annotated[float, About("0 to 100; over 19 is maintainable")]
    maintainability_rank: Annotated[str, About("A, B or C")]
    halstead_volume: Annotated[float, About("Halstead volume in bits")]
    halstead_difficulty: Annotated[float, About("Halstead difficulty")]
    lines: Annotated[int, About("All lines")]
    source_lines: Annotated[int, About("Lines with code")]
    logical_lines: Annotated[int, About("Statements")]
    comment_lines: Annotated[int, About("Lines with comments")]


class Unused(TypedDict):
    """Unused code."""

    name: Annotated[str, About("Name of the unused item")]
    kind: Annotated[str, About("import, function, class, method, variable, attribute, property or unreachable_code")]
    line: Annotated[int, About("First line, from 1")]
    lines: Annotated[int, About("Number of lines")]
    confidence_percent: Annotated[int, About("Confidence that nothing uses it")]


class DeadCode(TypedDict):
    """Unused code of a module."""

    unused: Annotated[list[Unused], About("In source order")]
    lines: Annotated[int, About("Lines that could be deleted")]


class Weakness(TypedDict):
    """A security finding."""

    rule: Annotated[str, About("Code of the rule, such as B602")]
    name: Annotated[str, About("Name of the rule")]
    severity: Annotated[str, About("low, medium or high")]
    confidence: Annotated[str, About("low, medium or high")]
    cwe: Annotated[int | None, About("Number in the Common Weakness Enumeration")]
    line: Annotated[int, About("Line, from 1")]
    message: Annotated[str, About("Description of the risk")]


class Weaknesses(TypedDict):
    """Security findings."""

    findings: Annotated[list[Weakness], About("The most severe first")]
    high: Annotated[int, About("Findings of high severity")]
    medium: Annotated[int, About("Findings of medium severity")]
    low: Annotated[int, About("Findings of low severity")]


class Bare(TypedDict):
    """A function without annotations or docstring."""

    name: Annotated[str, About("Qualified name")]
    line: Annotated[int, About("Line, from 1")]
    missing: Annotated[list[str], About("Arguments without a type, `return`, or `docstring`")]


class Coverage(TypedDict):
    """Share of a module that is annotated and documented."""

    annotations_percent: Annotated[float, About("Share of arguments and returns with a type")]
    docstrings_percent: Annotated[float, About("Share of module, classes and functions with a docstring")]
    functions: Annotated[int, About("Functions and methods")]
    fully_annotated: Annotated[int, About("Functions and methods with all types")]
    incomplete: Annotated[list[Bare], About("Definitions with missing parts, in source order")]


@tool(
    tags="python complexity cyclomatic mccabe halstead maintainability radon metrics refactor",
    use_when=(
        "Which functions of this Python module are too complex?",
        "What is the cyclomatic complexity of this function?",
        "How maintainable is this code?",
    ),
    examples=(
        Example(
            {"code": "def f(a, b):\n    if a and b:\n        return 1\n    for x in a:\n        print(x)\n"},
            {"blocks": [{"name": "f", "kind": "function", "complexity": 4, "rank": "A"}], "mean_complexity": 4.0},
            source="McCabe: one, plus one each for if, and, for",
        ),
        Example(
            {"code": "class K:\n    def m(self, x):\n        return 1 if x else 2\n", "threshold": 1},
            {"too_complex": ["K.m"], "lines": 3},
            source="McCabe: one, plus one for the conditional expression",
        ),
        Refusal({"code": "def f(:"}, "not valid Python"),
    ),
    reply={
        "too_complex": "Too complex: {too_complex}. All functions: {blocks}",
        "blocks": "No function is too complex; the maintainability is {maintainability_index}: {blocks}",
        "": "There are no functions in the code.",
    },
)
def python_measure_complexity(
    code: PythonCode,
    threshold: Annotated[int, About("Complexity above which a function is too complex", minimum=1, maximum=100)] = 10,
) -> Complexity:
    """Measure cyclomatic complexity, maintainability, Halstead volume and size of a Python module.

    Use it to find code to refactor or test. Returns every function, method and class with its complexity and rank, and
    the measures of the module.
    """
    parse(code)
    blocks = sorted((_block(found) for found in cc_visit(code)), key=lambda block: -block["complexity"])
    callables = [block for block in blocks if block["kind"] != "class"]
    index, volume, raw = mi_visit(code, True), h_visit(code).total, analyze(code)
    return {
        "blocks": blocks,
        "mean_complexity": statistics.fmean(block["complexity"] for block in callables) if callables else None,
        "too_complex": [block["name"] for block in callables if block["complexity"] > threshold],
        "maintainability_index": round(index, 2),
        "maintainability_rank": mi_rank(index),
        "halstead_volume": round(volume.volume, 2),
        "halstead_difficulty": round(volume.difficulty, 2),
        "lines": raw.loc,
        "source_lines": raw.sloc,
        "logical_lines": raw.lloc,
        "comment_lines": raw.comments,
    }


@tool(
    tags="python dead code unused vulture unreachable cleanup function variable import",
    use_when=(
        "Which functions in this module are never used?",
        "Find dead code in my Python script",
        "Is there unreachable code after a return here?",
        "Which imports and functions are never used?",
    ),
    examples=(
        Example(
            {
                "code": "import os\n\ndef used():\n    return 1\n    print('never')\n\nused()\n",
                "min_confidence_percent": 80,
            },
            {
                "unused": [{"name": "os", "kind": "import", "line": 1}, {"kind": "unreachable_code", "line": 5}],
                "lines": 2,
            },
            source="by hand: os is not read, and nothing runs after a return",
        ),
        Example(
            {"code": "def helper():\n    pass\n"},
            {"unused": [{"name": "helper", "kind": "function", "confidence_percent": 60}]},
            source="by hand: nothing calls helper",
        ),
        Refusal({"code": "x = ="}, "not valid Python"),
    ),
    reply={
        "unused": "These are never used: {unused}",
        "": "I found no dead code.",
    },
)
def python_find_dead_code(
    code: PythonCode,
    min_confidence_percent: Annotated[
        int, About("Minimum confidence of reported findings", minimum=0, maximum=100)
    ] = 60,
) -> DeadCode:
    """Find unused functions, classes, variables, imports and unreachable statements of a Python module.

    Use it for clean-ups. Public functions of a library count as unused when nothing in the same source uses them, with
    60 percent confidence. Returns each with its place and its confidence.
    """
    parse(code)
    vulture = Vulture()
    vulture.scan(code)
    unused: list[Unused] = [
        {
            "name": item.name,
            "kind": item.typ,
            "line": item.first_lineno,
            "lines": item.size,
            "confidence_percent": item.confidence,
        }
        for item in vulture.get_unused_code(min_confidence=min_confidence_percent)
    ]
    unused.sort(key=lambda item: item["line"])
    return {"unused": unused, "lines": sum(item["lines"] for item in unused)}


@tool(
    tags="python security bandit sast vulnerability injection eval pickle shell audit",
    use_when=(
        "Is this Python code secure?",
        "Find security problems such as shell injection or eval in my script",
        "Run bandit on this module",
    ),
    examples=(
        Example(
            {"code": "import subprocess\nsubprocess.call(cmd, shell=True)\n", "min_severity": "high"},
            {
                "high": 1,
                "findings": [{"rule": "B602", "line": 2, "severity": "high", "confidence": "high", "cwe": 78}],
            },
            source="CWE-78, operating system command injection",
        ),
        Example(
            {"code": "import yaml\nyaml.load(open('f'))\n"},
            {"medium": 1, "findings": [{"rule": "B506", "cwe": 20, "line": 2}]},
            source="CWE-20: yaml.load makes arbitrary objects",
        ),
        Example({"code": "print(1 + 1)\n"}, {"findings": [], "high": 0, "low": 0}, source="by hand"),
        Refusal({"code": "def"}, "not valid Python"),
    ),
    reply={
        "findings": (
            "I found {high|weakness|weaknesses} of high, {medium} of medium and {low} of low severity: {findings}"
        ),
        "": "I found no security weaknesses in the code.",
    },
    pace="normal",
)
def python_check_security(
    code: PythonCode, min_severity: Annotated[Level, About("Minimum severity of reported findings")] = "low"
) -> Weaknesses:
    """Check Python source for common security weaknesses with bandit.

    Use it in a code review: shell injection, eval, unsafe deserialisation, weak hashes, hard-coded passwords, missing
    certificate checks and more. Returns each finding with severity, confidence, CWE number and line.
    """
    parse(code)
    path = Path("module.py")
    path.write_text(code, encoding="utf-8")
    manager = BanditManager(BanditConfig(), "file")
    manager.discover_files([str(path)])
    manager.run_tests()
    if manager.skipped:
        raise ToolError(f"The code cannot be checked: {manager.skipped[0][1]}.")
    found = [_weakness(issue.as_dict()) for issue in manager.get_issue_list()]
    reported = [one for one in found if _LEVELS.index(one["severity"]) >= _LEVELS.index(min_severity)]
    reported.sort(key=lambda one: (-_LEVELS.index(one["severity"]), one["line"]))
    counts = [sum(one["severity"] == level for one in reported) for level in _LEVELS]
    return {"findings": reported, "high": counts[2], "medium": counts[1], "low": counts[0]}


@tool(
    tags="python type hints annotations docstring coverage interrogate missing documentation typed",
    use_when=(
        "How much of this module has type annotations?",
        "Which functions lack docstrings or return types?",
        "Measure the docstring coverage of my Python file",
    ),
    examples=(
        Example(
            {"code": '"""Doc."""\n\ndef f(a: int, b) -> int:\n    return a\n'},
            {
                "annotations_percent": 66.7,
                "docstrings_percent": 50.0,
                "functions": 1,
                "fully_annotated": 0,
                "incomplete": [{"name": "f", "line": 3, "missing": ["b", "docstring"]}],
            },
            source="by hand: two of three places have a type, one of two definitions a docstring",
        ),
        Example(
            {"code": "class A:\n    def __init__(self, x: int) -> None:\n        self.x = x\n", "ignore_private": True},
            {"annotations_percent": 100.0, "incomplete": [{"name": "A", "missing": ["docstring"]}]},
            source="by hand: self needs no type",
        ),
        Refusal({"code": "x = 1"}, "no function or class"),
    ),
    reply={
        "incomplete": (
            "{annotations_percent} % of the arguments and returns have types, and "
            "{docstrings_percent} % have docstrings; incomplete are: {incomplete}"
        ),
        "": (
            "{annotations_percent} % of the arguments and returns have types, and "
            "{docstrings_percent} % have docstrings."
        ),
    },
)
def python_measure_annotations(
    code: PythonCode,
    ignore_private: Annotated[bool, About("Whether to omit names that begin with _")] = False,
) -> Coverage:
    """Measure how much of a Python module has type annotations and docstrings.

    Use it before turning on a type checker, or to see what to document. Returns the percentages and every function or
    class with missing parts, with the names of the arguments without a type.
    """
    tree = parse(code)
    found = [one for one in _definitions(tree, "") if not (ignore_private and _private(one[0]))]
    if not found:
        raise ToolError("The code has no function or class to measure.")
    places = [place for _, node in found for place in _places(node)]
    functions = [node for _, node in found if not isinstance(node, ast.ClassDef)]
    documented = [bool(ast.get_docstring(node)) for node in (tree, *(node for _, node in found))]
    bare = [_bare(name, node) for name, node in found]
    return {
        "annotations_percent": _percent([typed for _, typed in places]),
        "docstrings_percent": _percent(documented),
        "functions": len(functions),
        "fully_annotated": sum(all(typed for _, typed in _places(node)) for node in functions),
        "incomplete": [one for one in bare if one["missing"]],
    }


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _block(found: object) -> Block:
    owner = getattr(found, "classname", None)
    name = getattr(found, "name", "")
    kind = "method" if owner else type(found).__name__.lower()
    complexity = int(getattr(found, "complexity", 0))
    return {
        "name": f"{owner}.{name}" if owner else name,
        "kind": kind,
        "line": int(getattr(found, "lineno", 0)),
        "complexity": complexity,
        "rank": cc_rank(complexity),
    }


def _weakness(issue: dict[str, object]) -> Weakness:
    cwe = issue.get("issue_cwe")
    number = cwe.get("id") if isinstance(cwe, dict) else None
    return {
        "rule": str(issue["test_id"]),
        "name": str(issue["test_name"]),
        "severity": str(issue["issue_severity"]).lower(),
        "confidence": str(issue["issue_confidence"]).lower(),
        "cwe": int(number) if number else None,
        "line": int(str(issue["line_number"])),
        "message": str(issue["issue_text"]),
    }


def _definitions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            yield from _definitions(node, f"{prefix}{node.name}.")
        else:
            yield from _definitions(node, prefix)


def _private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _places(node: Definition) -> list[tuple[str, bool]]:
    """Yield the places of a function that can have a type, and whether they have one."""
    if isinstance(node, ast.ClassDef):
        return []
    args = node.args
    arguments = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    annotatable = [argument for argument in arguments if argument.arg not in ("self", "cls")]
    return [(one.arg, one.annotation is not None) for one in annotatable] + [("return", node.returns is not None)]


def _bare(name: str, node: Definition) -> Bare:
    missing = [place for place, typed in _places(node) if not typed]
    needs_docstring = not ast.get_docstring(node) and not node.name.startswith("__")
    return {"name": name, "line": node.lineno, "missing": missing + ["docstring"] * needs_docstring}


def _percent(flags: list[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 1) if flags else 100.0
