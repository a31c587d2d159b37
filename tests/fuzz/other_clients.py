"""Draws requests of OpenAI's, Anthropic's, A2A and MCP clients, near a valid one of each operation."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from retinue.app import PROTOCOLS
from tests.fuzz.values import Place, Values

_FUNCTION = {"name": "f", "description": "Add", "parameters": {"type": "object", "properties": {"a": {}}}}
_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
_CALL = '[[tool:f {"a": 1}]]'

_COMPLETION: Mapping[str, Any] = {
    "model": "alfred-default",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "1"},
        {"role": "user", "content": _CALL},
    ],
    "tools": [{"type": "function", "function": _FUNCTION}],
    "tool_choice": "auto",
    "stream": False,
    "stream_options": {"include_usage": True},
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": _SCHEMA}},
    "temperature": 0.5,
    "max_tokens": 10,
    "max_completion_tokens": 10,
    "n": 1,
    "reasoning_effort": "low",
}
_RESPONSE: Mapping[str, Any] = {
    "model": "alfred-default",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "1"},
        {"type": "reasoning", "id": "r", "summary": []},
        {"role": "user", "content": _CALL},
    ],
    "instructions": "Be brief.",
    "previous_response_id": None,
    "tools": [{"type": "function", **_FUNCTION}, {"type": "web_search"}],
    "tool_choice": {"type": "function", "name": "f"},
    "text": {"format": {"type": "json_schema", "name": "a", "schema": _SCHEMA}},
    "reasoning": {"effort": "low"},
    "stream": False,
    "background": False,
    "max_output_tokens": 10,
}
_COUNT: Mapping[str, Any] = {
    "model": "alfred-default",
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "1"}]},
                {"type": "text", "text": _CALL},
            ],
        },
    ],
    "tools": [{"name": "f", "description": "Add", "input_schema": _FUNCTION["parameters"]}],
    "tool_choice": {"type": "auto"},
}
_MESSAGE: Mapping[str, Any] = {
    **_COUNT,
    "max_tokens": 10,
    "stream": False,
    "temperature": 0.5,
    "thinking": {"type": "adaptive"},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": _SCHEMA}},
}
_TO_AGENT: Mapping[str, Any] = {
    "message": {
        "messageId": "m",
        "contextId": "mine",
        "taskId": None,
        "role": "ROLE_USER",
        "parts": [{"text": _CALL}, {"data": {"a": 1}}, {"raw": "aGVsbG8=", "mediaType": "text/plain"}],
    },
    "configuration": {"historyLength": 1, "returnImmediately": True},
}
BODIES: Mapping[str, Mapping[str, Any]] = {
    "send_a2a_message": _TO_AGENT,
    "stream_a2a_message": _TO_AGENT,
    "create_chat_completion": _COMPLETION,
    "create_response": _RESPONSE,
    "create_message": _MESSAGE,
    "count_message_tokens": _COUNT,
}
_META = "io.modelcontextprotocol/"
_HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
_FOUND = {"query": "usable hosts of a subnet", "limit": 3}
_CALLS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("initialize", _HANDSHAKE),
    ("server/discover", {}),
    ("ping", {}),
    ("tools/list", {"cursor": None}),
    ("tools/call", {"name": "tools_search", "arguments": _FOUND}),
    ("tools/call", {"name": "tools_execute", "arguments": {"name": "text_convert_case", "arguments": {"text": "a"}}}),
    ("tools/call", {"name": "agent_1", "arguments": {"message": _CALL}, "_meta": {"progressToken": 1}}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "agent_1", "arguments": {"message": "Hello"}}),
    ("resources/list", {}),
    ("resources/read", {"uri": "retinue://files/file_1"}),
    ("notifications/cancelled", {"requestId": 1}),
)
"""Methods of MCP, each with valid parameters."""

OPERATIONS = [operation for api in PROTOCOLS for operation in api.operations if operation.scope]
_ODD = (
    "system", "tool", "developer", "tool_result", "tool_use", "function_call_output", "image_url", "input_image",
    "document", "thinking", "json_schema", "json_object", "none", "any", "required", "xhigh", "agent:", "agent:0",
    f"agent:{'9' * 30}", "resp_0", f"resp_{'9' * 30}", "{", '{"a": NaN}', "[[fail]]", "[[fail-after:1]]",
    "[[bad-args:f]]",
)  # fmt: skip
_SCHEMAS: Sequence[Any] = (
    {"type": "nonsense"}, {"$ref": "#/a"}, {"$ref": "#"}, {"$ref": "https://127.0.0.1/"}, {"pattern": "(a+)+$"},
    {"anyOf": []}, {"enum": []}, {"type": "object", "properties": []}, {"type": ["string", 1]},
)  # fmt: skip


class OtherClients:
    """Draws paths and bodies. The same `chance` draws the same ones."""

    def __init__(self, chance: Random, values: Values) -> None:
        self._chance = chance
        self._values = values
        self.responses: list[str] = []
        """Ids of stored responses."""

    def path(self, template: str, models: Sequence[str]) -> str:
        """Return the path of an operation, with a known model or response, or with an odd one."""
        known = self.responses if "response_id" in template else models
        odd = self._chance.choice((*_ODD, self._values.text()[:400], "a/b/c"))
        name = self._chance.choice(known) if known and self._chance.random() < 0.8 else odd
        number = name.removeprefix("agent:")
        named = {
            "{response_id}": name,
            "{model:path}": name,
            "{id}": number,
            "{task_id}": number,
            "{config_id}": number,
        }
        for place, value in named.items():
            template = template.replace(place, value)
        return template

    def body(self, name: str, models: Sequence[str]) -> Any:
        """Return a body near the valid one of an operation."""
        body = copy.deepcopy(dict(BODIES[name]))
        if self._chance.random() < 0.7:
            body = {key: value for key, value in body.items() if key in _WANTED or self._chance.random() < 0.4}
        body["model"] = self._chance.choice(models)
        body["stream"] = self._chance.random() < 0.3
        body["background"] = self._chance.random() < 0.1
        if self.responses and self._chance.random() < 0.3:
            body["previous_response_id"] = self._chance.choice(self.responses)
        for _ in range(self._chance.choice((0, 1, 1, 2, 3))):
            self._change(body)
        return body

    def message(self) -> tuple[dict[str, str], Any]:
        """Return the headers and the body of a message to the MCP server, near a valid one."""
        method, params = self._chance.choice(_CALLS)
        headers = {"accept": self._chance.choice(("application/json", "application/json, text/event-stream", "*/*"))}
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": copy.deepcopy(dict(params))}
        if self._chance.random() < 0.3:
            own = {f"{_META}protocolVersion": "2026-07-28", f"{_META}clientCapabilities": {}}
            body["params"]["_meta"] = {**body["params"].get("_meta", {}), **own}
            headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
        if self._chance.random() < 0.3:
            headers["mcp-session-id"] = "a"
        if method.startswith("notifications/"):
            del body["id"]
        for _ in range(self._chance.choice((0, 1, 1, 2, 3))):
            self._change(body)
        return headers, body

    def _change(self, body: dict[str, Any]) -> None:
        """Replace, remove or repeat one value at any depth."""
        place = self._chance.choice(list(_places(body)) or [("model",)])
        holder: Any = body
        for step in place[:-1]:
            holder = holder[step]
        draw = self._chance.random()
        if draw < 0.1 and place[-1] in holder:
            del holder[place[-1]]
        elif draw < 0.2 and isinstance(holder, list):
            holder.extend([copy.deepcopy(holder[0])] * self._chance.choice((1, 2, 300)))
        else:
            holder[place[-1]] = self._value()

    def _value(self) -> Any:
        draw = self._chance.random()
        if draw < 0.4:
            return self._values.wild()
        if draw < 0.5:
            return copy.deepcopy(self._chance.choice(_SCHEMAS))
        return self._chance.choice(_ODD) if draw < 0.8 else self._values.text()

    def learn(self, body: bytes) -> None:
        """Remember the id of a stored response."""
        try:
            number = json.loads(body)["id"]
        except (ValueError, KeyError, TypeError):
            return
        if str(number).startswith("resp_"):
            self.responses = [*self.responses[-19:], str(number)]


_WANTED = {"model", "messages", "input", "max_tokens", "message"}


def _places(value: Any, above: Place = ()) -> Iterator[Place]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in items:
        yield (*above, step)
        yield from _places(part, (*above, step))
