"""Chat: replies, stored messages and refusals."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import User
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

SUBNET = "network_calculate_subnet"
CIDR = {"cidr": "172.16.8.0/21"}
ENTRY = {
    "conversation_id", "agent_id", "user", "publishable_key_id", "title", "model", "message_count", "last_message",
    "pinned", "created_at", "updated_at",
}  # fmt: skip


def say(client: Client, message: str, **fields: Any) -> dict[str, Any]:
    """Send a message."""
    reply: dict[str, Any] = data(client.post("/chat", {"message": message, **fields}))
    return reply


def status_of_run(client: Client, run_id: int) -> str | None:
    """Return the status of a run, or None if there is no such run."""
    response = client.get(f"/runs/{run_id}")
    return str(response.json()["data"]["status"]) if response.status_code == 200 else None


def messages(client: Client, conversation: str) -> list[tuple[str, str]]:
    """Return the role and content of a conversation's messages."""
    return [(item["role"], item["content"]) for item in client.get(f"/chat/{conversation}").json()["data"]]


def test_a_message_is_answered(client: Client) -> None:
    reply = say(client, "Hello")
    assert reply.keys() == {
        "reply", "conversation_id", "model", "tools_used", "tokens_used", "execution_time_ms", "usage", "cost_usd",
        "finish_reason", "output", "agent_id", "run_id", "status", "approval_ids",
    }  # fmt: skip
    assert (reply["finish_reason"], reply["cost_usd"], reply["output"]) == ("stop", None, None)
    assert reply["usage"]["input_tokens"] + reply["usage"]["output_tokens"] == reply["tokens_used"]
    assert reply["agent_id"] is None
    assert reply["reply"] == "You said: Hello"
    assert re.fullmatch(r"conv_[0-9a-z]{26}", reply["conversation_id"])
    assert reply["model"] == "alfred-default"
    assert reply["tools_used"] == []
    assert reply["tokens_used"] == 10 + 3
    assert reply["execution_time_ms"] >= 0


def test_the_sandbox_answers_with_the_test_model(sandbox: Client, model: ModelServer) -> None:
    assert say(sandbox, "Hello")["reply"] == "You said: Hello"
    assert say(sandbox, "[[words:3]]", model="alfred-default")["reply"] == "word1 word2 word3"
    assert model.requests == []


def test_history_reaches_the_model(client: Client, sandbox: Client, model: ModelServer) -> None:
    first = say(client, "One")
    again = say(client, "Two", conversation_id=first["conversation_id"])
    assert again["conversation_id"] == first["conversation_id"]
    said = [(message["role"], message["content"]) for message in model.requests[-1]["messages"]]
    assert said[1:] == [("user", "One"), ("assistant", "You said: One"), ("user", "Two")]
    begun = say(sandbox, "One")["conversation_id"]
    echoed = say(sandbox, "[[echo-history]]", conversation_id=begun)["reply"]
    assert echoed == "4 messages: system, user, assistant, user"


def test_a_tools_exchange_is_part_of_the_history(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(tool=SUBNET, arguments=CIDR))
    first = say(client, "How many hosts?", tools=[SUBNET])
    assert first["tools_used"] == [SUBNET]
    assert first["tokens_used"] == (10 + 1) + (10 + 5)
    say(client, "Thanks", conversation_id=first["conversation_id"], tools=[])
    roles = [message["role"] for message in model.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    shown = client.get(f"/chat/{first['conversation_id']}").json()["data"]
    assert [item["role"] for item in shown] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert shown[2]["tool_name"] == SUBNET
    assert shown[2]["tool_call_id"] == shown[1]["tool_calls"][0]["id"]
    assert shown[1]["tool_calls"][0]["name"] == SUBNET
    assert "2046" in shown[2]["content"]
    assert "tool_name" not in shown[0]


def test_the_list_shows_the_most_recently_used_first(client: Client) -> None:
    one, two, three = (say(client, f"No {n}")["conversation_id"] for n in range(3))
    say(client, "Again", conversation_id=one)
    body = client.get("/chat").json()
    assert [entry["conversation_id"] for entry in body["data"]] == [one, three, two]
    assert all(entry.keys() == ENTRY for entry in body["data"])
    assert body["meta"] == {"total": 3, "page": 1, "per_page": 20, "total_pages": 1}
    first = body["data"][0]
    assert (first["title"], first["message_count"], first["last_message"]) == ("No 0", 4, "You said: Again")
    assert first["model"] == "alfred-default"
    assert first["updated_at"] > first["created_at"]
    assert [entry["conversation_id"] for entry in client.get("/chat?per_page=1&page=3").json()["data"]] == [two]


def test_the_last_message_is_cut_at_200_characters(client: Client) -> None:
    say(client, "😀" * 5000)
    entry = client.get("/chat").json()["data"][0]
    assert entry["last_message"] == ("You said: " + "😀" * 5000)[:200]
    assert 0 < len(entry["title"]) <= 100


def test_messages_are_paginated_oldest_first(client: Client) -> None:
    conversation = say(client, "One")["conversation_id"]
    say(client, "Two", conversation_id=conversation)
    body = client.get(f"/chat/{conversation}?per_page=3&page=2").json()
    assert [item["content"] for item in body["data"]] == ["You said: Two"]
    assert body["meta"] == {"total": 4, "page": 2, "per_page": 3, "total_pages": 2}


def test_a_deleted_conversation_is_gone(client: Client) -> None:
    conversation = say(client, "One")["conversation_id"]
    kept = say(client, "Two")["conversation_id"]
    assert data(client.delete(f"/chat/{conversation}")) == {"conversation_id": conversation, "deleted": True}
    refuse(client.get(f"/chat/{conversation}"), 404)
    refuse(client.delete(f"/chat/{conversation}"), 404)
    refuse(client.post("/chat", {"message": "Hello", "conversation_id": conversation}), 404)
    assert [entry["conversation_id"] for entry in client.get("/chat").json()["data"]] == [kept]


@pytest.mark.parametrize("unknown", ["conv_00000000000000000000000000", "nonsense", "1", "conv_" + "x" * 90])
def test_an_unknown_conversation_is_not_found(client: Client, unknown: str) -> None:
    refuse(client.post("/chat", {"message": "Hello", "conversation_id": unknown}), 404)
    refuse(client.get(f"/chat/{unknown}"), 404)
    refuse(client.delete(f"/chat/{unknown}"), 404)


@pytest.mark.parametrize("strange", ["%00", "%ff", "%F0%9F%98%80", "x" * 3000, "'", "%25"])
def test_a_strange_conversation_id_is_not_found(client: Client, strange: str) -> None:
    refuse(client.get(f"/chat/{strange}"), 404)
    refuse(client.delete(f"/chat/{strange}"), 404)


def test_anothers_conversation_is_not_found(client: Client, stranger: Client, sandbox: Client) -> None:
    conversation = say(client, "Hello")["conversation_id"]
    for other in (stranger, sandbox):
        refuse(other.post("/chat", {"message": "Hello", "conversation_id": conversation}), 404)
        assert other.get("/chat").json()["meta"]["total"] == 0
    assert len(messages(client, conversation)) == 2


def test_messages_of_one_conversation_run_one_after_the_other(client: Client, model: ModelServer) -> None:
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)["id"]
    last_run = data(client.post(f"/agents/{agent}/execute", {"message": "Zero"}))["run_id"]
    conversation = say(client, "Zero")["conversation_id"]
    model.requests.clear()
    model.answers.append(Answer("first reply", hold=True))
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(say, client, "One", conversation_id=conversation)
        eventually(lambda: len(model.requests) == 1)
        others = Client(client.server, client.key)
        second = pool.submit(say, others, "Two", conversation_id=conversation)
        eventually(lambda: status_of_run(client, last_run + 3) == "queued")
        assert say(client, "Elsewhere")["reply"] == "You said: Elsewhere"
        assert len(model.requests) == 2
        assert not second.done()
        model.release()
        assert (first.result(20)["reply"], second.result(20)["reply"]) == ("first reply", "You said: Two")
    others.close()
    assert messages(client, conversation)[2:] == [
        ("user", "One"), ("assistant", "first reply"), ("user", "Two"), ("assistant", "You said: Two"),
    ]  # fmt: skip


def test_other_conversations_do_not_wait(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("first reply", hold=True))
    with client.stream("/chat", {"message": "One", "stream": True}) as stream:
        next(stream.chunks())
        other = Client(client.server, client.key)
        assert say(other, "Two")["reply"] == "You said: Two"
        other.close()


@pytest.mark.parametrize("temperature", [0, 0.0, 1, 1.0, 0.25])
def test_the_temperature_reaches_the_model(client: Client, model: ModelServer, temperature: float) -> None:
    say(client, "Hello", temperature=temperature)
    assert model.requests[-1]["temperature"] == temperature


def test_null_options_mean_their_defaults(client: Client, model: ModelServer) -> None:
    reply = say(client, "Hello", **dict.fromkeys(["conversation_id", "model", "temperature", "tools", "stream"]))
    assert reply["model"] == "alfred-default"
    assert model.requests[-1]["temperature"] == 0.7


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, ["message"]),
        ({"message": ""}, ["message"]),
        ({"message": None}, ["message"]),
        ({"message": ["Hello"]}, ["message"]),
        ({"message": "x" * 10_001}, ["message", "10,000"]),
        ({"message": "a", "temperature": -0.01}, ["temperature"]),
        ({"message": "a", "temperature": 1.01}, ["temperature"]),
        ({"message": "a", "temperature": "0.5"}, ["temperature"]),
        ({"message": "a", "temperature": True}, ["temperature"]),
        ({"message": "a", "model": "gpt-nonsense"}, ["model", "gpt-nonsense", "alfred-default"]),
        ({"message": "a", "model": ""}, ["model"]),
        ({"message": "a", "tools": ["absent_tool", SUBNET]}, ["tools", "absent_tool"]),
        ({"message": "a", "tools": SUBNET}, ["tools"]),
        ({"message": "a", "stream": "true"}, ["stream"]),
        (
            {"message": "a", "stream": 1, "conversation_id": 5, "max_tokens": 9},
            ["stream", "conversation_id", "max_tokens"],
        ),
    ],
)
def test_a_wrong_request_is_refused_and_begins_nothing(client: Client, body: dict[str, Any], named: list[str]) -> None:
    refuse(client.post("/chat", body), 400, *named)
    assert client.get("/chat").json()["meta"]["total"] == 0


def test_the_longest_message_is_accepted(client: Client) -> None:
    say(client, "漢" * 10_000)


def test_models_are_listed_and_accepted(client: Client, model: ModelServer) -> None:
    listed = client.get("/models").json()
    first = listed["data"][0]
    assert (first["name"], first["default"], first["provider"]) == ("alfred-default", True, "default")
    assert [entry["default"] for entry in listed["data"]].count(True) == 1
    assert listed["meta"]["total"] == len(listed["data"])
    for entry in listed["data"]:
        assert say(client, "Hello", model=entry["name"])["model"] == entry["name"]
    assert {request["model"] for request in model.requests} == {"stand-in"}


def test_a_conversation_has_the_model_of_its_last_message(client: Client) -> None:
    default, other = (entry["name"] for entry in client.get("/models").json()["data"][:2])
    begun = say(client, "Hello", model=default)["conversation_id"]
    for name in (other, default, default, other):
        say(client, "Hello", model=name, conversation_id=begun)
        assert [entry["model"] for entry in data(client.get("/chat"))] == [name]


def test_tools_that_are_offered(client: Client, model: ModelServer) -> None:
    say(client, "How many hosts has the subnet 172.16.8.0/21?")
    assert SUBNET in offer(model)
    assert 1 < len(offer(model)) <= 21, "expected at most twenty tools and the tool search"
    say(client, "Hello", tools=[SUBNET, SUBNET])
    assert offer(model) == [SUBNET]
    say(client, "How many hosts has the subnet 172.16.8.0/21?", tools=[])
    assert "tools" not in model.requests[-1]


def test_tools_need_the_scope(user: User, model: ModelServer) -> None:
    limited = user.client(["chat:read", "chat:write"])
    refuse(limited.post("/chat", {"message": "a", "tools": [SUBNET]}), 403, "tools:execute")
    say(limited, "How many hosts has the subnet 172.16.8.0/21?")
    assert "tools" not in model.requests[-1]
    say(limited, "Hello", tools=[])


def test_a_tool_that_was_not_offered_is_not_run(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(tool=SUBNET, arguments=CIDR))
    reply = say(client, "Hello", tools=[])
    assert reply["tools_used"] == []
    assert "no tool" in model.requests[-1]["messages"][-1]["content"]


def offer(model: ModelServer) -> list[str]:
    """Return the names of the tools in the last request to the model."""
    return [tool["function"]["name"] for tool in model.requests[-1]["tools"]]


def test_a_provider_that_fails_is_unavailable(client: Client, model: ModelServer) -> None:
    conversation = say(client, "One")["conversation_id"]
    refusals = [[Answer(status=status, headers={"Retry-After": "0"})] * 3 for status in (500, 429)]
    for failing in (*refusals, [Answer(status=401)], [Answer("one", break_off=True)]):
        model.answers.extend(failing)
        refuse(client.post("/chat", {"message": "Two", "conversation_id": conversation}), 503)
    assert say(client, "Three", conversation_id=conversation)["reply"] == "You said: Three"
    said = messages(client, conversation)
    assert said.count(("user", "Two")) == 4
    assert said[-3:] == [("assistant", "one"), ("user", "Three"), ("assistant", "You said: Three")]


def test_a_message_that_does_not_fit_the_model_is_refused(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("maximum context length", status=400))
    refuse(client.post("/chat", {"message": "Hello"}), 400, "context window")


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=300)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=TEXTS.filter(str.strip))
def test_any_text_is_kept_as_it_was_said(client: Client, message: str) -> None:
    reply = say(client, message, tools=[])
    said = messages(client, reply["conversation_id"])
    assert said == [("user", message), ("assistant", f"You said: {message}")]
