"""Scratch tables and their statements, in a database without the platform's schema."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.schema import CreateTable, DropTable

from retinue.core.database.interface import Database, Tx
from retinue.core.database.postgres import PostgresDatabase, connect_once
from retinue.core.database.schema import BigInt
from retinue.core.database.sqlite import SqliteDatabase, connect
from retinue.core.database.statements import DIALECTS, Statement
from retinue.core.work.leases import lease_columns

_metadata = sa.MetaData()

notes = sa.Table(
    "notes",
    _metadata,
    sa.Column("id", BigInt, sa.Identity(), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("value", BigInt, nullable=False),
    sa.Column("text", sa.Text, nullable=False, server_default=""),
)
jobs = sa.Table(
    "jobs",
    _metadata,
    sa.Column("id", BigInt, sa.Identity(), primary_key=True),
    sa.Column("account_id", BigInt, nullable=False, server_default="1"),
    sa.Column("done", sa.Boolean, nullable=False, server_default=sa.false()),
    *lease_columns(),
)

_NAME = sa.bindparam("called", type_=sa.String)
ADD = Statement(sa.insert(notes), ["name", "value"])
ADD_TEXT = Statement(sa.insert(notes), ["name", "value", "text"])
BY_NAME = Statement(sa.select(notes).where(notes.c.name == _NAME))
NAMES = Statement(sa.select(notes.c.name).order_by(notes.c.id))
RAISE = Statement(
    sa.update(notes).where(notes.c.name == _NAME).values(value=notes.c.value + 1).returning(notes.c.value)
)


async def add(tx: Tx, *names: str) -> None:
    """Add a row for each name."""
    for name in names:
        await tx.run(ADD, name=name, value=0)


async def names(database: Database) -> list[str]:
    """Return the names of all rows in insertion order."""
    return [row.name for row in await database.fetch(NAMES)]


async def create(place: Path | str) -> None:
    """Recreate the tables in the SQLite file or the PostgreSQL database at `place`."""
    dialect = DIALECTS["sqlite" if isinstance(place, Path) else "postgresql"]
    clauses = [make for table in (notes, jobs) for make in (DropTable(table, if_exists=True), CreateTable(table))]
    commands = [str(clause.compile(dialect=dialect)) for clause in clauses]
    if isinstance(place, Path):
        connection = connect(place)
        for command in commands:
            connection.execute(command)
        connection.close()
    else:
        server = await connect_once(place)
        await server.execute(";".join(commands))
        await server.close()


def database_at(place: Path | str) -> Database:
    """Return the database at `place`, not yet open."""
    return SqliteDatabase(place) if isinstance(place, Path) else PostgresDatabase(place)


async def add_pair(tx: Tx, name: str) -> None:
    """Add two rows that must be committed together."""
    await add(tx, name, f"{name}-too")
