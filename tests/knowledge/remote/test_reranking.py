"""Rerankers of collections: the shapes of their answers, what a search says of them, and what it does without them."""

from collections.abc import Iterator

import pytest

from tests.knowledge.support import Json, add, new_collection, search
from tests.support.client import Client, data, refuse
from tests.support.rerank_server import RerankServer, Shape, running_rerank_server

MODEL = "rank/reranker-1"
TEXTS = {
    "Rooms": "The lunch room opens at noon. Lunch is served until two.",
    "Menu": "Lunch is lentils, and this is the best page about it.",
}
QUESTION = "When does the lunch room open?"


@pytest.fixture
def reranker(client: Client) -> Iterator[RerankServer]:
    """A provider of a reranker that the client has added."""
    with running_rerank_server() as server:
        models = [{"id": "reranker-1", "price": {"input": "0.02", "output": "0"}}]
        fields = {"name": "rank", "kind": "openai", "base_url": server.url, "key": "sk-123456", "models": models}
        data(client.post("/providers", fields), 201)
        yield server


def fill(client: Client, **fields: str) -> int:
    """Create a collection of two documents."""
    made = data(client.post("/knowledge/collections", {"name": "Lunch", **fields}), 201)
    for title, text in TEXTS.items():
        add(client, made["id"], title=title, text=text)
    return int(made["id"])


def ask(client: Client, collection: int, **fields: object) -> tuple[list[str], Json | None]:
    """Search, and return the titles and what the reranker did."""
    path = f"/knowledge/collections/{collection}/search"
    answer = client.post(path, {"query": QUESTION, **fields})
    return [hit["title"] for hit in data(answer)], answer.json()["meta"].get("reranking")


@pytest.mark.parametrize("shape", ["cohere", "voyage", "tei"])
def test_a_reranker_orders_the_passages(client: Client, reranker: RerankServer, shape: Shape) -> None:
    collection = fill(client)
    assert ask(client, collection) == (["Rooms", "Menu"], None)
    reranker.shape = shape
    changed = data(client.put(f"/knowledge/collections/{collection}", {"reranker": MODEL}))
    assert changed["reranker"] == MODEL
    applied = {"model": MODEL, "applied": True, "reason": None}
    assert ask(client, collection) == (["Menu", "Rooms"], applied)
    assert ask(client, collection, limit=1) == (["Menu"], applied)
    assert [hit["score"] for hit in search(client, collection, QUESTION)] == [0.9, 0.1]
    last = reranker.requests[-1]
    assert last["query"] == QUESTION
    assert f"Menu\n{TEXTS['Menu']}" in last["texts" if shape == "tei" else "documents"]
    data(client.put(f"/knowledge/collections/{collection}", {"reranker": ""}))
    assert ask(client, collection) == (["Rooms", "Menu"], None)


def test_a_reranker_that_fails_leaves_the_order_and_says_so(client: Client, reranker: RerankServer) -> None:
    collection = fill(client, reranker=MODEL)
    reranker.failures = [500]
    titles, outcome = ask(client, collection)
    assert titles == ["Rooms", "Menu"]
    assert outcome is not None
    assert (outcome["applied"], "HTTP 500" in outcome["reason"]) == (False, True)
    assert "knowledge.not_reranked" in client.server.tail()
    other = fill(client)
    several = client.post("/knowledge/search", {"query": QUESTION, "collections": [collection, other]})
    assert "same reranker" in several.json()["meta"]["reranking"]["reason"]
    assert data(client.get("/usage/history")) == []


def test_its_tokens_are_counted(client: Client, reranker: RerankServer) -> None:
    ask(client, fill(client, reranker=MODEL))
    (day,) = data(client.get("/usage/history"))
    assert (day["tokens"], day["cost_usd"]) == (9, "0.00000018")


def test_a_model_that_does_not_rerank_is_refused(client: Client, reranker: RerankServer) -> None:
    unknown = {"name": "A", "reranker": "nobody/model"}
    refuse(client.post("/knowledge/collections", unknown), 400, "reranker", "no longer configured")
    collection = new_collection(client)
    reranker.failures = [404, 404]
    refuse(client.put(f"/knowledge/collections/{collection}", {"reranker": MODEL}), 400, "reranker", "HTTP 404")
    assert data(client.get(f"/knowledge/collections/{collection}"))["reranker"] == ""


def test_test_keys_have_no_reranker(sandbox: Client) -> None:
    refuse(sandbox.post("/knowledge/collections", {"name": "A", "reranker": MODEL}), 400, "test keys")
