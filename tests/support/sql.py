"""Accesses a server's database directly."""

import asyncio
from typing import Any

import asyncpg
from pysqlite3 import dbapi2 as sqlite

from tests.support.server import Server


def execute(server: Server, *statements: str) -> None:
    """Run statements. On SQLite the server must be stopped."""
    for _ in _answers(server, statements):
        pass


def select(server: Server, statement: str) -> list[Any]:
    """Return the rows of a query."""
    (rows,) = _answers(server, [statement])
    return rows


def _answers(server: Server, statements: Any) -> list[list[Any]]:
    address = server.env.get("RETINUE_DATABASE_URL")
    return asyncio.run(_of_postgres(address, statements)) if address else _of_sqlite(server, statements)


async def _of_postgres(address: str, statements: Any) -> list[list[Any]]:
    connection = await asyncpg.connect(address)
    try:
        return [list(await connection.fetch(statement)) for statement in statements]
    finally:
        await connection.close()


def _of_sqlite(server: Server, statements: Any) -> list[list[Any]]:
    connection = sqlite.connect(server.home / "retinue.db", isolation_level=None)
    try:
        return [connection.execute(statement).fetchall() for statement in statements]
    finally:
        connection.close()
