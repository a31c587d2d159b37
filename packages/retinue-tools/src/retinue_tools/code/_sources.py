"""What the tools on source text share: argument types, and readers that say what is wrong with what they read."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import yaml
from typing_extensions import TypedDict

from retinue.sdk import About, ToolError

PythonCode = Annotated[
    str,
    About("Python source code", "def area(r):\n    return 3.14159 * r ** 2\n", min_length=1, max_length=200_000),
]
Code = Annotated[str, About("Source code", "let total = 0; // cents\n", min_length=1, max_length=300_000)]
Document = Annotated[
    str, About("Text of the file", '{"name": "shop", "version": "1.0.0"}', min_length=1, max_length=2_000_000)
]

_MOST_BRACKETS = 500
_MOST_DEPTH = 100
_EXACT = 2**53


class SourceFile(TypedDict):
    """A file of a project."""

    path: Annotated[str, About("Path in the project, with /", "src/app.py", min_length=1, max_length=300)]
    text: Annotated[str, About("Content of the file", "import os\n", max_length=300_000)]


Files = Annotated[
    list[SourceFile],
    About("Files of the project", [{"path": "src/app.py", "text": "import os\n"}], min_items=1, max_items=300),
]


def parse(code: str, name: str = "The code") -> ast.Module:
    """The syntax tree of Python source. Raises `ToolError` naming the line of a mistake."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise ToolError(f"{name} is not valid Python: {error.msg} (line {error.lineno}). Correct it first.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ToolError(f"{name} cannot be parsed: it holds null bytes or is nested too deeply.") from error


def json_value(text: str) -> Any:
    """A JSON document. Raises `ToolError` with line and column of a mistake."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ToolError(f"This is not JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from error
    except (ValueError, RecursionError) as error:
        raise ToolError("This JSON holds too long a number or is nested too deeply.") from error


def json_object(text: str) -> dict[str, Any]:
    """A JSON object. Raises `ToolError` for other JSON too."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise ToolError("The JSON document must be an object in braces.")
    return value


def toml_object(text: str) -> dict[str, Any]:
    """A TOML document. Raises `ToolError` with the place of a mistake."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToolError(f"This is not TOML: {error}.") from error


def yaml_object(text: str) -> dict[str, Any]:
    """A YAML or JSON mapping, its keys as text. Raises `ToolError` with the line of a mistake.

    Aliases are refused, since few of them can stand for gigabytes.
    """
    refuse_deep_nesting(text)
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise ToolError("The YAML uses aliases (*name). Write the repeated parts out.")
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ToolError(f"This is not YAML: {problem}{place}.") from error
    except (ValueError, RecursionError) as error:
        raise ToolError("The YAML holds an impossible date or number, or is nested too deeply.") from error
    if not isinstance(value, dict):
        raise ToolError("The document must be a mapping of keys to values at its top.")
    return {_key(key): _plain(part, 1) for key, part in value.items()}


def refuse_deep_nesting(text: str) -> None:
    """Raise `ToolError` for brackets within brackets that the YAML reader would spend minutes on."""
    depth = 0
    for bracket in re.findall(r"[\[{\]}]", text):
        depth += 1 if bracket in "[{" else -1
        if depth > _MOST_BRACKETS:
            raise ToolError(f"The document opens more than {_MOST_BRACKETS} brackets that it does not close.")


def _plain(value: Any, depth: int) -> Any:
    if depth > _MOST_DEPTH:
        raise ToolError("The document is nested too deeply.")
    if isinstance(value, dict):
        return {_key(key): _plain(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part, depth + 1) for part in value]
    exact = isinstance(value, int | float) and abs(value) < _EXACT
    return value if value is None or isinstance(value, str) or exact else str(value)


def json_part(value: Any, *keys: str | int) -> Any:
    """What lies at a path of a JSON value, or None."""
    for key in keys:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and len(value) > key else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def json_list(value: Any, *keys: str | int) -> list[Any]:
    """The list that lies at a path of a JSON value; empty where there is none."""
    found = json_part(value, *keys)
    return found if isinstance(found, list) else []


def text_mapping(value: Any) -> dict[str, str]:
    """The mapping with its values as text; empty where it is none."""
    return {str(key): str(part) for key, part in value.items()} if isinstance(value, Mapping) else {}


def optional_text(value: Any) -> str | None:
    """A scalar as text, or None."""
    return None if value is None or isinstance(value, dict | list) else str(value)


def lines_of(text: str) -> list[str]:
    """The lines with their ends; form feeds and the like end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _key(key: Any) -> str:
    """YAML 1.1 reads the key `on` as true; workflows mean the word."""
    return {True: "on", False: "off", None: "null"}.get(key, str(key)) if isinstance(key, bool | None) else str(key)


def walk(tree: ast.AST, kinds: Sequence[type[ast.AST]]) -> Iterator[Any]:
    """The nodes of these kinds in the order of the source."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, tuple(kinds)):
            yield node
        yield from walk(node, kinds)
