"""What requests of both of OpenAI's protocols share."""

from collections.abc import Sequence
from typing import Any

from retinue.core.errors import ValidationFailed
from retinue.interop.openai.schemas import Part
from retinue.models.base import ReasoningEffort

EFFORTS: dict[str, ReasoningEffort] = {
    "none": "none",
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "high",
}
NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


def text_of(content: str | Sequence[Part] | None) -> str:
    """Return the text of a message. Raises `ValidationFailed` for parts that are not text."""
    if content is None or isinstance(content, str):
        return content or ""
    for part in content:
        if part.text is None and part.refusal is None:
            raise ValidationFailed(
                f"Parts of type {part.type[:40]!r} are not supported here. Upload the file with POST /api/v1/files, "
                "and attach it with POST /api/v1/chat."
            )
    return "\n".join(part.text or part.refusal or "" for part in content)
