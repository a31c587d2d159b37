"""Time series in tables: resampling, and anomalies."""

from typing import Annotated, Any, Literal

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    Column,
    Rows,
    Table,
    TableFile,
    column,
    column_list,
    fresh,
    moment,
    number_lines,
    numeric,
    numerics,
    open_table,
    table,
    table_tool,
    value,
)
from retinue_tools.data_analysis.rolling_windows import DAYS, FIGURES, OrderBy


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
        Refusal({"time": "v", "every": "day", "rows": DAYS}, "not dates"),
    ),
    reply={
        "file, rows": "The table by {args.every} is in {file}. The first rows: {rows}",
        "rows": "The table by {args.every}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_resample_time(
    time: Annotated[str, About("Column with dates or times", "day", min_length=1, max_length=200)],
    every: Annotated[
        Literal["minute", "hour", "day", "week", "month", "quarter", "year"], About("Period; weeks begin on Monday")
    ],
    figure: Annotated[
        Literal["sum", "mean", "min", "max", "median", "count", "first", "last"],
        About("Aggregation of the values in a period"),
    ] = "sum",
    columns: Annotated[list[Column] | None, About("Numeric columns; default: all", ["amount"], max_items=50)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Resample time-stamped rows to minutes, hours, days, weeks, months, quarters or years.

    Use it to get totals or means per period; periods without rows are included with nulls. Returns one row for each
    period with its beginning, its number of rows and the aggregates.
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
    figures = [f"{FIGURES[figure].format(quote(name))} AS {quote(name)}" for name in chosen]
    step, at = fresh(relation, "step"), fresh(relation, "at")
    grouped = known.aggregate(f"{start} AS {quote(step)}, count(*) AS {quote(count)}, {', '.join(figures)}", start)
    ends = known.aggregate(f"min({start})::TIMESTAMP AS a, max({start})::TIMESTAMP AS b")
    every_step = ends.project(f"unnest(generate_series(a, b, INTERVAL 1 {every})) AS {quote(at)}")
    joined = every_step.set_alias("e").join(grouped.set_alias("g"), f"{quote(at)} = {quote(step)}", how="left")
    time_cell = f"{quote(at)}{'' if every in ('minute', 'hour') else '::DATE'}"
    parts = [f"{time_cell} AS {quote(when)}", f"coalesce({quote(count)}, 0) AS {quote(count)}", column_list(chosen)]
    return table(joined.order(quote(at)).project(", ".join(parts)), "resampled.csv")


class Anomalies(Table):
    """A series with anomalies."""

    anomalies: Annotated[int, About("Number of anomalies")]


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
        Refusal({"column": "w", "rows": DAYS}, "no column w"),
    ),
    reply={
        "anomalies, rows": "I found {anomalies|anomaly|anomalies}: {rows}",
        "": "There are no anomalies in {args.column}.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_detect_anomalies(
    column: Column,
    window: Annotated[
        int, About("Number of rows around a value that determine the expected value", 15, minimum=3, maximum=1001)
    ] = 15,
    threshold: Annotated[float, About("Minimum score of an unusual value", 3.5, minimum=1, maximum=100)] = 3.5,
    order_by: OrderBy = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Anomalies:
    """Find anomalies: values of a series that are far from the median of their neighbours, by a robust modified
    z-score.

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
