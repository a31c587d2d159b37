"""Reads a server's database by statements that both databases understand."""

import asyncio
from typing import Any

import asyncpg
from pysqlite3 import dbapi2 as sqlite

from tests.support.server import Server


def rows(server: Server, statement: str) -> list[dict[str, Any]]:
    """Return the rows of a statement. On SQLite not after a crash, because only the server may recover the file."""
    address = server.env.get("RETINUE_DATABASE_URL")
    if address:
        return asyncio.run(_from_postgres(address, statement))
    assert server.process or server.at_rest, "the server is not running"
    return _from_sqlite(server, statement)


async def _from_postgres(address: str, statement: str) -> list[dict[str, Any]]:
    connection = await asyncpg.connect(address)
    try:
        return [dict(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


def _from_sqlite(server: Server, statement: str) -> list[dict[str, Any]]:
    connection = sqlite.connect(server.home / "retinue.db")
    try:
        cursor = connection.execute(statement)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    finally:
        connection.close()
