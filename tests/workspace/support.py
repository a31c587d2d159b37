"""Calls the workspace's tools."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from tests.conftest import User
from tests.support.client import Client, data, refuse


def call(client: Client, tool: str, **args: Any) -> requests.Response:
    """Execute a tool."""
    return client.post(f"/tools/{tool}/execute", {"args": args})


def finish(client: Client, tool: str, **args: Any) -> Any:
    """Execute a tool that must succeed. Returns its result."""
    return data(call(client, tool, **args))["result"]


def decline(client: Client, tool: str, *words: str, **args: Any) -> str:
    """Execute a tool that must fail with a message that contains all `words`. Returns the message."""
    return refuse(call(client, tool, **args), 400, *words)


def at_once(user: User, tool: str, each: list[dict[str, Any]], hands: int = 8) -> list[requests.Response]:
    """Execute a tool many times concurrently, from several clients of a user."""
    with ThreadPoolExecutor(hands) as threads:
        clients = [user.client() for _ in range(hands)]
        return list(threads.map(lambda item: call(clients[item[0] % hands], tool, **item[1]), enumerate(each)))


def stored_mb(client: Client) -> int:
    """Return the storage used, in MiB rounded up."""
    return int(data(client.get("/usage"))["storage_mb"]["used"])
