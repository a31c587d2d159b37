"""Lets a small model answer messages with tools that it cannot call by itself.

A message is split into requests (`planning`). For each a tool is chosen, or none, and its arguments are filled in
(`calling`); a request may work on the result of an earlier one. Refused arguments are filled in once more beside what
was wrong, then the next likely tool is tried. One reply covers all requests in their order: results are worded without
the model (`results`), and what no tool answered the model answers (`speaking`). The assistant keeps nothing between
calls but what can be computed again, so a run can be taken up from its journal.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from retinue.models.assistant import speaking
from retinue.models.assistant.calling import Caller
from retinue.models.assistant.chooser import Chooser
from retinue.models.assistant.planning import Planner
from retinue.models.assistant.results import render_result
from retinue.models.assistant.turn import read_turn
from retinue.models.assistant.work import MOST_CALLS, ChoosingModel, Work
from retinue.models.base import Delta, ModelRequest, Text, Usage


class Assistant:
    """Gives a model without native tool calling the behaviour of one that has it. See `Model`."""

    def __init__(self, base: ChoosingModel) -> None:
        self.name = base.name
        self.context_tokens = base.context_tokens
        self.uses_resources = True
        self._base = base
        chooser = Chooser(base)
        self._planner = Planner(chooser)
        self._caller = Caller(chooser, self._planner)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate the calls that come next, or the reply. See `Model`."""
        work = Work(request, read_turn(request.messages))
        await self._planner.plan(work)
        calls = await self._caller.calls(work)
        for call in calls:
            yield call
        if not calls:
            async with aclosing(self._reply(work)) as deltas:
                async for delta in deltas:
                    yield delta
        yield work.spent

    async def _reply(self, work: Work) -> AsyncGenerator[Delta]:
        """One reply to all requests, in their order."""
        for number, _ in enumerate(work.parts):
            if len(work.parts) > 1:
                yield Text(("\n\n" if number else "") + f"**{work.part(number)}** ")
            if told := await self._worded_reply(work, number):
                yield Text(told)
                continue
            async with aclosing(self._model_reply(work, number)) as deltas:
                async for delta in deltas:
                    yield delta

    async def _worded_reply(self, work: Work, number: int) -> str:
        """The reply to a request that the server words without the model; empty where the model has to speak."""
        if number in work.forbidden:
            return speaking.not_allowed(work.forbidden[number].tool)
        attempts = work.turn.attempts.get(number, ())
        if not attempts and work.turn.calls >= MOST_CALLS:
            return speaking.TOO_MANY
        request = await self._planner.in_english(work, work.part(number))
        if done := work.turn.attempt_of(number):
            return render_result(done, request)
        if not attempts:
            return speaking.refusal(request)
        return f"That did not work: {attempts[-1].error}"

    async def _model_reply(self, work: Work, number: int) -> AsyncGenerator[Delta]:
        """The model's reply to a request."""
        resources, request = work.request.resources, work.part(number)
        facts = await resources.recall(request) if resources else []
        asked = speaking.reply_request(work.request, work.turn, request if len(work.parts) > 1 else "", number, facts)
        async with aclosing(self._base.stream(asked)) as deltas:
            async for delta in deltas:
                if isinstance(delta, Usage):
                    work.spend(delta)
                else:
                    yield delta
