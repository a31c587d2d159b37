"""The events that a server has stored, read from its database."""

import asyncio
import json
from typing import Any

import asyncpg
from pysqlite3 import dbapi2 as sqlite

from tests.support.server import Server

_ALL = "SELECT name, data FROM events ORDER BY id"


def stored_events(server: Server, name: str) -> list[dict[str, Any]]:
    """The data of every event of that name, oldest first."""
    address = server.env.get("RETINUE_DATABASE_URL")
    rows = asyncio.run(_from_postgres(address)) if address else _from_sqlite(server)
    return [json.loads(data) for told, data in rows if told == name]


async def _from_postgres(address: str) -> list[Any]:
    connection = await asyncpg.connect(address)
    try:
        rows: list[Any] = await connection.fetch(_ALL)
        return rows
    finally:
        await connection.close()


def _from_sqlite(server: Server) -> list[Any]:
    connection = sqlite.connect(server.home / "retinue.db")
    try:
        rows: list[Any] = connection.execute(_ALL).fetchall()
        return rows
    finally:
        connection.close()
