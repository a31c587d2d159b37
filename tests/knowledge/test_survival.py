"""A process that dies while it indexes: the document is found as a whole or not at all, and never twice."""

import pytest

from tests.conftest import NewUser, StartServer
from tests.knowledge.remote.sources import await_synced, documents
from tests.knowledge.support import await_settled, new_collection, passages, search
from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.site import running_site
from tests.support.waiting import eventually

LONG = "\n\n".join(f"Rule {number}: the gate of hall {number} opens at {number % 24} o'clock." for number in range(200))
"""More passages than one transaction writes."""


def await_death(server: Server) -> None:
    """Wait until the server has died at its crash point. Loading the embedding model takes its time."""
    eventually(lambda: server.process is None or server.process.poll() is not None, within=200)
    server.has_died()


def count_stored(server: Server) -> int:
    """Return the number of passages in the database."""
    return len(rows(server, "SELECT id FROM knowledge_passages"))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("place", ["knowledge.claimed", "knowledge.batch:2", "knowledge.served"])
def test_a_kill_while_indexing_neither_halves_nor_doubles(
    place: str, start_server: StartServer, new_user: NewUser
) -> None:
    server = start_server("sqlite", RETINUE_CRASH_AT=place)
    client = new_user(server).client()
    collection = new_collection(client)
    document = data(client.post(f"/knowledge/collections/{collection}/documents", {"text": LONG}), 201)
    await_death(server)
    server.start(RETINUE_CRASH_AT="")
    done = await_settled(client, document)
    found = passages(client, done)
    assert (done["status"], done["error"]) == ("ready", None)
    assert [one["number"] for one in found] == list(range(1, done["passages"] + 1))
    assert count_stored(server) == done["passages"]
    assert "hall 199" in found[-1]["text"]
    assert "All is well." in server.cli("check")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_kill_during_a_refresh_serves_the_text_from_before(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server("postgresql")
    client = new_user(server).client()
    collection, document = ready(client, LONG)
    server.stop()
    server.start(RETINUE_CRASH_AT="knowledge.batch:1")
    client.post(f"/knowledge/collections/{collection}/documents/{document['id']}/refresh")
    await_death(server)
    server.start(RETINUE_CRASH_AT="")
    assert search(client, collection, "hall 199")
    done = await_settled(client, document)
    assert (done["passages"], count_stored(server)) == (document["passages"], document["passages"])


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_kill_during_a_deletion_leaves_nothing(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server("sqlite")
    client = new_user(server).client()
    collection, document = ready(client, LONG)
    server.stop()
    server.start(RETINUE_CRASH_AT="knowledge.removed:2")
    client.delete(f"/knowledge/collections/{collection}/documents/{document['id']}")
    await_death(server)
    server.start(RETINUE_CRASH_AT="")
    eventually(lambda: rows(server, "SELECT id FROM knowledge_documents") == [])
    assert (count_stored(server), rows(server, "SELECT word FROM knowledge_words")) == (0, [])
    assert "All is well." in server.cli("check")


def ready(client: Client, text: str) -> tuple[int, dict[str, object]]:
    """Index a text in a new collection."""
    collection = new_collection(client)
    document = data(client.post(f"/knowledge/collections/{collection}/documents", {"text": text}), 201)
    return collection, await_settled(client, document)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_kills_during_a_synchronization_neither_lose_nor_double_a_page(
    start_server: StartServer, new_user: NewUser
) -> None:
    with running_site() as site:
        paths = [f"/{number}" for number in range(4)]
        site.page("/", "Start", LONG, *paths)
        for path in paths:
            site.page(path, f"Page {path}", LONG.replace("Rule", f"Rule of {path}"), *paths)
        server = start_server("sqlite", RETINUE_ALLOWED_NETWORKS="127.0.0.0/8", RETINUE_CRASH_AT="sources.begun")
        client = new_user(server).client()
        collection = new_collection(client)
        fields = {"kind": "website", "url": f"{site.url}/"}
        source = data(client.post(f"/knowledge/collections/{collection}/sources", fields), 201)
        for place in ("knowledge.visited:3", ""):
            await_death(server)
            server.start(RETINUE_CRASH_AT=place)
        done = await_synced(client, source)
        found = documents(client, collection)
        assert (done["status"], done["documents"], done["failed"]) == ("ready", 5, 0)
        assert sorted(place.removeprefix(site.url) for place in found) == ["/", *paths]
        assert count_stored(server) == sum(one["passages"] for one in found.values())
        assert "All is well." in server.cli("check")
