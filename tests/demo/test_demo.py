"""The demo: loading makes ordinary records with a mark, and removing deletes these and nothing else."""

from typing import Any

from retinue.demo.content import AGENT, COLLECTION, QUESTION, SCHEDULE
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer

NOTHING = {"agent_id": None, "collection_id": None, "schedule_id": None, "conversation_id": None}


def load(client: Client) -> dict[str, Any]:
    """Load the demo; returns its records."""
    found: dict[str, Any] = data(client.request("PUT", "/demo"))
    return found


def names(client: Client) -> list[str]:
    """The names of all agents, collections, schedules and conversations."""
    lists = {"/agents": "agent_name", "/knowledge/collections": "name", "/schedules": "name", "/chat": "title"}
    return sorted(one[field] for path, field in lists.items() for one in data(client.get(path)))


def test_the_demo_is_loaded_once_and_removed_whole(client: Client, model: ModelServer, stranger: Client) -> None:
    assert data(client.get("/demo")) == NOTHING
    model.answers.append(Answer("PDF, Word and Markdown files. [1]"))
    demo = load(client)
    assert names(client) == sorted([AGENT, COLLECTION, SCHEDULE, QUESTION])
    asked, answered = data(client.get(f"/chat/{demo['conversation_id']}"))
    assert (asked["content"], answered["content"]) == (QUESTION, "PDF, Word and Markdown files. [1]")
    assert "passage" in str(model.requests[-1]["messages"])
    assert data(client.get(f"/schedules/{demo['schedule_id']}"))["enabled"] is False
    assert load(client) == demo == data(client.get("/demo"))
    assert data(stranger.get("/demo")) == NOTHING
    data(stranger.request("DELETE", "/demo"))
    assert data(client.get("/demo")) == demo
    data(client.request("DELETE", "/demo"))
    assert data(client.get("/demo")) == NOTHING
    assert names(client) == []
    data(client.request("DELETE", "/demo"))


def test_a_second_load_adds_missing_records(client: Client, model: ModelServer) -> None:
    demo = load(client)
    data(client.delete(f"/schedules/{demo['schedule_id']}"))
    data(client.delete(f"/chat/{demo['conversation_id']}"))
    again = load(client)
    assert (again["agent_id"], again["collection_id"]) == (demo["agent_id"], demo["collection_id"])
    assert again["schedule_id"] not in (None, demo["schedule_id"])
    assert again["conversation_id"] not in (None, demo["conversation_id"])


def test_the_users_own_records_stay(client: Client, model: ModelServer) -> None:
    own = data(client.post("/agents", {"agent_name": AGENT, "agent_role": "leader"}), 201)["id"]
    demo = load(client)
    assert demo["agent_id"] != own
    documents = f"/knowledge/collections/{demo['collection_id']}/documents"
    data(client.post(documents, {"title": "Mine", "text": "The office opens at nine."}), 201)
    about = {"name": "Mine", "cron": "0 9 * * *", "agent_id": demo["agent_id"], "message": "Go", "enabled": False}
    schedule = data(client.post("/schedules", about), 201)["id"]
    talk = data(client.post("/chat", {"message": "My own question", "agent_id": demo["agent_id"]}))["conversation_id"]
    data(client.request("DELETE", "/demo"))
    assert [one["title"] for one in data(client.get(documents))] == ["Mine"]
    assert [one["id"] for one in data(client.get("/agents"))] == [own]
    assert data(client.get(f"/schedules/{schedule}"))["name"] == "Mine"
    assert len(data(client.get(f"/chat/{talk}"))) == 2


def test_a_renamed_agent_keeps_its_documents(client: Client, model: ModelServer) -> None:
    demo = load(client)
    agent = f"/agents/{demo['agent_id']}"
    data(client.put(agent, {"agent_name": "My guide"}))
    data(client.request("DELETE", "/demo"))
    assert data(client.get(agent))["knowledge"] == [demo["collection_id"]]
    assert data(client.get(f"/knowledge/collections/{demo['collection_id']}"))["documents"] == 3
