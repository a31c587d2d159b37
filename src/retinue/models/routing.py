"""Structured routing: how small models use tools that cannot call them natively.

Where tools are offered and the user spoke last, a tool is chosen, or none, and the model fills in its arguments: a
JSON object constrained by a schema. Among tools that the caller named the model chooses, by another such object; those
that the search found are ranked by it (`retinue.models.plausible`). Where the tool refused its arguments, they
are filled in once more beside what was wrong, and where it refuses those, the next likely tool is tried. Where tools
have run, their results are told as they are (`retinue.models.report`); long ones, and where the question wants more
than values, the model states in a streamed answer, and what it leaves out is added (`retinue.models.stated`).
"""

import re
import secrets
from collections.abc import AsyncGenerator, Container, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

import orjson

from retinue.models.base import Delta, Message, Model, ModelRequest, Text, ToolCall, Usage, estimate_tokens
from retinue.models.candidates import Candidate, candidates
from retinue.models.plausible import plausible
from retinue.models.report import report
from retinue.models.route_prompts import arguments_prompt, arguments_schema, choice_prompt, choice_schema
from retinue.models.stated import unstated
from retinue.models.understood import corrected

CHOICE_TOKENS = 64
"""Tokens of the name of a tool."""

ARGUMENT_TOKENS = 256
"""Tokens of the arguments, beside what they must repeat of the user's message."""

_REPEATED = 2
"""Calls of one tool, after which it is another one's turn."""

RESULT_CHARACTERS = 2000
"""Characters of each tool's result that the model is shown."""

ANSWER_TEMPERATURE, ANSWER_TOKENS = 0.0, 192
"""Results are stated, not embroidered: a small model that goes on after that talks nonsense."""

# Beside the question a small model repeats results faithfully; from the system prompt it misquotes numbers.
_STATE = "In one short sentence, answer the question with the values of this result."


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
        self.uses_resources = True
        self._base = base

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply or one tool call. See `Model`."""
        call, spent = await self._route(request)
        if call:
            yield call
            yield spent
            return
        if told := _reported(request):
            yield Text(told)
            yield spent
            return
        said = ""
        async with aclosing(self._base.stream(_plain(request))) as deltas:
            async for delta in deltas:
                match delta:
                    case Usage():
                        if added := _unstated(request, said):
                            yield Text(f"\n\n{added}")
                        yield _sum(spent, delta)
                    case Text(content):
                        said += content
                        yield delta
                    case _:
                        yield delta

    async def _route(self, request: ModelRequest) -> tuple[ToolCall | None, Usage]:
        """The tool call that comes next, if one does, and what finding it took."""
        if not request.tools:
            return None, Usage(0, 0)
        if request.messages[-1].role == "user":
            return await self._choose(request.messages[-1].content, candidates(request.tools))
        if (refused := _refused(request)) is not None:
            return await self._fill_in(*refused)
        return None, Usage(0, 0)

    async def _choose(self, question: str, tools: Sequence[Candidate]) -> tuple[ToolCall | None, Usage]:
        likely = plausible(question, tools)
        if not likely:
            return None, Usage(0, 0)
        if likely[0].fit is not None:
            return await self._fill_in(question, likely[0])
        choice, spent = await self._base.choose(choice_prompt(question, likely), choice_schema(likely), CHOICE_TOKENS)
        tool = next((tool for tool in likely if tool.name == choice.get("tool")), None)
        if tool is None:
            return None, spent
        call, more = await self._fill_in(question, tool)
        return call, _sum(spent, more)

    async def _fill_in(
        self, question: str, tool: Candidate, mistake: str = "", kept: Mapping[str, Any] | None = None
    ) -> tuple[ToolCall, Usage]:
        """Have the arguments of a tool filled in. `mistake` is what was wrong with those before, `kept` is not."""
        known, rest = arguments_schema(question, tool, bool(mistake), kept or {})
        arguments, spent = known, Usage(0, 0)
        if rest["properties"] or not known:
            more, spent = await self._base.choose(
                arguments_prompt(question, tool, mistake), rest, ARGUMENT_TOKENS + estimate_tokens(question)
            )
            arguments = corrected(question, tool, known | more)
        return ToolCall(f"call_{secrets.token_hex(8)}", tool.name, orjson.dumps(arguments).decode()), spent


def _refused(request: ModelRequest) -> tuple[str, Candidate, str, Mapping[str, Any]] | None:
    """Question, tool, mistake and right arguments of the next call, where all calls of the turn were refused so far."""
    tools = candidates(request.tools)
    asked, *turn = _turn(request.messages)
    called = [call for message in turn for call in message.tool_calls]
    errors = [_error(message.content) for message in turn if message.role == "tool"]
    if len(errors) != len(called) or None in errors:
        return None
    if len(called) == 1:
        tool = next((tool for tool in tools if tool.name == called[0].name), None)
        mistake, kept = (
            f"{called[0].arguments} was refused: {errors[0]}",
            _kept(called[0].arguments, str(errors[0]), tool),
        )
        return (asked.content, tool, mistake, kept) if tool else None
    other = _another(asked.content, tools, {call.name for call in called}) if len(called) == _REPEATED else None
    return (asked.content, other, "", {}) if other else None


def _kept(arguments: str, error: str, tool: Candidate | None) -> dict[str, Any]:
    """Of refused arguments, those that the error does not name, if it names any."""
    given, names = orjson.loads(arguments), tool.input_schema.get("properties", {}) if tool else {}
    wrong = {name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", error)}
    return {name: value for name, value in given.items() if name not in wrong} if wrong else {}


def _another(question: str, tools: Sequence[Candidate], tried: Container[str]) -> Candidate | None:
    """The likeliest tool of those that the search found and that were not tried."""
    likely = (tool for tool in plausible(question, tools) if tool.fit is not None and tool.name not in tried)
    return next(likely, None)


def _error(result: str) -> str | None:
    """What a tool's result says went wrong, if it says nothing else."""
    try:
        told = orjson.loads(result)
    except orjson.JSONDecodeError:
        return None
    return str(told["error"]) if isinstance(told, dict) and told.keys() == {"error"} else None


def _turn(messages: Sequence[Message]) -> Sequence[Message]:
    """From the user's last message on."""
    start = max((index for index, message in enumerate(messages) if message.role == "user"), default=0)
    return messages[start:]


def _plain(request: ModelRequest) -> ModelRequest:
    """The request without tools: results of this turn move into the user's message, older ones are left out."""
    messages = request.messages
    turn = _turn(messages)
    start = len(messages) - len(turn)
    results = _results(turn)
    spoken = [
        _with_results(message, results) if index == start else message
        for index, message in enumerate(messages)
        if message.role != "tool" and not message.tool_calls
    ]
    plain = replace(request, messages=spoken, tools=())
    if not results:
        return plain
    tokens = min(request.max_tokens, ANSWER_TOKENS)
    return replace(plain, temperature=min(request.temperature, ANSWER_TEMPERATURE), max_tokens=tokens)


def _reported(request: ModelRequest) -> str:
    """What the turn's tools returned, where that can be told as it is."""
    asked, *turn = _turn(request.messages)
    arguments = [call.arguments for message in turn for call in message.tool_calls]
    return report(asked.content, [message.content for message in turn if message.role == "tool"], arguments)


def _unstated(request: ModelRequest, said: str) -> str:
    """What the turn's tools returned and the reply does not say."""
    asked, *turn = _turn(request.messages)
    return unstated(said, asked.content, [message.content for message in turn if message.role == "tool"])


def _with_results(message: Message, results: list[str]) -> Message:
    return replace(message, content="\n\n".join([message.content, *results, _STATE])) if results else message


def _results(turn: Sequence[Message]) -> list[str]:
    """What each tool of a turn returned; of its name and arguments a small model would talk instead."""
    return [f"Result: {message.content[:RESULT_CHARACTERS]}" for message in turn if message.role == "tool"]


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
