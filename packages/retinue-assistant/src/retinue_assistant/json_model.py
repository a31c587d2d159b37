"""Asks a small model for JSON objects, caches the answers, and counts the tokens."""

from collections.abc import Sequence
from typing import Any

from retinue.models.assistant import JsonModel
from retinue.models.base import Message
from retinue_assistant.assistant_request import AssistantRequest

_REMEMBERED = 256
"""Cached answers. Every step of a run asks the same questions again."""


class CachedJsonModel:
    """Asks a model for JSON objects. Repeated questions get the cached answer."""

    def __init__(self, base: JsonModel) -> None:
        self._base = base
        self._answers: dict[tuple[Message, ...], dict[str, Any]] = {}

    async def generate(
        self, work: AssistantRequest, messages: Sequence[Message], schema: dict[str, Any], max_tokens: int
    ) -> dict[str, Any]:
        """Return the model's answer to `messages`, an object that matches `schema`. See `JsonModel`."""
        question = tuple(messages)
        if (known := self._answers.get(question)) is not None:
            return known
        answer, usage = await self._base.generate(messages, schema, max_tokens)
        work.spent += usage
        self._answers[question] = answer
        if len(self._answers) > _REMEMBERED:
            del self._answers[next(iter(self._answers))]
        return answer
