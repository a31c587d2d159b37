"""Shared by the tools for source text: argument types, and parsers that report the location of an error."""

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

    path: Annotated[str, About("Path in the project, with / as separator", "src/app.py", min_length=1, max_length=300)]
    text: Annotated[str, About("Content of the file", "import os\n", max_length=300_000)]


Files = Annotated[
    list[SourceFile],
    About("Files of the project", [{"path": "src/app.py", "text": "import os\n"}], min_items=1, max_items=300),
]


def parse(code: str, name: str = "The code") -> ast.Module:
    """Return the syntax tree of Python source. Raises `ToolError` with the line of a syntax error."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise ToolError(f"{name} is not valid Python: {error.msg} (line {error.lineno}). Fix it first.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ToolError(f"{name} cannot be parsed: it contains null bytes or is nested too deeply.") from error


def json_value(text: str) -> Any:
    """Parse a JSON document. Raises `ToolError` with the line and column of an error."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ToolError(f"This is not JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from error
    except (ValueError, RecursionError) as error:
        raise ToolError("This JSON contains a number that is too long, or is nested too deeply.") from error


def json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object. Raises `ToolError` for other JSON values too."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise ToolError("The JSON document must be an object in braces.")
    return value


def toml_object(text: str) -> dict[str, Any]:
    """Parse a TOML document. Raises `ToolError` with the location of an error."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToolError(f"This is not TOML: {error}.") from error


def yaml_object(text: str) -> dict[str, Any]:
    """Parse a YAML or JSON mapping, with its keys as text. Raises `ToolError` with the line of an error.

    Aliases are rejected, because a few of them can expand to gigabytes.
    """
    refuse_deep_nesting(text)
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise ToolError("The YAML uses aliases (*name). Replace them with the repeated content.")
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ToolError(f"This is not YAML: {problem}{place}.") from error
    except (ValueError, RecursionError) as error:
        raise ToolError("The YAML contains an impossible date or number, or is nested too deeply.") from error
    if not isinstance(value, dict):
        raise ToolError("The top level of the document must be a mapping of keys to values.")
    return {_key(key): _plain(part, 1) for key, part in value.items()}


def refuse_deep_nesting(text: str) -> None:
    """Raise `ToolError` for deeply nested brackets, which would take the YAML parser minutes."""
    depth = 0
    for bracket in re.findall(r"[\[{\]}]", text):
        depth += 1 if bracket in "[{" else -1
        if depth > _MOST_BRACKETS:
            raise ToolError(f"The document has more than {_MOST_BRACKETS} brackets that are not closed.")


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
    """Return the value at a path of a JSON value, or None."""
    for key in keys:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and len(value) > key else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def json_list(value: Any, *keys: str | int) -> list[Any]:
    """Return the list at a path of a JSON value, or an empty list if there is none."""
    found = json_part(value, *keys)
    return found if isinstance(found, list) else []


def text_mapping(value: Any) -> dict[str, str]:
    """Return the mapping with its values as text, or an empty mapping if the value is not a mapping."""
    return {str(key): str(part) for key, part in value.items()} if isinstance(value, Mapping) else {}


def optional_text(value: Any) -> str | None:
    """Return a scalar as text, or None."""
    return None if value is None or isinstance(value, dict | list) else str(value)


def lines_of(text: str) -> list[str]:
    """Return the lines with their line ends; form feeds and similar characters end no line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _key(key: Any) -> str:
    """YAML 1.1 reads the key `on` as true, but workflows mean the word."""
    return {True: "on", False: "off", None: "null"}.get(key, str(key)) if isinstance(key, bool | None) else str(key)


def walk(tree: ast.AST, kinds: Sequence[type[ast.AST]]) -> Iterator[Any]:
    """Yield the nodes of these kinds in source order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, tuple(kinds)):
            yield node
        yield from walk(node, kinds)
