"""Profiles of a table's columns, and validation of rows by rules."""

from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Noted,
    Rows,
    TableFile,
    column,
    is_number,
    kind_of,
    number_lines,
    open_table,
    plain,
    table_tool,
    value,
    values,
)

_PEOPLE = [
    {"id": 1, "mail": "ann@example.com", "age": 30},
    {"id": 2, "mail": "bob@example.org", "age": 41},
    {"id": 2, "mail": "none", "age": -5},
    {"id": 4, "mail": None, "age": 34},
]


class Profile(TypedDict):
    """Profile of a column."""

    name: Annotated[str, About("Name of the column")]
    type: Annotated[str, About("integer, number, text, boolean, date, timestamp or json")]
    missing: Annotated[int, About("Number of rows without a value")]
    distinct: Annotated[int, About("Number of distinct values")]
    min: Annotated[Any, About("Smallest value")]
    max: Annotated[Any, About("Largest value")]
    top: Annotated[list[dict[str, Any]], About("The five most common values with their counts")]
    mean: NotRequired[Annotated[float | None, About("Mean of a numeric column")]]
    deviation: NotRequired[Annotated[float | None, About("Sample standard deviation of a numeric column")]]
    quartiles: NotRequired[Annotated[list[float | None], About("Quartiles of a numeric column, R type 7")]]


class Profiles(Noted):
    """Profile of a table."""

    row_count: Annotated[int, About("Number of rows")]
    duplicate_rows: Annotated[int, About("Rows that repeat another row")]
    columns: Annotated[list[Profile], About("Profiles of the columns, at most 100")]


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
    reply="The table has {row_count|row}, with {duplicate_rows|repetition}: {columns}",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_profile(file: TableFile | None = None, rows: Rows | None = None) -> Profiles:
    """Profile a table: for each column its type, missing and distinct values, extremes, most common values and
    quartiles.

    Use it to explore a dataset before working with it. Returns the profiles and the number of duplicate rows.
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
    """A rule for a column."""

    column: Annotated[str, About("Column name", "age", max_length=200)]
    rule: Annotated[
        Literal["required", "unique", "minimum", "maximum", "pattern", "one_of", "type", "max_length"],
        About("Required property"),
    ]
    value: NotRequired[
        Annotated[
            str | float | list[str],
            About("Bound, regular expression, list of allowed texts, type or length; null for required and unique", 0),
        ]
    ]


class Broken(TypedDict):
    """Result of checking a rule."""

    column: Annotated[str, About("Column name")]
    rule: Annotated[str, About("The rule")]
    passed: Annotated[bool, About("Whether all rows satisfy it")]
    violations: Annotated[int, About("Number of rows that violate it")]
    row_numbers: Annotated[list[int], About("First ten of these rows, from 1")]


class Validation(Noted):
    """Result of validating a table."""

    valid: Annotated[bool, About("Whether all rules are satisfied")]
    rules: Annotated[list[Broken], About("Rules with their violations")]


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
    reply={
        "valid": "The table satisfies all rules.",
        "": "The table breaks some of the rules: {rules}",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_validate_rules(
    rules: Annotated[
        list[RuleOf], About("Rules to check", [{"column": "id", "rule": "unique"}], min_items=1, max_items=100)
    ],
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Validation:
    """Check a table against rules: required, unique, bounds, pattern, allowed values, type or length of columns.

    Use it before an import or as a quality gate. Missing values violate only the rule required. Returns for each rule
    the number of violations and the first rows.
    """
    relation, row = number_lines(open_table(file, rows))
    found = [_find_violations(relation, row, rule) for rule in rules]
    return {"valid": all(one["passed"] for one in found), "rules": found}


def _find_violations(relation: Any, row: str, rule: RuleOf) -> Broken:
    name = column(relation, rule["column"])
    bad = _violation(relation, name, rule)
    marked = relation.project(f"{quote(row)} AS n, coalesce({bad}, false) AS bad").filter("bad")
    first = [number for (number,) in marked.order("n").limit(10).project("n").fetchall()]
    count = value(marked, "count(*)")
    return {"column": name, "rule": rule["rule"], "passed": not count, "violations": count, "row_numbers": first}


def _violation(relation: Any, name: str, rule: RuleOf) -> str:
    """Return the condition under which a row violates a rule, as SQL."""
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
