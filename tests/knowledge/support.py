"""Collections and documents for tests."""

import csv
from pathlib import Path
from typing import Any

from tests.support.client import Client, data
from tests.support.waiting import eventually

Json = dict[str, Any]

FOLDER = Path(__file__).parent / "documents"
HANDBOOK = (FOLDER / "staff_handbook_en.md").read_text(encoding="utf-8")


def questions() -> list[dict[str, str]]:
    """Return the questions: `document`, the `answer` as it stands in the passage, and `question`."""
    with (Path(__file__).parent / "questions.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def new_collection(client: Client, name: str = "Handbooks") -> int:
    """Create a collection and return its id."""
    return int(data(client.post("/knowledge/collections", {"name": name}), 201)["id"])


def await_settled(client: Client, document: Json) -> Json:
    """Wait until a document has been read and indexed, or has failed, and return it."""
    path = f"/knowledge/collections/{document['collection_id']}/documents/{document['id']}"

    def over() -> Json | None:
        found: Json = data(client.get(path))
        return found if found["status"] in ("ready", "failed") else None

    return eventually(over, within=240)


def add(client: Client, collection: int, **source: Any) -> Json:
    """Add a document and wait until it is ready or has failed."""
    return await_settled(client, data(client.post(f"/knowledge/collections/{collection}/documents", source), 201))


def passages(client: Client, document: Json) -> list[Json]:
    """Return the passages of a document."""
    path = f"/knowledge/collections/{document['collection_id']}/documents/{document['id']}/passages"
    found: list[Json] = data(client.get(path, params={"per_page": "100"}))
    return found


def search(client: Client, collection: int, query: str, **options: Any) -> list[Json]:
    """Search a collection."""
    found: list[Json] = data(client.post(f"/knowledge/collections/{collection}/search", {"query": query, **options}))
    return found
