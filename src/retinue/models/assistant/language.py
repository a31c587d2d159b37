"""Translates requests from other languages with the model, because the tool search works on English."""

from typing import Any

from retinue.models.assistant.numbers import digits_in
from retinue.models.assistant.schemas import one_field
from retinue.models.base import Message

TOKENS = 160
SCHEMA = one_field("english", {"type": "string"})
_PROMPT = """\
Translate the request into English. Copy numbers, names and quoted text exactly.
Examples:
Rechne 7 Meter in Fu\u00df um.
{"english":"Convert 7 metres to feet."}
Wie viele Tage sind es vom 2. Januar 2025 bis zum 5. M\u00e4rz 2025?
{"english":"How many days are there from 2 January 2025 to 5 March 2025?"}
\u00bfCu\u00e1l es la ra\u00edz cuadrada de 81?
{"english":"What is the square root of 81?"}
Combien font 12 fois 9 ?
{"english":"What is 12 times 9?"}
Convertis 3 kilogrammes en livres.
{"english":"Convert 3 kilograms to pounds."}
Convertis aussi 40 centim\u00e8tres en pouces.
{"english":"Convert 40 centimetres to inches."}"""


def translation_prompt(request: str) -> list[Message]:
    """Build the prompt that translates a request."""
    return [Message("system", _PROMPT), Message("user", request)]


def checked_translation(answer: dict[str, Any], request: str) -> str:
    """Return the translation if it has the same numbers as the request, else the request unchanged."""
    text = str(answer.get("english", "")).strip()
    return text if text and digits_in(text) == digits_in(request) else request
