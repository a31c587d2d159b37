"""Tables of pages."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, ToolError, tool
from retinue_tools.web._pages import Html, PageUrl, page_of, text_of


class Table(TypedDict):
    """A table."""

    caption: Annotated[str, About("Its caption")]
    columns: Annotated[list[str], About("Names of the columns; made up where the table has none")]
    rows: Annotated[list[list[str]], About("Texts of the cells, at most 2,000 rows")]
    row_count: Annotated[int, About("Rows in all, without the heading")]


class Tables(TypedDict):
    """The tables of a page."""

    tables: Annotated[list[Table], About("Tables with at least so many rows, at most 50")]
    total: Annotated[int, About("How many there are")]


@tool(
    tags="tables table rows columns cells html page scrape records",
    use_when=(
        "Get the table on https://example.com/prices as data.",
        "Which tables does this page hold?",
        "Turn the HTML table into rows and columns.",
    ),
    examples=(
        Example(
            {
                "html": "<table><caption>Prices<tr><th>Item<th>EUR<tr><td rowspan=2>Tea<td>3<tr><td>4</table>"
                "<table><tr><td>a<td>b</table>"
            },
            {
                "total": 2,
                "tables": [
                    {
                        "caption": "Prices",
                        "columns": ["Item", "EUR"],
                        "rows": [["Tea", "3"], ["Tea", "4"]],
                        "row_count": 2,
                    },
                    {"caption": "", "columns": ["column 1", "column 2"], "rows": [["a", "b"]], "row_count": 1},
                ],
            },
            source="the text itself; HTML, section 4.9.12: a cell with rowspan covers the rows below it",
        ),
        Example(
            {"url": "{site}/t", "least_rows": 2},
            {"total": 0, "tables": []},
            source="the only table has one row",
            site={"/t": Served("<table><tr><th>a<tr><td>1</table>")},
        ),
        Refusal({"html": "<p>none", "least_rows": 0}, "least_rows must be at least 1"),
    ),
    open_world=True,
    pace="normal",
)
def web_extract_tables(
    url: PageUrl = None,
    html: Html = None,
    least_rows: Annotated[int, About("Leave out tables with fewer rows", minimum=1, maximum=1000)] = 1,
) -> Tables:
    """Read the tables of a web page or HTML text as columns and rows of text.

    Use it to get data out of a page. Cells that span rows or columns are repeated in each of them; rows are filled up
    to the width of the table.
    """
    page = page_of(url, html)
    tables = [table for element in page.root.iter("table") if (table := _table(element))["row_count"] >= least_rows]
    return {"tables": tables[:50], "total": len(tables)}


def _table(element: Any) -> Table:
    rows = [row for row in element.iter("tr") if next(row.iterancestors("table")) is element][:2001]
    headed = bool(rows) and all(cell.tag == "th" for cell in rows[0].xpath("./th|./td"))
    grid = _grid(rows)
    width = max(map(len, grid), default=0)
    grid = [[*row, *[""] * (width - len(row))] for row in grid]
    columns = grid[0] if headed else [f"column {number}" for number in range(1, width + 1)]
    body = grid[1:] if headed else grid
    caption = element.find("caption")
    return {
        "caption": "" if caption is None else text_of(caption),
        "columns": columns,
        "rows": body,
        "row_count": len(body),
    }


def _grid(rows: list[Any]) -> list[list[str]]:
    """The texts of all cells, those that span repeated (the algorithm of HTML, section 4.9.12, bounded)."""
    grid: list[list[str]] = []
    above: dict[int, tuple[str, int]] = {}
    for row in rows:
        line: list[str] = []
        below: dict[int, tuple[str, int]] = {}
        for cell in row.xpath("./th|./td"):
            _fill(line, above, below)
            text, tall = text_of(cell)[:5000], _span(cell, "rowspan")
            for _ in range(_span(cell, "colspan")):
                below |= {len(line): (text, tall - 1)} if tall > 1 else {}
                line.append(text)
        while above:
            _fill(line, above, below)
            line += [""] if above else []
        if len(line) > 500:
            raise ToolError("A table of the page is wider than 500 columns.")
        above = below
        grid.append(line)
    return grid


def _fill(line: list[str], above: dict[int, tuple[str, int]], below: dict[int, tuple[str, int]]) -> None:
    """Put the cells that reach down from the row above next in the line."""
    while len(line) in above:
        text, left = above.pop(len(line))
        below |= {len(line): (text, left - 1)} if left > 1 else {}
        line.append(text)


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return min(int(value), 200) if value.isdecimal() and len(value) < 6 and int(value) else 1
