"""Rolling and cumulative aggregates of a column, and differences to earlier rows."""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    Column,
    Rows,
    Table,
    TableFile,
    column,
    column_list,
    columns,
    fresh,
    number_lines,
    numeric,
    open_table,
    records,
    table,
    table_tool,
)

DAYS = [{"day": f"2026-01-0{day}", "v": v} for day, v in ((1, 10), (2, 20), (3, 60), (4, 40))]
FIGURES = {"mean": "avg({})", "sum": "sum({})", "min": "min({})", "max": "max({})", "median": "median({})",
            "std": "stddev_samp({})", "count": "count({})", "first": "first({})", "last": "last({})"}  # fmt: skip


class Step(TypedDict):
    """A change from one row to another."""

    row: Annotated[dict[str, Any], About("The later row")]
    by: Annotated[float, About("Amount of the change, without a sign")]


class Differences(Table):
    """A table with differences between rows."""

    largest_rise: Annotated[Step | None, About("Largest rise; null if nothing rose, or for the earlier value itself")]
    largest_fall: Annotated[Step | None, About("Largest fall; null if nothing fell, or for the earlier value itself")]


OrderBy = Annotated[
    str | None, About("Column to order by, such as the date; default: the given order", "day", max_length=200)
]
Within = Annotated[list[Column] | None, About("Columns that define separate series", ["product"], max_items=20)]


@tool(
    tags="rolling moving average window sum deviation smooth time series",
    use_when=(
        "Compute the 7-day moving average of the visits",
        "Rolling sum of the last 3 months of sales by product",
        "Smooth this series of measurements",
    ),
    examples=(
        Example(
            {"column": "v", "window": 2, "rows": DAYS, "order_by": "day"},
            {
                "rows": [
                    {"v": 10, "v_rolling_mean": None},
                    {"v": 20, "v_rolling_mean": 15.0},
                    {"v": 60, "v_rolling_mean": 40.0},
                    {"v": 40, "v_rolling_mean": 50.0},
                ],
                "row_count": 4,
                "columns": ["day", "v", "v_rolling_mean"],
            },
            source="by hand",
        ),
        Example(
            {"column": "v", "window": 3, "figure": "max", "partial": True, "rows": DAYS[:2]},
            {"rows": [{"v": 10, "v_rolling_max": 10}, {"v": 20, "v_rolling_max": 20}]},
            source="by hand",
        ),
        Refusal({"column": "day", "window": 2, "rows": DAYS}, "not numbers"),
    ),
    reply={
        "file, rows": "The table with the moving figures of {args.column} is in {file}. The first rows: {rows}",
        "rows": "The table with the moving figures of {args.column}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_rolling_window(
    column: Column,
    window: Annotated[
        int, About("Number of rows in a window, ending with the current one", 7, minimum=1, maximum=100_000)
    ],
    figure: Annotated[Literal["mean", "sum", "min", "max", "median", "std"], About("Function to compute")] = "mean",
    order_by: OrderBy = None,
    group_by: Within = None,
    partial: Annotated[bool, About("Whether the first rows get a result from fewer rows; otherwise null")] = False,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Compute a moving average, sum, minimum, maximum, median or deviation over the last rows of a column.

    Use it to smooth a series or to watch recent values, optionally for each product or place separately. Returns the
    table, in order, with an additional column.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    frame = f"ROWS BETWEEN {window - 1} PRECEDING AND CURRENT ROW"
    it = quote(name)

    def term(over: str) -> str:
        cell = f"{FIGURES[figure].format(it)} OVER ({over} {frame})"
        return cell if partial else f"CASE WHEN count(*) OVER ({over} {frame}) = {window} THEN {cell} END"

    return _with(relation, f"{name}_rolling_{figure}", term, order_by, group_by)


@tool(
    tags="cumulative running total sum product max min year to date",
    use_when=(
        "Add a running total to the table",
        "What is the cumulative revenue by month?",
        "Show the highest value so far in each row",
    ),
    examples=(
        Example(
            {"column": "v", "rows": DAYS, "order_by": "day"},
            {
                "rows": [{"v_cumulative_sum": n} for n in (10, 30, 90, 130)],
                "row_count": 4,
                "columns": ["day", "v", "v_cumulative_sum"],
            },
            source="by hand",
        ),
        Example(
            {"column": "v", "figure": "max", "rows": DAYS},
            {"rows": [{"v_cumulative_max": n} for n in (10, 20, 60, 60)]},
            source="by hand",
        ),
        Refusal({"column": "w", "rows": DAYS}, "no column w"),
    ),
    reply={
        "file, rows": "The running total of {args.column} is in {file}. The first rows: {rows}",
        "rows": "The table with {args.column} so far: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_cumulative(
    column: Column,
    figure: Annotated[
        Literal["sum", "product", "min", "max", "mean", "count"], About("Function to accumulate")
    ] = "sum",
    order_by: OrderBy = None,
    group_by: Within = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Add a running total of a column, or its product, extreme, mean or count so far.

    Use it for year-to-date figures and records, optionally for each group separately. Returns the table, in order, with
    an additional column.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    cell = ({"product": "product({})"} | FIGURES)[figure].format(quote(name))
    return _with(
        relation,
        f"{name}_cumulative_{figure}",
        lambda over: f"{cell} OVER ({over} ROWS UNBOUNDED PRECEDING)",
        order_by,
        group_by,
    )


@tool(
    tags="lag lead shift difference change percent growth previous period month over month",
    use_when=(
        "Compute the month-over-month growth in percent",
        "Add the previous day's value to each row",
        "What is the change from one measurement to the next?",
        "Growth from month to month, or year over year, in percent",
    ),
    examples=(
        Example(
            {"column": "v", "rows": DAYS},
            {
                "rows": [{"v_change_1": n} for n in (None, 10, 40, -20)],
                "row_count": 4,
                "columns": ["day", "v", "v_change_1"],
                "largest_rise": {"row": {"day": "2026-01-03", "v": 60, "v_change_1": 40}, "by": 40},
                "largest_fall": {"row": {"day": "2026-01-04", "v": 40, "v_change_1": -20}, "by": 20},
            },
            source="by hand",
        ),
        Example(
            {"column": "v", "compute": "percent", "rows": DAYS},
            {"rows": [{"v_percent_1": n} for n in (None, 100.0, 200.0, -100 / 3)]},
            source="by hand",
        ),
        Example(
            {"column": "v", "compute": "value", "periods": 2, "rows": DAYS},
            {"rows": [{"v_value_2": n} for n in (None, None, 10, 20)]},
            source="by hand",
        ),
        Refusal({"column": "day", "rows": DAYS}, "not numbers"),
    ),
    reply={
        "file, rows": "The table with the changes of {args.column} is in {file}. The first rows: {rows}",
        "rows": "The table with the changes of {args.column}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_lag_difference(
    column: Column,
    compute: Annotated[
        Literal["change", "percent", "value"], About("Difference, change in percent, or the earlier value itself")
    ] = "change",
    periods: Annotated[int, About("Number of rows back; negative for rows ahead", minimum=-10_000, maximum=10_000)] = 1,
    order_by: OrderBy = None,
    group_by: Within = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Differences:
    """Compare each row of a column with an earlier one: difference, percent change, or the earlier value.

    Use it for growth rates and changes over time, optionally for each group separately. Returns the table, in order,
    with an additional column, and the largest rise and fall; rows without an earlier one get null.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    it = quote(name)

    def term(over: str) -> str:
        before = f"lag({it}, {periods}) OVER ({over})"
        cells = {
            "value": before,
            "change": f"{it} - {before}",
            "percent": f"100.0 * ({it} - {before}) / nullif(abs({before}), 0)",
        }
        return cells[compute]

    compared = _extend(relation, f"{name}_{compute}_{periods}", term, order_by, group_by)
    steps = [None, None] if compute == "value" else [_largest(compared, order) for order in ("DESC", "ASC")]
    return {**table(compared, "series.csv"), "largest_rise": steps[0], "largest_fall": steps[1]}


def _largest(compared: Any, order: str) -> Step | None:
    """Return the row with the largest rise (DESC) or fall (ASC) in the last column, if there is one."""
    name = compared.columns[-1]
    change = quote(name)
    moved = compared.filter(f"{change} {'<' if order == 'ASC' else '>'} 0")
    found = records(moved.order(f"{change} {order}").limit(1))
    return {"row": found[0], "by": abs(found[0][name])} if found else None


def _with(relation: Any, title: str, term: Any, order_by: str | None, group_by: list[str] | None) -> Table:
    """Return the table in order with an additional column, computed over a window whose start is passed to `term`."""
    return table(_extend(relation, title, term, order_by, group_by), "series.csv")


def _extend(relation: Any, title: str, term: Any, order_by: str | None, group_by: list[str] | None) -> Any:
    ordered, row = number_lines(relation)
    by = f"{quote(column(relation, order_by))}, {quote(row)}" if order_by else quote(row)
    keys = columns(relation, group_by or [])
    over = f"{f'PARTITION BY {column_list(keys)} ' if keys else ''}ORDER BY {by}"
    extended = ordered.project(f"*, {term(over)} AS {quote(fresh(ordered, title))}")
    order = ", ".join([column_list(keys), by]) if keys else by
    remaining = [name for name in extended.columns if name != row]
    return extended.order(order).project(column_list(remaining))
