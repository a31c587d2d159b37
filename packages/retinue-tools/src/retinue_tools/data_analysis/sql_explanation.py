"""SQL queries: explanation in words, and simplification."""

from typing import Annotated, Any

from sqlglot import exp
from sqlglot.optimizer import optimize
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.data_analysis._sql import Dialect, Sql, name_of, one_query, schema_of, sql_errors
from retinue_tools.data_analysis.sql_lineage import Ddl


class Optimized(TypedDict):
    """A simplified query."""

    sql: Annotated[str, About("Simplified query with qualified columns")]
    changed: Annotated[bool, About("Whether it differs from the given query")]


@tool(
    tags="sql optimize simplify qualify rewrite pushdown predicates query normal form",
    use_when=(
        "Simplify this nested SQL query",
        "Qualify all columns in this query with their tables",
        "Push the conditions of this query down into the subqueries",
    ),
    examples=(
        Example(
            {"sql": "SELECT a FROM t WHERE TRUE AND a > 1 + 2", "schema_ddl": "CREATE TABLE t (a INT)"},
            {"sql": 'SELECT\n  "t"."a" AS "a"\nFROM "t" AS "t"\nWHERE\n  "t"."a" > 3', "changed": True},
            source="by hand: TRUE AND x is x, 1 + 2 is 3",
        ),
        Example(
            {
                "sql": "SELECT x FROM (SELECT a AS x, b FROM t) q",
                "schema_ddl": "CREATE TABLE t (a INT, b INT)",
                "dialect": "mysql",
            },
            {"sql": "SELECT\n  `t`.`a` AS `x`\nFROM `t` AS `t`"},
            source="by hand: the subquery only renames",
        ),
        Refusal({"sql": "SELECT nope FROM t", "schema_ddl": "CREATE TABLE t (a INT)"}, "nope"),
    ),
    reply={
        "changed": "The simplified query: {sql}",
        "": "The query cannot be simplified: {sql}",
    },
    tier="starter",
)
@sql_errors()
def sql_optimize(sql: Sql, schema_ddl: Ddl, dialect: Dialect = "standard") -> Optimized:
    """Simplify a query with the help of its schema: constants folded, subqueries merged, conditions pushed down.

    Use it to understand or to tidy generated SQL. The result is equivalent. Returns the query with every column
    qualified by its table.
    """
    tree = one_query(sql, dialect)
    better = optimize(tree.copy(), schema=schema_of(schema_ddl, dialect), dialect=name_of(dialect))
    text = better.sql(dialect=name_of(dialect), pretty=True)
    return {"sql": text, "changed": better.sql() != tree.sql()}


class Explained(TypedDict):
    """Explanation of a query."""

    summary: Annotated[str, About("One-sentence summary of the query")]
    steps: Annotated[list[str], About("Steps in the order of evaluation")]


@tool(
    tags="sql explain words describe plain english meaning query understand",
    use_when=(
        "Explain this SQL query in plain English",
        "What does this SELECT with GROUP BY and HAVING do?",
        "Tell me step by step what this statement does",
    ),
    examples=(
        Example(
            {"sql": "SELECT city, COUNT(*) AS n FROM users WHERE age > 18 GROUP BY city ORDER BY n DESC LIMIT 3"},
            {
                "summary": "Reads users and returns 2 columns: city and n.",
                "steps": [
                    "Take all rows of users.",
                    "Keep the rows where age > 18.",
                    "Make one group for each city.",
                    "Compute city; COUNT(*), named n.",
                    "Sort by n, largest first.",
                    "Keep at most 3 rows.",
                ],
            },
            source="by hand, in the logical order of a query's clauses (SQL:2016, 7.16)",
        ),
        Example(
            {"sql": "SELECT * FROM a LEFT JOIN b ON a.id = b.id", "dialect": "postgres"},
            {
                "steps": [
                    "Take all rows of a.",
                    "Add the matching rows of b, keeping those without a match, where a.id = b.id.",
                    "Return all columns.",
                ]
            },
            source="by hand",
        ),
        Refusal({"sql": "DROP TABLE t"}, "one SELECT"),
    ),
    reply="{summary} Step by step: {steps}",
)
@sql_errors()
def sql_explain_words(sql: Sql, dialect: Dialect = "standard") -> Explained:
    """Explain a SELECT in plain words, clause by clause in the order of evaluation.

    Use it to understand a query that somebody else wrote. Returns a one-sentence summary and the steps.
    """
    tree = one_query(sql, dialect)
    steps = [f"Prepare {cte.alias}: {_brief(cte.this)}" for cte in tree.ctes]
    select = tree if isinstance(tree, exp.Select) else None
    steps += (
        _steps(select)
        if select is not None
        else [f"Combine the results of {len(list(tree.find_all(exp.Select)))} queries."]
    )
    steps += _last_steps(tree)
    return {"summary": _brief(tree), "steps": steps}


def _brief(tree: Any) -> str:
    tables = sorted({table.name for table in tree.find_all(exp.Table) if table.name})
    names = [part.alias_or_name for part in tree.selects]
    if any(part.is_star for part in tree.selects):
        columns = "all columns"
    else:
        columns = f"{len(names)} column{'s' * (len(names) != 1)}: {_enumerate([name or 'a value' for name in names])}"
    return f"Reads {_enumerate(tables) or 'no table'} and returns {columns}."


def _steps(select: Any) -> list[str]:
    steps = []
    source = select.args.get("from_") or select.args.get("from")
    if source is not None:
        steps.append(f"Take all rows of {_source(source.this)}.")
    steps += [_join(join) for join in select.args.get("joins") or ()]
    if where := select.args.get("where"):
        steps.append(f"Keep the rows where {where.this.sql()}.")
    if group := select.args.get("group"):
        steps.append(
            f"Make one group for each {_enumerate([part.sql() for part in group.expressions]) or 'combination'}."
        )
    if having := select.args.get("having"):
        steps.append(f"Keep the groups where {having.this.sql()}.")
    if all(isinstance(part, exp.Star) for part in select.expressions):
        steps.append("Return all columns.")
    else:
        steps.append(f"Compute {'; '.join(_output(part) for part in select.expressions)}.")
    if select.args.get("distinct"):
        steps.append("Remove duplicate rows.")
    return steps


def _last_steps(tree: Any) -> list[str]:
    steps = []
    if order := tree.args.get("order"):
        steps.append(f"Sort by {_enumerate([_describe_order(part) for part in order.expressions])}.")
    if offset := tree.args.get("offset"):
        steps.append(f"Skip the first {offset.expression.sql()} rows.")
    limit = tree.args.get("limit")
    if limit is not None:
        count = limit.args.get("count") or limit.expression
        steps.append(f"Keep at most {count.sql()} rows.")
    return steps


def _source(source: Any) -> str:
    return f"the subquery {source.alias or ''}".strip() if isinstance(source, exp.Subquery) else source.sql()


def _join(join: Any) -> str:
    kinds = {
        "LEFT": ", keeping those without a match",
        "RIGHT": ", keeping all of theirs",
        "FULL": ", keeping all of both",
    }
    unmatched = kinds.get(str(join.side).upper(), "")
    on, using = join.args.get("on"), join.args.get("using")
    if on is None and not using:
        return f"Combine every row with every row of {_source(join.this)}."
    condition = on.sql() if on is not None else f"{_enumerate([part.name for part in using])} are equal"
    return f"Add the matching rows of {_source(join.this)}{unmatched}, where {condition}."


def _output(part: Any) -> str:
    return f"{part.this.sql()}, named {part.alias}" if isinstance(part, exp.Alias) else part.sql()


def _describe_order(part: Any) -> str:
    return f"{part.this.sql()}, largest first" if part.args.get("desc") else part.this.sql()


def _enumerate(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
