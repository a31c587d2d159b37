"""Groups of rows: aggregates, ranks and statistics."""

from typing import Annotated, Any, Literal

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Column,
    Columns,
    Rows,
    Table,
    TableFile,
    column,
    column_list,
    columns,
    fresh,
    numeric,
    numerics,
    open_table,
    table,
    table_tool,
)

SALES = [
    {"region": "North", "year": 2025, "amount": 10},
    {"region": "North", "year": 2026, "amount": 20},
    {"region": "South", "year": 2026, "amount": 40},
    {"region": "North", "year": 2026, "amount": 60},
]
_FUNCTIONS = {
    "sum": "sum({})", "mean": "avg({})", "median": "median({})", "min": "min({})", "max": "max({})",
    "count": "count({})", "distinct": "count(DISTINCT {})", "std": "stddev_samp({})", "variance": "var_samp({})",
    "first": "first({})", "last": "last({})",
}  # fmt: skip
_ANY_KIND = ("min", "max", "count", "distinct", "first", "last")

Function = Literal["sum", "mean", "median", "min", "max", "count", "distinct", "std", "variance", "first", "last"]


@tool(
    tags="table aggregate group by sum mean count average total summary csv",
    use_when=(
        "What is the total amount for each region in this file?",
        "Average and maximum salary by department",
        "Count the orders of every customer",
        "Total or average of one column for each value of another",
        "Sum of sales by region, greatest first",
        "Add up a column in Excel",
        "Total of a column in my spreadsheet",
    ),
    examples=(
        Example(
            {"rows": SALES, "group_by": ["region"], "columns": ["amount"], "functions": ["sum", "mean"]},
            {
                "rows": [
                    {"region": "North", "count": 3, "amount_sum": 90, "amount_mean": 30.0},
                    {"region": "South", "count": 1, "amount_sum": 40, "amount_mean": 40.0},
                ],
                "row_count": 2,
                "columns": ["region", "count", "amount_sum", "amount_mean"],
            },
            source="by hand",
        ),
        Example(
            {"rows": SALES, "group_by": ["year"]},
            {"rows": [{"year": 2025, "count": 1}, {"year": 2026, "count": 3}]},
            source="by hand",
        ),
        Example(
            {"rows": SALES, "columns": ["amount"], "functions": ["sum"]},
            {"rows": [{"count": 4, "amount_sum": 130}]},
            source="by hand",
        ),
        Refusal(
            {"rows": SALES, "group_by": ["year"], "columns": ["region"]}, "The column region contains text, not numbers"
        ),
    ),
    reply={
        "file, rows": "I found {row_count|group}; all are in {file}. The first ones: {rows}",
        "rows": "The figures for each group: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_aggregate(
    group_by: Columns | None = None,
    columns: Annotated[list[Column] | None, About("Columns to aggregate", ["amount"], max_items=50)] = None,
    functions: Annotated[
        list[Function] | None, About("Aggregation of each column; default: sum", ["sum"], max_items=11)
    ] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Group a table by one or more columns and compute sums, means, counts and other figures for each group.

    Use it for totals and averages per category, or of the whole table. Returns one row for each group, sorted, with
    the number of its rows and a column such as amount_sum for each figure.
    """
    relation = open_table(file, rows)
    keys = find_known(relation, group_by or [])
    count_name = fresh(relation.project(column_list(keys)), "count") if keys else "count"
    parts = [*map(quote, keys), f"count(*) AS {quote(count_name)}"]
    parts += [
        f"{figure_sql(relation, function, name)} AS {quote(f'{name}_{function}')}"
        for name in columns or ()
        for function in functions or ["sum"]
    ]
    if not keys:
        return table(relation.aggregate(", ".join(parts)), "total.csv")
    return table(relation.aggregate(", ".join(parts), column_list(keys)).order(column_list(keys)), "groups.csv")


@tool(
    tags="table rank rows position order group dense percent ntile top",
    use_when=(
        "Rank the sellers by revenue within each region",
        "Add a column with each runner's place by time",
        "Give every product its position in its category by price",
    ),
    examples=(
        Example(
            {"rows": SALES, "by": "amount", "group_by": ["region"]},
            {
                "rows": [
                    {"region": "North", "year": 2026, "amount": 60, "rank": 1},
                    {"region": "North", "year": 2026, "amount": 20, "rank": 2},
                    {"region": "North", "year": 2025, "amount": 10, "rank": 3},
                    {"region": "South", "year": 2026, "amount": 40, "rank": 1},
                ],
                "row_count": 4,
                "columns": ["region", "year", "amount", "rank"],
            },
            source="by hand",
        ),
        Example(
            {"rows": [{"t": 9}, {"t": 8}, {"t": 8}], "by": "t", "largest_first": False},
            {"rows": [{"t": 8, "rank": 1}, {"t": 8, "rank": 1}, {"t": 9, "rank": 3}]},
            source="by hand: equal values share a rank",
        ),
        Refusal({"rows": SALES, "by": "price"}, "no column price"),
    ),
    reply={
        "file, rows": "The ranked table is in {file}. The first rows: {rows}",
        "rows": "The ranked rows: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_rank_rows(
    by: Column,
    group_by: Annotated[
        list[Column] | None, About("Columns that define groups to rank within", ["region"], max_items=20)
    ] = None,
    largest_first: Annotated[bool, About("Whether the largest value has rank 1")] = True,
    ties: Annotated[
        Literal["shared", "dense", "distinct"],
        About("Ties share a rank followed by a gap, without a gap, or get separate ranks in row order"),
    ] = "shared",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Rank rows by a column, over the whole table or within groups.

    Use it for places, league tables or the best of each category. Missing values come last. Returns the table with a
    column rank, sorted by group and rank.
    """
    relation = open_table(file, rows)
    keys = find_known(relation, group_by or [])
    function = {"shared": "rank", "dense": "dense_rank", "distinct": "row_number"}[ties]
    name = fresh(relation, "rank")
    partition = f"PARTITION BY {column_list(keys)}" if keys else ""
    order = f"{quote(column(relation, by))} {'DESC' if largest_first else 'ASC'} NULLS LAST"
    ranked = relation.project(f"*, {function}() OVER ({partition} ORDER BY {order}) AS {quote(name)}")
    return table(ranked.order(column_list([*keys, name])), "ranked.csv")


@tool(
    tags="table describe groups statistics mean median quartile deviation per category",
    use_when=(
        "Compare the mean and spread of the scores per class",
        "Give quartiles of the price by brand",
        "How do salaries differ between departments?",
    ),
    examples=(
        Example(
            {"rows": SALES, "group_by": ["region"], "columns": ["amount"]},
            {
                "rows": [
                    {
                        "region": "North",
                        "column": "amount",
                        "count": 3,
                        "mean": 30.0,
                        "q1": 15.0,
                        "median": 20.0,
                        "max": 60,
                    },
                    {"region": "South", "column": "amount", "count": 1, "mean": 40.0, "deviation": None},
                ]
            },
            source="by hand; quartiles interpolated linearly (R type 7); the deviation of one value is not defined",
        ),
        Example({"rows": SALES, "group_by": ["region"]}, {"row_count": 4}, source="two groups, two columns of numbers"),
        Refusal({"rows": SALES, "group_by": ["region"], "columns": ["region"]}, "not numbers"),
    ),
    reply={
        "file, rows": "I found {row_count|row} of figures; all are in {file}. The first ones: {rows}",
        "rows": "The figures for each group: {rows}",
        "": "The table has no numbers to describe.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_describe_groups(
    group_by: Columns,
    columns: Annotated[list[Column] | None, About("Numeric columns; default: all", ["amount"], max_items=50)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Describe numeric columns (columns of numbers) for each group: count, mean, deviation, smallest, quartiles and
    largest.

    Use it to compare groups. Returns one row for each group and column.
    """
    relation = open_table(file, rows)
    keys = find_known(relation, group_by)
    chosen = [name for name in numerics(relation, columns) if columns or name not in keys]
    if not chosen:
        raise ToolError("No numeric column is left besides the columns that define the groups.")
    parts = [_describe(relation, keys, name) for name in chosen]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.union(part)
    return table(whole.order(column_list([*keys, whole.columns[len(keys)]])), "groups.csv")


def find_known(relation: Any, names: list[str]) -> list[str]:
    return columns(relation, names)


def figure_sql(relation: Any, function: str, name: str) -> str:
    """Return an aggregate of a column as SQL; most require numbers."""
    found = column(relation, name) if function in _ANY_KIND else numeric(relation, name)
    return _FUNCTIONS[function].format(quote(found))


def _describe(relation: Any, keys: list[str], name: str) -> Any:
    it = quote(name)
    label = fresh(relation.project(column_list(keys)), "column")
    quantiles = [f"quantile_cont({it}, {share})" for share in (0.25, 0.5, 0.75)]
    figures = [f"count({it})", f"avg({it})", f"stddev_samp({it})", f"min({it})", *quantiles, f"max({it})"]
    names = ("count", "mean", "deviation", "min", "q1", "median", "q3", "max")
    parts = [f"{figure} AS {quote(title)}" for figure, title in zip(figures, names, strict=True)]
    return relation.aggregate(
        f"{column_list(keys)}, {literal(name)} AS {quote(label)}, {', '.join(parts)}", column_list(keys)
    )
