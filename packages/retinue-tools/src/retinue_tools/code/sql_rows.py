"""Generated rows for SQL tables."""

from typing import Annotated, Any, Literal

from faker import Faker
from sqlglot import exp
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.code._sql_tables import Column, Ddl, Dialect, Table, tables_of


class Rows(TypedDict):
    """Generated rows."""

    tables: Annotated[dict[str, list[dict[str, str | float | int | bool | None]]], About("Rows by table")]
    sql: Annotated[str, About("The rows as INSERT statements, parents before children")]


@tool(
    tags="mock data fake rows sql insert seed test fixtures ddl faker generate",
    use_when=(
        "Generate fake rows for these tables",
        "Create seed data with INSERT statements for my schema",
        "I need test data that satisfies these foreign keys",
    ),
    tier="starter",
    credits=2,
    pace="normal",
    examples=(
        Example(
            {
                "ddl": "CREATE TABLE b (id INT PRIMARY KEY, a_id INT NOT NULL REFERENCES a(id));"
                "CREATE TABLE a (id INT PRIMARY KEY, status VARCHAR(9) CHECK (status IN ('on')));",
                "rows": 1,
                "seed": 1,
            },
            {
                "tables": {"a": [{"id": 1, "status": "on"}], "b": [{"id": 1, "a_id": 1}]},
                "sql": "INSERT INTO a (id, status) VALUES\n  (1, 'on');\n\nINSERT INTO b (id, a_id) "
                "VALUES\n  (1, 1);\n",
            },
            source="by hand: keys count from one, and one value alone is allowed",
        ),
        Example(
            {"ddl": "CREATE TABLE t (k INT PRIMARY KEY, ok ENUM('yes') NOT NULL)", "rows": 2, "dialect": "mysql"},
            {"tables": {"t": [{"k": 1, "ok": "yes"}, {"k": 2, "ok": "yes"}]}},
            source="by hand",
        ),
        Refusal({"ddl": "x"}, "no CREATE TABLE"),
    ),
    reply="The rows as INSERT statements: {sql}",
)
def sql_generate_rows(
    ddl: Ddl,
    rows: Annotated[int, About("Number of rows per table", minimum=1, maximum=200)] = 10,
    seed: Annotated[int, About("The same seed gives the same rows", minimum=0, maximum=2**31)] = 0,
    dialect: Dialect = "postgres",
    locale: Annotated[
        Literal["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT"], About("Locale of names")
    ] = "en_US",
) -> Rows:
    """Make up rows that satisfy CREATE TABLE statements: types, lengths, keys, foreign keys, enums and IN checks.

    Use it to seed a test database. Values depend on the column names (email, city, price and so on). Returns the rows
    as JSON and as INSERT statements in an order that satisfies foreign keys.
    """
    tables = _sort_in_order(tables_of(ddl, dialect))
    fake = Faker(locale)
    fake.seed_instance(seed)
    rows_of: dict[str, list[dict[str, Any]]] = {}
    for table in tables:
        taken: dict[str, set[Any]] = {}
        rows_of[table.name] = [
            {column.name: _cell(column, number, fake, rows_of, taken) for column in table.columns}
            for number in range(1, rows + 1)
        ]
    return {"tables": rows_of, "sql": "\n\n".join(_insert(table, rows_of[table.name]) for table in tables) + "\n"}


def _sort_in_order(tables: list[Table]) -> list[Table]:
    """Order tables so that parents precede children, as far as there are no cycles."""
    ordered: list[Table] = []
    pending = list(tables)
    while pending:
        waiting = {table.name for table in pending}
        free = [table for table in pending if not _parents(table) & waiting - {table.name}] or pending[:1]
        ordered += free
        pending = [table for table in pending if table not in free]
    return ordered


def _parents(table: Table) -> set[str]:
    return {column.target[0] for column in table.columns if column.target}


def _cell(
    column: Column, number: int, fake: Any, rows_of: dict[str, list[dict[str, Any]]], taken: dict[str, set[Any]]
) -> Any:
    if column.target and (parents := rows_of.get(column.target[0])):
        choices = [row.get(column.target[1]) for row in parents]
        return choices[(number - 1) % len(choices)] if column.unique or column.key else fake.random_element(choices)
    if column.target and column.target[0] not in rows_of:
        return number if column.required and column.kind == "int" else None
    if column.key and column.kind == "int":
        return number
    if not column.required and not column.values and not column.key and fake.random_int(1, 10) == 1:
        return None
    value = _value(column, fake)
    if column.unique or column.key:
        seen = taken.setdefault(column.name, set())
        value = (
            f"{value}"[: (column.length or 100) - 4] + str(number) if value in seen and column.kind == "str" else value
        )
        seen.add(value)
    return value


def _value(column: Column, fake: Any) -> Any:
    if column.values:
        return fake.random_element(column.values)
    makers = {
        "int": lambda: fake.random_int(0, 100),
        "float": lambda: round(fake.random.uniform(0, 1000), 3),
        "decimal": lambda: round(fake.random.uniform(0, 1000), 2),
        "bool": fake.boolean,
        "date": fake.date,
        "datetime": lambda: fake.date_time().isoformat(sep=" "),
        "time": fake.time,
        "uuid": fake.uuid4,
        "json": lambda: "{}",
        "bytes": lambda: fake.hexify("^^^^^^^^"),
    }
    if column.kind in makers:
        return makers[column.kind]()
    text = _named_text(column.name.lower(), fake)
    return text[: column.length] if column.length else text


def _named_text(name: str, fake: Any) -> str:
    words = (
        ("email", "ascii_safe_email"), ("first_name", "first_name"), ("last_name", "last_name"),
        ("user_name", "user_name"), ("username", "user_name"), ("company", "company"), ("phone", "phone_number"),
        ("street", "street_address"), ("address", "street_address"), ("city", "city"), ("country", "country"),
        ("zip", "postcode"), ("post", "postcode"), ("url", "url"), ("color", "color_name"), ("colour", "color_name"),
        ("title", "job"), ("name", "name"), ("description", "sentence"), ("body", "paragraph"), ("text", "sentence"),
        ("code", "ean8"),
    )  # fmt: skip
    maker = next((method for part, method in words if part in name), "word")
    return str(getattr(fake, maker)())


def _insert(table: Table, rows: list[dict[str, Any]]) -> str:
    names = ", ".join(exp.to_identifier(column.name).sql() for column in table.columns)
    values = ",\n".join(f"  ({', '.join(exp.convert(value).sql() for value in row.values())})" for row in rows)
    return f"INSERT INTO {exp.to_identifier(table.name).sql()} ({names}) VALUES\n{values};"
