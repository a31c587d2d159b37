"""JSON queries: JSONPath, JMESPath, JSON Pointer, search."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import jmespath
import jsonpath_ng
import jsonpath_ng.ext
from jsonpath_ng.exceptions import JSONPathError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import pointer_of, resolve
from retinue_tools.data_formats._values import Document, Value, plain, read

_STORE = {
    "store": {
        "book": [
            {"category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95},
            {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99},
            {"category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3",
             "price": 8.99},
            {"category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings",
             "isbn": "0-395-19395-8", "price": 22.99},
        ],
        "bicycle": {"color": "red", "price": 399},
    }
}  # fmt: skip
_MOST = 10_000
_UNFIT = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NotImplementedError)
"""Exceptions of jsonpath-ng if a path does not fit a document."""

Limit = Annotated[int, About("Maximum number of matches", 100, minimum=1, maximum=_MOST)]


class Match(TypedDict):
    """A value and its location."""

    path: Annotated[str, About("JSON Pointer to the value (RFC 6901)")]
    value: Annotated[Any, About("Value at the location")]


class Matches(TypedDict):
    """Matches of a query."""

    matches: Annotated[list[Match], About("Values with their locations, in document order")]
    count: Annotated[int, About("Total number of matches, including those beyond the limit")]


@tool(
    tags="json jsonpath query extract select filter path nested",
    use_when=(
        "Get all book titles with $.store.book[*].title",
        "Which books in this JSON cost less than 10?",
        "Evaluate the JSONPath $..price",
        "Get one value out of a nested JSON document by its path",
    ),
    examples=(
        Example(
            {"document": _STORE, "path": "$.store.book[*].author"},
            {
                "count": 4,
                "matches": [
                    {"path": "/store/book/0/author", "value": "Nigel Rees"},
                    {"path": "/store/book/1/author", "value": "Evelyn Waugh"},
                    {"path": "/store/book/2/author", "value": "Herman Melville"},
                    {"path": "/store/book/3/author", "value": "J. R. R. Tolkien"},
                ],
            },
            source="RFC 9535, section 1.5, the authors of all books in the store",
        ),
        Example(
            {"document": _STORE, "path": "$..book[?(@.price<10)].title", "limit": 1},
            {"count": 2, "matches": [{"path": "/store/book/0/title", "value": "Sayings of the Century"}]},
            source="RFC 9535, section 1.5, all books cheaper than 10",
        ),
        Refusal({"document": {"a": 1}, "path": "$.a["}, "not a JSONPath"),
    ),
    reply={
        "matches.1": "The query finds {count|value}: {matches}",
        "matches.0.value, matches.0.path": "The query finds {matches.0.value} at {matches.0.path}.",
        "matches": "The query finds this: {matches}",
        "": "The query finds nothing.",
    },
)
def json_query_jsonpath(
    document: Document,
    path: Annotated[
        str, About("JSONPath expression", "$.store.book[?(@.price<10)].title", min_length=1, max_length=1000)
    ],
    limit: Limit = 1000,
) -> Matches:
    """Query a JSON document with a JSONPath expression, with wildcards, slices, filters and recursive descent.

    Use it to extract values from nested JSON. Returns each match with its location as JSON Pointer, and their number.
    """
    value = read(document)
    try:
        found = jsonpath_ng.ext.parse(path).find(value)
    except (JSONPathError, *_UNFIT) as error:
        raise ToolError(
            f"{path[:80]!r} is not a JSONPath that is valid for this document: {str(error)[:200]}"
        ) from error
    matches: list[Match] = [
        {"path": pointer_of(_steps(one.full_path)), "value": plain(one.value)} for one in found[:limit]
    ]
    return {"matches": matches, "count": len(found)}


@tool(
    tags="json jmespath query extract project filter aws cli reshape",
    use_when=(
        "Run the JMESPath query people[?age > `20`].name",
        "Reshape this API response to name and state only",
        "Which --query expression picks the running instances?",
        "Pick a nested field such as a.b[0].c out of JSON",
    ),
    examples=(
        Example(
            {
                "document": {
                    "locations": [
                        {"name": "Seattle", "state": "WA"},
                        {"name": "New York", "state": "NY"},
                        {"name": "Bellevue", "state": "WA"},
                        {"name": "Olympia", "state": "WA"},
                    ]
                },
                "expression": "locations[?state == 'WA'].name | sort(@) | {WashingtonCities: join(', ', @)}",
            },
            {"value": {"WashingtonCities": "Bellevue, Olympia, Seattle"}},
            source="the example on the home page of JMESPath",
        ),
        Example({"document": {"a": [{"n": 3}, {"n": 1}]}, "expression": "sum(a[].n)"}, {"value": 4}, source="by hand"),
        Refusal({"document": {"a": 1}, "expression": "a[?"}, "not a JMESPath"),
        Refusal({"document": {"a": 1}, "expression": "length(a)"}, "not a JMESPath"),
    ),
    reply={
        "value": "The query gives: {value}",
        "": "The query finds nothing.",
    },
)
def json_query_jmespath(
    document: Document,
    expression: Annotated[
        str, About("JMESPath expression", "locations[?state == 'WA'].name", min_length=1, max_length=5000)
    ],
) -> Value:
    """Query and reshape a JSON document with a JMESPath expression, with projections, pipes and functions.

    Use it to filter, sort, join or rename parts of an API response. Returns the value of the expression, null if
    nothing matches.
    """
    try:
        return {"value": plain(jmespath.search(expression, read(document)))}
    except (jmespath.exceptions.JMESPathError, TypeError, ValueError, ArithmeticError) as error:
        raise ToolError(
            f"The text is not a JMESPath expression that is valid for this document: {str(error)[:300]}"
        ) from error


@tool(
    tags="json pointer rfc6901 resolve locate value path",
    use_when=(
        "What stands at /store/book/0/title in this JSON?",
        "Resolve the JSON Pointer /a~1b",
        "Which value does '#/definitions/user' name?",
        "Which value stands at a path in this JSON?",
    ),
    examples=(
        Example(
            {"document": {"foo": ["bar", "baz"], "": 0, "a/b": 1}, "pointer": "/foo/0"},
            {"value": "bar"},
            "RFC 6901, section 5",
        ),
        Example(
            {"document": {"foo": ["bar", "baz"], "": 0, "a/b": 1}, "pointer": "/a~1b"},
            {"value": 1},
            "RFC 6901, section 5",
        ),
        Example({"document": {"c%d": 2, "": 0}, "pointer": "#/c%25d"}, {"value": 2}, source="RFC 6901, section 6"),
        Refusal({"document": {"foo": ["bar"]}, "pointer": "/foo/1"}, "list has 1 item"),
        Refusal({"document": {"foo": 1}, "pointer": "foo"}, "begin with /"),
    ),
    reply={
        "value": "The value at {args.pointer}: {value}",
        "": "The value at {args.pointer} is empty.",
    },
)
def json_resolve_pointer(
    document: Document,
    pointer: Annotated[str, About("JSON Pointer, plain or as a URI fragment", "/store/book/0/title", max_length=2000)],
) -> Value:
    """Resolve a JSON Pointer (RFC 6901), plain or as a URI fragment, in a document.

    Use it to read exactly one location, as in validation errors, patches and OpenAPI references. Returns the value at
    that location.
    """
    return {"value": plain(resolve(read(document), pointer))}


@tool(
    tags="json search find key value text grep locate nested",
    use_when=(
        "Where in this JSON is the key api_key?",
        "Find every place with the value 404",
        "Which fields of this document contain 'invoice'?",
    ),
    examples=(
        Example(
            {"document": _STORE, "text": "color"},
            {"count": 1, "matches": [{"path": "/store/bicycle/color", "value": "red"}]},
            source="by hand",
        ),
        Example(
            {
                "document": {"a": [404, "404 Not Found"], "b": {"404": 1}},
                "text": "404",
                "where": "values",
                "whole": True,
            },
            {"count": 1, "matches": [{"path": "/a/0", "value": 404}]},
            source="by hand",
        ),
        Refusal({"document": "[1, 2", "text": "a"}, "not JSON"),
    ),
    reply={
        "matches": "I found \u201c{args.text}\u201d in {count|place}: {matches}",
        "": "\u201c{args.text}\u201d does not occur in the document.",
    },
)
def json_search_text(
    document: Document,
    text: Annotated[str, About("Text to look for", "invoice", min_length=1, max_length=1000)],
    where: Annotated[Literal["both", "keys", "values"], About("Scope of the search")] = "both",
    whole: Annotated[bool, About("Whether the whole key or value must equal the text")] = False,
    limit: Limit = 100,
) -> Matches:
    """Find keys and values of a JSON document that contain a text, regardless of case.

    Use it to locate something in a large nested document whose structure is not known. Returns each location as JSON
    Pointer with its value.
    """
    folded = text.casefold()

    def hit(part: Any) -> bool:
        part_text = _show(part).casefold()
        return part_text == folded if whole else folded in part_text

    found: list[Match] = [
        {"path": pointer_of(steps), "value": plain(value)}
        for steps, value in _places(read(document), ())
        if (where != "values" and steps and isinstance(steps[-1], str) and hit(steps[-1]))
        or (where != "keys" and not isinstance(value, dict | list) and hit(value))
    ]
    return {"matches": found[:limit], "count": len(found)}


def _places(value: Any, steps: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every value of a document with its steps."""
    yield steps, value
    parts: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from _places(part, (*steps, step))


def _show(value: Any) -> str:
    return (
        {True: "true", False: "false", None: "null"}[value]
        if value is None or value is True or value is False
        else str(value)
    )


def _steps(path: Any) -> list[str | int]:
    """Return the names and positions of a full path of jsonpath-ng."""
    if isinstance(path, jsonpath_ng.Child):
        return _steps(path.left) + _steps(path.right)
    if isinstance(path, jsonpath_ng.Fields):
        return list(path.fields)
    return list(path.indices) if isinstance(path, jsonpath_ng.Index) else []
