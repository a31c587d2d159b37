"""Shape of JSON: flat and nested keys, names, outline."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Document, Value, kind_of, plain, read
from retinue_tools.text.letter_case import Style, text_convert_case

_LONGEST_LIST = 10_000

Separator = Annotated[str, About("Separator of names in a flat key", "/", min_length=1, max_length=5)]


class Part(TypedDict):
    """A path of the outline."""

    path: Annotated[str, About("Names of the path, with [] for the items of a list")]
    types: Annotated[list[str], About("Types of the values found")]
    count: Annotated[int, About("Number of occurrences")]
    example: Annotated[Any, About("First scalar value found, truncated to 100 characters; null for containers")]


class Outline(TypedDict):
    """The structure of a document."""

    parts: Annotated[list[Part], About("Paths in the order of first occurrence")]


@tool(
    tags="json flatten nested dotted keys columns",
    use_when=(
        "Flatten this nested JSON to dotted keys",
        "Turn nested objects into a flat key-value list",
        "Give me every setting of this JSON as path and value",
    ),
    examples=(
        Example(
            {"document": {"a": {"b": 1, "c": [2, {"d": 3}]}, "e": {}}},
            {"value": {"a.b": 1, "a.c.0": 2, "a.c.1.d": 3, "e": {}}},
            source="by hand",
        ),
        Example(
            {"document": {"a": {"b": [1, 2]}}, "separator": "/", "lists": False}, {"value": {"a/b": [1, 2]}}, "by hand"
        ),
        Refusal({"document": {"a.b": 1, "a": {"b": 2}}}, "two values"),
    ),
    reply="The flat document: {value}",
)
def json_flatten_keys(
    document: Document,
    separator: Separator = ".",
    lists: Annotated[bool, About("Whether to flatten lists too, by position")] = True,
) -> Value:
    """Flatten a nested JSON document to one object with dotted keys such as a.b.0.

    Use it to compare settings or to make columns of nested records. Returns the flat object; empty objects and lists
    stay as values.
    """
    flat: dict[str, Any] = {}
    for names, value in _leaves(read(document), (), lists):
        key = separator.join(names)
        if key in flat:
            raise ToolError(f"The key {key[:80]!r} would have two values. Choose another separator.")
        flat[key] = plain(value)
    return {"value": flat}


@tool(
    tags="json unflatten nest dotted keys expand rebuild",
    use_when=(
        "Rebuild nested JSON from keys like user.name",
        "Turn dotted form fields into a nested object",
        "Nest these columns: address.city, address.zip, name",
    ),
    examples=(
        Example(
            {"flat": {"a.b": 1, "a.c.0": 2, "a.c.1.d": 3}}, {"value": {"a": {"b": 1, "c": [2, {"d": 3}]}}}, "by hand"
        ),
        Example({"flat": {"a/0": 1}, "separator": "/", "lists": False}, {"value": {"a": {"0": 1}}}, source="by hand"),
        Refusal({"flat": {"a": 1, "a.b": 2}}, "both a value and a container"),
    ),
    reply="The nested document: {value}",
)
def json_unflatten_keys(
    flat: Annotated[dict[str, Any], About("Object with flat keys", {"user.name": "Kim", "user.tags.0": "new"})],
    separator: Separator = ".",
    lists: Annotated[bool, About("Whether keys that count 0, 1, 2, ... become a list")] = True,
) -> Value:
    """Rebuild nested JSON from an object with dotted keys, the inverse of flattening.

    Use it for form fields, settings or columns with names like address.city. Returns the nested document.
    """
    root: dict[str, Any] = {}
    leaves: set[tuple[str, ...]] = set()
    for key, value in flat.items():
        *names, last = key.split(separator)
        inner = root
        for depth, name in enumerate(names, 1):
            if tuple(names[:depth]) in leaves:
                raise ToolError(f"{separator.join(names[:depth])[:80]!r} is both a value and a container. Rename one.")
            inner = inner.setdefault(name, {})
        if last in inner:
            raise ToolError(f"{key[:80]!r} is both a value and a container. Rename one.")
        inner[last] = value
        leaves.add((*names, last))
    return {"value": plain(_with_lists(root, (), leaves) if lists else root)}


@tool(
    tags="json rename keys camelcase snakecase case convert mapping",
    use_when=(
        "Convert all keys of this JSON from camelCase to snake_case",
        "Rename the key fname to first_name everywhere in this document",
        "The frontend wants camelCase; change the keys of this response",
    ),
    examples=(
        Example(
            {"document": {"userId": 1, "homeAddress": [{"zipCode": "x"}]}, "style": "snake"},
            {"value": {"user_id": 1, "home_address": [{"zip_code": "x"}]}},
            source="by hand",
        ),
        Example(
            {"document": [{"fname": "Kim"}], "names": {"fname": "first_name"}},
            {"value": [{"first_name": "Kim"}]},
            "by hand",
        ),
        Refusal({"document": {"userId": 1, "user_id": 2}, "style": "snake"}, "both become"),
        Refusal({"document": {}}, "names or a style"),
    ),
    reply="The document with its new keys: {value}",
)
def json_rename_keys(
    document: Document,
    names: Annotated[dict[str, str] | None, About("Old names with their new ones", {"fname": "first_name"})] = None,
    style: Annotated[
        Literal["camel", "pascal", "snake", "constant", "kebab"] | None, About("Case for all other names", "snake")
    ] = None,
) -> Value:
    """Rename the keys of a JSON document on every level, by a mapping or to a letter case such as snake_case.

    Use it between APIs that name things differently. Returns the document with unchanged values.
    """
    if not names and not style:
        raise ToolError("Give names or a style; otherwise there is nothing to rename.")
    return {"value": plain(_rename(read(document), names or {}, style))}


@tool(
    tags="json structure outline summary explore types paths unknown schema",
    use_when=(
        "What is the structure of this large JSON?",
        "Which fields and types does this API response have?",
        "Which fields are sometimes missing in these records?",
    ),
    examples=(
        Example(
            {"document": [{"id": 1, "tags": ["a", "b"]}, {"id": "x"}]},
            {
                "parts": [
                    {"path": "", "types": ["array"], "count": 1, "example": None},
                    {"path": "[]", "types": ["object"], "count": 2, "example": None},
                    {"path": "[].id", "types": ["integer", "string"], "count": 2, "example": 1},
                    {"path": "[].tags", "types": ["array"], "count": 1, "example": None},
                    {"path": "[].tags[]", "types": ["string"], "count": 2, "example": "a"},
                ]
            },
            source="by hand",
        ),
        Refusal({"document": "{"}, "not JSON"),
    ),
    reply={
        "parts": "The structure of the document: {parts}",
        "": "The document is empty.",
    },
)
def json_outline_structure(document: Document) -> Outline:
    """Outline the structure of a JSON document: each path with its types, its number of occurrences, and an example.

    Use it to explore a large or unknown document before a query. Returns one entry for each path, which combines all
    items of a list.
    """
    parts: dict[str, Part] = {}
    _outline(read(document), "", parts)
    return {"parts": list(parts.values())}


def _leaves(value: Any, names: tuple[str, ...], lists: bool) -> Iterator[tuple[tuple[str, ...], Any]]:
    parts: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if lists and isinstance(value, list) else ()
    )
    if not parts or not value:
        yield names, value
        return
    for name, part in parts:
        yield from _leaves(part, (*names, str(name)), lists)


def _with_lists(value: Any, names: tuple[str, ...], leaves: set[tuple[str, ...]]) -> Any:
    """Return the containers, those with the keys 0, 1, 2, ... as lists."""
    if names in leaves:
        return value
    parts = {name: _with_lists(part, (*names, name), leaves) for name, part in value.items()}
    count = len(parts)
    if parts and count <= _LONGEST_LIST and parts.keys() == {str(position) for position in range(count)}:
        return [parts[str(position)] for position in range(count)]
    return parts


def _rename(value: Any, names: dict[str, str], style: Style | None) -> Any:
    if isinstance(value, list):
        return [_rename(part, names, style) for part in value]
    if not isinstance(value, dict):
        return value
    renamed: dict[str, Any] = {}
    for name, part in value.items():
        new = names.get(name) or _in_style(name, style)
        if new in renamed:
            raise ToolError(f"Two names of an object would both become {new[:60]!r}. Map one of them to another name.")
        renamed[new] = _rename(part, names, style)
    return renamed


def _in_style(name: str, style: Style | None) -> str:
    """Return the name in that case; a leading _ or $ is kept, and a name without letters is unchanged."""
    bare = name.lstrip("_$@")
    if not style or not any(char.isalnum() for char in bare):
        return name
    return name[: len(name) - len(bare)] + text_convert_case(bare, style)["result"]


def _outline(value: Any, path: str, parts: dict[str, Part]) -> None:
    part = parts.setdefault(path, {"path": plain(path), "types": [], "count": 0, "example": None})
    part["count"] += 1
    if (kind := kind_of(value)) not in part["types"]:
        part["types"].append(kind)
    if isinstance(value, dict):
        for name, inner in value.items():
            _outline(inner, f"{path}.{name}" if path else name, parts)
    elif isinstance(value, list):
        for inner in value:
            _outline(inner, f"{path}[]", parts)
    elif part["example"] is None:
        part["example"] = plain(value[:100] if isinstance(value, str) else value)
