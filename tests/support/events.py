"""Reads a server's stored events from its database."""

import json
from typing import Any

from tests.support.rows import rows
from tests.support.server import Server


def stored_events(server: Server, name: str) -> list[dict[str, Any]]:
    """Return the data of every event with this name, oldest first."""
    return [
        json.loads(row["data"])
        for row in rows(server, "SELECT name, data FROM events ORDER BY id")
        if row["name"] == name
    ]
