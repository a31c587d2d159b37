"""Data quality: likely problems of a table, and personal data in it."""

from typing import Annotated, Any

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    Noted,
    Rows,
    TableFile,
    kind_of,
    open_table,
    records,
    table_tool,
    value,
    values,
)

_SAMPLE = 2000


class Issue(TypedDict):
    """A possible problem of a table."""

    column: Annotated[str | None, About("Column, or null for the whole table")]
    issue: Annotated[str, About("Kind of problem, such as missing_values or mixed_case")]
    rows: Annotated[int, About("Number of affected rows")]
    advice: Annotated[str, About("Recommended action")]


class Quality(Noted):
    """A report on the quality of a table."""

    score: Annotated[float, About("0 to 100: share of complete cells and unique rows, reduced for other problems")]
    complete_percent: Annotated[float, About("Share of cells with a value")]
    duplicate_rows: Annotated[int, About("Rows that repeat another row")]
    issues: Annotated[list[Issue], About("Likely problems, most frequent first, at most 100")]


@tool(
    tags="data quality report score issues missing duplicates whitespace constant columns check",
    use_when=(
        "How good is the quality of this dataset?",
        "What should be cleaned in this CSV before I use it?",
        "Find suspicious columns and values in the table",
        "Where are values missing in this file?",
    ),
    examples=(
        Example(
            {"rows": [{"a": "x ", "b": 1}, {"a": "X", "b": 1}, {"a": None, "b": 1}, {"a": None, "b": 1}]},
            {
                "complete_percent": 75.0,
                "duplicate_rows": 1,
                "issues": [
                    {"column": "b", "issue": "constant", "rows": 4},
                    {"column": "a", "issue": "missing_values", "rows": 2},
                    {"column": "a", "issue": "mixed_case", "rows": 2},
                    {"column": None, "issue": "duplicate_rows", "rows": 1},
                    {"column": "a", "issue": "outer_spaces", "rows": 1},
                ],
            },
            source="by hand",
        ),
        Example(
            {"rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]},
            {"score": 100.0, "issues": []},
            source="nothing is wrong",
        ),
        Refusal({"rows": []}, "no columns"),
    ),
    reply={
        "issues": "The quality is {score} of 100. The problems: {issues}",
        "": "The quality is {score} of 100; I found no problems.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_report_quality(file: TableFile | None = None, rows: Rows | None = None) -> Quality:
    """Report on the quality of a table: gaps, duplicates, spaces, spellings in different case, constant columns and
    others.

    Use it before trusting or importing data. Returns a score, the share of filled cells, and each likely problem with
    advice.
    """
    relation = open_table(file, rows)
    total = value(relation, "count(*)")
    if not total:
        raise ToolError("The table has no rows.")
    doubles = total - value(relation.distinct(), "count(*)")
    issues = [issue for name in relation.columns for issue in _issues(relation, name, total)]
    if doubles:
        issues.append(
            {
                "column": None,
                "issue": "duplicate_rows",
                "rows": doubles,
                "advice": "Remove them with table_deduplicate.",
            }
        )
    issues.sort(key=lambda issue: (-issue["rows"], issue["column"] or ""))
    gaps = sum(issue["rows"] for issue in issues if issue["issue"] == "missing_values")
    complete = 100 * (1 - gaps / (total * len(relation.columns)))
    others = sum(issue["issue"] not in ("missing_values", "duplicate_rows") for issue in issues)
    score = complete * (1 - doubles / total) * max(0.0, 1 - 0.1 * others / len(relation.columns))
    return {"score": score, "complete_percent": complete, "duplicate_rows": doubles, "issues": issues[:100]}


def _issues(relation: Any, name: str, total: int) -> list[Issue]:
    it, text = quote(name), f"{quote(name)}::VARCHAR"
    counts = values(
        relation,
        [
            f"count(*) - count({it})",
            f"CASE WHEN count(DISTINCT {it}) = 1 AND count({it}) = count(*) AND count(*) > 1 THEN count(*) ELSE 0 END",
            f"count(*) FILTER ({text} <> trim({text}))",
            f"CASE WHEN count(DISTINCT trim({text})) > count(DISTINCT lower(trim({text}))) "
            f"THEN count(DISTINCT {text}) ELSE 0 END",
        ],
    )
    kinds = (
        ("missing_values", "Fill or drop them with table_fill_missing or table_drop_missing."),
        ("constant", "A column with one value tells nothing. Drop it."),
        ("outer_spaces", "Trim the values."),
        ("mixed_case", "The same value is written in different case. Unify it with table_group_similar."),
    )
    issues: list[Issue] = [
        {"column": name, "issue": issue, "rows": count, "advice": advice}
        for (issue, advice), count in zip(kinds, counts, strict=True)
        if count and (issue in ("missing_values", "constant") or kind_of(relation, name) == "text")
    ]
    if kind_of(relation, name) == "text":
        numbers = value(relation, f"count(*) FILTER (TRY_CAST(replace({text}, ',', '.') AS DOUBLE) IS NOT NULL)")
        if total > numbers >= 0.5 * total:
            issues.append(
                {
                    "column": name,
                    "issue": "numbers_as_text",
                    "rows": total - numbers,
                    "advice": "Some values are no numbers. Mend them.",
                }
            )
    return issues


class Personal(TypedDict):
    """A column that seems to contain personal data."""

    column: Annotated[str, About("Column name")]
    kind: Annotated[
        str, About("email, phone, credit_card, iban, ip_address, us_ssn, birth_date, name, address or coordinates")
    ]
    matched_percent: Annotated[float, About("Percentage of sampled values that match; 0 if only the column name does")]
    by: Annotated[str, About("Basis of the detection: values or name")]
    example: Annotated[str | None, About("A masked value")]


class PersonalData(Noted):
    """Personal data in a table."""

    columns: Annotated[list[Personal], About("Columns with likely personal data")]
    looked_at: Annotated[int, About("Number of rows examined")]


_PATTERNS = {
    "email": r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}",
    "iban": r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7} ?[A-Z0-9]{0,4}",
    "credit_card": r"(?:[0-9][ -]?){12,18}[0-9]",
    "us_ssn": r"(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}",
    "ip_address": r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}",
    "phone": r"\+?[0-9(][0-9 ()/.-]{6,18}[0-9]",
}
_NAMES = {
    "birth_date": r"birth|geburt|dob\b|naissance",
    "name": r"(?:first|last|full|sur|given|family|user|customer)[ _-]?name|vorname|nachname",
    "address": r"address|street|anschrift|strasse|straße|postcode|zip",
    "email": r"e[-_ ]?mail",
    "phone": r"phone|mobile|telefon|fax",
    "coordinates": r"\blat(?:itude)?\b|\blon(?:gitude)?\b",
}


@tool(
    tags="pii personal data detect gdpr privacy email phone credit card iban sensitive columns",
    use_when=(
        "Does this file contain personal data?",
        "Which columns hold emails, phone numbers or card numbers?",
        "Check the dataset for GDPR-relevant fields",
    ),
    examples=(
        Example(
            {"rows": [{"contact": "ann@example.com", "card": "4111 1111 1111 1111", "n": 5, "first_name": "Ann"}]},
            {
                "columns": [
                    {"column": "contact", "kind": "email", "matched_percent": 100.0, "by": "values", "example": "a…m"},
                    {"column": "card", "kind": "credit_card", "matched_percent": 100.0},
                    {"column": "first_name", "kind": "name", "by": "name"},
                ],
                "looked_at": 1,
            },
            source="by hand; 4111 1111 1111 1111 is a well-known test number that keeps the Luhn check (ISO/IEC 7812)",
        ),
        Example(
            {"rows": [{"card": "4111 1111 1111 1112", "size": 3}]},
            {"columns": []},
            source="the last digit breaks the Luhn check",
        ),
        Refusal({"rows": []}, "no columns"),
    ),
    reply={
        "columns": "These columns seem to contain personal data: {columns}",
        "": "I found no personal data in the table.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_detect_pii(file: TableFile | None = None, rows: Rows | None = None) -> PersonalData:
    """Find columns that look like personal data, by their values (with check digits) and by their names.

    Use it before sharing a dataset; table_anonymize removes it. Examines up to 2,000 rows. Returns the columns with the
    kind of data and one masked value.
    """
    relation = open_table(file, rows)
    sample = records(
        relation.limit(_SAMPLE).project(
            ", ".join(f"{quote(name)}::VARCHAR AS {quote(name)}" for name in relation.columns)
        )
    )
    found = [personal for name in relation.columns if (personal := _personal(relation, name, sample))]
    return {"columns": found, "looked_at": len(sample)}


def _personal(relation: Any, name: str, sample: list[dict[str, Any]]) -> Personal | None:
    cells = [str(row[name]).strip()[:100] for row in sample if row[name] is not None]
    if kind_of(relation, name) in ("text", "integer"):
        for kind, pattern in _PATTERNS.items():
            matching = [cell for cell in cells if regex.fullmatch(pattern, cell, timeout=1) and _check(kind, cell)]
            if (
                matching
                and len(matching) >= 0.5 * len(cells)
                and (kind != "phone" or kind_of(relation, name) == "text")
            ):
                share = 100 * len(matching) / len(cells)
                return {
                    "column": name,
                    "kind": kind,
                    "matched_percent": share,
                    "by": "values",
                    "example": _mask(matching[0]),
                }
    for kind, pattern in _NAMES.items():
        if regex.search(pattern, name, regex.IGNORECASE, timeout=1):
            return {
                "column": name,
                "kind": kind,
                "matched_percent": 0.0,
                "by": "name",
                "example": _mask(cells[0]) if cells else None,
            }
    return None


def _check(kind: str, text: str) -> bool:
    """Check the check digits; a phone number must not be a date or a card number."""
    digits = [int(character) for character in text if character.isascii() and character.isdigit()]
    if kind == "credit_card":
        doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits[::-1])]
        return 13 <= len(digits) <= 19 and sum(doubled) % 10 == 0
    if kind == "iban":
        plain_text = text.replace(" ", "")
        return int("".join(str(int(character, 36)) for character in plain_text[4:] + plain_text[:4])) % 97 == 1
    if kind == "ip_address":
        return all(int(part) < 256 for part in text.split("."))
    return kind != "phone" or (
        7 <= len(digits) <= 15
        and not regex.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text)
        and (text[0] in "+0(" or not text.isdigit())
        and any(mark in text for mark in "+ ()/-")
    )


def _mask(text: str) -> str:
    return f"{text[0]}…{text[-1]}" if len(text) > 1 else "…"
