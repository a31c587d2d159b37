"""Lets a small model answer messages with tools that it cannot call by itself.

A message is split into requests where it may hold several (`rewriting`). For each request a tool is chosen, or none
(`choice`), and its arguments are filled in (`arguments`). A request may work on the result of an earlier one. Refused
arguments are filled in once more beside what was wrong; where the tool refuses those too, the next likely tool is
tried. One reply covers all requests in their order: results are worded without the model (`results`), and what no tool
answered the model answers (`speaking`). Nothing is kept between calls but what can be computed again, so a run can be
taken up from its journal.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from retinue.models.assistant import arguments, choice, language, rewriting, speaking, splitting
from retinue.models.assistant.cache import Cache
from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.results import headline_of, worded
from retinue.models.assistant.turn import Attempt, Turn, earlier_calls, new_call, read_turn
from retinue.models.base import (
    Candidate,
    Delta,
    Message,
    Model,
    ModelRequest,
    Resources,
    Text,
    ToolCall,
    Usage,
    estimate_tokens,
)

MOST_CALLS = 8
"""Calls of tools for one message."""
_REFUSALS = 2
"""Refused calls of one tool, after which it is another one's turn."""


class ChoosingModel(Model, Protocol):
    """A model that can also be held to a JSON Schema."""

    async def choose(
        self, messages: Sequence[Message], schema: dict[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any], Usage]:
        """Have the model fill in a JSON object that obeys `schema`; {} where it broke off before the end of it."""
        ...


@dataclass
class _Work:
    """One call of the assistant: the request, what is read of it, and the tokens that it has taken so far."""

    request: ModelRequest
    turn: Turn
    parts: Sequence[str] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    forbidden: dict[int, Candidate] = field(default_factory=dict)
    unresolved: bool = False
    """Whether the message leans on the conversation in a way that only a reply in words can follow."""

    def spend(self, usage: Usage) -> None:
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens

    @property
    def spent(self) -> Usage:
        return Usage(self.prompt_tokens, self.completion_tokens)

    def part(self, number: int) -> str:
        """A request with the results of earlier ones that it works on."""
        return rewriting.filled_in(self.parts[number], [*map(self._result, range(number))])

    def is_ready(self, number: int) -> bool:
        """Whether all that a request works on has a result."""
        return all(self.turn.done(place) for place in rewriting.places_in(self.parts[number]) if place < number)

    def _result(self, number: int) -> str:
        done = self.turn.done(number)
        return headline_of(done, self.parts[number]) if done else "that"


class Assistant:
    """Gives a model without native tool calling the behaviour of one that has it. See `Model`."""

    def __init__(self, base: ChoosingModel) -> None:
        self.name = base.name
        self.context_tokens = base.context_tokens
        self.uses_resources = True
        self._base = base
        self._rewritten: Cache[list[str]] = Cache()
        self._chosen: Cache[str] = Cache()
        self._translated: Cache[str] = Cache()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate the calls that come next, or the reply. See `Model`."""
        work = _Work(request, read_turn(request.messages))
        work.parts = await self._parts(work)
        calls = await self._calls(work)
        for call in calls:
            yield call
        if not calls:
            async with aclosing(self._reply(work)) as deltas:
                async for delta in deltas:
                    yield delta
        yield work.spent

    async def _parts(self, work: _Work) -> Sequence[str]:
        """The requests of the message."""
        turn = work.turn
        if work.request.resources is None or self._continues(work):
            return [turn.question]
        parts = splitting.split(turn.question)
        refers = bool(turn.history) and splitting.refers(parts[0])
        if refers and turn.last_call:
            said, call = turn.last_call
            return [splitting.referring(parts[0], headline_of(call, said)), *parts[1:]]
        vague = (bool(turn.history) or len(parts) > 1) and any(map(splitting.is_vague, parts))
        if not (refers or vague):
            return parts
        rewritten = await self._rewritten_parts(work, len(parts))
        if rewritten != [turn.question]:
            return rewritten
        work.unresolved = refers and not digits_in(turn.question)
        return parts

    async def _rewritten_parts(self, work: _Work, number: int) -> Sequence[str]:
        """The requests of a message as the model completes them, at least `number`."""
        question, history = work.turn.question, work.turn.history
        key = (question, number, *(one.content for one in history))
        if (known := self._rewritten.get(key)) is not None:
            return known
        answer, usage = await self._base.choose(
            rewriting.rewriting_prompt(question, history), rewriting.rewriting_schema(number), rewriting.TOKENS
        )
        work.spend(usage)
        return self._rewritten.keep(key, rewriting.checked_requests(answer, question, history))

    async def _in_english(self, work: _Work, request: str) -> str:
        """A request as tools are found by it."""
        if not language.is_foreign(request):
            return request
        if (known := self._translated.get(request)) is not None:
            return known
        answer, usage = await self._base.choose(
            language.translation_prompt(request), language.translation_schema(), language.TOKENS
        )
        work.spend(usage)
        return self._translated.keep(request, language.checked_translation(answer, request))

    def _continues(self, work: _Work) -> bool:
        """Whether the message is one like "And 25?", after a call: then that call is made again with what is new."""
        return work.turn.last_call is not None and splitting.is_elliptical(work.turn.question)

    async def _calls(self, work: _Work) -> list[ToolCall]:
        """The calls that can be made now, one for each request that is not answered yet."""
        calls: list[ToolCall] = []
        for number, _ in enumerate(work.parts):
            if (
                (number == 0 and work.unresolved)
                or work.turn.done(number)
                or work.turn.calls + len(calls) >= MOST_CALLS
                or not work.is_ready(number)
            ):
                continue
            if call := await self._next_call(work, number):
                calls.append(call)
        return calls

    async def _next_call(self, work: _Work, number: int) -> ToolCall | None:
        """The call that a request needs next: a first one, one with mended arguments, or one of the next tool."""
        attempts, request = work.turn.attempts.get(number, ()), await self._in_english(work, work.part(number))
        candidates = await self._candidates(work, request)
        tried = [one.tool for one in attempts]
        if attempts and tried.count(tried[-1]) < _REFUSALS and len(attempts) < _REFUSALS:
            candidate = next((one for one in candidates if one.tool.name == tried[-1]), None)
        elif len(attempts) > _REFUSALS:
            candidate = None
        else:
            candidate = next((one for one in candidates if one.tool.name not in tried), None)
        if candidate is None:
            return None
        if not candidate.allowed:
            work.forbidden[number] = candidate
            return None
        last = attempts[-1] if attempts and tried[-1] == candidate.tool.name else None
        return new_call(number, candidate.tool.name, await self._fill_in(work, request, candidate, last))

    async def _candidates(self, work: _Work, request: str) -> Sequence[Candidate]:
        """The tools that a request may mean, the likeliest first."""
        if (resources := work.request.resources) is None:
            return []
        if self._continues(work):
            return await self._called_before(work, resources)
        found = await resources.find_tools(request)
        if not work.request.tools:
            return choice.meant(request, found)
        name = await self._chosen_name(work, request)
        return [one for one in found if one.tool.name == name]

    async def _called_before(self, work: _Work, resources: Resources) -> Sequence[Candidate]:
        """The tool of the call before, as one of the messages that took it finds it."""
        for said, call in reversed(earlier_calls(work.turn)):
            candidates = await resources.find_tools(await self._in_english(work, said))
            found = [one for one in candidates if one.tool.name == call.tool]
            if found:
                return [replace(one, numbers=(), texts=()) for one in found]
        return []

    async def _chosen_name(self, work: _Work, request: str) -> str:
        """The name of the tool that the model chooses among those that the caller named; `reply` for none."""
        named = work.request.tools
        key = (request, *(one.name for one in named))
        if (known := self._chosen.get(key)) is not None:
            return known
        answer, usage = await self._base.choose(
            choice.choice_prompt(request, named), choice.choice_schema(named), choice.TOKENS
        )
        work.spend(usage)
        return self._chosen.keep(key, str(answer.get("tool", choice.REPLY)))

    async def _fill_in(
        self, work: _Work, request: str, candidate: Candidate, refused: Attempt | None
    ) -> Mapping[str, Any]:
        """The arguments of a call. `refused` is the call before, if the tool did not take its arguments."""
        same = [(said, call.arguments) for said, call in earlier_calls(work.turn) if call.tool == candidate.tool.name]
        if self._continues(work) and same and not refused:
            form = arguments.form_again(request, candidate, same[-2:])
        else:
            form = arguments.form_for(request, candidate, mistaken=refused is not None)
        if not form.asked:
            return form.settled
        mistake = f"{refused.arguments} was refused: {refused.error}" if refused else ""
        answer, usage = await self._base.choose(
            form.prompt(mistake), form.schema(), arguments.TOKENS + estimate_tokens(request)
        )
        work.spend(usage)
        return form.complete(answer)

    async def _reply(self, work: _Work) -> AsyncGenerator[Delta]:
        """One reply to all requests, in their order."""
        several = len(work.parts) > 1
        for number, _ in enumerate(work.parts):
            lead = ("\n\n" if number else "") + (f"**{work.part(number)}** " if several else "")
            if told := self._told(work, number):
                yield Text(lead + told)
                continue
            if lead:
                yield Text(lead)
            async with aclosing(self._spoken(work, number)) as deltas:
                async for delta in deltas:
                    yield delta

    def _told(self, work: _Work, number: int) -> str:
        """The reply to a request that the server words without the model; empty where the model has to speak."""
        if number in work.forbidden:
            return speaking.not_allowed(work.forbidden[number].tool)
        attempts = work.turn.attempts.get(number, ())
        if not attempts and work.turn.calls >= MOST_CALLS:
            return speaking.TOO_MANY
        done = work.turn.done(number)
        if done:
            return worded(done, self._translated.get(work.part(number)) or work.part(number))
        return f"That did not work: {attempts[-1].error}" if attempts else ""

    async def _spoken(self, work: _Work, number: int) -> AsyncGenerator[Delta]:
        """The model's reply to a request."""
        resources, request = work.request.resources, work.part(number)
        facts = await resources.recall(request) if resources else []
        asked = speaking.spoken_request(work.request, work.turn, request if len(work.parts) > 1 else "", number, facts)
        async with aclosing(self._base.stream(asked)) as deltas:
            async for delta in deltas:
                if isinstance(delta, Usage):
                    work.spend(delta)
                else:
                    yield delta
