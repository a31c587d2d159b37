"""Uploads files like a client."""

from pathlib import Path
from typing import Any

from tests.support.client import Client, data
from tests.support.server import Server

MIB = 1 << 20


def upload(client: Client, content: bytes, name: str = "notes.txt", kind: str = "text/plain", **options: Any) -> Any:
    """Upload a form. Returns the record."""
    return data(client.request("POST", "/files", files={"file": (name, content, kind)}, **options), 201)


def upload_bare(client: Client, content: bytes, query: str = "", **headers: str) -> Any:
    """Upload a raw body. Returns the record."""
    response = client.request("POST", f"/files{query}", data=content, headers=headers)
    return data(response, 201)


def stored(server: Server) -> list[Path]:
    """Return every file in the server's store, complete or not."""
    return [path for path in (server.home / "files").rglob("*") if path.is_file()]
