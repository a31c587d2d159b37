"""Collections and documents: records, states, errors, access, and what deletion leaves."""

import secrets
from typing import Any

import pytest

from tests.conftest import User
from tests.files.support import upload
from tests.knowledge.support import HANDBOOK, Json, add, await_settled, new_collection, passages, search
from tests.support.client import Client, data, refuse
from tests.support.rows import rows
from tests.support.waiting import eventually


def test_a_text_is_read_indexed_and_found_with_its_place(client: Client) -> None:
    collection = new_collection(client)
    document = add(client, collection, text=HANDBOOK, metadata={"year": 2026})
    assert document == {
        "id": document["id"],
        "collection_id": collection,
        "title": "Staff handbook",
        "source": {"type": "text"},
        "status": "ready",
        "error": None,
        "passages": 5,
        "metadata": {"year": 2026},
        "created_at": document["created_at"],
        "updated_at": document["updated_at"],
    }
    assert [one["section"] for one in passages(client, document)][:2] == [
        "Staff handbook / Working hours",
        "Staff handbook / Holidays",
    ]
    (best, *_) = search(client, collection, "How many days of paid leave does full-time staff have?")
    assert (best["document_id"], best["title"], best["number"], best["relevant"]) == (
        document["id"], "Staff handbook", 2, True,
    )  # fmt: skip
    assert "28 days of paid leave" in best["text"]
    shown = data(client.get(f"/knowledge/collections/{collection}"))
    assert (shown["documents"], shown["passages"], shown["status"]) == (1, 5, "ready")


def test_a_search_filters_by_metadata_and_limits(client: Client) -> None:
    collection = new_collection(client)
    old = add(client, collection, text="Lunch costs 4 euros.", title="Old", metadata={"year": 2025})
    new = add(client, collection, text="Lunch costs 5 euros.", title="New", metadata={"year": 2026})
    assert {one["document_id"] for one in search(client, collection, "lunch")} == {old["id"], new["id"]}
    assert [one["document_id"] for one in search(client, collection, "lunch", filter={"year": 2025})] == [old["id"]]
    odd = {'a "name_%\\': "100 % “ü”\n", "price": 5.0}
    priced = add(client, collection, text="Lunch costs 6 euros.", title="Odd", metadata=odd)
    for wanted in (odd, {"price": 5}):
        found = search(client, collection, "lunch", filter=wanted)
        assert [one["document_id"] for one in found] == [priced["id"]]
    assert len(search(client, collection, "lunch", limit=1)) == 1
    both = {"collections": [collection, new_collection(client)], "query": "lunch"}
    assert len(data(client.post("/knowledge/search", both))) == 3


def test_a_filter_finds_passages_far_behind_the_best(client: Client) -> None:
    collection = new_collection(client)
    chapters = "\n".join(f"# Lunch {number}\nLunch, lunch and lunch." for number in range(60))
    place = f"/knowledge/collections/{collection}/documents"
    for document in [data(client.post(place, {"text": chapters}), 201) for _ in range(5)]:
        assert await_settled(client, document)["passages"] == 60
    rest = "The canteen on the second floor has tables, chairs, a terrace and sometimes, on other days than today, "
    wanted = add(client, collection, text=f"{rest} some lunch.", metadata={"customer": "zebra"})
    assert wanted["id"] not in {one["document_id"] for one in search(client, collection, "lunch", limit=50)}
    found = search(client, collection, "lunch", filter={"customer": "zebra"})
    assert [one["document_id"] for one in found] == [wanted["id"]]
    assert search(client, collection, "lunch", filter={"customer": "lion"}) == []


def test_a_file_is_read(client: Client) -> None:
    collection = new_collection(client)
    file = upload(client, HANDBOOK.encode(), name="handbook.md")
    document = add(client, collection, file_id=file["id"])
    assert (document["status"], document["title"], document["passages"]) == ("ready", "handbook.md", 5)


def test_a_document_without_a_source_that_can_be_read_fails_with_a_reason(client: Client) -> None:
    collection = new_collection(client)
    path = f"/knowledge/collections/{collection}/documents"
    refuse(client.post(path, {"title": "Nothing"}), 400, "exactly one of")
    refuse(client.post(path, {"file_id": "file_x"}), 400, "you have no file")
    refuse(client.post(path, {"url": "http://127.0.0.1/"}), 400, "not a public address")
    document = add(client, collection, text="# Only a heading")
    assert (document["status"], document["passages"]) == ("failed", 0)
    assert "no text that can be read" in document["error"]


def test_a_refresh_reads_again_and_never_doubles(client: Client) -> None:
    collection = new_collection(client)
    document = add(client, collection, text=HANDBOOK)
    path = f"/knowledge/collections/{collection}/documents/{document['id']}"
    queued = data(client.post(f"{path}/refresh"))
    assert queued["status"] == "queued"
    again = await_settled(client, queued)
    assert (again["status"], again["passages"], len(passages(client, again))) == ("ready", 5, 5)
    assert data(client.get(f"/knowledge/collections/{collection}"))["passages"] == 5


def test_deleting_a_document_deletes_its_passages(client: Client) -> None:
    collection, kept = new_collection(client), new_collection(client, "Kept")
    word = "zanzibarine"
    document = add(client, collection, text=f"The {word} opens at noon.")
    other = add(client, collection, text=f"A second {word}.")
    add(client, kept, text=f"A third {word}.")
    path = f"/knowledge/collections/{collection}/documents/{document['id']}"
    assert data(client.delete(path)) == {"id": document["id"], "deleted": True}
    refuse(client.get(path), 404)
    assert [one["document_id"] for one in search(client, collection, word)] == [other["id"]]
    data(client.delete(f"/knowledge/collections/{collection}"))
    refuse(client.get(f"/knowledge/collections/{collection}"), 404)
    refuse(client.post(f"/knowledge/collections/{collection}/search", {"query": word}), 404)
    assert len(search(client, kept, word)) == 1
    assert [one["id"] for one in data(client.get("/knowledge/collections"))] == [kept]


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_a_collection_is_its_owners_alone(client: Client, stranger: Client, nobody: Client, method: str) -> None:
    collection = new_collection(client)
    path, body = f"/knowledge/collections/{collection}", {"name": "Taken"}
    options: Json = {"json": body} if method == "put" else {}
    refuse(stranger.request(method.upper(), path, **options), 404)
    refuse(nobody.request(method.upper(), path, **options), 401)
    assert data(client.get(path))["name"] == "Handbooks"


def test_documents_and_searches_are_their_owners_alone(client: Client, stranger: Client, nobody: Client) -> None:
    collection = new_collection(client)
    document = add(client, collection, text="The vault opens at noon.")
    base = f"/knowledge/collections/{collection}"
    own = f"{base}/documents/{document['id']}"
    for method, path, body in (
        ("POST", f"{base}/documents", {"text": "x"}),
        ("GET", f"{base}/documents", None),
        ("GET", own, None),
        ("GET", f"{own}/passages", None),
        ("DELETE", own, None),
        ("POST", f"{own}/refresh", None),
        ("POST", f"{base}/search", {"query": "vault"}),
    ):
        options: Json = {} if body is None else {"json": body}
        refuse(stranger.request(method, path, **options), 404)
        refuse(nobody.request(method, path, **options), 401)
    theirs = new_collection(stranger)
    refuse(stranger.get(f"/knowledge/collections/{theirs}/documents/{document['id']}"), 404)
    several = {"query": "vault", "collections": [theirs, collection]}
    refuse(stranger.post("/knowledge/search", several), 400, f"no collection {collection}")
    refuse(nobody.post("/knowledge/search", several), 401)
    assert search(stranger, theirs, "vault") == []
    assert len(search(client, collection, "vault")) == 1


def test_scopes_separate_reading_from_changing(user: User) -> None:
    owner = user.client()
    collection = new_collection(owner)
    base = f"/knowledge/collections/{collection}"
    reader, writer = user.client(["tools:read"]), user.client(["tools:execute"])
    data(reader.get(base))
    refuse(writer.get(base), 403)
    changes: list[tuple[str, str, Any]] = [
        ("POST", "/knowledge/collections", {"name": "x"}),
        ("PUT", base, {"name": "x"}),
        ("POST", f"{base}/documents", {"text": "x"}),
        ("POST", f"{base}/search", {"query": "x"}),
        ("DELETE", base, None),
    ]
    for method, path, body in changes:
        refuse(reader.request(method, path, **({} if body is None else {"json": body})), 403)


def test_a_collection_can_be_renamed(client: Client) -> None:
    collection = new_collection(client)
    changed = data(client.put(f"/knowledge/collections/{collection}", {"name": "Rules", "description": "Of the house"}))
    assert (changed["name"], changed["description"]) == ("Rules", "Of the house")
    assert data(client.get(f"/knowledge/collections/{collection}")) == changed


def test_deletion_leaves_no_passage_word_or_byte(client: Client) -> None:
    collection = new_collection(client)
    word = f"zq{secrets.token_hex(8)}"
    document = add(client, collection, text=f"The {word} opens at noon.")
    kept = f"SELECT id FROM knowledge_passages WHERE text LIKE '%{word}%'"
    assert len(rows(client.server, kept)) == 1
    client.delete(f"/knowledge/collections/{collection}/documents/{document['id']}")
    gone = f"SELECT id FROM knowledge_documents WHERE id = {document['id']}"
    eventually(lambda: rows(client.server, gone) == [])
    assert rows(client.server, kept) == []
    assert rows(client.server, f"SELECT word FROM knowledge_words WHERE word = '{word}'") == []
