"""Conversations of OpenAI's API, with the official client: items that the server keeps, to which responses add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ONE_DATABASE, User
from tests.interop.test_mixed_calls import SUBNET
from tests.interop.test_openai import MODEL, create_agent, official
from tests.interop.test_openai_responses import WEATHER
from tests.support.client import Client, data
from tests.support.lazy_imports import import_lazily
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    import openai
else:
    openai = import_lazily("openai")


def say(text: str, role: str = "user") -> Any:
    """Return a message to add."""
    return {"type": "message", "role": role, "content": text}


def item_texts(client: Client, name: str) -> list[tuple[str, str]]:
    """Return the types and the texts of the items of a conversation, the oldest first."""
    items = official(client).conversations.items.list(name, order="asc", limit=100)
    return [(item.type, _text(item)) for item in items]


def _text(item: Any) -> str:
    if item.type == "message":
        return f"{item.role}: {item.content[0].text}"
    return str(getattr(item, "output", None) or f"{item.name} {item.arguments}")


def messages_sent(model: ModelServer) -> list[tuple[str, str | None]]:
    """Return the roles and the texts of the last request to the model."""
    return [(one["role"], one.get("content")) for one in model.requests[-1]["messages"]]


@pytest.mark.parametrize("how", ["whole", "streamed", "background"])
def test_responses_add_to_a_conversation(client: Client, model: ModelServer, how: str) -> None:
    sdk = official(client)
    made = sdk.conversations.create(items=[say("Be brief.", "developer"), say("I am Ada.")], metadata={"topic": "a"})
    assert (made.object, made.metadata) == ("conversation", {"topic": "a"})

    def respond(text: str) -> None:
        asked: Any = {"model": MODEL, "input": text, "conversation": made.id}
        if how == "streamed":
            with sdk.responses.stream(**asked) as stream:
                answer = stream.get_final_response()
        else:
            answer = sdk.responses.create(**asked, background=how == "background")
        if how == "background":
            eventually(lambda: sdk.responses.retrieve(answer.id).status == "completed")
        assert answer.conversation is not None or how == "streamed"

    respond("Who am I?")
    assert messages_sent(model) == [("system", "Be brief."), ("user", "I am Ada."), ("user", "Who am I?")]
    respond("Sure?")
    assert messages_sent(model)[2:] == [("user", "Who am I?"), ("assistant", "You said: Who am I?"), ("user", "Sure?")]
    assert item_texts(client, made.id) == [
        ("message", "developer: Be brief."),
        ("message", "user: I am Ada."),
        ("message", "user: Who am I?"),
        ("message", "assistant: You said: Who am I?"),
        ("message", "user: Sure?"),
        ("message", "assistant: You said: Sure?"),
    ]


def test_calls_of_tools_go_on_with_an_agent(client: Client, model: ModelServer) -> None:
    """The agent's own call before the client's is part of what it reads, and not of the items."""
    sdk, agent = official(client), f"agent:{create_agent(client, skills=[SUBNET])}"
    name = sdk.conversations.create().id
    both = Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/24"}, also=[("get_weather", {"city": "Oslo"})])
    model.answers += [both, Answer(text="Rain.")]
    first = sdk.responses.create(model=agent, input="How is it?", tools=[WEATHER], conversation=name)
    (call,) = [one for one in first.output if one.type == "function_call"]
    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    last = sdk.responses.create(model=agent, input=[result], tools=[WEATHER], conversation={"id": name})
    assert last.output_text == "Rain."
    assert [role for role, _ in messages_sent(model)][1:] == ["user", "assistant", "tool", "tool"]
    assert [kind for kind, _ in item_texts(client, name)] == [
        "message",
        "function_call",
        "function_call_output",
        "message",
    ]


def test_items_are_added_read_and_deleted(client: Client) -> None:
    sdk = official(client)
    name = sdk.conversations.create(metadata={"a": "b"}).id
    call: Any = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    output: Any = {"type": "function_call_output", "call_id": "c1", "output": "seen"}
    added = sdk.conversations.items.create(name, items=[say("One"), say("Two", "assistant"), call, output])
    ids = [item.id for item in added.data]
    assert (added.first_id, added.last_id, added.has_more) == (ids[0], ids[-1], False)
    page = sdk.conversations.items.list(name, limit=3)
    assert [item.id for item in page.data] == ids[:0:-1]
    assert [item.id for item in page] == ids[::-1]
    assert sdk.conversations.items.list(name, order="asc", after=str(ids[2])).data[0].id == ids[3]
    assert sdk.conversations.items.retrieve(str(ids[0]), conversation_id=name).id == ids[0]
    assert sdk.conversations.items.delete(str(ids[0]), conversation_id=name).id == name
    assert len(item_texts(client, name)) == 3
    assert sdk.conversations.update(name, metadata={"c": "d"}).metadata == {"c": "d"}
    assert sdk.conversations.retrieve(name).metadata == {"c": "d"}
    with pytest.raises(openai.NotFoundError):
        sdk.conversations.items.retrieve(str(ids[0]), conversation_id=name)
    assert sdk.conversations.delete(name).deleted
    with pytest.raises(openai.NotFoundError):
        sdk.conversations.retrieve(name)


def test_one_response_at_a_time_and_failed_ones_leave_nothing(client: Client, model: ModelServer) -> None:
    sdk = official(client)
    name = sdk.conversations.create(items=[say("Hi")]).id
    model.answers.append(Answer(text="One two", hold=True))
    busy = sdk.responses.create(model=MODEL, input="Wait", conversation=name, background=True)
    eventually(lambda: len(model.requests) == 1)
    for refused in (
        lambda: sdk.responses.create(model=MODEL, input="Now", conversation=name),
        lambda: sdk.conversations.items.create(name, items=[say("Now")]),
    ):
        with pytest.raises(openai.BadRequestError, match=f"{busy.id} of this conversation is in progress"):
            refused()
    sdk.responses.cancel(busy.id)
    assert item_texts(client, name) == [("message", "user: Hi")]
    model.release()
    model.answers.clear()
    model.answers.append(Answer(status=400, text="broken"))
    with pytest.raises(openai.APIStatusError):
        sdk.responses.create(model=MODEL, input="Fail", conversation=name)
    assert item_texts(client, name) == [("message", "user: Hi")]
    done = sdk.responses.create(model=MODEL, input="Go on", conversation=name)
    sdk.responses.delete(done.id)
    assert len(item_texts(client, name)) == 3, "a deleted response leaves its items"


@ONE_DATABASE
def test_requests_that_cannot_be_answered_are_refused_with_advice(client: Client) -> None:
    sdk = official(client)
    name = sdk.conversations.create().id
    first = sdk.responses.create(model=MODEL, input="Hi")
    with pytest.raises(openai.BadRequestError, match="either another or a conversation"):
        sdk.responses.create(model=MODEL, input="Hi", conversation=name, previous_response_id=first.id)
    with pytest.raises(openai.NotFoundError, match="conv_none"):
        sdk.responses.create(model=MODEL, input="Hi", conversation="conv_none")
    with pytest.raises(openai.BadRequestError, match="reasoning"):
        sdk.conversations.items.create(name, items=[{"type": "reasoning", "id": "r", "summary": []}])
    with pytest.raises(openai.BadRequestError, match="after"):
        sdk.conversations.items.list(name, after="msg_none")
    with pytest.raises(openai.BadRequestError, match="metadata"):
        sdk.conversations.update(name, metadata={"a": "x" * 513})


@ONE_DATABASE
def test_others_see_nothing(client: Client, user: User, stranger: Client) -> None:
    name = official(client).conversations.create(items=[say("Secret")]).id
    item = official(client).conversations.items.list(name).data[0].id or ""
    ways: list[Callable[[openai.OpenAI], object]] = [
        lambda sdk: sdk.conversations.retrieve(name),
        lambda sdk: sdk.conversations.update(name, metadata={}),
        lambda sdk: sdk.conversations.delete(name),
        lambda sdk: sdk.conversations.items.list(name),
        lambda sdk: sdk.conversations.items.create(name, items=[say("Hi")]),
        lambda sdk: sdk.conversations.items.retrieve(item, conversation_id=name),
        lambda sdk: sdk.conversations.items.delete(item, conversation_id=name),
        lambda sdk: sdk.responses.create(model=MODEL, input="Hi", conversation=name),
    ]
    for way in ways:
        with pytest.raises(openai.NotFoundError):
            way(official(stranger))
        with pytest.raises(openai.PermissionDeniedError):
            way(official(user.client(["usage:read"])))
        with pytest.raises(openai.AuthenticationError):
            way(official(Client(client.server, "ak_live_nothing")))
    assert data(client.get("/chat")) == [], "they are not the conversations of chat"
