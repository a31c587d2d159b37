"""Words and vectors that other code has stored are made again: by a server that starts, and by `check --repair`."""

import pytest

from retinue.knowledge import embedding
from retinue.memory import fact_vectors
from tests.conftest import DATABASES, NewUser, StartServer
from tests.knowledge.support import add, new_collection, search
from tests.knowledge.test_agents import new_agent
from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.sql import execute
from tests.support.waiting import eventually

_FEATURES = ("knowledge words", "knowledge vectors", "memory vectors", "workspace features")


def store_old_features(server: Server) -> None:
    """Replace what is stored by what no search finds, as if an earlier version of the code had made it."""
    server.stop()
    execute(
        server,
        "UPDATE knowledge_words SET word = 'old-' || word",
        "UPDATE knowledge_passages SET model = 'use-multilingual-v3/0'",
        "UPDATE memory_facts SET model = 'use-multilingual-v3/0'",
        "UPDATE workspace_words SET word = 'old-' || word",
        "DELETE FROM workspace_vectors",
        "UPDATE stored_features SET version = '0'",
    )


def fill(client: Client) -> int:
    """Store a document, a fact, a note and a document of the workspace; return the id of the collection."""
    collection = new_collection(client)
    add(client, collection, title="Garage", text="The garage repairs every automobile within two days.")
    agent = new_agent(client, memory="user")["id"]
    data(client.post("/memory", {"agent_id": agent, "text": "Ann has a dog."}), 201)
    call(client, "note_create", title="Lunch", text="Lentils on Tuesday.")
    call(client, "knowledge_add_document", title="Gate", text="The gate opens at noon.")
    return collection


def call(client: Client, tool: str, **arguments: str) -> object:
    """Call a tool."""
    return data(client.post(f"/tools/{tool}/execute", {"args": arguments}))["result"]


def versions(server: Server) -> set[str]:
    """Return the versions of the stored features."""
    return {row["version"] for row in rows(server, "SELECT version FROM stored_features")}


def check_searches(client: Client, collection: int) -> None:
    """Find everything by its words, and the passage and the fact by their meaning."""
    assert search(client, collection, "car workshop")[0]["relevant"]
    assert rows(client.server, "SELECT 1 FROM knowledge_words WHERE word = 'garag'")
    assert rows(client.server, "SELECT 1 FROM workspace_words WHERE word = 'lentil'")
    assert len(rows(client.server, "SELECT 1 FROM workspace_vectors")) == 1
    models = "SELECT model FROM memory_facts UNION SELECT other_model FROM knowledge_passages"
    assert {row["model"] for row in rows(client.server, models)} == {embedding.VERSION, fact_vectors.VERSION}
    assert "old-" not in str(rows(client.server, "SELECT word FROM knowledge_words"))
    assert client.server.cli("check") == "All is well.\n"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", DATABASES)
def test_a_server_makes_old_features_again(kind: str, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(kind)
    client = new_user(server).client()
    collection = fill(client)
    before = versions(server)
    store_old_features(server)
    server.start()
    eventually(lambda: versions(server) == before, within=120)
    path = f"/knowledge/collections/{collection}"
    eventually(lambda: data(client.get(path))["status"] == "ready", within=120)
    check_searches(client, collection)


@pytest.mark.timeout(300)
def test_check_names_old_features_and_repairs_them(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server("sqlite")
    client = new_user(server).client()
    collection = fill(client)
    store_old_features(server)
    faults = server.cli("check", status=1)
    assert all(name in faults for name in _FEATURES)
    assert server.cli("check", "--repair") == "All is well.\n"
    server.start()
    check_searches(client, collection)
