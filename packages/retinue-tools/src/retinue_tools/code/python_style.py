"""Lint and format Python with ruff, which runs as a separate program."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from ruff import find_ruff_bin
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import PythonCode

_FILE = "module.py"
_SECONDS = 15
_MOST_FINDINGS = 500
_USUAL = ("E4", "E7", "E9", "F")
_SELECTOR = re.compile(r"ALL|[A-Z]{1,5}[0-9]{0,4}")

Target = Annotated[
    Literal["py38", "py39", "py310", "py311", "py312", "py313", "py314"],
    About("Oldest version of Python to support"),
]
LineLength = Annotated[int, About("Maximum line length in characters", minimum=20, maximum=320)]


class Finding(TypedDict):
    """A finding of a rule."""

    rule: Annotated[str, About("Code of the rule, such as F401")]
    name: Annotated[str, About("Name of the rule")]
    line: Annotated[int, About("Line, from 1")]
    column: Annotated[int, About("Column, from 1")]
    message: Annotated[str, About("Description of the problem")]
    fixable: Annotated[bool, About("Whether there is a safe fix")]


class Linted(TypedDict):
    """Findings, and the fixed code."""

    findings: Annotated[list[Finding], About("Findings, the first 500")]
    count: Annotated[int, About("Number of findings")]
    fixed_code: Annotated[str, About("The code with all safe fixes applied")]
    remaining: Annotated[int, About("Findings that remain in the fixed code")]


class Rewritten(TypedDict):
    """Rewritten code."""

    code: Annotated[str, About("Rewritten code")]
    changed: Annotated[bool, About("Whether anything changed")]


@tool(
    tags="python lint ruff flake8 pyflakes pylint fix autofix unused import style bugs",
    use_when=(
        "Lint this Python code and fix what you can",
        "Which unused imports and variables are in my script?",
        "Check my code against flake8 and pep8 rules",
        "Find likely bugs in this Python function",
        "Are there unused imports or variables in my script?",
        "Find mistakes in Python code",
    ),
    examples=(
        Example(
            {"code": "import os\nimport sys\nprint(sys.argv)\n"},
            {
                "count": 1,
                "findings": [{"rule": "F401", "line": 1, "fixable": True}],
                "fixed_code": "import sys\nprint(sys.argv)\n",
                "remaining": 0,
            },
            source="the rule F401 of pyflakes: os is imported and never used",
        ),
        Example(
            {"code": "def f(x=[]):\n    return x == None\n", "rules": ["B006", "E711"], "target": "py311"},
            {"count": 2, "findings": [{"rule": "B006", "line": 1}, {"rule": "E711", "line": 2}]},
            source="the rules B006 of flake8-bugbear and E711 of pycodestyle",
        ),
        Refusal({"code": "x = 1", "rules": ["--config"]}, "is not a rule"),
        Refusal({"code": "x = 1", "rules": ["QQQ999"]}, "rule"),
    ),
    reply={
        "remaining, findings": "I found {count|problem}, of which {remaining} cannot be fixed safely: {findings}",
        "findings": "I found {count|problem} and fixed what could be fixed: {fixed_code}",
        "": "There is nothing to complain about.",
    },
)
def python_lint_code(
    code: PythonCode,
    rules: Annotated[
        list[str], About("Rules or prefixes of rules to check; default: E4, E7, E9, F", ["E", "F", "B"], max_items=50)
    ]
    | None = None,
    ignore: Annotated[list[str], About("Rules to leave out", ["E501"], max_items=50)] | None = None,
    target: Target = "py311",
    line_length: LineLength = 88,
) -> Linted:
    """Check Python code with ruff and fix what can be fixed safely.

    Use it before code is handed over: it knows the rules of pyflakes, pycodestyle, bugbear, isort, pyupgrade and many
    more. Returns each finding with its rule and place, and the code with all safe fixes.
    """
    arguments = [f"--target-version={target}", f"--line-length={line_length}"]
    arguments.append(f"--select={_selectors(rules or _USUAL)}")
    arguments += [f"--ignore={_selectors(ignore)}"] if ignore else []
    findings = _findings(code, arguments)
    fixed = _ruff(code, ["check", "--fix-only", "--exit-zero", "--quiet", *arguments])
    remaining = len(_findings(fixed, arguments)) if fixed != code else len(findings)
    return {"findings": findings[:_MOST_FINDINGS], "count": len(findings), "fixed_code": fixed, "remaining": remaining}


@tool(
    tags="python format black ruff pep8 indentation quotes line length pretty beautify",
    use_when=(
        "Format this Python code like black does",
        "Reformat my script to 100 characters a line with single quotes",
        "Fix the indentation and spacing of this Python function",
    ),
    examples=(
        Example(
            {"code": "x = {'a':1,\n 'b':2}\ndef f( a ):\n  return  a"},
            {"code": 'x = {"a": 1, "b": 2}\n\n\ndef f(a):\n    return a\n', "changed": True},
            source="the style guide of black: double quotes, four spaces, two blank lines before a function",
        ),
        Example({"code": "x = 'a'\n", "quotes": "single"}, {"code": "x = 'a'\n", "changed": False}, source="by hand"),
        Refusal({"code": "def f(:\n"}, "cannot be formatted"),
    ),
    reply={
        "changed": "The formatted code: {code}",
        "": "The code is formatted already.",
    },
)
def python_format_code(
    code: PythonCode,
    line_length: LineLength = 88,
    quotes: Annotated[Literal["double", "single", "preserve"], About("Preferred quotes of strings")] = "double",
    target: Target = "py311",
) -> Rewritten:
    """Format Python source in the style of black.

    Use it to tidy indentation, spacing, quotes, line breaks and trailing commas; the meaning stays the same. Returns
    the formatted code and whether it differs.
    """
    settings = f'format.quote-style = "{quotes}"'
    return _rewrite(code, ["format", "--config", settings, f"--line-length={line_length}", "--target-version", target])


@tool(
    tags="python imports sort isort order group standard library third-party",
    use_when=(
        "Sort the imports of this Python file",
        "Group my imports into standard library, third-party and local",
        "Apply isort to this module",
    ),
    examples=(
        Example(
            {"code": "import sys\nimport requests\nimport os\n"},
            {"code": "import os\nimport sys\n\nimport requests\n", "changed": True},
            source="PEP 8, section Imports: standard library first, then third-party, each group apart",
        ),
        Example(
            {"code": "import shop.cart\nimport numpy\n", "own_packages": ["shop"]},
            {"code": "import numpy\n\nimport shop.cart\n"},
            source="PEP 8, section Imports: local imports come last",
        ),
        Refusal({"code": "import os", "own_packages": ['x"]']}, "is not a package name"),
    ),
    reply={
        "changed": "The code with sorted imports: {code}",
        "": "The imports are sorted already.",
    },
)
def python_sort_imports(
    code: PythonCode,
    own_packages: Annotated[list[str], About("Packages of the project itself", ["shop"], max_items=50)] | None = None,
    remove_unused: Annotated[bool, About("Whether to remove unused imports")] = False,
) -> Rewritten:
    """Sort and group the imports of a Python module.

    Use it to change only the order of imports. There are three groups: standard library, third-party and own packages.
    Returns the code with sorted imports.
    """
    for package in own_packages or []:
        if not package.isidentifier():
            raise ToolError(f"{package!r} is not a package name. Give the top-level name, such as shop.")
    settings = f"lint.isort.known-first-party = {json.dumps(own_packages or [])}"
    select = "I,F401" if remove_unused else "I"
    return _rewrite(code, ["check", "--fix-only", "--exit-zero", "--quiet", f"--select={select}", "--config", settings])


@tool(
    tags="python upgrade modernize pyupgrade syntax f-string union optional typing migrate",
    use_when=(
        "Modernise this old Python code to 3.12 syntax",
        "Replace Optional[int] and List[str] with the new type syntax",
        "Convert % formatting and .format to f-strings",
    ),
    examples=(
        Example(
            {"code": "from typing import List, Optional\n\nx: Optional[List[int]] = None\n", "target": "py310"},
            {"code": "x: list[int] | None = None\n", "changed": True},
            source="PEP 585 and PEP 604",
        ),
        Example(
            {"code": "class A(object):\n    pass\n"},
            {"code": "class A:\n    pass\n"},
            source="the rule UP004 of pyupgrade",
        ),
        Refusal({"code": "print 'hello'\n"}, "line 1"),
    ),
    reply={
        "changed": "The modernised code: {code}",
        "": "The code is modern already.",
    },
)
def python_upgrade_syntax(code: PythonCode, target: Target = "py311") -> Rewritten:
    """Rewrite Python source to the syntax that newer versions of Python allow.

    Use it when old code is brought to a new version: built-in generics, unions with |, f-strings, plain classes and
    more. Imports that are no longer needed are removed. Returns the new code.
    """
    if problems := [finding for finding in _findings(code, ["--select=E9"]) if finding["name"] == "invalid-syntax"]:
        raise ToolError(f"This is not valid Python 3: {problems[0]['message']} (line {problems[0]['line']}).")
    fix = ["check", "--fix-only", "--exit-zero", "--quiet", "--unsafe-fixes", "--select=UP,F401"]
    new = _ruff(code, [*fix, f"--target-version={target}"])
    new = new if code.startswith("\n") else new.lstrip("\n")
    return {"code": new, "changed": new != code}


def _selectors(rules: Sequence[str]) -> str:
    for rule in rules:
        if not _SELECTOR.fullmatch(rule):
            raise ToolError(f"{rule!r} is not a rule. Write a code or prefix such as F401, E7 or B.")
    return ",".join(rules)


def _findings(code: str, arguments: list[str]) -> list[Finding]:
    reported: list[dict[str, Any]] = json.loads(
        _ruff(code, ["check", "--exit-zero", "--output-format=json", *arguments])
    )
    return [
        {
            "rule": found["code"] or "syntax",
            "name": found["name"],
            "line": found["location"]["row"],
            "column": found["location"]["column"],
            "message": found["message"],
            "fixable": (found["fix"] or {}).get("applicability") == "safe",
        }
        for found in reported
    ]


def _rewrite(code: str, arguments: list[str]) -> Rewritten:
    new = _ruff(code, arguments)
    return {"code": new, "changed": new != code}


def _ruff(code: str, arguments: list[str]) -> str:
    """Return the output of ruff, or the file if ruff rewrites it. Raises `ToolError`."""
    source = Path(_FILE)
    source.write_bytes(code.encode("utf-8", "replace"))
    command = [find_ruff_bin(), *arguments, "--isolated", "--no-cache", _FILE]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603  a fixed program
    except subprocess.TimeoutExpired as error:
        raise ToolError("The code is too large to be checked in time. Send a part of it.") from error
    if ended.returncode:
        message = ended.stderr.decode("utf-8", "replace").strip().replace(f"{_FILE}:", "").removeprefix("error: ")
        raise ToolError(f"The code cannot be {'formatted' if arguments[0] == 'format' else 'checked'}: {message[:500]}")
    return ended.stdout.decode() if "--output-format=json" in arguments else source.read_bytes().decode("utf-8")
