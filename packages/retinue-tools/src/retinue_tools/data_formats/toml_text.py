"""TOML 1.0."""

import tomllib
from typing import Annotated, Any

import tomlkit
import tomlkit.exceptions

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import key_of, pointer_of, resolve, steps_of
from retinue_tools.data_formats._values import Written

_WORD = 2**63
_PROJECT = '# made by hand\n[project]\nname = "tea"  # short\nversion = "1.0"\ntags = ["a", "b"]\n'

Source = Annotated[str, About("The TOML text", '[project]\nname = "tea"\nversion = "1.0"\n', max_length=500_000)]


@tool(
    tags="toml edit set change delete value keep comments pyproject version bump",
    use_when=(
        "Bump the version in this pyproject.toml and keep the comments",
        "Remove a key from this TOML",
        "Add a dependency to Cargo.toml without reformatting",
    ),
    examples=(
        Example(
            {"text": _PROJECT, "pointer": "/project/name", "value": "rice"},
            {"text": _PROJECT.replace('"tea"', '"rice"')},
            source="by hand: only the value differs",
        ),
        Example(
            {"text": _PROJECT, "pointer": "/project/version"},
            {"text": _PROJECT.replace('version = "1.0"\n', "")},
            source="by hand: without a value the key goes",
        ),
        Refusal({"text": _PROJECT, "pointer": "/tool/x", "value": 1}, "no member 'tool'"),
    ),
)
def toml_set_value(
    text: Source,
    pointer: Annotated[str, About("JSON Pointer to the key", "/project/version", pattern="^/", max_length=1000)],
    value: Annotated[
        dict[str, Any] | list[Any] | str | float | bool | None,
        About("The new value; leave it out to delete the key", "1.1"),
    ] = None,
) -> Written:
    """Change, add or delete one key of a TOML document and keep its comments, order and layout.

    Use it to edit pyproject.toml or Cargo.toml. The table that holds the key must exist, or be the top level. Returns
    the edited text.
    """
    parse_toml(text)
    _check(value if value is not None else {})
    *steps, last = steps_of(pointer)
    try:
        document = tomlkit.parse(text)
        parent = resolve(document, pointer_of(steps))
        if value is None:
            del parent[key_of(parent, last, pointer)]
        else:
            parent[key_of(parent, last, pointer) if isinstance(parent, list) else last] = value
        made = tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, TypeError, ValueError) as error:
        raise ToolError(f"{pointer[:200]} cannot be set: {str(error)[:200]}") from error
    parse_toml(made)
    return {"text": made}


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML document. Raises `ToolError`."""
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ToolError(f"The text is not TOML: {str(error)[:300]}. Correct it there.") from error


def write_toml(value: dict[str, Any]) -> str:
    """The TOML text of tables. Raises `ToolError` for what TOML cannot write."""
    _check(value)
    return str(tomlkit.dumps(value))


def _check(value: Any) -> None:
    """Raise `ToolError` for what TOML cannot write."""
    if value is None:
        raise ToolError("TOML has no null. Leave such members out.")
    if isinstance(value, int) and not -_WORD <= value < _WORD:
        raise ToolError(f"The integer {str(value)[:40]} has more than 64 bits. Write it as text.")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check(part)
