"""HTTP notices, and the responses of receivers."""

from typing import Annotated

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, MockResponse, ToolError, ToolUnavailable
from retinue.sdk.http import fetch

JSON_HEADERS = {"Content-Type": "application/json"}
ECHO_PAGE = MockResponse("{sent}", headers=JSON_HEADERS)
"""A page that returns the request body."""

_SHOWN = 1000

WEBHOOK_PATH = "/services/T0/B0/secret"

Notice = Annotated[str, About("The message", "The nightly backup is done.", min_length=1, max_length=4000)]
Title = Annotated[str, About("Title above the message", "Backup", max_length=200)]


class Delivered(TypedDict):
    """A delivered notice."""

    status: Annotated[int, About("HTTP status of the response, 200 to 299")]
    answer: Annotated[str, About("Response body, the first 1,000 characters")]


def post_notice(whom: str, url: str, body: bytes, headers: dict[str, str] | None = None) -> Delivered:
    """Post JSON. Errors do not include the address, which may be secret."""
    answer = fetch(url, "POST", headers={**JSON_HEADERS, **(headers or {})}, body=body, follow=0, whole=False)
    answer_text = answer.text[:_SHOWN]
    if 200 <= answer.status < 300:
        return {"status": answer.status, "answer": answer_text}
    status_sentence = f"{whom} answered {answer.status}: {_reason(answer_text) or answer.reason}"
    if answer.status == 429 or answer.status >= 500:
        raise ToolUnavailable(f"{status_sentence}. Try again later.")
    raise ToolError(f"{status_sentence}. Check the connection and the message.")


def _reason(answer_text: str) -> str:
    """Return the reason of a rejection: the description in a JSON object, or the text itself."""
    try:
        found = orjson.loads(answer_text)
    except ValueError:
        return "" if answer_text.lstrip().startswith("<") else answer_text[:200]
    parts = found if isinstance(found, dict) else {}
    return str(parts.get("description") or parts.get("message") or parts.get("error") or answer_text)[:200]
