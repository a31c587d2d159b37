"""Parse CREATE TABLE statements to tables and columns."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from retinue.sdk import About, ToolError

_MOST_TABLES = 200


Ddl = Annotated[
    str,
    About(
        "CREATE TABLE statements",
        "CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(50) NOT NULL);",
        min_length=1,
        max_length=300_000,
    ),
]


Dialect = Annotated[
    Literal["postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery", "duckdb"],
    About("Dialect of the SQL"),
]


_INTEGERS = {
    "INT",
    "BIGINT",
    "SMALLINT",
    "TINYINT",
    "MEDIUMINT",
    "UINT",
    "UBIGINT",
    "SERIAL",
    "BIGSERIAL",
    "SMALLSERIAL",
}


_KINDS = (
    (_INTEGERS, "int"),
    ({"FLOAT", "DOUBLE", "REAL"}, "float"),
    ({"DECIMAL", "NUMERIC", "MONEY", "BIGDECIMAL"}, "decimal"),
    ({"BOOLEAN", "BIT"}, "bool"),
    ({"DATE"}, "date"),
    (
        {"TIMESTAMP", "TIMESTAMPTZ", "DATETIME", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "DATETIME2", "SMALLDATETIME"},
        "datetime",
    ),
    ({"TIME", "TIMETZ"}, "time"),
    ({"UUID", "UNIQUEIDENTIFIER"}, "uuid"),
    ({"JSON", "JSONB", "VARIANT", "OBJECT"}, "json"),
    ({"BINARY", "VARBINARY", "BLOB", "BYTEA", "LONGBLOB", "MEDIUMBLOB", "TINYBLOB"}, "bytes"),
)


@dataclass
class Column:
    """A column of a table."""

    name: str
    kind: str
    sql: str
    required: bool = False
    key: bool = False
    unique: bool = False
    length: int | None = None
    values: list[str] = field(default_factory=list)
    target: tuple[str, str] | None = None
    """Table and column of a foreign key."""


@dataclass
class Table:
    """A table."""

    name: str
    columns: list[Column]

    def column(self, name: str) -> Column | None:
        """Return the column with this name."""
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)


def tables_of(ddl: str, dialect: str) -> list[Table]:
    """Return the tables that the statements create. Raises `ToolError` if there are none."""
    try:
        statements = parse(ddl, dialect=dialect)
    except (SqlglotError, RecursionError) as error:
        raise ToolError(f"The SQL cannot be parsed: {str(error).partition(chr(10))[0]} Check the dialect.") from error
    created = [one for one in statements if isinstance(one, exp.Create) and isinstance(one.this, exp.Schema)]
    tables = [_table(one) for one in created[:_MOST_TABLES]]
    if not any(table.columns for table in tables):
        raise ToolError("The SQL contains no CREATE TABLE statement with columns.")
    return tables


def _table(statement: Any) -> Table:
    definitions = statement.this.expressions
    table = Table(statement.this.this.name, [_column(one) for one in definitions if isinstance(one, exp.ColumnDef)])
    for node in statement.find_all(exp.PrimaryKey):
        for part in node.expressions:
            if column := table.column(part.name):
                column.key = column.required = True
    for node in statement.find_all(exp.ForeignKey):
        reference = node.args.get("reference")
        for name, target in zip(node.expressions, _reference(reference), strict=False):
            if column := table.column(name.name):
                column.target = target
    for node in statement.find_all(exp.In):
        column = table.column(node.this.name)
        if column and all(isinstance(value, exp.Literal) for value in node.expressions):
            column.values = [value.this for value in node.expressions]
    return table


def _column(node: Any) -> Column:
    kind = node.args.get("kind")
    word = kind.this.name if kind and hasattr(kind.this, "name") else "TEXT"
    parts = kind.expressions if kind else []
    sizes = [int(part.name) for part in parts if part.name.isdigit() and len(part.name) < 9]
    column = Column(node.name, _kind(word), word, length=sizes[0] if sizes else None)
    if word == "ENUM":
        column.values = [part.name for part in parts]
    for constraint in node.constraints:
        rule = getattr(constraint, "kind", None)
        column.key |= isinstance(rule, exp.PrimaryKeyColumnConstraint)
        column.unique |= isinstance(rule, exp.UniqueColumnConstraint)
        column.required |= isinstance(rule, exp.PrimaryKeyColumnConstraint)
        column.required |= isinstance(rule, exp.NotNullColumnConstraint) and not rule.args.get("allow_null")
        if isinstance(rule, exp.Reference):
            column.target = next(iter(_reference(rule)), None)
    return column


def _reference(reference: Any) -> list[tuple[str, str]]:
    if reference is None:
        return []
    target = reference.this
    if isinstance(target, exp.Schema):
        return [(target.this.name, part.name) for part in target.expressions]
    return [(target.name, "id")]


def _kind(word: str) -> str:
    return next((kind for words, kind in _KINDS if word.upper() in words), "str")
