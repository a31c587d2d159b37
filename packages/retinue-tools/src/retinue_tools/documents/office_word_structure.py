"""Headings and tables of Word documents."""

from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.documents._office_files import WordFile, word
from retinue_tools.documents._office_samples import NOT_OFFICE
from retinue_tools.documents._office_word_blocks import blocks_of, lines_of, table_rows
from retinue_tools.documents._samples import FILE
from retinue_tools.documents.office_word_text import PLAN


class Heading(TypedDict):
    """A heading with its number of words."""

    level: Annotated[int, About("1 for the highest; 0 for the title of the document")]
    number: Annotated[str, About("Number in the outline, such as 2.1; empty for the title")]
    text: Annotated[str, About("Text of the heading")]
    words: Annotated[int, About("Number of words until the next heading")]


class Outline(TypedDict):
    """The headings of a document."""

    headings: Annotated[list[Heading], About("All headings in order")]
    words_before: Annotated[int, About("Number of words before the first heading")]
    skipped_levels: Annotated[list[str], About("Headings more than one level below the previous one")]


class WordTable(TypedDict):
    """A table of a Word document."""

    table: Annotated[int, About("Position of the table, from 1")]
    columns: Annotated[list[str], About("Column names: the first row, or column_1 and so on")]
    records: Annotated[list[dict[str, str]], About("One object for each row below the header")]


class WordTables(TypedDict):
    """The tables of a document."""

    tables: Annotated[list[WordTable], About("Tables with at least one row")]
    count: Annotated[int, About("Number of tables in the document")]


@tool(
    tags="docx word outline headings structure table contents sections toc",
    use_when=(
        "What are the headings of this Word document?",
        "Show the outline of the thesis with words per section",
        "Does my document skip heading levels?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "headings": [
                    {"level": 1, "number": "1", "text": "Plan", "words": 3},
                    {"level": 2, "number": "1.1", "text": "Costs", "words": 9},
                ],
                "words_before": 0,
                "skipped_levels": [],
            },
            source="the document as it was written: three words, then six in cells and three after the table",
            files={FILE: PLAN},
        ),
        Example(
            {"file": FILE, "deepest_level": 1},
            {"headings": [{"level": 1, "number": "1", "text": "Plan", "words": 13}]},
            source="by hand: all other words, the lower heading among them",
            files={FILE: PLAN},
        ),
        Refusal({"file": FILE}, "is not a valid Word document (.docx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "headings": "The headings: {headings}",
        "": "There are no headings in the document.",
    },
    tier="starter",
    pace="normal",
)
def docx_list_headings(
    file: WordFile,
    deepest_level: Annotated[int, About("Deepest level to list", minimum=1, maximum=9)] = 9,
) -> Outline:
    """List the headings of a Word document as a numbered outline with the number of words below each.

    Use it to see or check the structure of a long document. Returns levels, numbers such as 2.1, texts, and headings
    that skip a level.
    """
    with word(file) as document:
        lines = [line for block in blocks_of(document) for line in lines_of(block)]
    found: list[Heading] = []
    counters, before = [0] * 10, 0
    for kind, level, text in lines:
        if kind == "heading" and level <= deepest_level and text:
            counters[level:] = [counters[level] + 1, *[0] * (9 - level)]
            number = ".".join(str(count) for count in counters[1 : level + 1])
            found.append({"level": level, "number": number, "text": text, "words": 0})
        elif found:
            found[-1]["words"] += len(text.split())
        else:
            before += len(text.split())
    levels = [0, *(heading["level"] for heading in found)]
    skipped = [heading["text"] for last, heading in zip(levels, found, strict=False) if heading["level"] > last + 1]
    return {"headings": found, "words_before": before, "skipped_levels": skipped}


@tool(
    tags="docx word tables extract records rows cells data",
    use_when=(
        "Get the price table out of this Word document",
        "Extract all tables of contract.docx as records",
        "Which rows has the second table of the report?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "tables": [
                    {
                        "table": 1,
                        "columns": ["Item", "Price"],
                        "records": [{"Item": "Pot", "Price": "12"}, {"Item": "Cup", "Price": "3"}],
                    }
                ],
                "count": 1,
            },
            source="the table that the document was written with",
            files={FILE: PLAN},
        ),
        Example(
            {"file": FILE, "table": 1, "header": False},
            {
                "tables": [
                    {
                        "table": 1,
                        "columns": ["column_1", "column_2"],
                        "records": [
                            {"column_1": "Item", "column_2": "Price"},
                            {"column_1": "Pot", "column_2": "12"},
                            {"column_1": "Cup", "column_2": "3"},
                        ],
                    }
                ]
            },
            source="by hand",
            files={FILE: PLAN},
        ),
        Refusal({"file": FILE, "table": 2}, "has 1 table", files={FILE: PLAN}),
    ),
    reply={
        "tables": "The document has {count|table}: {tables}",
        "": "There are no tables in the document.",
    },
    tier="starter",
    pace="normal",
)
def docx_extract_tables(
    file: WordFile,
    table: Annotated[int | None, About("Only the table at this position, counted from 1", 1, minimum=1)] = None,
    header: Annotated[bool, About("Whether the first row of a table contains the column names")] = True,
) -> WordTables:
    """Extract the tables of a Word document as records.

    Use it to process figures in a .docx file. Returns for each table its columns and one object per row; all values are
    text.
    """
    with word(file) as document:
        found = list(enumerate(document.tables, 1))
        if table is not None and table > len(found):
            raise ToolError(f"The document has {len(found)} table{'s' * (len(found) != 1)}, not {table}.")
        read = [(number, table_rows(content)) for number, content in found if table in (None, number)]
    return {"tables": [_records(number, rows, header) for number, rows in read if rows], "count": len(found)}


def _records(number: int, rows: Sequence[Sequence[str]], header: bool) -> WordTable:
    width = max(len(row) for row in rows)
    header_cells = list(rows[0]) if header else []
    columns: list[str] = []
    for position in range(width):
        name = (header_cells[position] if position < len(header_cells) else "") or f"column_{position + 1}"
        columns.append(name if name not in columns else f"{name}_{position + 1}")
    body = rows[1:] if header else rows
    records = [dict(zip(columns, [*row, *[""] * (width - len(row))], strict=True)) for row in body]
    return {"table": number, "columns": columns, "records": records}
