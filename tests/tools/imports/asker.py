"""A server of revision 2026-07-28 that asks a person before it books, and an agent that calls it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.interop.test_openai import create_agent
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.tools.imports.stand_in_mcp import Said, StandInMcp, phrase, result, running_stand_in

SEAT = {
    "type": "object",
    "properties": {
        "seat": {"type": "string", "title": "Seat", "oneOf": [{"const": "12A", "title": "Window"}, {"const": "12C"}]},
        "bags": {"type": "integer", "minimum": 0, "maximum": 3, "default": 1, "pattern": "(a+)+$"},
    },
    "required": ["seat"],
}
ASKED = {"seat": {"method": "elicitation/create", "params": {"message": "Which seat?", "requestedSchema": SEAT}}}


def book(questions: dict[str, Any], state: str | None = "s-1") -> Callable[[dict[str, Any]], Said]:
    """Return a server's answer to a call: the questions, and with their answers the answers."""

    def answer(message: dict[str, Any]) -> Said:
        given = message["params"].get("inputResponses")
        if given is None:
            asked = {"resultType": "input_required", "inputRequests": questions, "requestState": state}
            return phrase(result(message, asked))
        booked = {"resultType": "complete", "content": [], "structuredContent": {"answers": given}}
        return phrase(result(message, booked))

    return answer


@contextmanager
def running_asker() -> Iterator[StandInMcp]:
    """Run the server."""
    with running_stand_in() as server:
        server.answers["server/discover"] = lambda message: phrase(
            result(message, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
        )
        server.answers["tools/call"] = book(ASKED)
        yield server


def create_booker(client: Client, far: StandInMcp, model: ModelServer) -> int:
    """Create an agent whose model calls the tool of that server, and then repeats the message."""
    data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url}), 201)
    model.answers.append(Answer(tool="far_echo", arguments={}))
    return create_agent(client, skills=["far_echo"])
