"""Columns of numbers in an order: moving and running figures, differences, other time steps, anomalies."""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
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
    moment,
    number_lines,
    numeric,
    numerics,
    open_table,
    readable_errors,
    records,
    table,
    value,
)

_DAYS = [{"day": f"2026-01-0{day}", "v": v} for day, v in ((1, 10), (2, 20), (3, 60), (4, 40))]
_FIGURES = {"mean": "avg({})", "sum": "sum({})", "min": "min({})", "max": "max({})", "median": "median({})",
            "std": "stddev_samp({})", "count": "count({})", "first": "first({})", "last": "last({})"}  # fmt: skip


class Step(TypedDict):
    """A change from one row to another."""

    row: Annotated[dict[str, Any], About("The later row")]
    by: Annotated[float, About("How much it rose or fell, without a sign")]


class Differences(Table):
    """A table with what changed from row to row."""

    largest_rise: Annotated[Step | None, About("Null where nothing rose, or for the earlier value itself")]
    largest_fall: Annotated[Step | None, About("Null where nothing fell, or for the earlier value itself")]


OrderBy = Annotated[
    str | None, About("Column to order by, such as the date; the given order by default", "day", max_length=200)
]
Within = Annotated[list[Column] | None, About("Columns that make separate series", ["product"], max_items=20)]


@tool(
    tags="rolling moving average window sum deviation smooth time series",
    use_when=(
        "Compute the 7-day moving average of the visits",
        "Rolling sum of the last 3 months of sales by product",
        "Smooth this series of measurements",
    ),
    examples=(
        Example(
            {"column": "v", "window": 2, "rows": _DAYS, "order_by": "day"},
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
            {"column": "v", "window": 3, "figure": "max", "partial": True, "rows": _DAYS[:2]},
            {"rows": [{"v": 10, "v_rolling_max": 10}, {"v": 20, "v_rolling_max": 20}]},
            source="by hand",
        ),
        Refusal({"column": "day", "window": 2, "rows": _DAYS}, "not numbers"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_rolling_window(
    column: Column,
    window: Annotated[
        int, About("How many rows a window has, the current one the last", 7, minimum=1, maximum=100_000)
    ],
    figure: Annotated[Literal["mean", "sum", "min", "max", "median", "std"], About("What to compute")] = "mean",
    order_by: OrderBy = None,
    group_by: Within = None,
    partial: Annotated[bool, About("Whether the first rows get a figure of fewer rows, else null")] = False,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Compute a moving average, sum, minimum, maximum, median or deviation over the last rows of a column.

    Use it to smooth a series or to watch recent values, also for each product or place apart. Returns the table, in
    order, with one column more.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    frame = f"ROWS BETWEEN {window - 1} PRECEDING AND CURRENT ROW"
    it = quote(name)

    def term(over: str) -> str:
        cell = f"{_FIGURES[figure].format(it)} OVER ({over} {frame})"
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
            {"column": "v", "rows": _DAYS, "order_by": "day"},
            {
                "rows": [{"v_cumulative_sum": n} for n in (10, 30, 90, 130)],
                "row_count": 4,
                "columns": ["day", "v", "v_cumulative_sum"],
            },
            source="by hand",
        ),
        Example(
            {"column": "v", "figure": "max", "rows": _DAYS},
            {"rows": [{"v_cumulative_max": n} for n in (10, 20, 60, 60)]},
            source="by hand",
        ),
        Refusal({"column": "w", "rows": _DAYS}, "no column w"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_cumulative(
    column: Column,
    figure: Annotated[Literal["sum", "product", "min", "max", "mean", "count"], About("What to accumulate")] = "sum",
    order_by: OrderBy = None,
    group_by: Within = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Add a running total of a column, or its product, extreme, mean or count so far.

    Use it for year-to-date figures and records, also for each group apart. Returns the table, in order, with one
    column more.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    cell = ({"product": "product({})"} | _FIGURES)[figure].format(quote(name))
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
            {"column": "v", "rows": _DAYS},
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
            {"column": "v", "compute": "percent", "rows": _DAYS},
            {"rows": [{"v_percent_1": n} for n in (None, 100.0, 200.0, -100 / 3)]},
            source="by hand",
        ),
        Example(
            {"column": "v", "compute": "value", "periods": 2, "rows": _DAYS},
            {"rows": [{"v_value_2": n} for n in (None, None, 10, 20)]},
            source="by hand",
        ),
        Refusal({"column": "day", "rows": _DAYS}, "not numbers"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_lag_difference(
    column: Column,
    compute: Annotated[
        Literal["change", "percent", "value"], About("Difference, change in percent, or the earlier value itself")
    ] = "change",
    periods: Annotated[int, About("How many rows back; negative for rows ahead", minimum=-10_000, maximum=10_000)] = 1,
    order_by: OrderBy = None,
    group_by: Within = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Differences:
    """Compare each row of a column with an earlier one: difference, percent change, or the earlier value.

    Use it for growth rates and changes over time, also for each group apart. Returns the table, in order, with one
    column more, and the largest rise and fall; rows without an earlier one get null.
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
    """The row with the largest rise (DESC) or fall (ASC) in the last column, if there is one."""
    name = compared.columns[-1]
    change = quote(name)
    moved = compared.filter(f"{change} {'<' if order == 'ASC' else '>'} 0")
    found = records(moved.order(f"{change} {order}").limit(1))
    return {"row": found[0], "by": abs(found[0][name])} if found else None


def _with(relation: Any, title: str, term: Any, order_by: str | None, group_by: list[str] | None) -> Table:
    """The table in order with a column more, computed over a window that `term` is given the start of."""
    return table(_extend(relation, title, term, order_by, group_by), "series.csv")


def _extend(relation: Any, title: str, term: Any, order_by: str | None, group_by: list[str] | None) -> Any:
    ordered, row = number_lines(relation)
    by = f"{quote(column(relation, order_by))}, {quote(row)}" if order_by else quote(row)
    keys = columns(relation, group_by or [])
    over = f"{f'PARTITION BY {column_list(keys)} ' if keys else ''}ORDER BY {by}"
    extended = ordered.project(f"*, {term(over)} AS {quote(fresh(ordered, title))}")
    order = ", ".join([column_list(keys), by]) if keys else by
    kept = [name for name in extended.columns if name != row]
    return extended.order(order).project(column_list(kept))


@tool(
    tags="resample time series frequency daily weekly monthly aggregate downsample date",
    use_when=(
        "Turn the daily sales into monthly totals",
        "Average this sensor data per hour",
        "Group the events by week, also weeks without any",
    ),
    examples=(
        Example(
            {
                "time": "day",
                "every": "month",
                "rows": [{"day": "2026-01-05", "v": 1}, {"day": "2026-01-20", "v": 2}, {"day": "2026-03-01", "v": 5}],
            },
            {
                "rows": [
                    {"day": "2026-01-01", "rows": 2, "v": 3},
                    {"day": "2026-02-01", "rows": 0, "v": None},
                    {"day": "2026-03-01", "rows": 1, "v": 5},
                ]
            },
            source="by hand",
        ),
        Example(
            {
                "time": "t",
                "every": "hour",
                "figure": "mean",
                "rows": [{"t": "2026-01-05T10:15", "v": 1}, {"t": "2026-01-05T10:45", "v": 2}],
            },
            {"rows": [{"t": "2026-01-05T10:00:00", "rows": 2, "v": 1.5}]},
            source="by hand",
        ),
        Refusal({"time": "v", "every": "day", "rows": _DAYS}, "not dates"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_resample_time(
    time: Annotated[str, About("Column with dates or times", "day", min_length=1, max_length=200)],
    every: Annotated[
        Literal["minute", "hour", "day", "week", "month", "quarter", "year"], About("Step; weeks begin on Monday")
    ],
    figure: Annotated[
        Literal["sum", "mean", "min", "max", "median", "count", "first", "last"],
        About("What becomes of the values in a step"),
    ] = "sum",
    columns: Annotated[
        list[Column] | None, About("Columns of numbers; all by default", ["amount"], max_items=50)
    ] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Resample time-stamped rows to minutes, hours, days, weeks, months, quarters or years.

    Use it to get totals or means per period; periods without rows are there with nulls. Returns one row for each
    period with its beginning, the number of rows in it and the figures.
    """
    relation = open_table(file, rows)
    when = moment(relation, time)
    chosen = numerics(relation, columns)
    known = relation.filter(f"{quote(when)} IS NOT NULL").order(quote(when))
    start = f"date_trunc('{every}', {quote(when)})"
    steps = value(known, f"date_diff('{every}', min({quote(when)}), max({quote(when)}))")
    if steps is None or steps > 1_000_000:
        raise ToolError("There are no dates, or they span more than a million steps. Choose a longer step.")
    count = fresh(relation, "rows")
    figures = [f"{_FIGURES[figure].format(quote(name))} AS {quote(name)}" for name in chosen]
    step, at = fresh(relation, "step"), fresh(relation, "at")
    grouped = known.aggregate(f"{start} AS {quote(step)}, count(*) AS {quote(count)}, {', '.join(figures)}", start)
    ends = known.aggregate(f"min({start})::TIMESTAMP AS a, max({start})::TIMESTAMP AS b")
    every_step = ends.project(f"unnest(generate_series(a, b, INTERVAL 1 {every})) AS {quote(at)}")
    joined = every_step.set_alias("e").join(grouped.set_alias("g"), f"{quote(at)} = {quote(step)}", how="left")
    shown = f"{quote(at)}{'' if every in ('minute', 'hour') else '::DATE'}"
    parts = [f"{shown} AS {quote(when)}", f"coalesce({quote(count)}, 0) AS {quote(count)}", column_list(chosen)]
    return table(joined.order(quote(at)).project(", ".join(parts)), "resampled.csv")


class Anomalies(Table):
    """A series with its anomalies."""

    anomalies: Annotated[int, About("How many there are")]


@tool(
    tags="anomaly detection outlier spike time series robust mad unusual alert",
    use_when=(
        "Which days have unusual traffic?",
        "Find anomalies in this series of sensor values",
        "Are there spikes in the daily costs?",
    ),
    examples=(
        Example(
            {"column": "v", "window": 5, "rows": [{"v": v} for v in (10, 11, 9, 10, 60, 10, 11, 9, 10)]},
            {"anomalies": 1, "rows": [{"v": 60, "expected": 10.0, "score": 0.6744897501960817 * 50 / 1.0}]},
            source="by hand: 9, 10, 10, 11, 60 have the median 10; the median distance of all rows is 1",
        ),
        Example(
            {"column": "v", "rows": [{"v": 1}, {"v": 2}, {"v": 3}, {"v": 4}]},
            {"anomalies": 0, "rows": []},
            source="a straight line",
        ),
        Refusal({"column": "w", "rows": _DAYS}, "no column w"),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_detect_anomalies(
    column: Column,
    window: Annotated[int, About("Rows around a value that tell what is expected", 15, minimum=3, maximum=1001)] = 15,
    threshold: Annotated[float, About("Score from which a value is unusual", 3.5, minimum=1, maximum=100)] = 3.5,
    order_by: OrderBy = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Anomalies:
    """Find values of a series that lie far from the median of their neighbours, by a robust modified z-score.

    Use it for spikes and drops in measurements, traffic or costs. Returns the unusual rows with the expected value and
    the score, in order.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    ordered, row = number_lines(relation)
    by = f"{quote(_name_of(relation, order_by))}, {quote(row)}" if order_by else quote(row)
    half = window // 2
    near = f"median({quote(name)}) OVER (ORDER BY {by} ROWS BETWEEN {half} PRECEDING AND {half} FOLLOWING)"
    expected, score, distance = (fresh(relation, title) for title in ("expected", "score", "distance"))
    compared = ordered.project(f"*, {near} AS {quote(expected)}")
    measured = compared.project(f"*, {quote(name)} - {quote(expected)} AS {quote(distance)}")
    spread = value(measured, f"quantile_cont(abs({quote(distance)}), 0.5)") or 0.0
    fallback = value(measured, f"avg(abs({quote(distance)}))") or 0.0
    if not spread and not fallback:
        return {
            **table(measured.filter("false").project(column_list([*relation.columns, expected])), "anomalies.csv"),
            "anomalies": 0,
        }
    scale = f"0.6744897501960817 / {spread!r}" if spread else f"0.7978845608028654 / {fallback!r}"
    scored = measured.project(f"*, {quote(distance)} * {scale} AS {quote(score)}")
    unusual = scored.filter(f"abs({quote(score)}) > {threshold!r}").order(by)
    result = table(unusual.project(column_list([*relation.columns, expected, score])), "anomalies.csv")
    return {**result, "anomalies": result["row_count"]}


def _name_of(relation: Any, name: str) -> str:
    return column(relation, name)
