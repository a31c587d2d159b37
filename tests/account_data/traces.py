"""Finds what is left of a user in the database and in the data folder."""

from collections.abc import Iterable
from typing import Any

from retinue.platform.resources import metadata
from tests.support.rows import rows
from tests.support.server import Server

OWNERS = ("account_id", "user_id")


def contents(server: Server) -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table."""
    return {table.name: rows(server, f"SELECT * FROM {table.name}") for table in metadata.sorted_tables}


def own(server: Server, user_id: int) -> dict[str, int]:
    """Return the number of rows in each table that belong to a user or to the user's accounts."""
    found = contents(server)
    accounts = {row["id"] for row in found["accounts"] if row["user_id"] == user_id}
    owners = {"account_id": accounts, "user_id": {user_id}}
    return {
        name: count
        for name, kept in found.items()
        if (count := sum(any(row.get(column) in owners[column] for column in OWNERS) for row in kept))
    }


def tables_that_hold(server: Server, texts: Iterable[str]) -> dict[str, set[str]]:
    """Return the columns that contain one of the texts."""
    wanted = list(texts)
    found: dict[str, set[str]] = {}
    for table, kept in contents(server).items():
        for row in kept:
            for column, value in row.items():
                shown = value.decode("latin-1") if isinstance(value, bytes) else str(value)
                if any(text in shown for text in wanted):
                    found.setdefault(f"{table}.{column}", set()).add(shown[:100])
    return found


def files_that_hold(server: Server, texts: Iterable[str]) -> dict[str, str]:
    """Return the files of the data folder whose name or content contains one of the texts, and the text."""
    wanted = [text.encode() for text in texts]
    found = {}
    for path in server.home.rglob("*"):
        content = path.name.encode() + (path.read_bytes() if path.is_file() else b"")
        for text in wanted:
            if text in content:
                found[str(path.relative_to(server.home))] = text.decode()
    return found


def all_with_owners() -> set[str]:
    """Return the names of the tables with a column for a user or an account."""
    return {table.name for table in metadata.sorted_tables if set(table.c.keys()) & set(OWNERS)}
