"""Embeddings by a provider's model: choosing it, indexing anew, searching, and what it costs."""

from collections.abc import Iterator

import pytest
import requests

from tests.knowledge.support import Json, add, new_collection, search
from tests.support.client import Client, data, refuse
from tests.support.embedding_server import EmbeddingServer, running_embedding_server
from tests.support.waiting import eventually

SMALL, LARGE = "vectors/text-embedding-small", "vectors/text-embedding-large"
GARAGE = "The garage repairs every automobile within two days."


@pytest.fixture
def vectors(client: Client) -> Iterator[EmbeddingServer]:
    """A provider of embeddings that the client has added."""
    with running_embedding_server() as server:
        price = {"input": "0.02", "output": "0"}
        models = [{"id": f"text-embedding-{size}", "price": price} for size in ("small", "large")] + [{"id": "chatty"}]
        fields = {"name": "vectors", "kind": "openai", "base_url": server.url, "key": "sk-123456", "models": models}
        data(client.post("/providers", fields), 201)
        yield server


def choose(client: Client, embedding: str) -> Json:
    """Choose the embedding model."""
    chosen: Json = data(client.put("/models/default", {"embedding": embedding}))
    return chosen


def await_model(client: Client, collection: int, model: str) -> None:
    """Wait until the vectors of a collection are by a model."""

    def over() -> bool:
        found = data(client.get(f"/knowledge/collections/{collection}"))
        return bool((found["embedding_model"], found["status"]) == (model, "ready"))

    eventually(over, within=120)


def test_a_collection_is_indexed_anew_by_the_chosen_model(client: Client, vectors: EmbeddingServer) -> None:
    collection = new_collection(client)
    add(client, collection, text=f"# Garage\n\n{GARAGE}")
    before = data(client.get("/models/default"))
    assert before["embedding"] == "alfred-embedding"
    assert choose(client, SMALL) == {**before, "embedding": SMALL}
    await_model(client, collection, SMALL)
    (best,) = search(client, collection, "car")
    assert (best["relevant"], GARAGE in best["text"]) == (True, True)
    sent = vectors.texts("text-embedding-small")
    assert [text for text in sent if GARAGE in text] == [f"Garage\nGarage\n{GARAGE}"]
    add(client, collection, text="The physician comes on Mondays.", title="Visits")
    assert search(client, collection, "doctor")[0]["title"] == "Visits"
    choose(client, "alfred-embedding")
    await_model(client, collection, "use-multilingual-v3")
    vectors.requests.clear()
    assert search(client, collection, "When does the physician come?")
    assert vectors.requests == []


def test_the_index_from_before_serves_until_the_new_one_is_complete(client: Client, vectors: EmbeddingServer) -> None:
    choose(client, SMALL)
    collection = new_collection(client)
    assert data(client.get(f"/knowledge/collections/{collection}"))["embedding_model"] == SMALL
    add(client, collection, text=GARAGE, title="Garage")
    vectors.refused = "text-embedding-large"
    choose(client, LARGE)
    eventually(lambda: [text for text in vectors.texts(vectors.refused) if GARAGE in text])
    shown = data(client.get(f"/knowledge/collections/{collection}"))
    assert (shown["embedding_model"], shown["status"]) == (SMALL, "indexing")
    assert search(client, collection, "car")[0]["title"] == "Garage"
    vectors.refused = ""
    choose(client, LARGE)
    await_model(client, collection, LARGE)
    assert search(client, collection, "car")[0]["title"] == "Garage"


def test_a_provider_that_fails_leaves_the_search_by_words(client: Client, vectors: EmbeddingServer) -> None:
    choose(client, SMALL)
    collection = new_collection(client)
    add(client, collection, text=GARAGE, title="Garage")
    vectors.failures = [503] * 2
    assert search(client, collection, "garage")[0]["title"] == "Garage"
    vectors.failures = [401]
    failed = add(client, collection, text="Another text.")
    assert (failed["status"], "rejected the key" in failed["error"]) == ("failed", True)
    vectors.failures = [429, 500]
    assert add(client, collection, text="A third text.")["status"] == "ready"


def test_the_alias_means_the_chosen_model_and_its_cost_is_counted(client: Client, vectors: EmbeddingServer) -> None:
    choose(client, SMALL)
    body = {"model": "alfred-embedding", "input": ["a car", "an automobile"]}
    headers = {"Authorization": f"Bearer {client.key}"}
    answer = requests.post(f"{client.server.url}/v1/embeddings", json=body, headers=headers, timeout=60).json()
    assert [len(one["embedding"]) for one in answer["data"]] == [128, 128]
    assert (answer["model"], answer["usage"]["total_tokens"]) == ("alfred-embedding", 7)
    (day,) = data(client.get("/usage/history"))
    assert (day["tokens"], day["cost_usd"]) == (7, "0.00000014")


def test_gemini_embeds_by_its_own_protocol(client: Client, vectors: EmbeddingServer) -> None:
    fields = {"name": "google", "kind": "gemini", "base_url": vectors.url, "key": "key-123456"}
    data(client.post("/providers", {**fields, "models": [{"id": "gemini-embedding-001"}]}), 201)
    choose(client, "google/gemini-embedding-001")
    collection = new_collection(client)
    add(client, collection, text=GARAGE, title="Garage")
    assert search(client, collection, "car")[0]["title"] == "Garage"
    tasks = [one["taskType"] for body in vectors.requests for one in body["requests"]]
    assert tasks == ["RETRIEVAL_DOCUMENT", "RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"embedding": "vectors/chatty"}, ["embedding", "makes no embeddings"]),
        ({"embedding": "nobody/model"}, ["embedding", "no longer configured"]),
        ({"embedding": "x" * 150}, ["embedding", "100 characters"]),
        ({}, ["Send model"]),
        ({"embedding": SMALL, "fallbacks": []}, ["Send model"]),
    ],
)
def test_a_model_without_embeddings_is_refused(
    client: Client, vectors: EmbeddingServer, body: Json, words: list[str]
) -> None:
    refuse(client.put("/models/default", body), 400, *words)
    assert data(client.get("/models/default"))["embedding"] == "alfred-embedding"


def test_only_operators_choose_for_everybody_and_test_keys_not_at_all(client: Client, sandbox: Client) -> None:
    refuse(client.put("/models/default?shared=true", {"embedding": "alfred-embedding"}), 403, "operator")
    refuse(sandbox.put("/models/default", {"embedding": "alfred-embedding"}), 400, "test keys")
