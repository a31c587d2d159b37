"""Pivot tables and cross tables."""

import math
from collections.abc import Mapping
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
    fresh,
    kind_of,
    numeric,
    open_table,
    table,
    table_tool,
)
from retinue_tools.data_analysis._tables import column as named
from retinue_tools.data_analysis.groups import SALES, Function, figure_sql, find_known

_MOST_PIVOTED = 200


@tool(
    tags="table pivot crosstab wide reshape matrix spreadsheet pivottable",
    use_when=(
        "Make a pivot table of sales by region and year",
        "Turn the months into columns with the sum of revenue",
        "Show the average score for each class and subject as a grid",
    ),
    examples=(
        Example(
            {"rows": SALES, "index": ["region"], "columns": "year", "values": "amount"},
            {
                "rows": [{"region": "North", "2025": 10, "2026": 80}, {"region": "South", "2025": None, "2026": 40}],
                "row_count": 2,
                "columns": ["region", "2025", "2026"],
            },
            source="by hand",
        ),
        Example(
            {
                "rows": SALES,
                "index": ["region"],
                "columns": "year",
                "values": "amount",
                "function": "count",
                "totals": True,
            },
            {
                "rows": [
                    {"region": "North", "2025": 1, "2026": 2, "total": 3},
                    {"region": "South", "2025": 0, "2026": 1, "total": 1},
                ]
            },
            source="by hand",
        ),
        Refusal({"rows": SALES, "index": ["region"], "columns": "month", "values": "amount"}, "no column month"),
    ),
    reply={
        "file, rows": "The pivot table is in {file}. The first rows: {rows}",
        "rows": "The pivot table: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_pivot(
    index: Columns,
    columns: Annotated[str, About("Column whose values become columns, at most 200", "year", max_length=200)],
    values: Annotated[str, About("Column with the values of the cells", "amount", max_length=200)],
    function: Annotated[Function, About("Aggregation of the values of a cell")] = "sum",
    totals: Annotated[bool, About("Whether to add a column with the aggregate of each row")] = False,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Turn the values of a column into separate columns: a pivot table.

    Use it for two-way summaries such as revenue by region and month. Returns one row for each combination of the index
    columns; cells without rows are null, or 0 for counts.
    """
    relation = open_table(file, rows)
    keys, across = find_known(relation, index), column(relation, columns)
    cell = figure_sql(relation, function, values)
    heads = _heads(relation, across)
    parts = [column_list(keys)]
    for head in heads:
        chosen = f"{quote(across)}::VARCHAR IS NOT DISTINCT FROM {literal(head)}"
        parts.append(f"{cell} FILTER ({chosen}) AS {quote('missing' if head is None else head or 'empty')}")
    if totals:
        parts.append(f"{cell} AS total")
    return table(relation.aggregate(", ".join(parts), column_list(keys)).order(column_list(keys)), "pivot.csv")


@tool(
    tags="table unpivot melt wide long reshape columns rows tidy",
    use_when=(
        "Turn the month columns into rows",
        "Melt this wide table into long format",
        "Make tidy data of the columns 2024, 2025 and 2026",
    ),
    examples=(
        Example(
            {"rows": [{"id": 1, "2025": 5, "2026": 7}], "columns": ["2025", "2026"]},
            {"rows": [{"id": 1, "name": "2025", "value": 5}, {"id": 1, "name": "2026", "value": 7}]},
            source="by hand",
        ),
        Example(
            {
                "rows": [{"id": 1, "a": 5, "b": "x"}, {"id": 2}],
                "columns": ["a", "b"],
                "name": "field",
                "keep_missing": True,
            },
            {"row_count": 4, "columns": ["id", "field", "value"]},
            source="two columns of two rows",
        ),
        Refusal({"rows": [{"id": 1}], "columns": ["2025"]}, "no column 2025"),
    ),
    reply={
        "file, rows": "The long table has {row_count|row}; all are in {file}. The first ones: {rows}",
        "rows": "The long table: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_unpivot(
    columns: Annotated[list[Column], About("Columns to turn into rows", ["2025", "2026"], min_items=1, max_items=400)],
    name: Annotated[
        str, About("Name of the new column with the old columns' names", min_length=1, max_length=100)
    ] = "name",
    value: Annotated[str, About("Name of the new column with the values", min_length=1, max_length=100)] = "value",
    keep_missing: Annotated[bool, About("Whether to include empty values")] = False,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Turn columns into rows (melt a wide table into a long one): one row for each value.

    Use it for tables with a column for each month or year. All other columns are repeated. Values of different types
    become text. Returns the long table.
    """
    relation = open_table(file, rows)
    chosen = find_known(relation, columns)
    others = [known for known in relation.columns if known not in chosen]
    label = fresh(relation.project(column_list(others)), name) if others else name
    content = (
        value if value.casefold() not in {label.casefold(), *(known.casefold() for known in others)} else f"{value}_2"
    )
    cast = "::VARCHAR" if len({kind_of(relation, known) for known in chosen}) > 1 else ""
    pairs = ", ".join(
        f"{{{literal(label)}: {literal(known)}, {literal(content)}: {quote(known)}{cast}}}" for known in chosen
    )
    long = relation.project(f"{column_list(others)}{', ' if others else ''}unnest([{pairs}], recursive := true)")
    return table(long if keep_missing else long.filter(f"{quote(content)} IS NOT NULL"), "long.csv")


def _heads(relation: Any, across: str) -> list[str | None]:
    """Return the values of a column in order, as text."""
    found = relation.aggregate(f"{quote(across)} AS head", quote(across)).order("head").limit(_MOST_PIVOTED + 1)
    heads = [cell for (cell,) in found.project("head::VARCHAR").fetchall()]
    if len(heads) > _MOST_PIVOTED:
        raise ToolError(f"The column {across} has more than {_MOST_PIVOTED} values. Choose one with fewer.")
    return heads


_MOST_LINES, _MOST_HEADS = 100, 200


class Crosstab(Table):
    """A cross table with measures of association."""

    total: Annotated[float, About("Number of rows, or sum of weights")]
    chi_square: Annotated[float | None, About("Pearson's chi-square statistic")]
    degrees_of_freedom: Annotated[int, About("Degrees of freedom of the statistic")]
    cramers_v: Annotated[float | None, About("Strength of association, 0 to 1")]


@tool(
    tags="crosstab cross tabulation contingency survey percent frequency table chi square weights",
    use_when=(
        "Cross-tabulate gender and answer with row percentages",
        "How many of each age group chose which option in the survey?",
        "Is there an association between region and product in this file?",
    ),
    examples=(
        Example(
            {"rows": SALES, "row": "region", "column": "year"},
            {
                "rows": [
                    {"region": "North", "2025": 1, "2026": 2, "total": 3},
                    {"region": "South", "2025": 0, "2026": 1, "total": 1},
                ],
                "total": 4.0,
                "chi_square": 4 / 9,
                "degrees_of_freedom": 1,
                "cramers_v": 1 / 3,
                "row_count": 2,
                "columns": ["region", "2025", "2026", "total"],
            },
            source="by hand: expected 0.75, 2.25, 0.25, 0.75; 0.0625 (1/0.75 + 1/2.25 + 1/0.25 + 1/0.75) = 4/9",
        ),
        Example(
            {"rows": SALES, "row": "region", "column": "year", "show": "row_percent", "weight": "amount"},
            {
                "rows": [
                    {"region": "North", "2025": 100 / 9, "2026": 800 / 9, "total": 100.0},
                    {"region": "South", "2025": 0.0, "2026": 100.0, "total": 100.0},
                ]
            },
            source="by hand",
        ),
        Refusal({"rows": SALES, "row": "region", "column": "year", "weight": "region"}, "not numbers"),
    ),
    reply={
        "total, cramers_v, rows": "Of {total} in all, with a strength of association of {cramers_v}: {rows}",
        "rows": "Of {total} in all: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_crosstab(
    row: Annotated[str, About("Column whose values become rows", "gender", max_length=200)],
    column: Annotated[str, About("Column whose values become columns, at most 200", "answer", max_length=200)],
    show: Annotated[
        Literal["count", "row_percent", "column_percent", "total_percent"], About("Content of the cells")
    ] = "count",
    weight: Annotated[str | None, About("Column with the weight of each row", "weight", max_length=200)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Crosstab:
    """Cross-tabulate two columns, for surveys and other categorical data, as counts or percentages.

    Use it to see how two answers are related; rows can be weighted. Returns the table with totals, Pearson's chi-square
    and Cramér's V.
    """
    relation = open_table(file, rows)
    down, across = named(relation, row), named(relation, column)
    if down == across:
        raise ToolError("Choose two different columns.")
    measure = f"sum({quote(numeric(relation, weight))})" if weight else "count(*)"
    counts = f"{quote(down)} AS d, {quote(across)} AS a, coalesce({measure}, 0)::DOUBLE AS n"
    counted = relation.aggregate(counts, f"{quote(down)}, {quote(across)}").order("d NULLS LAST, a NULLS LAST")
    cells = counted.filter("n > 0").project(
        "coalesce(d::VARCHAR, 'missing') AS d, coalesce(a::VARCHAR, 'missing') AS a, n"
    )
    matrix = _Matrix({(d, a): n for d, a, n in cells.fetchall()})
    if len(matrix.lines) > _MOST_LINES or len(matrix.heads) > _MOST_HEADS:
        raise ToolError(f"The columns have more than {_MOST_LINES} and {_MOST_HEADS} values. Group them first.")
    chi_square = matrix.chi_square()
    shortest = min(len(matrix.lines), len(matrix.heads)) - 1
    strength = math.sqrt(chi_square / (matrix.total * shortest)) if chi_square is not None and shortest > 0 else None
    return {
        "rows": matrix.visible_rows(down, show, whole=weight is None),
        "row_count": len(matrix.lines),
        "columns": [down, *matrix.heads, "total"],
        "total": matrix.total,
        "chi_square": chi_square,
        "degrees_of_freedom": max(0, (len(matrix.lines) - 1) * (len(matrix.heads) - 1)),
        "cramers_v": strength,
    }


class _Matrix:
    """The non-zero cells of a cross table, with their sums."""

    def __init__(self, cells: Mapping[tuple[str, str], float]) -> None:
        self.cells = cells
        self.lines = list(dict.fromkeys(line for line, _ in cells))
        self.heads = sorted({head for _, head in cells})
        self.total = math.fsum(cells.values())
        self.by_line = {line: math.fsum(n for (d, _), n in cells.items() if d == line) for line in self.lines}
        self.by_head = {head: math.fsum(n for (_, a), n in cells.items() if a == head) for head in self.heads}

    def chi_square(self) -> float | None:
        """Return Pearson's statistic: squared deviations from independence divided by the expected values."""
        if not self.total:
            return None
        expected = {(d, a): self.by_line[d] * self.by_head[a] / self.total for d in self.lines for a in self.heads}
        return math.fsum((self.cells.get(cell, 0) - count) ** 2 / count for cell, count in expected.items())

    def visible_rows(self, title: str, show: str, *, whole: bool) -> list[dict[str, Any]]:
        """Return the rows as shown, each with its total."""
        lines = []
        for line in self.lines:
            counts = {head: self.cells.get((line, head), 0.0) for head in self.heads} | {"total": self.by_line[line]}
            by = {head: self._base(show, line, head) for head in counts}
            shares = {head: int(n) if show == "count" and whole else n * by[head] for head, n in counts.items()}
            lines.append({title: line, **shares})
        return lines

    def _base(self, show: str, line: str, head: str) -> float:
        match show:
            case "row_percent":
                return 100 / self.by_line[line]
            case "column_percent":
                return 100 / self.by_head.get(head, self.total)
            case "total_percent":
                return 100 / self.total
            case _:
                return 1.0
