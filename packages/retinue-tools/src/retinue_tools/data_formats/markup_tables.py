"""Tables in HTML and Markdown."""

import re
from itertools import pairwise
from typing import Annotated, Any

from lxml import etree
from lxml import html as lxml_html
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import plain
from retinue_tools.data_formats.csv_tables import type_of

_MOST_SPAN = 1_000
_MOST_CELLS = 500_000
Types = Annotated[bool, About("Whether to convert numbers, true and false; otherwise all values are text")]


class TextTable(TypedDict):
    """A table of a document."""

    title: Annotated[str, About("Caption, or the preceding heading; empty if there is none")]
    columns: Annotated[list[str], About("Column names")]
    records: Annotated[list[dict[str, Any]], About("Rows as objects")]


class TextTables(TypedDict):
    """Tables of a document."""

    tables: Annotated[list[TextTable], About("Tables in order")]


@tool(
    tags="html table extract json records scrape rowspan colspan",
    use_when=(
        "Extract the table of this HTML",
        "Turn an HTML table with merged cells into JSON",
        "Read the price table out of this saved web page",
    ),
    examples=(
        Example(
            {"html": "<h2>Prices</h2><table><tr><th>Name<th>Price</tr><tr><td rowspan=2>Tea<td>2.5<tr><td>3</table>"},
            {
                "tables": [
                    {
                        "title": "Prices",
                        "columns": ["Name", "Price"],
                        "records": [{"Name": "Tea", "Price": 2.5}, {"Name": "Tea", "Price": 3}],
                    }
                ]
            },
            source="HTML Standard, section 4.9.12, forming a table: a cell with rowspan fills both rows",
        ),
        Example(
            {
                "html": "<table><caption>C</caption><tr><td colspan=2>a</td></tr><tr><td>1</td><td>2</td></tr></table>",
                "types": False,
            },
            {"tables": [{"title": "C", "columns": ["a", "a_2"], "records": [{"a": "1", "a_2": "2"}]}]},
            source="by hand: the first row names the columns where no cell is a heading",
        ),
        Refusal({"html": "<p>none</p>"}, "no table"),
    ),
)
def html_convert_tables_to_json(
    html: Annotated[
        str,
        About(
            "HTML text", "<table><tr><th>Name</th></tr><tr><td>Tea</td></tr></table>", min_length=1, max_length=900_000
        ),
    ],
    types: Types = True,
) -> TextTables:
    """Convert the tables of HTML to JSON records with typed values, merged cells filled in.

    Use it for pages and reports that were saved as HTML. Returns each table with its title, columns and rows; nested
    tables are returned separately.
    """
    try:
        root = lxml_html.document_fromstring(
            html.encode(errors="replace"), parser=lxml_html.HTMLParser(encoding="utf-8")
        )
    except (etree.LxmlError, ValueError) as error:
        raise ToolError("The text is not valid HTML.") from error
    tables = [_table(_title(node), _grid(node), types) for node in root.iter("table")]
    if not tables:
        raise ToolError("The HTML has no table.")
    return {"tables": tables}


@tool(
    tags="markdown table parse extract json records gfm pipe",
    use_when=(
        "Convert this Markdown table to JSON",
        "Read the tables of this README",
        "Get the rows of the table in this chat answer",
    ),
    examples=(
        Example(
            {"text": "# Drinks\n\n| name | price |\n| --- | :-: |\n| Tea \\| green | 2.5 |\n| `a` |\n\ntext"},
            {
                "tables": [
                    {
                        "title": "Drinks",
                        "columns": ["name", "price"],
                        "records": [{"name": "Tea | green", "price": 2.5}, {"name": "`a`", "price": None}],
                    }
                ]
            },
            source="GitHub Flavored Markdown, section 4.10: escaped pipes, rows with fewer cells",
        ),
        Example(
            {"text": "a|b\n-|-\n1|2", "types": False},
            {"tables": [{"title": "", "columns": ["a", "b"], "records": [{"a": "1", "b": "2"}]}]},
            source="GitHub Flavored Markdown, section 4.10",
        ),
        Refusal({"text": "no table"}, "no table"),
    ),
    reply={
        "tables.1": "The tables: {tables}",
        "tables": "The table: {tables.0.records}",
        "": "There are no tables in the text.",
    },
)
def markdown_extract_tables(
    text: Annotated[
        str, About("Markdown text", "| name | price |\n|---|---|\n| Tea | 2.5 |", min_length=1, max_length=500_000)
    ],
    types: Types = True,
) -> TextTables:
    """Extract the tables of Markdown text as JSON records.

    Use it for READMEs and answers of language models. Returns each table with the preceding heading, its columns and
    rows.
    """
    tables: list[TextTable] = []
    grid: list[list[str]] = []
    title, lines = "", [*text.splitlines(), ""]
    for line, following in pairwise(lines):
        if grid and "|" in line:
            grid += [_cells(line)] if not _is_rule(line) else []
            continue
        if grid:
            tables.append(_table(title, grid, types))
            grid = []
        if line.startswith("#"):
            title = line.strip("# ")
        elif "|" in line and _is_rule(following) and len(_cells(line)) == len(_cells(following)):
            grid = [_cells(line)]
    if grid:
        tables.append(_table(title, grid, types))
    if not tables:
        raise ToolError("The text has no table: a header with pipes, followed by a line such as |---|---|.")
    return {"tables": tables}


def _title(node: Any) -> str:
    caption = node.find("caption")
    if caption is None:
        headings = node.xpath("preceding::*[self::h1 or self::h2 or self::h3 or self::h4][1]")
        caption = headings[0] if headings else None
    return _text(caption) if caption is not None else ""


def _text(node: Any) -> str:
    return " ".join("".join(node.itertext()).split())


def _grid(table: Any) -> list[list[str]]:
    """Return the cells of an HTML table; cells that span several positions are repeated in each."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    count = 0
    for row in table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr"):
        line: list[str] = []
        for cell in row.xpath("./td | ./th"):
            _fill(line, hanging)
            for _ in range(_span(cell, "colspan")):
                if (rows := _span(cell, "rowspan")) > 1:
                    hanging[len(line)] = (rows - 1, _text(cell))
                line.append(_text(cell))
        _fill(line, hanging)
        count += len(line)
        if count > _MOST_CELLS:
            raise ToolError(f"The table has more than {_MOST_CELLS} cells.")
        grid.append(line)
    return [line for line in grid if line]


def _fill(line: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Append cells that extend down from earlier rows."""
    while len(line) in hanging:
        rows, text = hanging.pop(len(line))
        if rows > 1:
            hanging[len(line)] = (rows - 1, text)
        line.append(text)


def _span(cell: Any, name: str) -> int:
    text = cell.get(name, "1").strip()
    return min(max(int(text), 1), _MOST_SPAN) if text.isascii() and text.isdecimal() and len(text) < 9 else 1


def _table(title: str, grid: list[list[str]], types: bool) -> TextTable:
    """Build a table from a grid whose first row contains the column names; duplicate names get a number."""
    header, *body = grid or [[]]
    width = max(map(len, grid), default=0)
    names: dict[str, None] = {}
    for number in range(1, width + 1):
        name = header[number - 1] if number <= len(header) and header[number - 1] else f"column_{number}"
        free, again = name, 2
        while free in names:
            free, again = f"{name}_{again}", again + 1
        names[free] = None
    read = type_of if types else str
    records = [dict(zip(names, map(read, [*row, *[""] * (width - len(row))]), strict=True)) for row in body]
    return {"title": plain(title), "columns": [plain(name) for name in names], "records": plain(records)}


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", bare)]


def _is_rule(line: str) -> bool:
    return "-" in line and all(re.fullmatch(r":?-+:?", cell) for cell in _cells(line))
