"""SQL as text: layout, dialects, syntax and style."""

from typing import Annotated, Any, Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.data_analysis._sql import Dialect, Sql, fault, name_of, sql_errors, statements

_CHANGING = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into)


class Formatted(TypedDict):
    """Formatted SQL."""

    sql: Annotated[str, About("Statements, one clause per line; several statements end with semicolons")]
    statements: Annotated[int, About("Number of statements")]


@tool(
    tags="sql format beautify pretty print indent lint layout query readable minify",
    use_when=(
        "Format this SQL query nicely",
        "Make this one-line SELECT readable",
        "Put this SQL on one line",
    ),
    examples=(
        Example(
            {"sql": "select a,b from t where a>1"},
            {"sql": "SELECT\n  a,\n  b\nFROM t\nWHERE\n  a > 1", "statements": 1},
            source="the layout by hand: keywords in capitals, a line for each clause and column",
        ),
        Example(
            {"sql": "SELECT\n a\nFROM t;\nselect 1", "layout": "one_line"},
            {"sql": "SELECT a FROM t;\nSELECT 1;", "statements": 2},
            source="by hand",
        ),
        Refusal({"sql": "select from where ("}, "The SQL cannot be parsed"),
    ),
    reply="The formatted SQL: {sql}",
)
@sql_errors()
def sql_format(
    sql: Sql,
    dialect: Dialect = "standard",
    layout: Annotated[
        Literal["indented", "one_line"], About("One line per clause, or one line per statement")
    ] = "indented",
    indent: Annotated[int, About("Spaces per indentation level", minimum=1, maximum=8)] = 2,
) -> Formatted:
    """Format (lay out) SQL for reading: keywords in capitals, a line for each clause, regular indentation; or on one
    line.

    Use it to clean up queries of any dialect. Comments are kept. Returns the formatted statements.
    """
    trees = statements(sql, dialect)
    pretty = layout == "indented"
    texts = [tree.sql(dialect=name_of(dialect), pretty=pretty, pad=indent, indent=indent) for tree in trees]
    return {"sql": _join(texts), "statements": len(texts)}


class Translated(TypedDict):
    """SQL in another dialect."""

    sql: Annotated[str, About("Statements in the target dialect")]
    warnings: Annotated[list[str], About("Features without an equivalent in the target dialect")]


@tool(
    tags="sql transpile translate convert dialect postgres mysql bigquery snowflake sqlserver oracle migrate",
    use_when=(
        "Convert this MySQL query to PostgreSQL",
        "Rewrite my SQL Server statement for Snowflake",
        "What is this BigQuery query in DuckDB?",
    ),
    examples=(
        Example(
            {"sql": "SELECT IFNULL(a, 0) FROM `t` LIMIT 5", "source": "mysql", "target": "postgres"},
            {"sql": 'SELECT COALESCE(a, 0) FROM "t" LIMIT 5', "warnings": []},
            source="PostgreSQL's manual: COALESCE, and double quotes around names",
        ),
        Example(
            {"sql": "SELECT TOP 3 x FROM t", "source": "tsql", "target": "sqlite"},
            {"sql": "SELECT x FROM t LIMIT 3"},
            source="SQLite's manual: LIMIT",
        ),
        Refusal({"sql": "SELEC 1 FROM FROM", "source": "mysql", "target": "postgres"}, "The SQL cannot be parsed"),
    ),
    reply={
        "warnings": "There are warnings ({warnings}). The translated SQL: {sql}",
        "": "The translated SQL: {sql}",
    },
)
@sql_errors()
def sql_transpile_dialect(
    sql: Sql,
    source: Dialect,
    target: Dialect,
    pretty: Annotated[bool, About("Whether to put each clause on a separate line")] = False,
) -> Translated:
    """Translate SQL from one dialect to another: PostgreSQL, MySQL, SQL Server, BigQuery, Snowflake and others.

    Use it to move queries or schemas between databases. Functions, types and quoting are adapted. Returns the
    statements and warnings about features that could not be translated.
    """
    texts, warnings = [], []
    for tree in statements(sql, source):
        dialect = sqlglot.Dialect.get_or_raise(name_of(target))
        generator = dialect.generator(pretty=pretty, unsupported_level=ErrorLevel.IGNORE)
        texts.append(generator.generate(tree))
        warnings += generator.unsupported_messages
    return {"sql": _join(texts), "warnings": list(dict.fromkeys(warnings))[:50]}


class Fault(TypedDict):
    """A syntax error."""

    message: Annotated[str, About("Error message")]
    line: Annotated[int | None, About("Line, from 1")]
    column: Annotated[int | None, About("Column, from 1")]


class Validity(TypedDict):
    """Result of a syntax check."""

    valid: Annotated[bool, About("Whether the syntax is valid")]
    statements: Annotated[list[str], About("Kinds of the statements, such as SELECT, INSERT or CREATE TABLE")]
    reads_only: Annotated[bool, About("Whether all statements only read")]
    errors: Annotated[list[Fault], About("Syntax errors")]


@tool(
    tags="sql validate syntax check error parse read-only statement kind",
    use_when=(
        "Is this SQL syntactically correct?",
        "Where is the syntax error in my query?",
        "Does this script change any data?",
    ),
    examples=(
        Example(
            {"sql": "SELECT 1; DELETE FROM t"},
            {"valid": True, "statements": ["SELECT", "DELETE"], "reads_only": False},
            source="by hand",
        ),
        Example(
            {"sql": "SELECT a\nFROM t WHERE (", "dialect": "postgres"},
            {"valid": False, "reads_only": False, "statements": []},
            source="by hand: the bracket is not closed",
        ),
        Refusal({"sql": ""}, "at least 1 character"),
    ),
    reply={
        "valid, reads_only": "The SQL is correct and only reads: {statements}",
        "valid": "The SQL is correct and changes data: {statements}",
        "errors": "The SQL is not correct: {errors}",
        "": "The SQL is not correct.",
    },
)
def sql_validate(sql: Sql, dialect: Dialect = "standard") -> Validity:
    """Check (validate) the syntax of SQL in a dialect, and show the kinds of its statements and whether they only read.

    Use it before running or storing a query. Names are not checked against a database. Returns the errors with their
    lines.
    """
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=name_of(dialect)) if tree is not None]
    except ParseError as error:
        errors: list[Fault] = [
            {"message": str(one["description"])[:300], "line": one["line"], "column": one["col"]}
            for one in error.errors[:20]
        ]
        errors = errors or [{"message": fault(error), "line": None, "column": None}]
        return {"valid": False, "statements": [], "reads_only": False, "errors": errors}
    except TokenError as error:
        wrong: Fault = {"message": str(error).split("\n")[0][:300], "line": None, "column": None}
        return {"valid": False, "statements": [], "reads_only": False, "errors": [wrong]}
    reads = bool(trees) and all(isinstance(tree, exp.Query) and not tree.find(*_CHANGING) for tree in trees)
    return {"valid": True, "statements": [_kind(tree) for tree in trees], "reads_only": reads, "errors": []}


class Remark(TypedDict):
    """A finding in a query."""

    rule: Annotated[str, About("Short name of the rule")]
    severity: Annotated[str, About("danger, warning or style")]
    message: Annotated[str, About("Explanation and recommended action")]
    sql: Annotated[str, About("Affected part of the statement")]


class Remarks(TypedDict):
    """Findings of an SQL review."""

    remarks: Annotated[list[Remark], About("Findings, at most 100")]
    count: Annotated[int, About("Number of findings")]


@tool(
    tags="sql lint review smell anti-pattern performance best practice check query",
    use_when=(
        "Review this SQL for bad practice",
        "What is dangerous about this DELETE statement?",
        "Why might this query be slow or wrong?",
    ),
    examples=(
        Example(
            {"sql": "DELETE FROM users"},
            {"count": 1, "remarks": [{"rule": "no_where", "severity": "danger", "sql": "DELETE FROM users"}]},
            source="by hand",
        ),
        Example(
            {"sql": "SELECT * FROM a, b WHERE a.x = NULL AND b.y LIKE '%z'", "dialect": "mysql"},
            {
                "remarks": [
                    {"rule": "comma_join", "severity": "warning"},
                    {"rule": "equals_null", "severity": "danger", "sql": "a.x = NULL"},
                    {"rule": "leading_wildcard", "severity": "warning"},
                    {"rule": "select_star", "severity": "style"},
                ]
            },
            source="by hand",
        ),
        Refusal({"sql": "SELECT (("}, "The SQL cannot be parsed"),
    ),
    reply={
        "remarks": "I found {count|problem}: {remarks}",
        "": "I found nothing wrong with the SQL.",
    },
)
@sql_errors()
def sql_lint(sql: Sql, dialect: Dialect = "standard") -> Remarks:
    """Review SQL for mistakes and bad practice: missing WHERE, comparison with NULL, comma joins, SELECT * and others.

    Use it to check queries before they go into production. Returns each finding with a rule, a severity and a
    recommended action.
    """
    remarks: list[Remark] = []
    for tree in statements(sql, dialect):
        for node in tree.walk():
            for rule, (severity, matches, message) in _RULES.items():
                if matches(node):
                    piece = node.sql(dialect=name_of(dialect))[:200]
                    remarks.append({"rule": rule, "severity": severity, "message": message, "sql": piece})
    remarks.sort(key=lambda remark: remark["rule"])
    return {"remarks": remarks[:100], "count": len(remarks)}


def _no_where(node: Any) -> bool:
    return isinstance(node, exp.Delete | exp.Update) and not node.args.get("where")


def _select_star(node: Any) -> bool:
    return isinstance(node, exp.Select) and any(isinstance(part, exp.Star) for part in node.expressions)


def _comma_join(node: Any) -> bool:
    if not isinstance(node, exp.Join) or node.args.get("on") or node.args.get("using"):
        return False
    return (
        not node.args.get("kind")
        and not node.args.get("method")
        and not node.args.get("side")
        and isinstance(node.this, exp.Table)
    )


def _equals_null(node: Any) -> bool:
    return (
        isinstance(node, exp.EQ | exp.NEQ)
        and any(isinstance(side, exp.Null) for side in (node.left, node.right))
        and not isinstance(node.parent, exp.Update)
    )


def _leading_wildcard(node: Any) -> bool:
    return (
        isinstance(node, exp.Like | exp.ILike)
        and isinstance(node.expression, exp.Literal)
        and node.expression.name.startswith(("%", "_"))
    )


def _not_in_query(node: Any) -> bool:
    return isinstance(node, exp.Not) and isinstance(node.this, exp.In) and node.this.args.get("query") is not None


def _order_by_number(node: Any) -> bool:
    return (
        isinstance(node, exp.Ordered)
        and isinstance(node.this, exp.Literal)
        and node.this.is_int
        and isinstance(node.parent, exp.Order)
    )


def _limit_without_order(node: Any) -> bool:
    return isinstance(node, exp.Select) and bool(node.args.get("limit")) and not node.args.get("order")


def _insert_without_columns(node: Any) -> bool:
    return isinstance(node, exp.Insert) and isinstance(node.this, exp.Table)


def _function_on_column(node: Any) -> bool:
    if not isinstance(node, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE) or node.find_ancestor(exp.Where) is None:
        return False
    return (
        isinstance(node.left, exp.Func)
        and not isinstance(node.left, exp.AggFunc | exp.Connector)
        and node.left.find(exp.Column) is not None
    )


def _distinct_group(node: Any) -> bool:
    return isinstance(node, exp.Select) and bool(node.args.get("distinct")) and bool(node.args.get("group"))


_RULES: dict[str, tuple[str, Any, str]] = {
    "comma_join": (
        "warning",
        _comma_join,
        "Tables joined by a comma multiply when a condition is forgotten. Write JOIN … ON.",
    ),
    "distinct_with_group": (
        "style",
        _distinct_group,
        "GROUP BY makes rows distinct already. Leave out DISTINCT.",
    ),
    "equals_null": (
        "danger",
        _equals_null,
        "A comparison with NULL is never true. Write IS NULL or IS NOT NULL.",
    ),
    "function_on_column": (
        "warning",
        _function_on_column,
        "A function around a column keeps an index from being used. Change the other side.",
    ),
    "insert_without_columns": (
        "warning",
        _insert_without_columns,
        "The INSERT depends on the order of columns. Name them.",
    ),
    "leading_wildcard": (
        "warning",
        _leading_wildcard,
        "A pattern that begins with a wildcard cannot use an index. Use a text search.",
    ),
    "limit_without_order": (
        "warning",
        _limit_without_order,
        "Without ORDER BY it is left to chance which rows LIMIT keeps.",
    ),
    "no_where": (
        "danger",
        _no_where,
        "Every row of the table is affected. Add a WHERE clause.",
    ),
    "not_in_query": (
        "danger",
        _not_in_query,
        "NOT IN gives no rows when the subquery has a NULL. Use NOT EXISTS.",
    ),
    "order_by_number": (
        "style",
        _order_by_number,
        "A position breaks when columns change. Order by the name.",
    ),
    "select_star": (
        "style",
        _select_star,
        "SELECT * fetches columns nobody asked for, and changes with the table. Name them.",
    ),
}


def _join(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "".join(f"{text};\n" for text in texts).rstrip("\n")


def _kind(tree: Any) -> str:
    """Return the kind of a statement, as named by SQL."""
    if isinstance(tree, exp.Query):
        return "SELECT"
    if isinstance(tree, exp.Create | exp.Drop | exp.Alter):
        return f"{tree.key.upper()} {str(tree.args.get('kind') or '').upper()}".strip()
    return str(tree.name).upper() if isinstance(tree, exp.Command) else tree.key.upper()
