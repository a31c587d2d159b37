"""The sandbox's test model: it responds immediately and deterministically, and follows directives in the message.

It serves keys that begin with `ak_test_`. Its reply to a plain message is `You said: …`. It executes the directives
of the last user message in the order in which they are written. A tool directive ends one model call; the directives
after it run in the next call, which has the tool's result. The reply after tool calls quotes their results.

    [[tool:NAME {"key": "value"}]]   call the tool NAME with these arguments, if it is available
    [[bad-args:NAME]]                call the tool NAME with malformed arguments, if it is available
    [[words:N]]                      reply with N words
    [[sleep:SECONDS]]                wait before continuing (at most 60)
    [[pace:SECONDS]]                 wait before each word of the reply (at most 5)
    [[fail]]                         fail like an unavailable provider
    [[fail-after:N]]                 fail after N words of the reply
    [[echo-history]]                 reply with the number and the roles of the messages received

If the reply must fit a schema, it is the simplest value that does, such as `{"passed": true}`.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import orjson

from retinue.core.errors import Unavailable
from retinue.models.base import TEXT_ONLY, Delta, Message, ModelRequest, TextDelta, ToolCall, Usage
from retinue.models.test_directives import Script, ScriptStep, parse

QUOTED = 200
"""Most characters of a message or a tool result that a reply quotes."""

_WORD = re.compile(r"\S+\s*")


class ScriptedModel:
    """The deterministic test model. It is stateless: the messages determine the next step. Usage counts words."""

    def __init__(self, name: str = "alfred-test", context_tokens: int = 32_768) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.uses_resources = False
        self.max_output_tokens: int | None = None
        self.input = TEXT_ONLY

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply. See `Model`."""
        turn = _last_turn(request.messages)
        script = parse(turn[0].content if turn else "")
        calls_made = sum(len(message.tool_calls) for message in turn)
        step = script.steps[min(calls_made, len(script.steps) - 1)]
        if step.sleep_s:
            await asyncio.sleep(step.sleep_s)
        _fail_if_due(step, 0)
        if any(offer.name == step.tool for offer in request.tools):
            yield ToolCall(f"call_{calls_made + 1}", step.tool, step.arguments)
            yield Usage(_count_words(request.messages), 1 + len(step.arguments.split()))
            return
        reply = _reply(step, script, turn, request.messages)
        if request.output_schema is not None and step.words is None:
            reply = orjson.dumps(_value_of(request.output_schema)).decode()
        words = _WORD.findall(reply)[: request.max_tokens]
        for word_count, word in enumerate(words, start=1):
            if step.pace_s:
                await asyncio.sleep(step.pace_s)
            yield TextDelta(word)
            _fail_if_due(step, word_count)
        yield Usage(_count_words(request.messages), len(words))


def _fail_if_due(step: ScriptStep, word_count: int) -> None:
    if step.fail_after == word_count:
        raise Unavailable("The test model failed because the message told it to. Try again without that directive.")


def _last_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the last user message and all messages after it; empty if there is no user message."""
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    return messages[starts[-1] :] if starts else ()


def _reply(step: ScriptStep, script: Script, turn: Sequence[Message], messages: Sequence[Message]) -> str:
    if step.tool:
        return f"The tool {step.tool} is not offered to me."
    if step.echo_history:
        return f"{len(messages)} messages: {', '.join(message.role for message in messages)}"
    if step.words is not None:
        return " ".join(f"word{number}" for number in range(1, step.words + 1))
    results = [message for message in turn if message.role == "tool"]
    if results:
        return "\n".join(f"{result.tool_name or 'tool'} returned: {result.content[:QUOTED]}" for result in results)
    return f"You said: {script.text[:QUOTED]}" if script.text else "Done."


def _value_of(schema: Any) -> object:
    """Return a value that fits a schema of the usual keywords, with lists of at most one item."""
    if not isinstance(schema, Mapping):  # true and false are schemas, too.
        return "text"
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    if choices := schema.get("enum"):
        return choices[0]
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return _value_of(branches[0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _value_of(properties.get(name, {})) for name in schema.get("required", ())}
    if kind == "array":
        return [_value_of(schema.get("items", {}))] if schema.get("minItems", 0) else []
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    return {"boolean": True, "null": None}.get(str(kind), "text")


def _count_words(messages: Sequence[Message]) -> int:
    return sum(len(message.content.split()) for message in messages)
