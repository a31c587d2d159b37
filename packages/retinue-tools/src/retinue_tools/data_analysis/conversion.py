"""Table conversion, and parsing of dates and numbers in text columns."""

import io
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import openpyxl
import orjson

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, output_path, save, tool
from retinue_tools.data_analysis._loading import literal, quote, workspace
from retinue_tools.data_analysis._tables import (
    FILE,
    Column,
    Noted,
    Rows,
    Table,
    TableFile,
    column,
    columns,
    csv_text,
    encode,
    kind_of,
    number_lines,
    open_table,
    records,
    replace,
    table,
    table_tool,
    value,
    values,
)
from retinue_tools.documents._office_runs import xml_text

_PAIR = [{"id": 1, "name": "Ada", "born": "1815-12-10"}, {"id": 2, "name": None, "born": None}]
_MOST_ROWS = 200_000

_DAY_FIRST = ("%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y", "%d %m %Y")
_MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m.%d.%Y", "%m %d %Y")
_ALWAYS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y",
    "%d. %B %Y", "%b %d %Y", "%B %d %Y",
)  # fmt: skip
_CLOCKS = (" %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S.%f", " %H:%M:%S.%f")


class Converted(Noted):
    """A table in another format."""

    file: Annotated[OutputFile, About("Table in the new format")]
    row_count: Annotated[int, About("Number of rows")]
    columns: Annotated[list[str], About("Names of the columns")]


@tool(
    tags="convert table file csv tsv json ndjson xlsx excel parquet export format",
    use_when=(
        "Convert this CSV to Excel",
        "Turn the spreadsheet into JSON lines",
        "Export these rows as a Parquet file",
    ),
    examples=(
        Example(
            {"format": "xlsx", "rows": _PAIR},
            {"file": "table.xlsx", "row_count": 2, "columns": ["id", "name", "born"]},
            source="the table itself",
            then=(ExampleCall("table_preview", {"file": "{made}"}, {"rows": _PAIR}),),
        ),
        Example(
            {"format": "parquet", "file": FILE},
            {"file": "table.parquet", "row_count": 1},
            source="the table itself",
            files={FILE: encode("zip\tday\n01067\t2026-01-31\n")},
            then=(ExampleCall("table_preview", {"file": "{made}"}, {"rows": [{"zip": "01067", "day": "2026-01-31"}]}),),
        ),
        Example(
            {"format": "ndjson", "rows": _PAIR},
            {"file": "table.ndjson"},
            source="the table itself",
            then=(ExampleCall("table_preview", {"file": "{made}"}, {"rows": _PAIR}),),
        ),
        Refusal({"format": "csv", "file": FILE}, "The file is not a table", files={FILE: "AAECAw=="}),
    ),
    reply={
        "args.format": "The table with {row_count|row} as {args.format}: {file}",
        "": "The table with {row_count|row}: {file}",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_convert_file(
    format: Annotated[Literal["csv", "tsv", "json", "ndjson", "xlsx", "parquet"], About("Output format")],
    sheet: Annotated[str, About("Sheet of an Excel workbook; empty for the first", max_length=100)] = "",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Converted:
    """Convert a table between CSV, TSV, JSON, JSON Lines, Excel and Parquet.

    Use it to hand data to another program. The input format is detected. Excel output is limited to 200,000 rows.
    Returns the new file.
    """
    relation = workspace({"data": (file, rows)}, sheet, locked=False).table("data")
    names, count = relation.columns, value(relation, "count(*)")
    if format == "parquet":
        path = output_path("table.parquet")
        relation.write_parquet(str(path), compression="zstd")
        return {"file": path.name, "row_count": count, "columns": names}
    if count > _MOST_ROWS and format in ("xlsx", "json"):
        raise ToolError(f"The table has more than {_MOST_ROWS:,} rows. Choose csv, ndjson or parquet.")
    content = _render(names, records(relation), format)
    return {"file": save(f"table.{format}", content), "row_count": count, "columns": names}


def _render(names: list[str], lines: list[dict[str, Any]], kind: str) -> bytes:
    match kind:
        case "json":
            return bytes(orjson.dumps(lines, option=orjson.OPT_INDENT_2))
        case "ndjson":
            return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
        case "xlsx":
            return _workbook(names, lines)
        case _:
            return csv_text(names, lines, "\t" if kind == "tsv" else ",").encode()


def _workbook(names: list[str], lines: list[dict[str, Any]]) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("table")
    for cells in (names, *([line[name] for name in names] for line in lines)):
        sheet.append([_cell(cell) for cell in cells])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _cell(cell: Any) -> Any:
    """Convert a value for Excel: nested values become JSON, characters that XML does not allow are removed, and nothing
    becomes a formula.
    """
    if isinstance(cell, list | dict):
        cell = orjson.dumps(cell).decode()
    if not isinstance(cell, str):
        return cell
    plain = xml_text(cell)[:32_767]
    return f"'{plain}" if plain.startswith("=") else plain


class Dated(Table):
    """A table with normalised dates."""

    converted: Annotated[int, About("Number of values that became dates")]
    failed: Annotated[int, About("Number of values that could not be parsed; they are null now")]
    failed_examples: Annotated[list[str], About("First values that could not be parsed")]


@tool(
    tags="dates normalize parse iso format column mixed day month year clean",
    use_when=(
        "Convert the date column from 31.01.2026 to ISO format",
        "Clean up this column of mixed date formats",
        "Read the US dates in this CSV as real dates",
    ),
    examples=(
        Example(
            {
                "column": "d",
                "rows": [
                    {"d": "31.01.2026"},
                    {"d": "2026/02/03"},
                    {"d": "4 Mar 2026"},
                    {"d": "03/04/2026"},
                    {"d": "soon"},
                ],
            },
            {
                "rows": [
                    {"d": "2026-01-31"},
                    {"d": "2026-02-03"},
                    {"d": "2026-03-04"},
                    {"d": "2026-04-03"},
                    {"d": None},
                ],
                "converted": 4,
                "failed": 1,
                "failed_examples": ["soon"],
            },
            source="by hand: the day comes first where that is open",
        ),
        Example(
            {"column": "d", "order": "month_first", "rows": [{"d": "03/04/2026 5:30 PM"}]},
            {"rows": [{"d": "2026-03-04T17:30:00"}]},
            source="by hand",
        ),
        Refusal({"column": "e", "rows": [{"d": "soon"}]}, "no column e"),
    ),
    reply={
        "failed, rows": "I read {converted|date}; these could not be read: {failed_examples}. The table: {rows}",
        "rows": "I read {converted|date}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_normalize_dates(
    column: Column,
    order: Annotated[Literal["day_first", "month_first"], About("Interpretation of 03/04/2026")] = "day_first",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Dated:
    """Read a text column of mixed date formats as dates and write them in ISO 8601.

    Use it before sorting, grouping or joining by dates. English month names, two-digit years and times are understood.
    Returns the table, and the values that could not be parsed.
    """
    relation = open_table(file, rows)
    name = _one(relation, column)
    text = f"trim({quote(name)}::VARCHAR)"
    parsed = _date(text, _DAY_FIRST if order == "day_first" else _MONTH_FIRST)
    read = relation.project(f"*, {parsed} AS {quote(name + ' parsed')}")
    moments = quote(name + " parsed")
    whole = value(read, f"coalesce(bool_and({moments} = date_trunc('day', {moments})), true)")
    wrong = read.filter(f"{quote(name)} IS NOT NULL AND {text} <> '' AND {moments} IS NULL")
    samples = [cell[:100] for (cell,) in wrong.limit(10).project(text).fetchall()]
    counts = values(read, [f"count({moments})"])[0], value(wrong, "count(*)")
    result = table(replace(relation, {name: f"{parsed}{'::DATE' if whole else ''}"}), "dates.csv")
    return {**result, "converted": counts[0], "failed": counts[1], "failed_examples": samples}


def _date(text: str, ordered: Sequence[str]) -> str:
    """Return SQL that parses text as a timestamp: null unless it fits a format and its year is 1000 or later."""
    days = (*_ALWAYS, *ordered)
    # %Y also reads two digits, as a year of the first century, so that %y must come first.
    short = [day.replace("%Y", "%y") for day in days if day.endswith("%Y")]
    formats = ", ".join(literal(day + clock) for clock in ("", *_CLOCKS) for day in (*short, *days))
    parsed = f"coalesce(try_strptime({text}, [{formats}]), TRY_CAST({text} AS TIMESTAMP))"
    return f"CASE WHEN year({parsed}) >= 1000 THEN {parsed} END"


class Numbered(Table):
    """A table with parsed numbers."""

    converted: Annotated[int, About("Number of values that became numbers")]
    failed: Annotated[int, About("Number of values that could not be parsed; they are null now")]


@tool(
    tags="numbers parse currency thousands separator decimal comma percent text clean column",
    use_when=(
        "Turn the column with 1.234,50 € into numbers",
        "Read $1,200.00 and (300) as amounts",
        "The prices are stored as text, make them numeric",
    ),
    examples=(
        Example(
            {"columns": ["p"], "rows": [{"p": "$1,234.50"}, {"p": "(300)"}, {"p": "12 %"}, {"p": "n/a"}]},
            {"rows": [{"p": 1234.5}, {"p": -300.0}, {"p": 12.0}, {"p": None}], "converted": 3, "failed": 1},
            source="by hand; brackets are a minus in accounting",
        ),
        Example(
            {"columns": ["p"], "decimal": "comma", "rows": [{"p": "1.234,50 €"}]},
            {"rows": [{"p": 1234.5}]},
            source="by hand",
        ),
        Example(
            {"columns": ["d"], "rows": [{"d": "1.234,56"}, {"d": "12,5"}, {"d": "1,234.5"}]},
            {"rows": [{"d": None}, {"d": None}, {"d": 1234.5}], "converted": 1, "failed": 2},
            source="by hand: two are written with a decimal comma",
        ),
        Refusal({"columns": ["q"], "rows": [{"p": "1"}]}, "no column q"),
    ),
    reply={
        "failed, rows": "I read {converted|number}; {failed} could not be read: {rows}",
        "rows": "I read {converted|number}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_parse_numbers(
    columns: Annotated[list[Column], About("Text columns with numbers", ["price"], min_items=1, max_items=100)],
    decimal: Annotated[
        Literal["point", "comma"], About("Decimal separator; the other character separates thousands")
    ] = "point",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Numbered:
    """Read text columns with currency signs, thousands separators, percent signs or brackets as numbers.

    Use it for exports of spreadsheets and accounting. A percent sign is removed, so 12 % becomes 12. Returns the table
    and the number of parsed values.
    """
    relation = open_table(file, rows)
    ordered, _ = number_lines(relation)
    changes, done, wrong = {}, 0, 0
    for name in _find_known(relation, columns):
        if kind_of(relation, name) in ("integer", "number"):
            continue
        changes[name] = _number(f"{quote(name)}::VARCHAR", decimal)
        ok, present = values(ordered, [f"count({changes[name]})", f"count(nullif(trim({quote(name)}::VARCHAR), ''))"])
        done, wrong = done + ok, wrong + present - ok
    return {**table(replace(relation, changes), "numbers.csv"), "converted": done, "failed": wrong}


def _number(text: str, decimal: str) -> str:
    """Return SQL that parses text as a number: null unless exactly one number remains without currency signs and
    grouping.
    """
    bare = f"regexp_replace({text}, '[\\s\\p{{Sc}}%'']|\\b(EUR|USD|GBP|CHF|JPY)\\b', '', 'g')"
    grouping, mark = (",", ".") if decimal == "point" else (".", ",")
    signed = f"regexp_replace({bare}, '^\\((.*)\\)$', '-\\1')"
    # Groups have three digits, or two as in India; text that breaks this was written with the other separator.
    whole = (
        f"([0-9]+|[0-9]{{1,3}}([{grouping}][0-9]{{3}})+|[0-9]{{1,2}}([{grouping}][0-9]{{2}})+[{grouping}][0-9]{{3}})"
    )
    number = f"[-+]?({whole}([{mark}][0-9]*)?|[{mark}][0-9]+)"
    plain = f"replace(replace({signed}, '{grouping}', ''), '{mark}', '.')"
    return f"CASE WHEN regexp_full_match({signed}, '{number}') THEN TRY_CAST({plain} AS DOUBLE) END"


def _one(relation: Any, name: str) -> str:
    return column(relation, name)


def _find_known(relation: Any, names: list[str]) -> list[str]:
    return columns(relation, names)
