"""A model provider that follows the directives in a message, like the sandbox's model, and counts its calls."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aiohttp import web

from retinue.models.base import Delta, Message, ModelRequest, TextDelta, ToolCall, ToolOffer
from retinue.models.test_model import ScriptedModel
from tests.support.model_server import ModelServer, send_delta

_NAME = re.compile(r"^Your name is (.+)\.$", re.MULTILINE)


class Step(NamedTuple):
    """One step of a run as the provider sees it: the agent, the message, and the number of earlier steps."""

    agent: str
    message: str
    number: int


class ScriptedProvider(ModelServer):
    """Keeps no state of a run, like a real provider: it derives the requested step from the messages."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._model = ScriptedModel()
        self.calls: Counter[Step] = Counter()

    def call(self, times: int) -> bool:
        """Return whether the provider was called at least `times` times."""
        return self.calls.total() >= times

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`."""
        asked = _request(await request.json())
        self.calls[_step(asked.messages)] += 1
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        finish = "stop"
        async for delta in self._model.stream(asked):
            finish = "tool_calls" if isinstance(delta, ToolCall) else finish
            await send_delta(response, _on_the_wire(delta))
        await send_delta(response, {}, finish)
        await response.write(b"data: [DONE]\n\n")
        return response


def _request(body: Mapping[str, Any]) -> ModelRequest:
    offered = [tool["function"] for tool in body.get("tools", ())]
    return ModelRequest(
        messages=[_message(message) for message in body["messages"]],
        tools=[ToolOffer(tool["name"], tool["description"], tool["parameters"]) for tool in offered],
        max_tokens=body.get("max_tokens"),
    )


def _message(sent: Mapping[str, Any]) -> Message:
    calls = [
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in sent.get("tool_calls", ())
    ]
    return Message(sent["role"], sent["content"] or "", tuple(calls), sent.get("tool_call_id"))


def _step(messages: Sequence[Message]) -> Step:
    name = _NAME.search(messages[0].content)
    asked = next(message.content for message in messages if message.role == "user")
    return Step(name[1] if name else "", asked, sum(message.role == "assistant" for message in messages))


def _on_the_wire(delta: Delta) -> dict[str, Any]:
    match delta:
        case TextDelta(content):
            return {"content": content}
        case ToolCall(call_id, name, arguments):
            function = {"name": name, "arguments": arguments}
            return {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]}
    return {}
