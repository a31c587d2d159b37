"""Makes the calls that the requests of a message need: a tool is chosen for each, and its arguments are filled in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from retinue.models.assistant import arguments, choice
from retinue.models.assistant.chooser import Chooser
from retinue.models.assistant.planning import Planner, repeats_call
from retinue.models.assistant.turn import Attempt, earlier_calls, new_call
from retinue.models.assistant.work import MOST_CALLS, Work
from retinue.models.base import Candidate, Resources, ToolCall, estimate_tokens

_REFUSALS = 2
"""Refused calls of one tool, after which it is another one's turn, once."""


class Caller:
    """Makes calls with a model and the tools that a run lends."""

    def __init__(self, chooser: Chooser, planner: Planner) -> None:
        self._chooser, self._planner = chooser, planner

    async def calls(self, work: Work) -> list[ToolCall]:
        """The calls that can be made now, one for each request that is not answered yet."""
        calls: list[ToolCall] = []
        for number, _ in enumerate(work.parts):
            is_room = work.turn.calls + len(calls) < MOST_CALLS
            if is_room and work.wants_call(number) and (call := await self._call(work, number)):
                calls.append(call)
        return calls

    async def _call(self, work: Work, number: int) -> ToolCall | None:
        """The call that a request needs next: a first one, one with mended arguments, or one of the next tool."""
        if (resources := work.request.resources) is None:
            return None
        request = await self._planner.in_english(work, work.part(number))
        attempts = work.turn.attempts.get(number, ())
        candidate = _next(await self._candidates(work, request, resources), attempts)
        if candidate is None:
            return None
        if not candidate.allowed:
            work.forbidden[number] = candidate
            return None
        name = candidate.tool.name
        refused = attempts[-1] if attempts and attempts[-1].tool == name else None
        return new_call(number, name, await self._fill_in(work, request, candidate, refused))

    async def _candidates(self, work: Work, request: str, resources: Resources) -> Sequence[Candidate]:
        """The tools that a request may mean, the likeliest first."""
        if repeats_call(work.turn):
            return await self._called_before(work, resources)
        found = await resources.find_tools(request)
        if not work.request.tools:
            return choice.likely_tools(request, found)
        name = await self._chosen_name(work, request)
        return [one for one in found if one.tool.name == name]

    async def _called_before(self, work: Work, resources: Resources) -> Sequence[Candidate]:
        """The tool of the call before, as one of the messages that took it finds it."""
        last = earlier_calls(work.turn)[-1][1].tool
        for said, _ in reversed(earlier_calls(work.turn)):
            candidates = await resources.find_tools(await self._planner.in_english(work, said))
            if found := [one for one in candidates if one.tool.name == last]:
                return [replace(one, numbers=(), texts=()) for one in found]
        return []

    async def _chosen_name(self, work: Work, request: str) -> str:
        """The name of the tool that the model chooses among those that the caller named; `reply` for none."""
        prompt, schema = choice.choice_prompt(request, work.request.tools), choice.choice_schema(work.request.tools)
        answer = await self._chooser.choose(work, prompt, schema, choice.TOKENS)
        return str(answer.get("tool", choice.REPLY))

    async def _fill_in(
        self, work: Work, request: str, candidate: Candidate, refused: Attempt | None
    ) -> Mapping[str, Any]:
        """The arguments of a call. `refused` is the call before, if the tool did not take its arguments."""
        same = [(said, call.arguments) for said, call in earlier_calls(work.turn) if call.tool == candidate.tool.name]
        if repeats_call(work.turn) and same and not refused:
            form = arguments.form_again(request, candidate, same[-2:])
        else:
            form = arguments.form_for(request, candidate, mistaken=refused is not None)
        if not form.missing:
            return form.settled
        mistake = f"{refused.arguments} was refused: {refused.error}" if refused else ""
        tokens = arguments.TOKENS + estimate_tokens(request)
        return form.complete(await self._chooser.choose(work, form.prompt(mistake), form.schema(), tokens))


def _next(candidates: Sequence[Candidate], attempts: Sequence[Attempt]) -> Candidate | None:
    """The tool to call after some attempts: the same once more, then the next likely one, then none."""
    if len(attempts) > _REFUSALS:
        return None
    tried = [one.tool for one in attempts]
    if 0 < len(attempts) < _REFUSALS:
        return next((one for one in candidates if one.tool.name == tried[-1]), None)
    return next((one for one in candidates if one.tool.name not in tried), None)
