"""Splits a message into requests by rules, and translates them with the model."""

from collections.abc import Sequence

from retinue.language.foreign import is_foreign
from retinue.language.number_formats import write_english_numbers
from retinue.models.assistant import language, splitting
from retinue.models.assistant.chooser import Chooser
from retinue.models.assistant.followups import is_elliptical
from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.results import headline_of
from retinue.models.assistant.turn import Turn
from retinue.models.assistant.work import Work


def repeats_call(turn: Turn) -> bool:
    """True if a message like "And 25?" follows a successful call: that call is repeated with the new value."""
    return turn.last_call is not None and is_elliptical(turn.question)


class Planner:
    """Splits messages and translates requests."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    def plan(self, work: Work) -> None:
        """Set the parts of a message."""
        work.parts = [work.turn.question]
        if work.request.resources is not None and not repeats_call(work.turn):
            work.parts = self._parts(work)

    async def in_english(self, work: Work, request: str) -> str:
        """Return a request in English, for the tool search."""
        if not is_foreign(request):
            return request
        request = write_english_numbers(request)
        prompt = language.translation_prompt(request)
        answer = await self._chooser.choose(work, prompt, language.SCHEMA, language.TOKENS)
        return language.checked_translation(answer, request)

    def _parts(self, work: Work) -> Sequence[str]:
        turn, parts = work.turn, splitting.split(work.turn.question)
        if not (turn.history and splitting.refers(parts[0])):
            return parts
        if turn.last_call:
            said, call = turn.last_call
            return [splitting.replace_reference(parts[0], headline_of(call, said)), *parts[1:]]
        work.unresolved = not digits_in(turn.question)
        return parts
