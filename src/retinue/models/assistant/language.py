"""Translates requests from other languages with the model, because the tool search works on English."""

from typing import Any

from retinue.models.assistant.few_shot import few_shot_prompt
from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.schemas import one_field
from retinue.models.base import Message

TOKENS = 160
SCHEMA = one_field("english", {"type": "string"})


def translation_prompt(request: str) -> list[Message]:
    """Build the prompt that translates a request."""
    return few_shot_prompt("translate", request)


def checked_translation(answer: dict[str, Any], request: str) -> str:
    """Return the translation if it has the same numbers as the request, else the request unchanged."""
    text = str(answer.get("english", "")).strip()
    return text if text and digits_in(text) == digits_in(request) else request
