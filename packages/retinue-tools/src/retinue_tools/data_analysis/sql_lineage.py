"""Tables that an SQL query reads, and the sources of its columns."""

from typing import Annotated, Any

from sqlglot import exp
from sqlglot.lineage import lineage
from sqlglot.optimizer import optimize
from sqlglot.optimizer.scope import traverse_scope
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._sql import Dialect, Sql, name_of, one_query, schema_of, sql_errors, statements

Ddl = Annotated[
    str,
    About("CREATE TABLE statements of the tables", "CREATE TABLE t (a INT, b TEXT)", min_length=1, max_length=100_000),
]


class TableUse(TypedDict):
    """A table used by a query."""

    name: Annotated[str, About("Name, with schema and catalogue if given")]
    columns: Annotated[list[str], About("Columns that certainly belong to this table")]
    written: Annotated[bool, About("Whether the statement changes it")]


class Uses(TypedDict):
    """Objects used by a query."""

    tables: Annotated[list[TableUse], About("Tables, except for those defined by WITH")]
    ctes: Annotated[list[str], About("Names defined by WITH")]
    columns: Annotated[list[str], About("All column names")]
    functions: Annotated[list[str], About("Called functions")]


@tool(
    tags="sql tables columns extract dependencies used names cte functions parse",
    use_when=(
        "Which tables does this query use?",
        "List all columns that this SQL statement touches",
        "What does this view depend on?",
    ),
    examples=(
        Example(
            {
                "sql": "WITH x AS (SELECT o.id FROM shop.orders AS o) "
                "SELECT x.id, c.name FROM x JOIN customers c ON c.id = x.id"
            },
            {
                "tables": [
                    {"name": "customers", "columns": ["id", "name"], "written": False},
                    {"name": "shop.orders", "columns": ["id"], "written": False},
                ],
                "ctes": ["x"],
                "columns": ["id", "name"],
            },
            source="read off the query",
        ),
        Example(
            {"sql": "INSERT INTO log SELECT UPPER(a) FROM src", "dialect": "postgres"},
            {
                "tables": [
                    {"name": "log", "columns": [], "written": True},
                    {"name": "src", "columns": ["a"], "written": False},
                ],
                "functions": ["UPPER"],
            },
            source="read off the statement",
        ),
        Refusal({"sql": "SELECT a FROM ("}, "The SQL cannot be parsed"),
    ),
    reply={
        "tables": "The tables: {tables}",
        "": "The SQL uses no tables.",
    },
)
@sql_errors()
def sql_extract_tables(sql: Sql, dialect: Dialect = "standard") -> Uses:
    """List the tables, columns and functions that SQL statements use, with the columns of each table if certain.

    Use it to learn the dependencies of a query or view. Returns tables, names defined by WITH, columns and functions.
    """
    trees = statements(sql, dialect)
    ctes = {cte.alias for tree in trees for cte in tree.find_all(exp.CTE)}
    tables: dict[str, TableUse] = {}
    for tree in trees:
        for found in tree.find_all(exp.Table):
            if found.name and (found.name not in ctes or found.db):
                name = ".".join(part.name for part in found.parts)
                use = tables.setdefault(name, {"name": name, "columns": [], "written": False})
                use["written"] |= _is_written(found)
        for name, column in _own(tree):
            if name in tables and column not in tables[name]["columns"]:
                tables[name]["columns"].append(column)
    for use in tables.values():
        use["columns"].sort()
    return {
        "tables": sorted(tables.values(), key=lambda use: use["name"]),
        "ctes": sorted(ctes),
        "columns": sorted({column.name for tree in trees for column in tree.find_all(exp.Column) if column.name}),
        "functions": sorted({_function_name(call) for tree in trees for call in tree.find_all(exp.Func)} - {""}),
    }


def _is_written(table: Any) -> bool:
    holder = table.parent.parent if isinstance(table.parent, exp.Schema) else table.parent
    return isinstance(
        holder, exp.Insert | exp.Update | exp.Delete | exp.Merge | exp.Create | exp.Drop | exp.Alter
    ) and (holder.this in (table, table.parent))


def _own(tree: Any) -> list[tuple[str, str]]:
    """Return pairs of a table and a column that certainly belongs to it."""
    pairs = []
    for scope in traverse_scope(tree):
        tables = {alias: source for alias, source in scope.sources.items() if isinstance(source, exp.Table)}
        only = next(iter(tables.values())) if len(scope.sources) == 1 and tables else None
        for column in scope.columns:
            source = tables.get(column.table) if column.table else only
            if source is not None:
                pairs.append((".".join(part.name for part in source.parts), column.name))
    return pairs


def _function_name(call: Any) -> str:
    if isinstance(call, exp.Connector | exp.Case | exp.If):
        return ""
    return str(call.name).upper() if isinstance(call, exp.Anonymous) else call.sql_name()


class Source(TypedDict):
    """A source column."""

    table: Annotated[str, About("Table name")]
    column: Annotated[str, About("Column name")]


class Origin(TypedDict):
    """Origin of an output column."""

    output: Annotated[str, About("Column of the result")]
    expression: Annotated[str, About("Expression in the outermost query")]
    sources: Annotated[list[Source], About("Source columns")]


class Lineage(TypedDict):
    """Origins of the columns of a result."""

    origins: Annotated[list[Origin], About("One entry for each requested output column")]


@tool(
    tags="sql lineage provenance column source trace origin data governance impact",
    use_when=(
        "From which source columns does total come in this query?",
        "Trace the lineage of every output column of this view",
        "What feeds the column revenue?",
    ),
    examples=(
        Example(
            {
                "sql": "WITH s AS (SELECT id, price * qty AS total FROM orders) SELECT s.total AS revenue FROM s",
                "column": "revenue",
            },
            {
                "origins": [
                    {
                        "output": "revenue",
                        "sources": [{"table": "orders", "column": "price"}, {"table": "orders", "column": "qty"}],
                    }
                ]
            },
            source="read off the query",
        ),
        Example(
            {"sql": "SELECT * FROM t", "schema_ddl": "CREATE TABLE t (a INT, b TEXT)"},
            {
                "origins": [
                    {"output": "a", "sources": [{"table": "t", "column": "a"}]},
                    {"output": "b", "sources": [{"table": "t", "column": "b"}]},
                ]
            },
            source="the star stands for all columns of the schema",
        ),
        Refusal({"sql": "SELECT a FROM t", "column": "z"}, "no output column z"),
        Refusal({"sql": "SELECT * FROM t"}, "schema_ddl"),
    ),
    reply={
        "origins": "The columns come from here: {origins}",
        "": "There is no such column.",
    },
)
@sql_errors()
def sql_trace_lineage(
    sql: Sql,
    column: Annotated[str | None, About("Output column to trace; default: all", "revenue", max_length=200)] = None,
    schema_ddl: Ddl | None = None,
    dialect: Dialect = "standard",
) -> Lineage:
    """Trace from which columns of which tables the output columns of a query come, through subqueries and WITH.

    Use it for data governance and to see what a change affects. With a star or unqualified columns of several tables,
    give the schema. Returns for each output its expression and sources.
    """
    tree = one_query(sql, dialect)
    schema = schema_of(schema_ddl, dialect) if schema_ddl else {}
    outputs = _outputs(tree, schema, dialect)
    traced = [name for name in outputs if column is None or name.casefold() == column.casefold()]
    if not traced:
        raise ToolError(f"The query has no output column {column}. Available columns: {', '.join(outputs)[:500]}.")
    return {"origins": [_origin(name, tree, schema, dialect) for name in traced[:100]]}


def _outputs(tree: Any, schema: dict[str, dict[str, str]], dialect: str) -> list[str]:
    if not any(isinstance(part, exp.Star) or part.is_star for part in tree.selects):
        return [name for name in tree.named_selects if name]
    if not schema:
        raise ToolError("The query selects *. Give the CREATE TABLE statements of its tables as schema_ddl.")
    qualified = optimize(tree.copy(), schema=schema, dialect=name_of(dialect))
    return [name for name in qualified.named_selects if name]


def _origin(name: str, tree: Any, schema: dict[str, dict[str, str]], dialect: str) -> Origin:
    root = lineage(name, tree.copy(), schema=schema, dialect=name_of(dialect))
    sources = {
        (node.expression.name, node.name.rpartition(".")[2].strip('"`'))
        for node in root.walk()
        if isinstance(node.expression, exp.Table)
    }
    return {
        "output": name,
        "expression": root.expression.sql(dialect=name_of(dialect)),
        "sources": [{"table": table, "column": column} for table, column in sorted(sources)],
    }
