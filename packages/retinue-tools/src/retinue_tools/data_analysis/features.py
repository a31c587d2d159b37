"""Preparation of columns for statistics and machine learning."""

import itertools
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Column,
    Columns,
    Noted,
    Rows,
    Table,
    TableFile,
    fresh,
    numeric,
    numerics,
    open_table,
    replace,
    table,
    table_tool,
    value,
    values,
)
from retinue_tools.data_analysis._tables import columns as known_columns

_NUMBERS = [{"x": x} for x in (1, 2, 3, 4, 10)]


@tool(
    tags="bin bucket discretize histogram classes quantile intervals age groups",
    use_when=(
        "Put the ages into groups 0-17, 18-64 and 65+",
        "Divide the prices into four equally large quantile groups",
        "Bin this numeric column into 10 equal intervals",
    ),
    examples=(
        Example(
            {"column": "x", "edges": [0, 3, 5], "rows": _NUMBERS},
            {
                "rows": [
                    {"x": 1, "x_bin": "0 to 3"},
                    {"x": 2, "x_bin": "0 to 3"},
                    {"x": 3, "x_bin": "3 to 5"},
                    {"x": 4, "x_bin": "3 to 5"},
                    {"x": 10, "x_bin": None},
                ],
                "row_count": 5,
                "columns": ["x", "x_bin"],
            },
            source="by hand: a bin has its lower edge",
        ),
        Example(
            {"column": "x", "method": "equal_width", "bins": 3, "rows": _NUMBERS},
            {"rows": [{"x_bin": b} for b in ("1 to 4", "1 to 4", "1 to 4", "4 to 7", "7 to 10")]},
            source="by hand",
        ),
        Refusal({"column": "x", "edges": [3, 1], "rows": _NUMBERS}, "ascending"),
        Refusal({"column": "x", "rows": [{"x": 5}, {"x": 5}]}, "All numbers of the column are 5"),
        Refusal({"column": "x", "method": "equal_width", "rows": [{"x": 5}, {"x": 5}]}, "different values"),
    ),
    reply={
        "file, rows": "{args.column} is divided into bins; the whole table is in {file}. The first rows: {rows}",
        "rows": "The table with {args.column} in bins: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_bin_column(
    column: Column,
    method: Annotated[
        Literal["quantile", "equal_width"],
        About("Equal numbers of rows, or equal widths; ignored with edges"),
    ] = "quantile",
    bins: Annotated[int, About("Number of bins; ignored with edges", minimum=2, maximum=100)] = 4,
    edges: Annotated[
        list[float] | None, About("Bounds of the bins, ascending", [0, 18, 65, 120], min_items=2, max_items=101)
    ] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Put the numbers of a column into bins: of your own edges, equally wide, or with equally many rows.

    Use it for age groups, price ranges and histograms. A bin includes its lower edge, and the last bin its upper edge
    too. Returns the table with a column such as age_bin.
    """
    relation = open_table(file, rows)
    name = numeric(relation, column)
    bounds = [float(edge) for edge in edges] if edges else _bounds(relation, quote(name), method, bins)
    if any(low >= high for low, high in itertools.pairwise(bounds)):
        raise ToolError("The edges must be ascending, and the column must have different values. Use fewer bins.")
    pairs = list(itertools.pairwise(bounds))
    it = quote(name)
    cases = [f"WHEN {it} >= {low!r} AND {it} < {high!r} THEN '{low:g} to {high:g}'" for low, high in pairs]
    cases.append(f"WHEN {it} = {bounds[-1]!r} THEN '{pairs[-1][0]:g} to {pairs[-1][1]:g}'")
    return table(
        relation.project(f"*, CASE {' '.join(cases)} END AS {quote(fresh(relation, f'{name}_bin'))}"), "binned.csv"
    )


def _bounds(relation: Any, it: str, method: str, bins: int) -> list[float]:
    if method == "quantile":
        found = values(relation, [f"quantile_cont({it}, {step / bins})" for step in range(bins + 1)])
        edges = sorted({float(edge) for edge in found if edge is not None})
        if len(edges) == 1:
            raise ToolError(
                f"All numbers of the column are {edges[0]:g}, so they cannot be divided into bins. Give edges."
            )
        if not edges:
            raise ToolError("The column has no numbers. Choose a numeric column.")
        return edges
    low, high = values(relation, [f"min({it})::DOUBLE", f"max({it})::DOUBLE"])
    if low is None:
        raise ToolError("The column has no numbers. Choose a numeric column.")
    return [low + (high - low) * step / bins for step in range(bins)] + [high]


@tool(
    tags="one-hot encode dummy variables categorical machine learning features indicator",
    use_when=(
        "One-hot encode the column colour",
        "Make dummy variables of the category column",
        "Turn these categories into 0/1 columns for a model",
    ),
    examples=(
        Example(
            {"columns": ["c"], "rows": [{"c": "red", "n": 1}, {"c": "blue", "n": 2}]},
            {"rows": [{"n": 1, "c_blue": 0, "c_red": 1}, {"n": 2, "c_blue": 1, "c_red": 0}]},
            source="by hand",
        ),
        Example(
            {"columns": ["c"], "drop_first": True, "rows": [{"c": "red"}, {"c": "blue"}]},
            {"rows": [{"c_red": 1}, {"c_red": 0}]},
            source="by hand: the first value is told by all zeros",
        ),
        Refusal({"columns": ["d"], "rows": [{"c": "red"}]}, "no column d"),
    ),
    reply={
        "file, rows": "The encoded table is in {file}. The first rows: {rows}",
        "rows": "The encoded table: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_encode_onehot(
    columns: Columns,
    drop_first: Annotated[bool, About("Whether to omit the first value of each column, for linear models")] = False,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Replace categorical columns by one column of 0 and 1 for each of their values (dummy variables).

    Use it before fitting a model. At most 100 values per column; missing values are 0 in all new columns. Returns the
    table with columns such as colour_red.
    """
    relation = open_table(file, rows)
    chosen = known_columns(relation, columns)
    parts = [quote(name) for name in relation.columns if name not in chosen]
    for name in chosen:
        it = f"{quote(name)}::VARCHAR"
        found = (
            relation.filter(f"{quote(name)} IS NOT NULL").aggregate(f"{it} AS v", it).order("v").limit(101).fetchall()
        )
        if len(found) > 100:
            raise ToolError(f"The column {name} has more than 100 values. Group the rare ones first.")
        parts += [
            f"coalesce(({it} = {literal(v)})::INTEGER, 0) AS {quote(f'{name}_{v}')}" for (v,) in found[drop_first:]
        ]
    if not parts:
        raise ToolError("No column would be left. The columns have no values.")
    return table(relation.project(", ".join(parts)), "encoded.csv")


class Scaled(Table):
    """A table with scaled columns, and the parameters to reverse the scaling."""

    centers: Annotated[dict[str, float], About("Subtracted value by column")]
    scales: Annotated[dict[str, float], About("Divisor by column, applied after the subtraction")]


@tool(
    tags="scale normalize standardize z-score minmax robust features machine learning",
    use_when=(
        "Standardise the numeric columns to mean 0 and deviation 1",
        "Scale all values to the range 0 to 1",
        "Normalise these features for clustering",
    ),
    examples=(
        Example(
            {"columns": ["x"], "method": "min_max", "rows": _NUMBERS[:3]},
            {"rows": [{"x": 0.0}, {"x": 0.5}, {"x": 1.0}], "centers": {"x": 1.0}, "scales": {"x": 2.0}},
            source="by hand",
        ),
        Example(
            {"rows": [{"x": 2}, {"x": 4}, {"x": 4}, {"x": 4}, {"x": 5}, {"x": 5}, {"x": 7}, {"x": 9}]},
            {"centers": {"x": 5.0}, "scales": {"x": 2.0}},
            source="Wikipedia, Standard deviation: mean 5, population deviation 2",
        ),
        Refusal({"columns": ["x"], "rows": [{"x": 3}, {"x": 3}]}, "does not vary"),
    ),
    reply={
        "file, rows": "The scaled table is in {file}. The first rows: {rows}",
        "rows": "The scaled table: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_scale_columns(
    columns: Annotated[list[Column] | None, About("Numeric columns; default: all", ["age"], max_items=100)] = None,
    method: Annotated[
        Literal["standard", "min_max", "robust"],
        About("Mean 0 and population deviation 1; 0 to 1; or median 0 and interquartile range 1"),
    ] = "standard",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Scaled:
    """Scale columns of numbers: to mean 0 and deviation 1, to the range 0 to 1, or robustly by median and quartiles.

    Use it before clustering, regression or comparing columns of different units. Returns the table, and for each column
    the subtracted value and the divisor, so that the scaling can be reversed.
    """
    relation = open_table(file, rows)
    formulas = {
        "standard": ("avg({0})", "stddev_pop({0})"),
        "min_max": ("min({0})::DOUBLE", "(max({0}) - min({0}))::DOUBLE"),
        "robust": ("median({0})::DOUBLE", "quantile_cont({0}, 0.75) - quantile_cont({0}, 0.25)"),
    }[method]
    centers, scales = {}, {}
    for name in numerics(relation, columns):
        center, scale = values(relation, [formula.format(quote(name)) for formula in formulas])
        if not scale:
            raise ToolError(f"The column {name} does not vary. Leave it out.")
        centers[name], scales[name] = float(center), float(scale)
    changes = {name: f"({quote(name)} - {centers[name]!r}::DOUBLE) / {scales[name]!r}::DOUBLE" for name in centers}
    return {**table(replace(relation, changes), "scaled.csv"), "centers": centers, "scales": scales}


class Pair(TypedDict):
    """Correlation of two columns."""

    first: Annotated[str, About("First column")]
    second: Annotated[str, About("Second column")]
    correlation: Annotated[float | None, About("-1 to 1; null if a column does not vary")]
    pairs: Annotated[int, About("Rows in which both have a value")]


class Correlations(Noted):
    """Correlations of numeric columns."""

    matrix: Annotated[list[dict[str, Any]], About("A row for each column, with its correlation to each column")]
    strongest: Annotated[list[Pair], About("Strongest correlations first, at most 50")]


@tool(
    tags="correlation matrix pearson spearman columns relationship heatmap dependency",
    use_when=(
        "Which columns of this dataset are correlated?",
        "Compute the Spearman correlation matrix of the CSV",
        "What goes together with the price?",
    ),
    examples=(
        Example(
            {"rows": [{"a": 1, "b": 2}, {"a": 2, "b": 4}, {"a": 3, "b": 6}]},
            {"strongest": [{"first": "a", "second": "b", "correlation": 1.0, "pairs": 3}]},
            source="b is twice a",
        ),
        Example(
            {"method": "spearman", "rows": [{"a": 1, "b": 9}, {"a": 2, "b": 4}, {"a": 3, "b": 1}]},
            {"strongest": [{"correlation": -1.0}]},
            source="b falls as a rises",
        ),
        Refusal({"rows": [{"a": 1, "b": "x"}]}, "two and 50 numeric columns"),
    ),
    reply={
        "strongest.1": "{strongest.0.first} and {strongest.0.second} are correlated most strongly: {strongest}",
        "strongest": "{strongest.0.first} and {strongest.0.second} have a correlation of {strongest.0.correlation}.",
        "": "There are no pairs of numeric columns.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_correlation_matrix(
    columns: Annotated[
        list[Column] | None, About("Numeric columns; default: all", ["price", "area"], max_items=50)
    ] = None,
    method: Annotated[Literal["pearson", "spearman"], About("Pearson (linear), or Spearman (ranks)")] = "pearson",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Correlations:
    """Compute the correlation of every pair of numeric columns, after Pearson or Spearman.

    Use it to see which columns vary together. Each pair uses the rows in which both have values. Returns the matrix and
    the pairs by strength.
    """
    relation = open_table(file, rows)
    chosen = numerics(relation, columns)
    if not 2 <= len(chosen) <= 50:
        raise ToolError("Between two and 50 numeric columns are needed. Specify them.")
    pairs = [(a, b) for place, a in enumerate(chosen) for b in chosen[place + 1 :]]
    found: dict[tuple[str, str], tuple[float | None, int]] = {}
    for a, b in pairs:
        both = relation.filter(f"{quote(a)} IS NOT NULL AND {quote(b)} IS NOT NULL")
        found[a, b] = _correlation(both, a, b, method)
    strongest: list[Pair] = [
        {"first": a, "second": b, "correlation": r, "pairs": n} for (a, b), (r, n) in found.items()
    ]
    strongest.sort(key=lambda pair: -abs(pair["correlation"] or 0))
    matrix = [
        {"column": a, **{b: 1.0 if a == b else found.get((a, b), found.get((b, a), (None, 0)))[0] for b in chosen}}
        for a in chosen
    ]
    return {"matrix": matrix, "strongest": strongest[:50]}


def _correlation(relation: Any, a: str, b: str, method: str) -> tuple[float | None, int]:
    x, y = quote(a), quote(b)
    if method == "spearman":
        terms = (f"rank() OVER (ORDER BY {it}) + (count(*) OVER (PARTITION BY {it}) - 1) / 2" for it in (x, y))
        relation = relation.project(", ".join(f"{term} AS {name}" for term, name in zip(terms, "xy", strict=True)))
        x, y = "x", "y"
    spread = value(relation, f"min({x}) < max({x}) AND min({y}) < max({y})")
    return (value(relation, f"corr({x}, {y})") if spread else None), value(relation, "count(*)")
