"""Lists of JSON objects: field selection, sorting, grouping."""

import math
import re
from operator import itemgetter
from string import digits
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Table, dump, plain

Names = list[Annotated[str, About("Field name, with dots for nested objects", "address.city", max_length=200)]]
_COUNT: list["Figure"] = [{"function": "count"}]
_PEOPLE = [
    {"name": "Kim", "team": "red", "points": 7},
    {"name": "Lee", "team": "blue", "points": 3},
    {"name": "Sam", "team": "red", "points": 5},
]


class Chosen(TypedDict):
    """Selected rows of a table."""

    records: Annotated[list[dict[str, Any]], About("Resulting objects")]
    count: Annotated[int, About("Number of objects")]


class Order(TypedDict):
    """A sort key."""

    field: Annotated[str, About("Field name, with dots for nested objects", "price", max_length=200)]
    direction: NotRequired[Annotated[Literal["ascending", "descending"], About("Direction; default: ascending")]]


class Figure(TypedDict):
    """An aggregation of groups."""

    function: Annotated[
        Literal["count", "sum", "mean", "min", "max", "distinct", "list", "first"], About("Aggregate function")
    ]
    field: NotRequired[Annotated[str, About("Field to aggregate; not needed for count", "points", max_length=200)]]


@tool(
    tags="json records select pick drop omit fields columns project",
    use_when=(
        "Keep only id and name of these JSON objects",
        "Remove the password field from every record",
        "Take name and address.city out of each object",
    ),
    examples=(
        Example(
            {"records": [{"id": 1, "a": {"b": 2, "c": 3}, "x": 0}], "fields": ["a.b", "id"]},
            {"records": [{"a": {"b": 2}, "id": 1}], "count": 1},
            source="by hand",
        ),
        Example(
            {"records": [{"id": 1, "a": {"b": 2, "c": 3}}], "fields": ["a.b"], "mode": "drop"},
            {"records": [{"id": 1, "a": {"c": 3}}]},
            source="by hand",
        ),
        Refusal({"records": [{"id": 1}], "fields": ["ID"]}, "No record has the field 'ID'"),
    ),
    reply={
        "records": "The {count|record}: {records}",
        "": "There are no records.",
    },
)
def json_select_fields(
    records: Table,
    fields: Annotated[Names, About("Fields to select", ["id", "name"], min_items=1, max_items=500)],
    mode: Annotated[Literal["keep", "drop"], About("Whether to keep only these fields or to drop them")] = "keep",
) -> Chosen:
    """Keep or drop fields in a list of JSON objects, including fields of nested objects by dotted names.

    Use it to reduce API responses to the relevant fields or to remove secrets. Returns the objects; missing fields are
    omitted.
    """
    for field in fields:
        if not any(_find(record, field)[0] for record in records):
            raise ToolError(
                f"No record has the field {field!r}. The first has {', '.join(list(records[0])[:20]) or 'none'}."
            )
    selected = [_keep(record, fields) if mode == "keep" else _drop(record, fields) for record in records]
    return {"records": plain(selected), "count": len(selected)}


@tool(
    tags="json sort records order by key ascending descending top",
    use_when=(
        "Sort these JSON objects by price descending",
        "Order the records by team, then by name",
        "Which 3 of these objects have the highest score?",
    ),
    examples=(
        Example(
            {"records": _PEOPLE, "by": [{"field": "team"}, {"field": "points", "direction": "descending"}]},
            {"records": [_PEOPLE[1], _PEOPLE[0], _PEOPLE[2]], "count": 3},
            source="by hand",
        ),
        Example(
            {"records": [{"v": "b10"}, {"v": None}, {"v": "b9"}], "by": [{"field": "v"}], "natural": True, "limit": 2},
            {"records": [{"v": "b9"}, {"v": "b10"}], "count": 2},
            source="by hand: 9 comes before 10, null last",
        ),
        Refusal({"records": [{"a": 1}], "by": [{"field": "b"}]}, "No record has the field 'b'"),
    ),
    reply={
        "records": "The {count|record} in order: {records}",
        "": "There are no records.",
    },
)
def json_sort_records(
    records: Table,
    by: Annotated[
        list[Order],
        About(
            "Sort keys, most significant first",
            [{"field": "price", "direction": "descending"}],
            min_items=1,
            max_items=10,
        ),
    ],
    natural: Annotated[bool, About("Whether to compare digits in texts as numbers, and to ignore case")] = False,
    limit: Annotated[int | None, About("Maximum number of objects", 10, minimum=1, maximum=50_000)] = None,
) -> Chosen:
    """Sort a list of JSON objects by one or more fields, each ascending or descending.

    Use it to rank records. Numbers come before texts; records with a null or missing field come last. Returns the
    sorted objects, or the first ones.
    """
    rows = list(records)
    for order in reversed(by):
        field = order["field"]
        ranked = [(_rank(value, natural), row) for row in rows if (value := _find(row, field)[1]) is not None]
        if not ranked:
            raise ToolError(f"No record has the field {field!r}.")
        missing = [row for row in rows if _find(row, field)[1] is None]
        ranked.sort(key=itemgetter(0), reverse=order.get("direction") == "descending")
        rows = [row for _, row in ranked] + missing
    return {"records": plain(rows[:limit]), "count": len(rows[:limit])}


@tool(
    tags="json group by aggregate count sum mean records summarize",
    use_when=(
        "Group these JSON objects by team and sum the points",
        "How many records are there per status?",
        "What is the average price per category in this list?",
    ),
    examples=(
        Example(
            {
                "records": _PEOPLE,
                "by": ["team"],
                "figures": [{"function": "sum", "field": "points"}, {"function": "count"}],
            },
            {"records": [{"team": "red", "sum_points": 12, "count": 2}, {"team": "blue", "sum_points": 3, "count": 1}]},
            source="by hand",
        ),
        Example(
            {"records": [{"a": {"b": 1}}, {"a": {"b": 1}}, {"a": {}}], "by": ["a.b"]},
            {"records": [{"a.b": 1, "count": 2}, {"a.b": None, "count": 1}], "count": 2},
            source="by hand",
        ),
        Refusal(
            {"records": _PEOPLE, "by": ["team"], "figures": [{"function": "sum", "field": "name"}]}, "not a number"
        ),
    ),
    reply={
        "records": "I found {count|group}: {records}",
        "": "There are no groups.",
    },
)
def json_group_records(
    records: Table,
    by: Annotated[Names, About("Fields that define the groups", ["team"], min_items=1, max_items=10)],
    figures: Annotated[
        list[Figure],
        About("Aggregations for each group", [{"function": "sum", "field": "points"}], min_items=1, max_items=50),
    ] = _COUNT,
) -> Chosen:
    """Group a list of JSON objects by fields and compute counts, sums, means, extremes or lists of each group.

    Use it to summarise records. Returns one object for each group, in the order of first occurrence, with aggregates
    named like sum_points. Records with a null or missing field are ignored for its aggregate.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(dump([_find(record, field)[1] for field in by], None), []).append(record)
    summaries = [
        {field: _find(rows[0], field)[1] for field in by}
        | {_title(figure): _figure(figure, rows) for figure in figures}
        for rows in groups.values()
    ]
    return {"records": plain(summaries), "count": len(summaries)}


def _find(record: Any, field: str) -> tuple[bool, Any]:
    """Return whether a record has a field, and its value; a literal name takes precedence over a dotted path."""
    if isinstance(record, dict) and field in record:
        return True, record[field]
    head, dot, rest = field.partition(".")
    return _find(record[head], rest) if dot and isinstance(record, dict) and head in record else (False, None)


def _keep(record: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    selected: dict[str, Any] = {}
    for field in fields:
        there, value = _find(record, field)
        if there:
            *names, last = [field] if field in record else field.split(".")
            inner = selected
            for name in names:
                inner = inner.setdefault(name, {})
            inner[last] = value
    return selected


def _drop(record: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    rest = {name: value for name, value in record.items() if name not in fields}
    for name, value in rest.items():
        inner = [field.removeprefix(f"{name}.") for field in fields if field.startswith(f"{name}.")]
        if inner and isinstance(value, dict):
            rest[name] = _drop(value, inner)
    return rest


def _rank(value: Any, natural: bool) -> tuple[int, Any]:
    """Return the sort key: numbers first, then texts, then anything else by its JSON text."""
    if isinstance(value, int | float):
        return 0, value
    text = value if isinstance(value, str) else dump(value, None)
    return (1, _pieces(text)) if natural else (1, text)


def _pieces(text: str) -> list[tuple[int, int, str]]:
    """Split into digits as numbers, and other text without case."""
    pieces = re.findall(r"[0-9]{1,4000}|[^0-9]+", text)
    return [(0, int(piece), "") if piece[0] in digits else (1, 0, piece.casefold()) for piece in pieces]


def _title(figure: Figure) -> str:
    return f"{figure['function']}_{figure['field']}" if "field" in figure else figure["function"]


def _figure(figure: Figure, rows: list[dict[str, Any]]) -> Any:
    """Compute an aggregate of one group; null if no record has the field."""
    name = figure["function"]
    if "field" not in figure:
        if name != "count":
            raise ToolError(f"The function {name} needs a field.")
        return len(rows)
    values = [value for row in rows if (value := _find(row, figure["field"])[1]) is not None]
    if name in ("sum", "mean"):
        return _total(values, figure["field"], name == "mean")
    if name == "distinct":
        return len({dump(value, None) for value in values})
    if name in ("min", "max"):
        chosen = min if name == "min" else max
        return chosen(values, key=lambda value: _rank(value, natural=False), default=None)
    return {"count": len(values), "list": values, "first": values[0] if values else None}[name]


def _total(values: list[Any], field: str, mean: bool) -> int | float | None:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ToolError(f"The field {field!r} has the value {str(value)[:40]!r}, which is not a number.")
    try:
        total = sum(values) if all(isinstance(value, int) for value in values) else math.fsum(values)
        return total if not mean else total / len(values) if values else None
    except OverflowError as error:
        raise ToolError(f"The sum of {field!r} is too large for a 64-bit float.") from error
