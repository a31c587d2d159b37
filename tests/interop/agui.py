"""A front end and a visitor at /agui. Each event that the server sends is checked with the official types."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import requests
from ag_ui.core import Event
from pydantic import TypeAdapter

from tests.support.client import Client, check_error, data
from tests.support.server import Server

SHOP = "https://shop.example"
_EVENTS: TypeAdapter[Any] = TypeAdapter(Event)


def create_key(client: Client, agent: int, **fields: Any) -> dict[str, Any]:
    """Create a publishable key for an agent, which pages of `SHOP` may use."""
    created: dict[str, Any] = data(
        client.post("/publishable-keys", {"agent_id": agent, "origins": [SHOP], **fields}), 201
    )
    return created


def user_says(text: str) -> dict[str, Any]:
    """Return a message of the user."""
    return {"id": secrets.token_hex(4), "role": "user", "content": text}


@dataclass
class FrontEnd:
    """Speaks AG-UI with a credential. With an origin, it is a page in a browser, and `visitor` its visitor's token."""

    server: Server
    key: str | None
    agent: int
    origin: str | None = None
    visitor: str | None = None
    thread: str = field(default_factory=lambda: secrets.token_hex(8))
    language: str | None = None
    """The header `Accept-Language`."""

    @classmethod
    def of_visitor(cls, server: Server, key: dict[str, Any]) -> "FrontEnd":
        """Return the page of a new visitor of the shop."""
        return cls(server, key["key"], key["agent_id"], SHOP, f"vis_{secrets.token_urlsafe(32)}")

    @property
    def headers(self) -> dict[str, str]:
        """The headers of each request."""
        given = {"Authorization": self.key and f"Bearer {self.key}", "Origin": self.origin}
        given |= {"X-Visitor-Token": self.visitor, "Accept-Language": self.language}
        return {name: value for name, value in given.items() if value}

    def request(self, method: str, path: str = "", **options: Any) -> requests.Response:
        """Send a request below the agent's address, and check the body of an error."""
        address = f"{self.server.url}/agui/{self.agent}{path}"
        with requests.Session() as session:
            session.trust_env = False
            response = session.request(method, address, headers=self.headers, timeout=300, **options)
        if response.status_code >= 400:
            check_error(response)
        return response

    def post(self, *messages: dict[str, Any], **fields: Any) -> requests.Response:
        """Ask for a run."""
        body = {"threadId": self.thread, "runId": "run-1", "messages": [*messages], **fields}
        return self.request("POST", json=body, stream=True)

    def run(self, text: str = "Hello", **fields: Any) -> list[dict[str, Any]]:
        """Run the agent with a message. Returns the events."""
        return list(events_of(self.post(*([user_says(text)] if text else []), **fields)))

    def history(self) -> dict[str, Any]:
        """Return the thread."""
        response = self.request("GET", f"/threads/{self.thread}")
        assert response.status_code == 200, response.text
        thread: dict[str, Any] = response.json()
        return thread


def events_of(response: requests.Response) -> Iterator[dict[str, Any]]:
    """Yield the events of a stream, each checked with the official types."""
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"].startswith("text/event-stream")
    for raw in response.iter_lines(chunk_size=65536):
        if raw and not raw.startswith(b":"):
            event: dict[str, Any] = json.loads(raw.removeprefix(b"data: "))
            _EVENTS.validate_python(event)
            yield event


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """Return the types of events, repeated ones once."""
    types = [event["type"] for event in events]
    return [kind for at, kind in enumerate(types) if types[at - 1 : at] != [kind]]


def text_of(events: list[dict[str, Any]]) -> str:
    """Return the text of the reply."""
    return "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")
