"""What requests of both of OpenAI's protocols share."""

from collections.abc import Sequence
from typing import Any

from retinue.interop.lenient import unsupported_part
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
            raise unsupported_part(part.type)
    return "\n".join(part.text or part.refusal or "" for part in content)
