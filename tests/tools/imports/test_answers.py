"""The question of a tool's server at every entry point: each shows it; where people decide, each takes the answer."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from a2a.helpers import get_data_parts, get_message_text, new_data_part

from tests.conftest import User
from tests.interop import a2a_clients, mcp_clients, test_anthropic, test_openai, test_openai_responses
from tests.interop.agui import FrontEnd
from tests.portal.reader import reader_of
from tests.support.client import Client, data
from tests.support.model_server import ModelServer
from tests.support.waiting import eventually
from tests.tools.imports.asker import ASKED, book, create_booker, running_asker
from tests.tools.imports.stand_in_mcp import StandInMcp

QUESTION = "Which seat?"
ANSWER: dict[str, Any] = {"seat": "12A", "bags": 2}


@pytest.fixture
def far() -> Iterator[StandInMcp]:
    """A server that asks before it books."""
    with running_asker() as server:
        yield server


@pytest.fixture
def agent(client: Client, far: StandInMcp, model: ModelServer) -> int:
    """An agent whose model calls the tool of that server."""
    return create_booker(client, far, model)


def latest(client: Client) -> dict[str, Any]:
    """Return the latest approval."""
    return dict(data(client.get("/approvals?per_page=1"))[0])


def decide(client: Client) -> None:
    """Answer with the API."""
    data(client.post(f"/approvals/{latest(client)['id']}", {"decision": "approve", "answer": ANSWER}))


async def api(user: User, client: Client, agent: int) -> None:
    """The response has the run that waits, and the decision has the answer."""
    assert data(client.post(f"/agents/{agent}/execute", {"message": "Book"}), 202)["status"] == "waiting"
    assert latest(client)["question"]["message"] == QUESTION
    decide(client)


async def command_line(user: User, client: Client, agent: int) -> None:
    """`retinue chat` says that the run waits, and `retinue approvals` shows the question and takes the answer."""

    def command(*arguments: str) -> str:
        return client.server.cli(*arguments, "--url", client.server.url, "--key", mcp_clients.key_of(client))

    assert "retinue approvals list" in command("chat", "Book", "--agent", str(agent))
    approval = str(latest(client)["id"])
    for shown in (command("approvals", "list"), command("approvals", "show", approval)):
        assert QUESTION in shown
    command("approvals", "approve", approval, "--answer", json.dumps(ANSWER))


async def portal(user: User, client: Client, agent: int) -> None:
    """The run and the approvals show the question, with a form. The chat does in `tests/portal/test_sources.py`."""
    data(client.post("/chat", {"message": "Book", "agent_id": agent}), 202)
    approval = latest(client)["id"]
    browser = reader_of(user)
    for path in (f"/runs/{latest(client)['run_id']}", "/approvals", f"/approvals/{approval}"):
        shown = browser.get(path).text
        assert QUESTION in shown, path
        assert f"/approvals/{approval}" in shown, path
    page = f"/approvals/{approval}/decide"
    assert browser.post(page, {"decision": "approve"}).status_code == 400
    filled = {"decision": "approve", "answer.seat": "12A", "answer.bags": "2"}
    assert browser.post(page, filled).status_code == 303
    browser.close()


async def ag_ui(user: User, client: Client, agent: int) -> None:
    """The run ends with an interrupt, whose response has the answer."""
    front_end = FrontEnd(client.server, client.key, agent)
    (interrupt,) = front_end.run("Book")[-1]["outcome"]["interrupts"]
    assert (interrupt["reason"], interrupt["message"]) == ("question", QUESTION)
    assert interrupt["responseSchema"]["properties"]["answer"]["required"] == ["seat"]
    payload = {"approved": True, "answer": ANSWER}
    resumed = front_end.run("", resume=[{"interruptId": interrupt["id"], "status": "resolved", "payload": payload}])
    assert resumed[-1]["outcome"] == {"type": "success"}


@asynccontextmanager
async def a2a_task(client: Client, agent: int, mode: a2a_clients.Mode) -> AsyncIterator[tuple[Any, str]]:
    """Start a task that asks. Yields the official client and the task's id."""
    async with a2a_clients.connect(client, agent, mode) as official:
        events = await a2a_clients.send(official, "Book")
        assert a2a_clients.states_of(events)[-1] == "INPUT_REQUIRED"
        message = events[-1].status_update.status.message
        assert QUESTION in get_message_text(message)
        (asked,) = get_data_parts(message.parts)
        assert asked["approvals"][0]["answerSchema"]["required"] == ["seat"]
        yield official, events[0].task.id


def a2a(mode: a2a_clients.Mode, given: dict[str, Any]) -> Callable[..., Awaitable[None]]:
    """The task needs input, and the next message has the answer: as data with a decision, or the fields alone."""

    async def entry_point(user: User, client: Client, agent: int) -> None:
        async with a2a_task(client, agent, mode) as (official, task):
            told = await a2a_clients.send(official, "", new_data_part(given), task_id=task)
            assert a2a_clients.states_of(told)[-1] == "COMPLETED"

    return entry_point


def mcp(mode: mcp_clients.Mode) -> Callable[..., Awaitable[None]]:
    """The call of the agent asks the client's user with the form of the tool's server."""

    async def entry_point(user: User, client: Client, agent: int) -> None:
        asked: list[Any] = []

        async def answer(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
            asked.append((params.message, params.model_dump(by_alias=True)["requestedSchema"]["required"]))
            return types.ElicitResult(action="accept", content=ANSWER)

        key = mcp_clients.key_of(client)
        async with mcp_clients.connect(client.server, key, mode, elicitation_callback=answer) as official:
            ended = await official.call_tool(f"agent_{agent}", {"message": "Book"})
        assert asked == [(QUESTION, ["seat"])]
        assert ended.structured_content is not None
        assert ended.structured_content["status"] == "completed"

    return entry_point


async def openai_chat(user: User, client: Client, agent: int) -> None:
    """OpenAI's chat has no questions: the reply shows it, and says where to answer."""
    answer = test_openai.ask(client, {"role": "user", "content": "Book"}, model=f"agent:{agent}")
    _shows(answer.choices[0].message.content or "")
    decide(client)


async def openai_stream(user: User, client: Client, agent: int) -> None:
    """So does its stream."""
    official = test_openai.official(client)
    message: Any = {"role": "user", "content": "Book"}
    stream = official.chat.completions.create(model=f"agent:{agent}", messages=[message], stream=True)
    _shows("".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices))
    decide(client)


async def openai_responses(user: User, client: Client, agent: int) -> None:
    """So does a response."""
    _shows(test_openai_responses.ask(client, "Book", model=f"agent:{agent}").output_text)
    decide(client)


async def openai_responses_stream(user: User, client: Client, agent: int) -> None:
    """So does the stream of a response."""
    stream = test_openai.official(client).responses.create(model=f"agent:{agent}", input="Book", stream=True)
    _shows("".join(event.delta for event in stream if event.type == "response.output_text.delta"))
    decide(client)


async def anthropic(user: User, client: Client, agent: int) -> None:
    """So does a message of Anthropic."""
    message: Any = {"role": "user", "content": "Book"}
    _shows("".join(test_anthropic.texts(test_anthropic.ask(client, message, model=f"agent:{agent}"))))
    decide(client)


async def anthropic_stream(user: User, client: Client, agent: int) -> None:
    """So does its stream."""
    message: Any = {"role": "user", "content": "Book"}
    with test_anthropic.official(client).messages.stream(
        model=f"agent:{agent}", max_tokens=100, messages=[message]
    ) as stream:
        _shows("".join(stream.text_stream))
    decide(client)


def _shows(reply: str) -> None:
    assert f"far_echo asks: {QUESTION}" in reply
    assert "A person has to answer this first." in reply


DECISION = {"approved": True, "answer": ANSWER}
ENTRY_POINTS: dict[str, Callable[[User, Client, int], Awaitable[None]]] = {
    "api": api,
    "command line": command_line,
    "portal": portal,
    "AG-UI": ag_ui,
    "A2A": a2a("JSONRPC", DECISION),
    "A2A, fields alone": a2a("HTTP+JSON", ANSWER),
    "A2A 0.3": a2a("0.3", DECISION),
    "MCP 2025-11-25": mcp("legacy"),
    "MCP 2026-07-28": mcp("auto"),
    "OpenAI chat": openai_chat,
    "OpenAI chat, streamed": openai_stream,
    "OpenAI responses": openai_responses,
    "OpenAI responses, streamed": openai_responses_stream,
    "Anthropic": anthropic,
    "Anthropic, streamed": anthropic_stream,
}


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
async def test_a_question_is_shown_and_its_answer_reaches_the_server(
    user: User, client: Client, far: StandInMcp, agent: int, entry_point: str
) -> None:
    await ENTRY_POINTS[entry_point](user, client, agent)
    run = latest(client)["run_id"]
    eventually(lambda: data(client.get(f"/runs/{run}"))["ended_at"] is not None)
    assert data(client.get(f"/runs/{run}"))["status"] == "completed"
    (response,) = far.last("tools/call").message["params"]["inputResponses"].values()
    assert response == {"action": "accept", "content": ANSWER}
    assert latest(client)["answer"] == ANSWER


@pytest.mark.either_database
@pytest.mark.parametrize(
    ("kind", "text", "status", "answer"),
    [
        ({"type": "string"}, "By the window", "approved", {"x": "By the window"}),
        ({"type": "string", "enum": ["Window", "Aisle"]}, "aisle", "approved", {"x": "Aisle"}),
        ({"type": "string", "enum": ["Window", "Aisle"]}, "No.", "denied", None),
        ({"type": "boolean"}, "No", "approved", {"x": False}),
        ({"type": "integer"}, "3", "approved", {"x": 3}),
        ({"type": "integer"}, "three", "pending", None),
    ],
)
async def test_a_text_answers_a_question_with_one_field(
    client: Client, far: StandInMcp, agent: int, kind: dict[str, Any], text: str, status: str, answer: object
) -> None:
    schema = {"type": "object", "properties": {"x": kind}, "required": ["x"]}
    params = {**ASKED["seat"]["params"], "requestedSchema": schema}  # type: ignore[dict-item] # of any type
    far.answers["tools/call"] = book({"q": {"method": "elicitation/create", "params": params}})
    task = a2a_clients.call(client, agent, "SendMessage", a2a_clients.message("Book"))["result"]["task"]
    told = a2a_clients.call(
        client, agent, "SendMessage", a2a_clients.message(taskId=task["id"], parts=[{"text": text}])
    )
    assert ("error" in told) is (status == "pending")
    assert (latest(client)["status"], latest(client)["answer"]) == (status, answer)
