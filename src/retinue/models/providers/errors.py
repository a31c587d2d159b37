"""Maps a provider's error response to the error that the client receives, with advice on when to retry."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from retinue.core.errors import RetinueError
from retinue.models.base import ContextExceeded, ProviderFailed

_OVERFLOW_CODES = {"context_length_exceeded", "exceed_context_size_error"}
_OVERFLOW_WORDS = (
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "maximum number of tokens",
    "too many tokens",
)

TOO_LONG = (
    "The conversation exceeds the model's context window. Shorten the message or the context, or "
    "start a new conversation."
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A response with a status other than 200. `retry_after` is in seconds, or None if the provider sent none."""

    status: int
    message: str
    codes: frozenset[str]
    parameter: str
    retry_after: int | None

    @property
    def overflow(self) -> bool:
        """True if the prompt was too long for the model."""
        text = self.message.lower()
        return self.status in (400, 413, 422) and (
            bool(self.codes & _OVERFLOW_CODES) or any(words in text for words in _OVERFLOW_WORDS)
        )

    def error(self, wire_name: str) -> RetinueError:
        """Return the error to raise. Its message never contains the provider key."""
        if self.overflow:
            return ContextExceeded(TOO_LONG)
        if self.status in (401, 403):
            return ProviderFailed(
                "The model provider rejected the key. The operator should check RETINUE_MODEL_KEY.", may_retry=False
            )
        if self.status == 429:
            return ProviderFailed(
                f"The model provider's rate limit was exceeded. {self._when(60)}",
                may_retry=True,
                retry_after=self.retry_after,
            )
        if self.status >= 500:
            return ProviderFailed(
                f"The model provider failed (HTTP {self.status}). {self._when(10)}",
                may_retry=True,
                retry_after=self.retry_after,
            )
        return ProviderFailed(
            f"The model provider rejected the request (HTTP {self.status}{self._quote()}). The operator "
            f"should check RETINUE_MODEL_URL, and that {wire_name} is a model there.",
            may_retry=self.status in (408, 425),
            retry_after=self.retry_after,
        )

    def _when(self, otherwise: int) -> str:
        return f"Try again in {otherwise if self.retry_after is None else self.retry_after} seconds."

    def _quote(self) -> str:
        return f": {self.message}" if self.message else ""


def read_refusal(status: int, body: bytes, retry_after: str | None, key: str) -> Refusal:
    """Parse an error body in any of the shapes that providers use, and redact `key` in its message."""
    error = _error_object(body)
    message = str(error.get("message") or "")
    return Refusal(
        status,
        " ".join((message.replace(key, "…") if key else message).split())[:200],
        frozenset(str(error[name]) for name in ("code", "type") if error.get(name)),
        str(error.get("param") or ""),
        _seconds(retry_after),
    )


def _error_object(body: bytes) -> dict[str, Any]:
    """Return the error of `{"error": {…}}`, `{"error": "…"}` or a list with one of them; {} for invalid JSON."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    if isinstance(found, list) and found:
        found = found[0]
    error = found.get("error", found) if isinstance(found, dict) else found
    return error if isinstance(error, dict) else {"message": error}


def _seconds(retry_after: str | None) -> int | None:
    """Parse `Retry-After` (RFC 9110, section 10.2.3), a number of seconds or a date."""
    if not retry_after:
        return None
    if retry_after.strip().isdecimal():
        return min(int(retry_after.strip()[:9]), 86_400)
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    left = (date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime.now(UTC)
    return min(max(round(left.total_seconds()), 1), 86_400)
