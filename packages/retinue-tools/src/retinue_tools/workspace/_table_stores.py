"""Columns and conditions of the user's tables."""

from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, ExampleCall, ToolError
from retinue.sdk.workspace import FilterOperator, Row

TableName = Annotated[str, About("Name of the table", "expenses", min_length=1, max_length=60)]
ColumnName = Annotated[
    str, About("Name of a column", "amount", pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,39}$", max_length=40)
]


class Condition(TypedDict):
    """A condition on a column."""

    column: ColumnName
    operator: Annotated[FilterOperator, About("Comparison; contains ignores case, in needs a list")]
    value: NotRequired[Annotated[Any, About("Value to compare with", 100)]]


Where = Annotated[
    list[Condition],
    About("Conditions on rows", [{"column": "amount", "operator": ">", "value": 100}], max_items=20),
]


class Changed(TypedDict):
    """Result of a change."""

    rows: Annotated[int, About("Number of affected rows")]


def make_call(name: str) -> ExampleCall:
    """Return the calls that create a table with two rows for an example."""
    columns = [
        {"name": "item", "type": "text", "required": True},
        {"name": "amount", "type": "number", "required": False},
        {"name": "day", "type": "date", "required": False},
    ]
    return ExampleCall("table_store_create", {"table": name, "columns": columns})


def fill_calls(name: str) -> tuple[ExampleCall, ExampleCall]:
    rows = [
        {"item": "tea", "amount": 3.5, "day": "2026-01-02"},
        {"item": "cake", "amount": 4, "day": "2026-01-03"},
        {"item": "Tea pot", "amount": 20},
    ]
    return make_call(name), ExampleCall("table_store_insert", {"table": name, "rows": rows})


def check_column(table: Row, name: str) -> None:
    if name not in {column["name"] for column in table.body["columns"]}:
        raise ToolError(f"The table has no column {name!r}.")
