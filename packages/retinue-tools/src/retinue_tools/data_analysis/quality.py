"""How good a table is: profile of its columns, rules it should keep, likely faults, personal data in it."""

from typing import Annotated, Any, Literal, NotRequired

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Rows,
    TableFile,
    column,
    is_number,
    kind_of,
    number_lines,
    open_table,
    plain,
    readable_errors,
    records,
    value,
    values,
)

_PEOPLE = [
    {"id": 1, "mail": "ann@example.com", "age": 30},
    {"id": 2, "mail": "bob@example.org", "age": 41},
    {"id": 2, "mail": "none", "age": -5},
    {"id": 4, "mail": None, "age": 34},
]
_SAMPLE = 2000


class Profile(TypedDict):
    """What is in a column."""

    name: Annotated[str, About("Its name")]
    type: Annotated[str, About("integer, number, text, boolean, date, timestamp or json")]
    missing: Annotated[int, About("Rows without a value")]
    distinct: Annotated[int, About("How many different values there are")]
    min: Annotated[Any, About("Smallest value")]
    max: Annotated[Any, About("Largest value")]
    top: Annotated[list[dict[str, Any]], About("The five commonest values with their counts")]
    mean: NotRequired[Annotated[float | None, About("Mean of numbers")]]
    deviation: NotRequired[Annotated[float | None, About("Sample standard deviation of numbers")]]
    quartiles: NotRequired[Annotated[list[float | None], About("Three cut points of numbers, R type 7")]]


class Profiles(TypedDict):
    """What is in a table."""

    row_count: Annotated[int, About("How many rows")]
    duplicate_rows: Annotated[int, About("Rows that repeat another one wholly")]
    columns: Annotated[list[Profile], About("One profile for each column, at most 100")]


@tool(
    tags="profile table columns statistics nulls distinct min max quantiles explore eda",
    use_when=(
        "Profile this dataset",
        "How many missing and distinct values has each column?",
        "Give me an overview of the data in this CSV",
    ),
    examples=(
        Example(
            {"rows": _PEOPLE},
            {
                "row_count": 4,
                "duplicate_rows": 0,
                "columns": [
                    {"name": "id", "type": "integer", "missing": 0, "distinct": 3, "mean": 2.25},
                    {"name": "mail", "type": "text", "missing": 1, "distinct": 3, "min": "ann@example.com"},
                    {"name": "age", "min": -5, "max": 41, "mean": 25.0, "quartiles": [21.25, 32.0, 35.75]},
                ],
            },
            source="by hand; quartiles interpolated linearly (R type 7)",
        ),
        Example(
            {"rows": [{"a": "x"}, {"a": "x"}]},
            {"duplicate_rows": 1, "columns": [{"top": [{"value": "x", "count": 2}]}]},
            source="by hand",
        ),
        Refusal({"rows": []}, "no columns"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_profile(file: TableFile | None = None, rows: Rows | None = None) -> Profiles:
    """Profile a table: for each column its type, missing and distinct values, extremes, commonest values and quartiles.

    Use it to get to know a dataset before working with it. Returns the profiles and the number of duplicate rows.
    """
    relation = open_table(file, rows)
    total = value(relation, "count(*)")
    return {
        "row_count": total,
        "duplicate_rows": total - value(relation.distinct(), "count(*)"),
        "columns": [_profile(relation, name) for name in relation.columns[:100]],
    }


def _profile(relation: Any, name: str) -> Profile:
    it = quote(name)
    missing, distinct, low, high = values(
        relation, [f"count(*) - count({it})", f"count(DISTINCT {it})", f"min({it})", f"max({it})"]
    )
    top = (
        relation.filter(f"{it} IS NOT NULL")
        .aggregate(f"{it} AS v, count(*) AS n", it)
        .order("n DESC, v")
        .limit(5)
        .fetchall()
    )
    profile: Profile = {
        "name": name,
        "type": kind_of(relation, name),
        "missing": missing,
        "distinct": distinct,
        "min": _short(low),
        "max": _short(high),
        "top": [{"value": _short(plain(cell)), "count": count} for cell, count in top],
    }
    if is_number(relation, name):
        quantiles = [f"quantile_cont({it}, {share})" for share in (0.25, 0.5, 0.75)]
        mean, deviation, *quartiles = values(relation, [f"avg({it})", f"stddev_samp({it})", *quantiles])
        profile |= {"mean": mean, "deviation": deviation, "quartiles": quartiles}
    return profile


def _short(cell: Any) -> Any:
    return f"{cell[:200]}…" if isinstance(cell, str) and len(cell) > 200 else cell


class RuleOf(TypedDict):
    """What a column must keep."""

    column: Annotated[str, About("The column", "age", max_length=200)]
    rule: Annotated[
        Literal["required", "unique", "minimum", "maximum", "pattern", "one_of", "type", "max_length"],
        About("What is demanded"),
    ]
    value: NotRequired[
        Annotated[
            str | float | list[str],
            About("Bound, regular expression, list of allowed texts, type or length; none for required and unique", 0),
        ]
    ]


class Broken(TypedDict):
    """How a rule was kept."""

    column: Annotated[str, About("The column")]
    rule: Annotated[str, About("The rule")]
    passed: Annotated[bool, About("Whether every row keeps it")]
    violations: Annotated[int, About("How many rows do not")]
    row_numbers: Annotated[list[int], About("The first ten of them, from 1")]


class Validation(TypedDict):
    """Whether a table keeps its rules."""

    valid: Annotated[bool, About("Whether all rules are kept")]
    rules: Annotated[list[Broken], About("Each rule with its violations")]


@tool(
    tags="validate table rules checks constraints unique required range regex data quality expectations",
    use_when=(
        "Check that id is unique and age is between 0 and 120",
        "Validate the emails in this CSV against a pattern",
        "Which rows break our import rules?",
    ),
    examples=(
        Example(
            {
                "rules": [
                    {"column": "id", "rule": "unique"},
                    {"column": "age", "rule": "minimum", "value": 0},
                    {"column": "mail", "rule": "pattern", "value": "[^@]+@[^@]+"},
                    {"column": "mail", "rule": "required"},
                ],
                "rows": _PEOPLE,
            },
            {
                "valid": False,
                "rules": [
                    {"rule": "unique", "violations": 2, "row_numbers": [2, 3]},
                    {"rule": "minimum", "violations": 1, "row_numbers": [3]},
                    {"rule": "pattern", "violations": 1, "row_numbers": [3]},
                    {"rule": "required", "violations": 1, "row_numbers": [4]},
                ],
            },
            source="by hand",
        ),
        Example(
            {"rules": [{"column": "age", "rule": "type", "value": "integer"}], "rows": _PEOPLE},
            {"valid": True},
            source="by hand",
        ),
        Refusal({"rules": [{"column": "age", "rule": "minimum", "value": "x"}], "rows": _PEOPLE}, "needs a number"),
        Refusal({"rules": [{"column": "mail", "rule": "pattern", "value": "("}], "rows": _PEOPLE}, "Correct"),
    ),
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_validate_rules(
    rules: Annotated[
        list[RuleOf], About("What must hold", [{"column": "id", "rule": "unique"}], min_items=1, max_items=100)
    ],
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Validation:
    """Check a table against rules: required, unique, bounds, pattern, allowed values, type or length of columns.

    Use it before an import or as a quality gate. Missing values break only the rule required. Returns for each rule
    how many rows break it and which come first.
    """
    relation, row = number_lines(open_table(file, rows))
    found = [_broken(relation, row, rule) for rule in rules]
    return {"valid": all(one["passed"] for one in found), "rules": found}


def _broken(relation: Any, row: str, rule: RuleOf) -> Broken:
    name = column(relation, rule["column"])
    bad = _violating(relation, name, rule)
    marked = relation.project(f"{quote(row)} AS n, coalesce({bad}, false) AS bad").filter("bad")
    first = [number for (number,) in marked.order("n").limit(10).project("n").fetchall()]
    count = value(marked, "count(*)")
    return {"column": name, "rule": rule["rule"], "passed": not count, "violations": count, "row_numbers": first}


def _violating(relation: Any, name: str, rule: RuleOf) -> str:
    """The condition under which a row breaks a rule, as SQL."""
    it, bound = quote(name), rule.get("value")
    match rule["rule"]:
        case "required":
            return f"{it} IS NULL OR trim({it}::VARCHAR) = ''"
        case "unique":
            return f"{it} IS NOT NULL AND count(*) OVER (PARTITION BY {it}) > 1"
        case "minimum" | "maximum" | "max_length":
            if not isinstance(bound, int | float):
                raise ToolError(f"The rule {rule['rule']} needs a number as its value.")
            measured = (
                f"length({it}::VARCHAR)" if rule["rule"] == "max_length" else f"TRY_CAST({it}::VARCHAR AS DOUBLE)"
            )
            return f"{measured} {'<' if rule['rule'] == 'minimum' else '>'} {bound!r}"
        case "pattern":
            return f"NOT regexp_full_match({it}::VARCHAR, {literal(str(bound or ''))})"
        case "one_of":
            allowed = [literal(str(one)) for one in (bound if isinstance(bound, list) else [bound])]
            return f"{it}::VARCHAR NOT IN ({', '.join(allowed) or 'NULL'})"
        case _:
            fits = kind_of(relation, name) == bound or (bound == "number" and kind_of(relation, name) == "integer")
            return "false" if fits else f"{it} IS NOT NULL"


class Issue(TypedDict):
    """Something that may be wrong with a table."""

    column: Annotated[str | None, About("The column, or none for the whole table")]
    issue: Annotated[str, About("Kind of fault, such as missing_values or mixed_case")]
    rows: Annotated[int, About("How many rows have it")]
    advice: Annotated[str, About("What to do")]


class Quality(TypedDict):
    """A report on the quality of a table."""

    score: Annotated[float, About("From 0 to 100: complete cells and rows that are no duplicates, less other faults")]
    complete_percent: Annotated[float, About("Cells that hold a value")]
    duplicate_rows: Annotated[int, About("Rows that repeat another one")]
    issues: Annotated[list[Issue], About("Likely faults, the most frequent first, at most 100")]


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
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_report_quality(file: TableFile | None = None, rows: Rows | None = None) -> Quality:
    """Report on the quality of a table: gaps, duplicates, spaces, spellings in different case, constants and others.

    Use it before trusting or importing data. Returns a score, the share of filled cells, and each likely fault with
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
    """A column that seems to hold personal data."""

    column: Annotated[str, About("The column")]
    kind: Annotated[
        str, About("email, phone, credit_card, iban, ip_address, us_ssn, birth_date, name, address or coordinates")
    ]
    matched_percent: Annotated[
        float, About("Values of the sample that look like it; 0 where only the column's name does")
    ]
    by: Annotated[str, About("values or name: what told it")]
    example: Annotated[str | None, About("One value, masked")]


class PersonalData(TypedDict):
    """Personal data in a table."""

    columns: Annotated[list[Personal], About("Columns that look personal")]
    looked_at: Annotated[int, About("How many rows were looked at")]


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
    pace="normal",
    memory_mb=1024,
)
@readable_errors()
def table_detect_pii(file: TableFile | None = None, rows: Rows | None = None) -> PersonalData:
    """Find columns that look like personal data, by their values (with check digits) and by their names.

    Use it before sharing a dataset; table_anonymize removes what was found. Looks at up to 2,000 rows. Returns the
    columns with the kind of data and one masked value.
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
    """Whether the check digits are right, and for a phone number whether it is no date and no card number."""
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
