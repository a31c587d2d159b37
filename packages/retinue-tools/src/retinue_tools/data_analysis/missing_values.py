"""Missing values and outliers in tables."""

from typing import Annotated, Any, Literal

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Column,
    Rows,
    Table,
    TableFile,
    column_list,
    columns,
    fresh,
    kind_of,
    number_lines,
    numeric,
    open_table,
    replace,
    table,
    table_tool,
    value,
    values,
)

_GAPS = [{"t": 1, "v": 10.0}, {"t": 2, "v": None}, {"t": 3, "v": None}, {"t": 4, "v": 40.0}]
_FILLS = {"mean": "avg({})", "median": "median({})", "most_common": "mode({})"}


class Filled(Table):
    """A table with filled gaps."""

    filled: Annotated[int, About("Number of filled values")]


@tool(
    tags="missing values fill null nan impute interpolate mean median forward fill clean",
    use_when=(
        "Fill the missing ages with the median",
        "Interpolate the gaps in this time series",
        "Replace empty cells in the column status by unknown",
    ),
    examples=(
        Example(
            {"rows": _GAPS, "columns": ["v"], "method": "interpolate"},
            {
                "rows": [{"t": 1, "v": 10.0}, {"t": 2, "v": 20.0}, {"t": 3, "v": 30.0}, {"t": 4, "v": 40.0}],
                "filled": 2,
                "row_count": 4,
                "columns": ["t", "v"],
            },
            source="by hand: a straight line",
        ),
        Example(
            {"rows": _GAPS, "columns": ["v"], "method": "previous"},
            {"rows": [_GAPS[0], {"t": 2, "v": 10.0}, {"t": 3, "v": 10.0}, _GAPS[3]]},
            source="by hand",
        ),
        Example(
            {"rows": [{"s": None}, {"s": "a"}], "columns": ["s"], "constant": "none"},
            {"rows": [{"s": "none"}, {"s": "a"}]},
            source="by hand",
        ),
        Refusal({"rows": [{"s": None}, {"s": "a"}], "columns": ["s"], "method": "mean"}, "not numbers"),
        Refusal({"rows": _GAPS, "columns": ["v"]}, "constant"),
    ),
    reply={
        "file, rows": "I filled {filled|value}; the whole table is in {file}. The first rows: {rows}",
        "filled, rows": "I filled {filled|value}: {rows}",
        "rows": "There were no missing values: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_fill_missing(
    columns: Annotated[list[Column], About("Columns to fill", ["age"], min_items=1, max_items=100)],
    method: Annotated[
        Literal["constant", "mean", "median", "most_common", "previous", "next", "interpolate"],
        About(
            "Replacement: previous and next copy the neighbouring row's value, interpolate draws a line between both"
        ),
    ] = "constant",
    constant: Annotated[str | float | bool | None, About("Value for the method constant", "unknown")] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Filled:
    """Fill missing values of columns by a constant, mean, median, most common or neighbouring value, or by
    interpolation.

    Use it to prepare data for analysis. The order of rows is kept and determines the neighbours. Returns the table and
    the number of filled values.
    """
    relation = open_table(file, rows)
    chosen = find_known(relation, columns)
    ordered, row = number_lines(relation)
    filled = replace(ordered, {name: _fill_column(relation, name, method, constant, row) for name in chosen}).order(
        quote(row)
    )
    gaps = [f"count(*) - count({quote(name)})" for name in chosen]
    before, after = sum(values(relation, gaps)), sum(values(filled, gaps))
    return {**table(filled.project(column_list(relation.columns)), "filled.csv"), "filled": before - after}


def _fill_column(relation: Any, name: str, method: str, constant: Any, row: str) -> str:
    """Return a column without gaps, as SQL."""
    it, by = quote(name), quote(row)
    if method == "constant":
        if constant is None:
            raise ToolError("Give the constant to fill the gaps with, or choose another method.")
        return f"coalesce({it}{_cast(relation, name, constant)}, {literal(constant)})"
    if method in ("mean", "median", "interpolate"):
        numeric(relation, name)
    if method in _FILLS:
        return f"coalesce({it}, {_FILLS[method].format(it)} OVER ())"
    past, future = "ROWS UNBOUNDED PRECEDING", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    last = f"last_value({it} IGNORE NULLS) OVER (ORDER BY {by} {past})"
    coming = f"first_value({it} IGNORE NULLS) OVER (ORDER BY {by} {future})"
    if method != "interpolate":
        return last if method == "previous" else coming
    at = f"CASE WHEN {it} IS NOT NULL THEN {by} END"
    start = f"last_value({at} IGNORE NULLS) OVER (ORDER BY {by} {past})"
    end = f"first_value({at} IGNORE NULLS) OVER (ORDER BY {by} {future})"
    return f"coalesce({it}::DOUBLE, {last} + ({coming} - {last}) * ({by} - {start}) / ({end} - {start}))"


def _cast(relation: Any, name: str, constant: Any) -> str:
    """Add a constant; if it is of another kind, the column becomes text."""
    fits = {"integer": (int, float), "number": (int, float), "boolean": (bool,)}.get(kind_of(relation, name), ())
    return "" if isinstance(constant, fits) and (bool in fits) == isinstance(constant, bool) else "::VARCHAR"


class Dropped(Table):
    """A table without incomplete rows or columns."""

    dropped_rows: Annotated[int, About("Number of dropped rows")]
    dropped_columns: Annotated[list[str], About("Dropped columns")]


@tool(
    tags="missing values drop rows columns null empty incomplete clean",
    use_when=(
        "Remove all rows with an empty email",
        "Drop columns that are more than half empty",
        "Keep only complete records of this file",
    ),
    examples=(
        Example(
            {"rows": _GAPS}, {"rows": [_GAPS[0], _GAPS[3]], "dropped_rows": 2, "dropped_columns": []}, source="by hand"
        ),
        Example(
            {"rows": _GAPS, "what": "columns", "most_missing_percent": 40},
            {"columns": ["t"], "dropped_columns": ["v"]},
            source="half of v is missing",
        ),
        Example(
            {"rows": _GAPS, "what": "columns", "most_missing_percent": 50},
            {"columns": ["t", "v"]},
            source="half of v is missing",
        ),
        Refusal({"rows": _GAPS, "columns": ["w"]}, "no column w"),
    ),
    reply={
        "dropped_columns, rows": "I dropped {dropped_columns}: {rows}",
        "dropped_rows, rows": "I dropped {dropped_rows|row}: {rows}",
        "rows": "There was nothing to drop: {rows}",
        "": "No rows are left.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_drop_missing(
    what: Annotated[Literal["rows", "columns"], About("Drop rows or columns")] = "rows",
    columns: Annotated[list[Column] | None, About("Columns to check; default: all", ["email"], max_items=500)] = None,
    most_missing_percent: Annotated[
        float, About("Maximum share of missing values to keep a row or column", minimum=0, maximum=99.99)
    ] = 0,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Dropped:
    """Drop the rows or the columns of a table with too many missing values.

    Use it to keep complete records, or to remove sparse columns. Returns the remaining table and the dropped columns or
    number of rows.
    """
    relation = open_table(file, rows)
    chosen = find_known(relation, columns) if columns else relation.columns
    total = value(relation, "count(*)")
    if what == "rows":
        gaps = " + ".join(f"({quote(name)} IS NULL)::INTEGER" for name in chosen)
        result = table(relation.filter(f"({gaps}) * 100.0 / {len(chosen)} <= {most_missing_percent}"), "complete.csv")
        return {**result, "dropped_rows": total - result["row_count"], "dropped_columns": []}
    shares = values(relation, [f"100.0 * (count(*) - count({quote(name)})) / greatest(count(*), 1)" for name in chosen])
    empty = [name for name, share in zip(chosen, shares, strict=True) if share > most_missing_percent]
    others = [name for name in relation.columns if name not in empty]
    if not others:
        raise ToolError("Every column has more missing values than that. Increase the allowed share.")
    return {**table(relation.project(column_list(others)), "complete.csv"), "dropped_rows": 0, "dropped_columns": empty}


class Clipped(Table):
    """A table with clipped, dropped or flagged outliers."""

    lower: Annotated[float | None, About("Values below this bound are outliers")]
    upper: Annotated[float | None, About("Values above this bound are outliers")]
    outliers: Annotated[int, About("Number of outliers")]


@tool(
    tags="outliers clip drop flag iqr z-score winsorize extreme values clean",
    use_when=(
        "Remove the outliers from the column price",
        "Which values of this measurement are outliers?",
        "Cap extreme incomes at the whiskers of the box plot",
        "Are there outliers among these numbers?",
        "Which measurements are far from all others?",
    ),
    examples=(
        Example(
            {"column": "x", "rows": [{"x": x} for x in (1, 2, 3, 4, 100)], "action": "drop"},
            {"rows": [{"x": 1}, {"x": 2}, {"x": 3}, {"x": 4}], "lower": -1.0, "upper": 7.0, "outliers": 1},
            source="by hand: quartiles 2 and 4 (R type 7), 1.5 times 2 beyond them",
        ),
        Example(
            {"column": "x", "rows": [{"x": x} for x in (1, 2, 3, 4, 100)]},
            {"rows": [{"x": 1.0}, {"x": 2.0}, {"x": 3.0}, {"x": 4.0}, {"x": 7.0}]},
            source="as above",
        ),
        Example(
            {
                "column": "x",
                "rows": [{"x": x} for x in (0, 0, 0, 4)],
                "method": "zscore",
                "factor": 1,
                "action": "flag",
            },
            {"upper": 3.0, "rows": [{"x": 0, "outlier": False}] * 3 + [{"x": 4, "outlier": True}]},
            source="by hand: mean 1, sample deviation 2",
        ),
        Refusal({"column": "x", "rows": [{"x": "a"}]}, "not numbers"),
    ),
    reply={
        "outliers, rows": "{args.column} has {outliers|outlier}, below {lower} or above {upper}: {rows}",
        "rows": "{args.column} has no outliers: {rows}",
        "": "{args.column} has {outliers|outlier}.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_clip_outliers(
    column: Column,
    method: Annotated[
        Literal["iqr", "zscore"], About("Bounds from quartiles, or from mean and standard deviation")
    ] = "iqr",
    factor: Annotated[
        float | None,
        About(
            "Interquartile ranges beyond the quartiles (1.5) or deviations from the mean (3)",
            1.5,
            exclusive_minimum=0,
            maximum=100,
        ),
    ] = None,
    action: Annotated[
        Literal["clip", "drop", "flag"], About("Clip to the bound, drop the rows, or flag them")
    ] = "clip",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Clipped:
    """Find the outliers of a column by quartiles (Tukey's fences) or z-scores, and clip, drop or flag them.

    Use it to make statistics robust against extreme values or errors. Returns the table, the bounds and the number of
    outliers.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    it = quote(name)
    if method == "iqr":
        low, high = values(relation, [f"quantile_cont({it}, 0.25)", f"quantile_cont({it}, 0.75)"])
        reach = None if low is None else (factor or 1.5) * (high - low)
    else:
        low, deviation = values(relation, [f"avg({it})", f"stddev_samp({it})"])
        high, reach = low, None if deviation is None else (factor or 3) * deviation
    if low is None or reach is None:
        raise ToolError("The column has too few numbers to detect outliers.")
    lower, upper = float(low - reach), float(high + reach)
    beyond = f"coalesce({it} < {lower!r}::DOUBLE OR {it} > {upper!r}::DOUBLE, false)"
    if action == "drop":
        changed = relation.filter(f"NOT {beyond}")
    elif action == "flag":
        changed = relation.project(f"*, {beyond} AS {quote(fresh(relation, 'outlier'))}")
    else:
        bounded = f"least(greatest({it}, {lower!r}::DOUBLE), {upper!r}::DOUBLE)"
        changed = replace(relation, {name: f"CASE WHEN {it} IS NOT NULL THEN {bounded} END"})
    outliers = value(relation, f"count(*) FILTER ({beyond})")
    return {**table(changed, "outliers.csv"), "lower": lower, "upper": upper, "outliers": outliers}


def find_known(relation: Any, names: list[str]) -> list[str]:
    return columns(relation, names)
