"""JSON as text: validation, formatting, lines."""

import json
from collections import Counter
from functools import partial
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Document, Source, Value, Written, kind_of, load, plain, read

_INDENTS: dict[str, int | str | None] = {"2": 2, "4": 4, "tab": "\t", "none": None}
_EXCERPT = 30


class Syntax(TypedDict):
    """Result of checking JSON syntax."""

    valid: Annotated[bool, About("Whether the text is valid JSON")]
    error: NotRequired[Annotated[str, About("Description of the first error")]]
    line: NotRequired[Annotated[int, About("Line of the error, from 1")]]
    column: NotRequired[Annotated[int, About("Column of the error, from 1")]]
    excerpt: NotRequired[Annotated[str, About("Text around the error")]]
    kind: NotRequired[Annotated[str, About("Type of the outermost value: object, array, string, number, ...")]]
    depth: NotRequired[Annotated[int, About("Nesting depth; 0 for a single value")]]
    duplicate_keys: NotRequired[Annotated[list[str], About("Duplicate names in an object; the last one wins")]]


class Lines(Written):
    """Records as text."""

    records: Annotated[int, About("Number of records")]


@tool(
    tags="json validate syntax lint check parse error line column duplicate",
    use_when=(
        'Is {"a": 1,} valid JSON?',
        "Why does my JSON file fail to parse?",
        "At which line is the syntax error in this JSON?",
    ),
    examples=(
        Example(
            {"text": '{"a": 1,\n "b": [1, 2}\n}'},
            {
                "valid": False,
                "line": 2,
                "column": 12,
                "error": "Expecting ',' delimiter",
                "excerpt": '{"a": 1,\n "b": [1, 2}\n}',
            },
            source="by hand: the closing brace stands where the bracket should",
        ),
        Example(
            {"text": '{"a": 2, "a": {"b": [1]}}'},
            {"valid": True, "kind": "object", "depth": 3, "duplicate_keys": ["a"]},
            source="by hand; RFC 8259, section 4, on names that are not unique",
        ),
        Example({"text": "[NaN]"}, {"valid": False}, source="RFC 8259, section 6: NaN is not permitted"),
        Refusal({"text": ""}, "at least 1 character"),
    ),
    reply={
        "valid, duplicate_keys": "It is valid JSON, but the keys {duplicate_keys} occur twice.",
        "valid": "It is valid JSON.",
        "error": "It is not valid JSON: {error} in line {line}, column {column}.",
        "": "It is not valid JSON.",
    },
)
def json_validate_syntax(text: Source) -> Syntax:
    """Check whether a text is JSON according to RFC 8259 and locate the first syntax error.

    Use it if a document fails to parse. Returns line, column and excerpt of the error, or the type of the value, its
    depth and duplicate names in objects.
    """
    twice: list[str] = []
    try:
        value = json.loads(
            text, object_pairs_hook=partial(_members, twice), parse_constant=_not_a_number, parse_int=float
        )
    except json.JSONDecodeError as error:
        around = text[max(error.pos - _EXCERPT, 0) : error.pos + _EXCERPT]
        return {
            "valid": False,
            "error": error.msg,
            "excerpt": plain(around),
            "line": error.lineno,
            "column": error.colno,
        }
    except _Constant as error:
        return {"valid": False, "error": f"{error} is not a JSON value"}
    return {"valid": True, "kind": kind_of(value), "depth": _depth(value), "duplicate_keys": twice}


@tool(
    tags="json format pretty print indent beautify minify compact sort keys",
    use_when=(
        "Pretty-print this JSON with 4 spaces",
        "Minify this JSON document",
        "Format the JSON and sort its keys",
        "Tidy up this unreadable JSON",
    ),
    examples=(
        Example({"text": '{"b":1,"a":[true,null]}', "indent": "none"}, {"text": '{"b":1,"a":[true,null]}'}, "by hand"),
        Example(
            {"text": '{"b": 1, "a": []}', "sort_keys": True}, {"text": '{\n  "a": [],\n  "b": 1\n}'}, source="by hand"
        ),
        Example(
            {"text": '"\\u20ac \\ud834\\udd1e"', "ascii_only": True},
            {"text": '"\\u20ac \\ud834\\udd1e"'},
            source="RFC 8259, section 7: the G clef is escaped as a surrogate pair",
        ),
        Refusal({"text": "{'a': 1}"}, "line 1, column 2"),
    ),
    reply="The formatted JSON: {text}",
)
def json_format_text(
    text: Source,
    indent: Annotated[
        Literal["2", "4", "tab", "none"], About("Indentation; none removes all unnecessary whitespace")
    ] = "2",
    sort_keys: Annotated[bool, About("Whether to sort the members of objects by name")] = False,
    ascii_only: Annotated[bool, About("Whether to escape all characters outside ASCII")] = False,
) -> Written:
    """Pretty-print or minify a JSON text, with a choice of indentation and sorted keys.

    Use it to make JSON readable or compact. Returns the reformatted text; the values are unchanged.
    """
    close = (",", ":") if indent == "none" else None
    laid = json.dumps(
        load(text), indent=_INDENTS[indent], sort_keys=sort_keys, ensure_ascii=ascii_only, separators=close
    )
    return {"text": plain(laid)}


@tool(
    tags="ndjson jsonl json lines newline delimited array convert",
    use_when=(
        "Convert this JSON array to JSON Lines",
        "Turn an NDJSON export into one JSON array",
        "Read these newline-delimited JSON records",
    ),
    examples=(
        Example(
            {"text": '{"a": 1}\n\n{"a": 2}\n', "to": "array"}, {"text": '[{"a":1},{"a":2}]', "records": 2}, "by hand"
        ),
        Example({"text": '[{"a": 1}, "x"]', "to": "lines"}, {"text": '{"a":1}\n"x"\n', "records": 2}, source="by hand"),
        Refusal({"text": '{"a": 1}\n{"a": \n', "to": "array"}, "Line 2"),
        Refusal({"text": '{"a": 1}', "to": "lines"}, "a JSON array"),
    ),
    reply="The {records|record}: {text}",
)
def json_convert_lines(
    text: Annotated[str, About("JSON Lines, or a JSON array", '{"a": 1}\n{"a": 2}\n', max_length=900_000)],
    to: Annotated[Literal["array", "lines"], About("Output: one array, or one line for each item")],
) -> Lines:
    """Convert JSON Lines (NDJSON) to a JSON array, or an array to lines.

    Use it between log exports or bulk loads and tools that expect one document. Returns the text and its number of
    records; empty lines are ignored.
    """
    items = _items(text) if to == "array" else load(text)
    if not isinstance(items, list):
        raise ToolError("The text is not a JSON array. Only an array can be converted to lines.")
    lines = [json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in items]
    converted = f"[{','.join(lines)}]" if to == "array" else "".join(f"{line}\n" for line in lines)
    return {"text": plain(converted), "records": len(lines)}


@tool(
    tags="json merge deep combine objects override defaults settings",
    use_when=(
        "Merge these two configuration objects recursively",
        "Overlay production settings on the defaults",
        "Combine two JSON documents and join their lists",
    ),
    examples=(
        Example(
            {"base": {"a": {"x": 1, "y": 2}, "l": [1]}, "overlay": {"a": {"y": 3}, "l": [2]}},
            {"value": {"a": {"x": 1, "y": 3}, "l": [2]}},
            source="by hand",
        ),
        Example(
            {"base": {"l": [1, 2]}, "overlay": {"l": [2, 3]}, "lists": "union"}, {"value": {"l": [1, 2, 3]}}, "by hand"
        ),
        Example(
            {"base": {"l": [{"a": 1}, 2]}, "overlay": {"l": [{"b": 2}]}, "lists": "by_position"},
            {"value": {"l": [{"a": 1, "b": 2}, 2]}},
            source="by hand",
        ),
        Refusal({"base": "{a: 1}", "overlay": {}}, "not JSON"),
    ),
    reply="The merged document: {value}",
)
def json_merge_deep(
    base: Document,
    overlay: Annotated[
        dict[str, Any] | list[Any] | str,
        About("Overlay, which takes precedence, as a value or as JSON text", {"price": 3}, max_length=900_000),
    ],
    lists: Annotated[
        Literal["replace", "append", "union", "by_position"],
        About("Handling of two lists: the overlay's, both, both without duplicates, or merged item by item"),
    ] = "replace",
) -> Value:
    """Merge two JSON documents recursively, the second one winning, with a choice of how lists are merged.

    Use it to combine settings. A null in the overlay is a value; use a merge patch to delete members. Returns the
    merged document.
    """
    return {"value": plain(_merge(read(base), read(overlay), lists))}


def _merge(base: Any, overlay: Any, lists: str) -> Any:
    if isinstance(base, dict) and isinstance(overlay, dict):
        both = {key: _merge(base[key], part, lists) if key in base else part for key, part in overlay.items()}
        return {**base, **both}
    if isinstance(base, list) and isinstance(overlay, list):
        return _join(base, overlay, lists)
    return overlay


def _join(base: list[Any], overlay: list[Any], lists: str) -> list[Any]:
    if lists == "append":
        return base + overlay
    if lists == "union":
        keyed = [(json.dumps(item, sort_keys=True), item) for item in base + overlay]
        return list(dict(keyed).values())
    if lists == "by_position":
        pairs = [_merge(one, other, lists) for one, other in zip(base, overlay, strict=False)]
        return pairs + (base[len(pairs) :] or overlay[len(pairs) :])
    return overlay


def _members(twice: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; duplicate names are added to `twice`."""
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice.extend(plain(name) for name, count in counts.items() if count > 1)
    return members


class _Constant(Exception):
    """A constant that JSON does not have."""


def _not_a_number(name: str) -> None:
    raise _Constant(name)


def _items(text: str) -> list[Any]:
    items = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            try:
                items.append(load(line))
            except ToolError as error:
                raise ToolError(f"Line {number}: {error}") from error
    return items


def _depth(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(_depth, parts), default=0)
