"""TOML 1.0."""

import tomllib
from typing import Annotated, Any

import tomlkit
import tomlkit.exceptions

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import key_of, pointer_of, resolve, steps_of
from retinue_tools.data_formats._values import Document, Value, Written, plain, read

_WORD = 2**63
_PROJECT = '# made by hand\n[project]\nname = "tea"  # short\nversion = "1.0"\ntags = ["a", "b"]\n'

Source = Annotated[str, About("The TOML text", '[project]\nname = "tea"\nversion = "1.0"\n', max_length=500_000)]


@tool(
    tags="toml json convert parse pyproject cargo settings",
    use_when=(
        "Convert this TOML to JSON",
        "What does my pyproject.toml say?",
        "Why is this Cargo.toml not valid?",
        "Read a TOML configuration file as JSON",
    ),
    examples=(
        Example(
            {"text": '[[fruits]]\nname = "apple"\n[fruits.physical]\ncolor = "red"\n[[fruits]]\nname = "banana"\n'},
            {"value": {"fruits": [{"name": "apple", "physical": {"color": "red"}}, {"name": "banana"}]}},
            source="TOML 1.0.0, section Array of Tables, shortened",
        ),
        Example(
            {"text": "odt1 = 1979-05-27T07:32:00Z\nhex1 = 0xDEADBEEF\nsf1 = inf\nint5 = 1_000\n"},
            {"value": {"odt1": "1979-05-27T07:32:00+00:00", "hex1": 3735928559, "sf1": "inf", "int5": 1000}},
            source="TOML 1.0.0, sections Integer, Float and Offset Date-Time",
        ),
        Refusal({"text": 'name = "Tom"\nname = "Pradyun"\n'}, "line 2"),
    ),
)
def toml_convert_to_json(text: Source) -> Value:
    """Convert TOML to a JSON value; dates and infinities become text.

    Use it to read pyproject.toml, Cargo.toml and other settings, or to check them: a fault is reported with its line.
    """
    return {"value": plain(_parse(text))}


@tool(
    tags="json toml convert write settings serialize",
    use_when=(
        "Convert this JSON to TOML",
        "Write these settings as a TOML file",
        "What would this object look like in pyproject.toml?",
    ),
    examples=(
        Example(
            {"document": {"title": "x", "owner": {"name": "Tom"}, "p": [{"n": 1}, {"n": 2}]}},
            {"text": 'title = "x"\n\n[owner]\nname = "Tom"\n\n[[p]]\nn = 1\n\n[[p]]\nn = 2\n'},
            source="TOML 1.0.0, sections Table and Array of Tables",
        ),
        Refusal({"document": {"a": [None]}}, "no null"),
        Refusal({"document": [1]}, "must be an object"),
    ),
)
def json_convert_to_toml(document: Document) -> Written:
    """Convert a JSON object to TOML with tables and arrays of tables.

    Use it to write settings that people edit. Returns the TOML text. TOML has no null: leave such members out.
    """
    value = read(document)
    if not isinstance(value, dict):
        raise ToolError("The document must be an object: a TOML file is a table of keys.")
    _check(value)
    return {"text": tomlkit.dumps(value)}


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
    _parse(text)
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
    _parse(made)
    return {"text": made}


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ToolError(f"The text is not TOML: {str(error)[:300]}. Correct it there.") from error


def _check(value: Any) -> None:
    """Raise `ToolError` for what TOML cannot write."""
    if value is None:
        raise ToolError("TOML has no null. Leave such members out.")
    if isinstance(value, int) and not -_WORD <= value < _WORD:
        raise ToolError(f"The integer {str(value)[:40]} has more than 64 bits. Write it as text.")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check(part)
