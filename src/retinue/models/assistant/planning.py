"""Splits a message into requests, by rules where possible and with the model otherwise."""

from collections.abc import Sequence

from retinue.models.assistant import language, rewriting, splitting
from retinue.models.assistant.chooser import Chooser
from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.results import headline_of
from retinue.models.assistant.turn import Turn
from retinue.models.assistant.work import Work


def repeats_call(turn: Turn) -> bool:
    """True if a message like "And 25?" follows a successful call: that call is repeated with the new value."""
    return turn.last_call is not None and splitting.is_elliptical(turn.question)


class Planner:
    """Splits, completes and translates messages."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    async def plan(self, work: Work) -> None:
        """Set the parts of a message."""
        work.parts = [work.turn.question]
        if work.request.resources is not None and not repeats_call(work.turn):
            work.parts = await self._parts(work)

    async def in_english(self, work: Work, request: str) -> str:
        """Return a request in English, for the tool search."""
        if not language.is_foreign(request):
            return request
        prompt = language.translation_prompt(request)
        answer = await self._chooser.choose(work, prompt, language.SCHEMA, language.TOKENS)
        return language.checked_translation(answer, request)

    async def _parts(self, work: Work) -> Sequence[str]:
        turn, parts = work.turn, splitting.split(work.turn.question)
        refers = bool(turn.history) and splitting.refers(parts[0])
        if refers and turn.last_call:
            said, call = turn.last_call
            return [splitting.replace_reference(parts[0], headline_of(call, said)), *parts[1:]]
        vague = (bool(turn.history) or len(parts) > 1) and any(map(splitting.is_vague, parts))
        if not (refers or vague):
            return parts
        rewritten = await self._complete(work, len(parts))
        if rewritten != [turn.question]:
            return rewritten
        work.unresolved = refers and not digits_in(turn.question)
        return parts

    async def _complete(self, work: Work, number: int) -> list[str]:
        """Let the model rewrite a message as at least `number` requests; return the message itself if that fails."""
        question, history = work.turn.question, work.turn.history
        prompt, schema = rewriting.rewriting_prompt(question, history), rewriting.rewriting_schema(number)
        answer = await self._chooser.choose(work, prompt, schema, rewriting.TOKENS)
        return rewriting.checked_requests(answer, question, history)
