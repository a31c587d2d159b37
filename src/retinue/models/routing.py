"""Structured routing: how small models use tools that cannot call them natively.

Where tools are offered and the user spoke last, the model fills in one JSON object, constrained by a schema, that names
a tool with its arguments or says `reply`. Where tools have run, it states their results in a streamed answer.
"""

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any, Protocol

import orjson

from retinue.models.argument_schema import constrained, signature
from retinue.models.base import (
    Delta,
    Message,
    Model,
    ModelRequest,
    ToolCall,
    ToolOffer,
    Usage,
    estimate_tokens,
)

REPLY = "reply"
CHOICE_TOKENS = 256
"""Tokens of a choice, beside what it must repeat of the user's message."""

RESULT_CHARACTERS = 2000
"""Characters of each tool's result that the model is shown."""

ANSWER_TEMPERATURE = 0.3
"""Results are stated, not embroidered."""

# Beside the question a small model repeats results faithfully; from the system prompt it misquotes numbers.
_STATE = "Answer in one short sentence with exactly this result."

_ROUTER = 'You route requests to tools. Answer with one JSON object. If no tool fits, answer {"tool":"reply"}.'
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")
"""Requests that need no tool, to be shown between those that do."""


class ChoosingModel(Model, Protocol):
    """A model that can also be held to a JSON Schema."""

    async def choose(
        self, messages: Sequence[Message], schema: dict[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any], Usage]:
        """Have the model fill in a JSON object that obeys `schema`; {} where it broke off before the end of it."""
        ...


class RoutedModel:
    """Gives a model without native tool calling the behaviour of one that has it."""

    def __init__(self, base: ChoosingModel) -> None:
        self.name = base.name
        self.context_tokens = base.context_tokens
        self._base = base

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply or one tool call. See `Model`."""
        spent = Usage(0, 0)
        if request.tools and request.messages[-1].role == "user":
            choice, spent = await self._choose(request)
            if call := _as_call(choice, request.tools):
                yield call
                yield spent
                return
        async with aclosing(self._base.stream(_plain(request))) as deltas:
            async for delta in deltas:
                yield _sum(spent, delta) if isinstance(delta, Usage) else delta

    async def _choose(self, request: ModelRequest) -> tuple[dict[str, Any], Usage]:
        question = request.messages[-1]
        messages = [Message("system", _instructions(request.tools)), question]
        return await self._base.choose(
            messages, _choice_schema(request.tools), CHOICE_TOKENS + estimate_tokens(question.content)
        )


def _instructions(tools: Sequence[ToolOffer]) -> str:
    """The tools on a line each, and for each a request that it answers, in turn with requests that need none."""
    lines = [signature(tool.name, _first_sentence(tool.description), tool.input_schema) for tool in tools]
    asked = [(tool.questions[0], tool.name) for tool in tools if tool.questions]
    pairs = zip_longest(((plain, REPLY) for plain in _UNROUTED), asked)
    examples = [f'User: {said}\n{{"tool":"{name}"}}' for said, name in filter(None, chain(*pairs))]
    return "\n".join([_ROUTER, "Tools:", *lines, "Examples:", *examples])


def _first_sentence(description: str) -> str:
    """Of a description, what it says first: a small model reads slowly, and chooses no better by the rest."""
    return description.partition(". ")[0].rstrip(".") + "."


def _choice_schema(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    return {
        "anyOf": [_alternative(tool.name, constrained(tool.input_schema)) for tool in tools] + [_alternative(REPLY)]
    }


def _alternative(name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    properties: dict[str, Any] = {"tool": {"const": name}}
    if arguments is not None:
        properties["arguments"] = {"type": "object", "properties": {}, "additionalProperties": False} | arguments
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _as_call(choice: dict[str, Any], tools: Sequence[ToolOffer]) -> ToolCall | None:
    name = choice.get("tool")
    if not any(tool.name == name for tool in tools):
        return None
    arguments = orjson.dumps(choice.get("arguments") or {}).decode()
    return ToolCall(f"call_{secrets.token_hex(8)}", str(name), arguments)


def _plain(request: ModelRequest) -> ModelRequest:
    """The request without tools: results of this turn move into the user's message, older ones are left out."""
    messages = request.messages
    start = max((index for index, message in enumerate(messages) if message.role == "user"), default=0)
    results = _results(messages[start:])
    spoken = [
        _with_results(message, results) if index == start else message
        for index, message in enumerate(messages)
        if message.role != "tool" and not message.tool_calls
    ]
    temperature = min(request.temperature, ANSWER_TEMPERATURE) if results else request.temperature
    return replace(request, messages=spoken, tools=(), temperature=temperature)


def _with_results(message: Message, results: list[str]) -> Message:
    return replace(message, content="\n\n".join([message.content, *results, _STATE])) if results else message


def _results(turn: Sequence[Message]) -> list[str]:
    """What each tool of a turn was given and what it returned."""
    calls = {call.id: call for message in turn for call in message.tool_calls}
    return [_result(message, calls.get(message.tool_call_id or "")) for message in turn if message.role == "tool"]


def _result(message: Message, call: ToolCall | None) -> str:
    name = message.tool_name or (call.name if call else "tool")
    arguments = f" with {call.arguments}" if call else ""
    return f"The tool {name} was run{arguments} and returned:\n{message.content[:RESULT_CHARACTERS]}"


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
