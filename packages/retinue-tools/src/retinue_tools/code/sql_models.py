"""Code and diagrams generated from SQL table definitions."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.code._sql_tables import Column, Ddl, Dialect, Table, tables_of

_TYPES = {
    "pydantic": {
        "int": "int", "float": "float", "decimal": "Decimal", "bool": "bool", "date": "date", "datetime": "datetime",
        "time": "time", "uuid": "UUID", "json": "dict[str, Any]", "bytes": "bytes", "str": "str",
    },
    "typescript": {
        "int": "number", "float": "number", "decimal": "string", "bool": "boolean", "date": "string",
        "datetime": "string", "time": "string", "uuid": "string", "json": "unknown", "bytes": "string", "str": "string",
    },
    "columns": {
        "int": "Integer", "float": "Float", "decimal": "Numeric", "bool": "Boolean", "date": "Date",
        "datetime": "DateTime", "time": "Time", "uuid": "Uuid", "json": "JSON", "bytes": "LargeBinary", "str": "String",
    },
}  # fmt: skip


_IMPORTS = {
    "Decimal": "from decimal import Decimal",
    "date": "from datetime import date",
    "datetime": "from datetime import datetime",
    "time": "from datetime import time",
    "UUID": "from uuid import UUID",
    "dict[str, Any]": "from typing import Any",
}


class Models(TypedDict):
    """Model classes."""

    code: Annotated[str, About("The source code")]
    models: Annotated[dict[str, str], About("Class name of each table")]


class Diagram(TypedDict):
    """A diagram of tables."""

    mermaid: Annotated[str, About("Mermaid erDiagram")]
    tables: Annotated[list[str], About("Names of the tables")]
    relations: Annotated[list[str], About("Foreign keys as table.column -> table.column")]


@tool(
    tags="sql ddl models pydantic sqlalchemy typescript orm classes generate create table",
    use_when=(
        "Generate SQLAlchemy models for these CREATE TABLE statements",
        "Make Pydantic models from my database schema",
        "Turn this SQL table into a TypeScript interface",
    ),
    examples=(
        Example(
            {
                "ddl": "CREATE TABLE order_items (id SERIAL PRIMARY KEY, user_id INT NOT NULL REFERENCES users(id), "
                "note VARCHAR(20));",
                "language": "sqlalchemy",
            },
            {
                "models": {"order_items": "OrderItem"},
                "code": "from sqlalchemy import ForeignKey, Integer, String\n"
                "from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column\n\n\n"
                "class Base(DeclarativeBase):\n    pass\n\n\nclass OrderItem(Base):\n"
                '    __tablename__ = "order_items"\n\n'
                "    id: Mapped[int] = mapped_column(Integer, primary_key=True)\n"
                '    user_id: Mapped[int] = mapped_column(Integer, ForeignKey("users.id"))\n'
                "    note: Mapped[str | None] = mapped_column(String(20))\n",
            },
            source="documentation of SQLAlchemy 2, declarative mapping",
        ),
        Example(
            {
                "ddl": "CREATE TABLE t (id UUID NOT NULL, price DECIMAL(8,2), at TIMESTAMP NOT NULL)",
                "language": "pydantic",
            },
            {
                "code": "from datetime import datetime\nfrom decimal import Decimal\nfrom uuid import UUID\n\n"
                "from pydantic import BaseModel\n\n\nclass T(BaseModel):\n    id: UUID\n    price: "
                "Decimal | None = None\n"
                "    at: datetime\n"
            },
            source="documentation of Pydantic",
        ),
        Example(
            {"ddl": "CREATE TABLE `t` (`a` INT NOT NULL, `b` TEXT)", "language": "typescript", "dialect": "mysql"},
            {"code": "export interface T {\n  a: number;\n  b: string | null;\n}\n"},
            source="The TypeScript Handbook",
        ),
        Refusal({"ddl": "SELECT 1", "language": "pydantic"}, "no CREATE TABLE"),
        Refusal({"ddl": "CREATE TABLE (", "language": "pydantic"}, "cannot be parsed"),
    ),
    reply="The models: {code}",
)
def sql_generate_models(
    ddl: Ddl,
    language: Annotated[Literal["sqlalchemy", "pydantic", "typescript"], About("Output language or library")],
    dialect: Dialect = "postgres",
) -> Models:
    """Generate model classes from CREATE TABLE statements: SQLAlchemy 2, Pydantic or TypeScript.

    Use it to work with an existing database. Types, keys, foreign keys, lengths and nullability are preserved. Returns
    the code and the class of each table.
    """
    tables = tables_of(ddl, dialect)
    names = {table.name: _class_name(table.name) for table in tables}
    if language == "typescript":
        blocks = [_interface(table, names[table.name]) for table in tables]
        return {"code": "\n\n".join(blocks) + "\n", "models": names}
    make = _pydantic if language == "pydantic" else _sqlalchemy
    return {"code": make(tables, names), "models": names}


@tool(
    tags="er diagram entity relationship mermaid sql schema tables foreign keys draw",
    use_when=(
        "Draw an ER diagram of this SQL schema",
        "Show the foreign keys between these tables as Mermaid",
        "Visualise my database schema",
    ),
    examples=(
        Example(
            {
                "ddl": "CREATE TABLE users (id INT PRIMARY KEY);\n"
                "CREATE TABLE posts (id INT PRIMARY KEY, user_id INT NOT NULL, FOREIGN KEY (user_id) "
                "REFERENCES users(id));"
            },
            {
                "tables": ["users", "posts"],
                "relations": ["posts.user_id -> users.id"],
                "mermaid": "erDiagram\n  users {\n    int id PK\n  }\n  posts {\n    int id PK\n    "
                "int user_id FK\n  }\n"
                '  users ||--o{ posts : "user_id"\n',
            },
            source="the syntax of Mermaid entity relationship diagrams",
        ),
        Example(
            {
                "ddl": "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (a_id INT UNIQUE REFERENCES a(id))",
                "columns": False,
            },
            {"mermaid": 'erDiagram\n  a\n  b\n  a |o--o| b : "a_id"\n'},
            source="the syntax of Mermaid: a unique optional key is zero or one to zero or one",
        ),
        Refusal({"ddl": "DROP TABLE x"}, "no CREATE TABLE"),
    ),
    reply="The diagram: {mermaid}",
)
def sql_draw_schema(
    ddl: Ddl, dialect: Dialect = "postgres", columns: Annotated[bool, About("Whether to show columns")] = True
) -> Diagram:
    """Draw CREATE TABLE statements as a Mermaid entity relationship diagram.

    Use it to document a database. Primary, foreign and unique keys are marked, and each foreign key becomes a
    relationship with its cardinality. Returns the Mermaid text.
    """
    tables = tables_of(ddl, dialect)
    lines = ["erDiagram"]
    relations = []
    for table in tables:
        body = [f"    {column.kind} {_plain(column.name)}{_marks(column)}" for column in table.columns]
        lines += [f"  {_plain(table.name)} {{", *body, "  }"] if columns else [f"  {_plain(table.name)}"]
    for table in tables:
        for column in table.columns:
            if column.target:
                parent, child = "||" if column.required else "|o", "o|" if column.unique or column.key else "o{"
                lines.append(
                    f'  {_plain(column.target[0])} {parent}--{child} {_plain(table.name)} : "{_plain(column.name)}"'
                )
                relations.append(f"{table.name}.{column.name} -> {column.target[0]}.{column.target[1]}")
    return {"mermaid": "\n".join(lines) + "\n", "tables": [table.name for table in tables], "relations": relations}


def _plain(name: str) -> str:
    """Return a name that Mermaid accepts."""
    return re.sub(r"\W", "_", name) or "_"


def _class_name(table: str) -> str:
    words = re.findall(r"[A-Za-z][a-z0-9]*|[0-9]+", table) or ["Table"]
    last = words[-1]
    if last.endswith("ies") and len(last) > 4:
        last = f"{last[:-3]}y"
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")) and len(last) > 2:
        last = last[:-1]
    return "".join(word[:1].upper() + word[1:] for word in [*words[:-1], last])


def _identifier(name: str) -> str:
    plain = re.sub(r"\W", "_", name)
    return f"_{plain}" if not plain or plain[0].isdigit() else plain


def _interface(table: Table, name: str) -> str:
    lines = []
    for column in table.columns:
        kind = " | ".join(f'"{value}"' for value in column.values) or _TYPES["typescript"][column.kind]
        key = column.name if column.name.isidentifier() else f'"{column.name}"'
        lines.append(f"  {key}: {kind}{'' if column.required else ' | null'};")
    return "\n".join([f"export interface {name} {{", *lines, "}"])


def _pydantic(tables: list[Table], names: dict[str, str]) -> str:
    blocks, used = [], set()
    for table in tables:
        lines = [f"class {names[table.name]}(BaseModel):"]
        for column in table.columns:
            kind = _TYPES["pydantic"][column.kind]
            used.add(kind)
            lines.append(f"    {_identifier(column.name)}: {kind}{'' if column.required else ' | None = None'}")
        blocks.append("\n".join(lines))
    return "\n\n\n".join([_imports(used, "from pydantic import BaseModel"), *blocks]) + "\n"


def _sqlalchemy(tables: list[Table], names: dict[str, str]) -> str:
    blocks, used, columns = [], set(), set()
    for table in tables:
        lines = [f"class {names[table.name]}(Base):", f'    __tablename__ = "{table.name}"', ""]
        for column in table.columns:
            kind = _TYPES["pydantic"][column.kind]
            used.add(kind)
            columns.add(_TYPES["columns"][column.kind])
            columns |= {"ForeignKey"} if column.target else set()
            mapped = kind if column.required else f"{kind} | None"
            lines.append(f"    {_identifier(column.name)}: Mapped[{mapped}] = mapped_column({_arguments(column)})")
        blocks.append("\n".join(lines))
    own = (
        f"from sqlalchemy import {', '.join(sorted(columns))}\n"
        "from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column"
    )
    return "\n\n\n".join([_imports(used, own), "class Base(DeclarativeBase):\n    pass", *blocks]) + "\n"


def _imports(used: set[str], own: str) -> str:
    standard: dict[str, list[str]] = {}
    for kind in sorted(used & _IMPORTS.keys()):
        module, _, name = _IMPORTS[kind].partition(" import ")
        standard.setdefault(module, []).append(name)
    lines = [f"{module} import {', '.join(sorted(names))}" for module, names in sorted(standard.items())]
    return "\n".join([*lines, "", own] if lines else [own])


def _arguments(column: Column) -> str:
    kind = _TYPES["columns"][column.kind]
    parts = [_quote(column.name)] if _identifier(column.name) != column.name else []
    parts.append(f"{kind}({column.length})" if column.kind == "str" and column.length else kind)
    parts += [f'ForeignKey("{column.target[0]}.{column.target[1]}")'] if column.target else []
    parts += ["primary_key=True"] * column.key + ["unique=True"] * column.unique
    return ", ".join(parts)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _marks(column: Column) -> str:
    marks = ["PK"] * column.key + ["FK"] * bool(column.target) + ["UK"] * column.unique
    return f" {', '.join(marks)}" if marks else ""
