"""The official A2A client, with a credential of Retinue, and plain requests to the same address."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal
from uuid import uuid4

import httpx
import requests
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client import Client as Official
from a2a.helpers import get_artifact_text, new_message
from a2a.types import a2a_pb2 as pb

from tests.support.client import Client

Mode = Literal["JSONRPC", "HTTP+JSON", "0.3"]
MODES: tuple[Mode, ...] = ("JSONRPC", "HTTP+JSON", "0.3")
"""The bindings of 1.0, and 0.3 by JSON-RPC."""

CARD = "/.well-known/agent-card.json"
NEW = {"A2A-Version": "1.0"}


def address(client: Client, agent: int) -> str:
    """Return the address of an agent."""
    return f"{client.server.url}/a2a/{agent}"


@asynccontextmanager
async def connect(client: Client, agent: int, mode: Mode = "JSONRPC", **config: Any) -> AsyncIterator[Official]:
    """Connect the official client to an agent by its card."""
    headers = {"Authorization": f"Bearer {client.key}"} if client.key else {}
    async with httpx.AsyncClient(headers=headers, timeout=120, trust_env=False) as http:
        card = await A2ACardResolver(http, address(client, agent)).get_agent_card()
        old = mode == "0.3"
        kept = [one for one in card.supported_interfaces if (one.protocol_version == "0.3") == old]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(kept)
        bindings = ["JSONRPC" if old else str(mode)]
        factory = ClientFactory(
            ClientConfig(httpx_client=http, supported_protocol_bindings=bindings, use_client_preference=True, **config)
        )
        yield factory.create(card)


def says(text: str, *parts: pb.Part, **names: str) -> pb.SendMessageRequest:
    """Return the request to send a message of the user."""
    texts = [pb.Part(text=text)] if text else []
    message = new_message([*texts, *parts], role=pb.Role.ROLE_USER, **names)
    return pb.SendMessageRequest(message=message)


async def send(official: Official, text: str, *parts: pb.Part, **names: str) -> list[pb.StreamResponse]:
    """Send a message. Returns the events of the task, or the task alone if the client does not stream."""
    return [event async for event in official.send_message(says(text, *parts, **names))]


async def ask(official: Official, text: str, *parts: pb.Part, **names: str) -> pb.Task:
    """Send a message with a client that does not stream. Returns the task."""
    (event,) = await send(official, text, *parts, **names)
    return event.task


def texts_of(task: pb.Task) -> dict[str, str]:
    """Return the texts of the artifacts of a task by their ids."""
    return {artifact.artifact_id: get_artifact_text(artifact) for artifact in task.artifacts}


def streamed_text(events: list[pb.StreamResponse]) -> str:
    """Return the text of the reply, as a client assembles it."""
    text = ""
    for event in events:
        if event.HasField("artifact_update") and event.artifact_update.artifact.artifact_id == "reply":
            fresh = get_artifact_text(event.artifact_update.artifact)
            text = text + fresh if event.artifact_update.append else fresh
    return text


def states_of(events: list[pb.StreamResponse]) -> list[str]:
    """Return the states of a task in a stream, repeated ones once."""
    found = [
        event.task.status.state if event.HasField("task") else event.status_update.status.state
        for event in events
        if event.HasField("task") or event.HasField("status_update")
    ]
    names = [pb.TaskState.Name(one).removeprefix("TASK_STATE_") for one in found]
    return [name for at, name in enumerate(names) if names[at - 1 : at] != [name]]


def http(client: Client, agent: int, method: str, path: str = "", **options: Any) -> requests.Response:
    """Send a plain request below the address of an agent."""
    given = {"Authorization": f"Bearer {client.key}"} if client.key else {}
    headers = {**given, **NEW, **options.pop("headers", {})}
    with requests.Session() as session:
        session.trust_env = False
        url = f"{address(client, agent)}{path}"
        return session.request(method, url, headers=headers, timeout=120, **options)


def call(client: Client, agent: int, method: str, params: Any = None, **headers: str) -> dict[str, Any]:
    """Call a method of JSON-RPC. Returns the response."""
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    response = http(client, agent, "POST", json=body, headers=headers)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    return answer


def message(text: str = "Hello", **fields: Any) -> dict[str, Any]:
    """Return the parameters of SendMessage."""
    return {"message": {"messageId": str(uuid4()), "role": "ROLE_USER", "parts": [{"text": text}], **fields}}
