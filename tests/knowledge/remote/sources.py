"""Sources for tests."""

from typing import Any

from tests.knowledge.support import Json
from tests.support.client import Client, data
from tests.support.waiting import eventually


def add_source(client: Client, collection: int, **fields: Any) -> Json:
    """Add a source and wait until it has been synchronized."""
    made = data(client.post(f"/knowledge/collections/{collection}/sources", fields), 201)
    return await_synced(client, made)


def await_synced(client: Client, source: Json) -> Json:
    """Wait until a synchronization has ended, and return the source."""

    def over() -> Json | None:
        found: Json = data(client.get(path_of(source)))
        return found if found["status"] in ("ready", "failed") else None

    return eventually(over, within=240)


def sync(client: Client, source: Json) -> Json:
    """Synchronize a source now, and wait until that has ended."""
    return await_synced(client, data(client.post(f"{path_of(source)}/sync")))


def path_of(source: Json) -> str:
    """Return the path of a source."""
    return f"/knowledge/collections/{source['collection_id']}/sources/{source['id']}"


def documents(client: Client, collection: int) -> dict[str, Json]:
    """Return the documents of a collection by address or path."""
    found = data(client.get(f"/knowledge/collections/{collection}/documents", params={"per_page": "100"}))
    return {one["source"].get("url") or one["source"]["path"]: one for one in found}
