"""Cross tables of two categorical columns."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import Rows, Table, TableFile, numeric, open_table, readable_errors
from retinue_tools.data_analysis._tables import column as named

_MOST_LINES, _MOST_HEADS = 100, 200
_SALES = [
    {"region": "North", "year": 2025, "amount": 10},
    {"region": "North", "year": 2026, "amount": 20},
    {"region": "South", "year": 2026, "amount": 40},
    {"region": "North", "year": 2026, "amount": 60},
]


class Crosstab(Table):
    """A cross table with a measure of how the two columns depend on each other."""

    total: Annotated[float, About("All rows, or their weights together")]
    chi_square: Annotated[float | None, About("Pearson's statistic of independence")]
    degrees_of_freedom: Annotated[int, About("Of that statistic")]
    cramers_v: Annotated[float | None, About("Strength of association, from 0 to 1")]


@tool(
    tags="crosstab cross tabulation contingency survey percent frequency table chi square weights",
    use_when=(
        "Cross-tabulate gender and answer with row percentages",
        "How many of each age group chose which option in the survey?",
        "Is there an association between region and product in this file?",
    ),
    examples=(
        Example(
            {"rows": _SALES, "row": "region", "column": "year"},
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
            {"rows": _SALES, "row": "region", "column": "year", "show": "row_percent", "weight": "amount"},
            {
                "rows": [
                    {"region": "North", "2025": 100 / 9, "2026": 800 / 9, "total": 100.0},
                    {"region": "South", "2025": 0.0, "2026": 100.0, "total": 100.0},
                ]
            },
            source="by hand",
        ),
        Refusal({"rows": _SALES, "row": "region", "column": "year", "weight": "region"}, "not numbers"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_crosstab(
    row: Annotated[str, About("Column whose values are the lines", "gender", max_length=200)],
    column: Annotated[str, About("Column whose values stand across, at most 200", "answer", max_length=200)],
    show: Annotated[
        Literal["count", "row_percent", "column_percent", "total_percent"], About("What the cells hold")
    ] = "count",
    weight: Annotated[str | None, About("Column with the weight of each row", "weight", max_length=200)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Crosstab:
    """Cross-tabulate two columns, for surveys and other categorical data, as counts or percentages.

    Use it to see how two answers go together; rows can be weighted. Returns the table with totals, Pearson's
    chi-square and Cramér's V.
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
    """The cells of a cross table, none of them 0, with their sums."""

    def __init__(self, cells: Mapping[tuple[str, str], float]) -> None:
        self.cells = cells
        self.lines = list(dict.fromkeys(line for line, _ in cells))
        self.heads = sorted({head for _, head in cells})
        self.total = math.fsum(cells.values())
        self.by_line = {line: math.fsum(n for (d, _), n in cells.items() if d == line) for line in self.lines}
        self.by_head = {head: math.fsum(n for (_, a), n in cells.items() if a == head) for head in self.heads}

    def chi_square(self) -> float | None:
        """Pearson's statistic: the squared distances from independence, each by what is expected."""
        if not self.total:
            return None
        expected = {(d, a): self.by_line[d] * self.by_head[a] / self.total for d in self.lines for a in self.heads}
        return math.fsum((self.cells.get(cell, 0) - wanted) ** 2 / wanted for cell, wanted in expected.items())

    def visible_rows(self, title: str, show: str, *, whole: bool) -> list[dict[str, Any]]:
        """The lines as they are shown, each with its total."""
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
