"""Maps a provider's errors to the errors that the client receives, with advice on when to retry and what to mend."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from retinue.core.errors import RetinueError
from retinue.core.network.retry_after import MOST_S, seconds_to_wait
from retinue.models.base import ContextExceeded, KeyRefused, ProviderFailed
from retinue.models.providers.endpoint import DEFAULT_ORIGIN, LISTED_ORIGIN, LOCAL_ORIGIN, Endpoint

_OVERFLOW_CODES = {"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded"}
_OVERFLOW_WORDS = (
    "context length",
    "context size",
    "context window",
    "context limit",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "maximum number of tokens",
    "too many tokens",
)
_STATUS_OF = {
    "invalid_request_error": 400,
    "invalid_argument": 400,
    "context_length_exceeded": 400,
    "authentication_error": 401,
    "unauthenticated": 401,
    "billing_error": 402,
    "permission_error": 403,
    "permission_denied": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit": 429,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "resource_exhausted": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
    "unavailable": 503,
    "deadline_exceeded": 504,
    "timeout_error": 504,
}
"""HTTP statuses of the error names that providers send inside a stream."""

_SHORTEST_SECRET = 6
"""Characters. Shorter values of headers and queries are not secret, and replacing them would damage messages."""

TOO_LONG = (
    "The conversation exceeds the model's context window. Shorten the message or the context, or "
    "start a new conversation."
)


class ReportedError(Exception):
    """An error that the provider reported in a response with status 200. `error` is its JSON."""

    def __init__(self, error: object) -> None:
        super().__init__()
        self.error = error


@dataclass(frozen=True, slots=True)
class RefusedResponse:
    """A response with a status other than 200. `retry_after` is in seconds, or None if the provider sent none.

    `status` is 0 for an error in the middle of a stream that has no status.
    """

    status: int
    message: str
    codes: frozenset[str]
    parameter: str
    retry_after: int | None

    @property
    def overflow(self) -> bool:
        """True if the prompt was too long for the model."""
        text = self.message.lower()
        return self.status in (0, 400, 413, 422) and (
            bool(self.codes & _OVERFLOW_CODES) or any(words in text for words in _OVERFLOW_WORDS)
        )


class ErrorMessages:
    """Words the errors of one model. No message contains the provider's key or other secrets."""

    def __init__(self, origin: str, wire_name: str, endpoint: Endpoint) -> None:
        self._origin, self._wire_name = origin, wire_name
        values = (endpoint.key, *endpoint.headers.values(), *endpoint.query.values())
        self._secrets = sorted({v for v in values if len(v) >= _SHORTEST_SECRET or v == endpoint.key} - {""}, key=len)

    def redact(self, text: str) -> str:
        """Replace secrets in `text` and shorten it to one line of at most 200 characters."""
        for secret in reversed(self._secrets):
            text = text.replace(secret, "…")
        return " ".join(text.split())[:200]

    def read(self, status: int, body: object, headers: Mapping[str, str]) -> RefusedResponse:
        """Read an error body, JSON text or its value, in any of the shapes that providers use."""
        error = _error_object(body)
        details = error.get("details")
        return RefusedResponse(
            status,
            self.redact(_message(error)),
            frozenset(str(error[name]) for name in ("code", "type", "status") if error.get(name)),
            str(error.get("param") or ""),
            seconds_to_wait(headers["Retry-After"]) if headers.get("Retry-After") else _retry_delay(details),
        )

    def for_report(self, error: object) -> RetinueError:
        """Return the error for one that the provider reported in a response with status 200."""
        found = _error_object({"error": error})
        names = [str(found.get(name) or "").lower() for name in ("type", "status", "code")]
        status = next((_STATUS_OF[name] for name in names if name in _STATUS_OF), 0)
        status = status or next((int(name) for name in names if name.isdecimal() and 400 <= int(name) <= 599), 0)
        return self.for_refusal(self.read(status, {"error": error}, {}))

    def for_refusal(self, refusal: RefusedResponse) -> RetinueError:
        """Return the error for a refusal."""
        if refusal.overflow:
            return ContextExceeded(TOO_LONG)
        status, again = refusal.status, refusal.retry_after
        if status in (401, 403):
            return KeyRefused(f"The model provider rejected the key. {self._mend_key()}")
        if status == 0:
            return ProviderFailed(
                f"The model provider failed during its reply{_quote(refusal)}. Try again in a few seconds.",
                may_retry=True,
                retry_after=again,
            )
        if status == 402 or "insufficient_quota" in refusal.codes:
            words = f"The account at the model provider has no credit left. Add credit there. {self._mend_key()}"
            return ProviderFailed(words, may_retry=status == 429, retry_after=again)
        if status == 429:
            words = f"The model provider's rate limit was exceeded. {_when(again, 60)}"
            return ProviderFailed(words, may_retry=True, retry_after=again)
        if status >= 500:
            words = f"The model provider failed (HTTP {status}). {_when(again, 10)}"
            return ProviderFailed(words, may_retry=True, retry_after=again)
        advice = self._advise(refusal)
        return ProviderFailed(
            f"The model provider rejected the request (HTTP {status}{_quote(refusal)}). {advice}",
            may_retry=status in (408, 425),
            retry_after=again,
            http_status=status,
        )

    def for_other_media_type(self, media_type: str) -> ProviderFailed:
        """Return the error for a response of another media type than an event stream, such as a page."""
        kind, advice = self.redact(media_type), self._mend()
        return ProviderFailed(
            f"The model provider answered with {kind}, not with an event stream. {advice}", may_retry=False
        )

    def late(self) -> ProviderFailed:
        """Return the error for a time-out."""
        return ProviderFailed("The model provider did not respond in time. Try again in a minute.", may_retry=True)

    def for_garbled_data(self) -> ProviderFailed:
        """Return the error for a response that violates the protocol."""
        return ProviderFailed(
            f"The model provider sent an invalid response. Try again in a minute. {self._mend(lasting=True)}",
            may_retry=True,
        )

    def for_unfinished_reply(self) -> ProviderFailed:
        """Return the error for a reply that ends without a finish."""
        return ProviderFailed(
            "The model provider closed the connection during its reply. Try again in a few seconds.", may_retry=True
        )

    def unreachable(self) -> ProviderFailed:
        """Return the error for a connection that could not be opened."""
        return ProviderFailed(
            f"The model provider cannot be reached. Try again in 10 seconds. {self._mend(lasting=True)}",
            may_retry=True,
        )

    def for_broken_connection(self) -> ProviderFailed:
        """Return the error for a connection that broke."""
        return ProviderFailed(
            "The connection to the model provider failed. Try again in a few seconds.", may_retry=True
        )

    def invalid_url(self) -> ProviderFailed:
        """Return the error for a base URL that is not one."""
        if self._origin == DEFAULT_ORIGIN:
            return ProviderFailed("RETINUE_MODEL_URL is not a URL. The operator should fix it.", may_retry=False)
        return ProviderFailed(f"The base_url of the model provider is not a URL. {self._mend()}", may_retry=False)

    def _mend(self, *, lasting: bool = False) -> str:
        """Say what to check about the address, at once or if the problem lasts."""
        if self._origin == LOCAL_ORIGIN:
            log = "If it happens again, the operator should read the server's log."
            return log if lasting else "The operator should read the server's log."
        if self._origin == DEFAULT_ORIGIN:
            url = "If it happens again, the operator should check RETINUE_MODEL_URL."
            return url if lasting else "The operator should check RETINUE_MODEL_URL."
        if lasting:
            return (
                f"If it happens again, check the base_url of the provider{self._name} (PUT /api/v1/providers/{{id}} "
                "changes it)."
            )
        return f"Check the base_url of the provider{self._name} (PUT /api/v1/providers/{{id}} changes it)."

    def _mend_key(self) -> str:
        if self._origin in (DEFAULT_ORIGIN, LOCAL_ORIGIN):
            return "The operator should check RETINUE_MODEL_KEY."
        return f"Check the key of the provider{self._name} (PUT /api/v1/providers/{{id}} changes it)."

    def _advise(self, refusal: RefusedResponse) -> str:
        """Say what to do about a rejected request. A provider that says what is wrong with it has been found."""
        if refusal.status in (408, 425):
            return _when(refusal.retry_after, 10)
        if refusal.status in (400, 413, 422) and refusal.message:
            return f"Change the request, or use another model than {self._wire_name}."
        return self._mend_model()

    def _mend_model(self) -> str:
        if self._origin in (DEFAULT_ORIGIN, LOCAL_ORIGIN):
            return f"The operator should check RETINUE_MODEL_URL, and that {self._wire_name} is a model there."
        return (
            f"Check the base_url of the provider{self._name} (PUT /api/v1/providers/{{id}} changes it), and that "
            f"{self._wire_name} is a model there."
        )

    @property
    def _name(self) -> str:
        return f" {self._origin!r}" if self._origin != LISTED_ORIGIN else ""


def _when(seconds: int | None, otherwise: int) -> str:
    wait = otherwise if seconds is None else seconds
    return f"Try again in {wait} second{'' if wait == 1 else 's'}."


def _quote(refusal: RefusedResponse) -> str:
    return f": {refusal.message.rstrip('.')}" if refusal.message else ""


def _error_object(body: object) -> dict[str, object]:
    """Return the error of `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}` or a list with one of them."""
    if isinstance(body, bytes):
        try:
            body = orjson.loads(body)
        except orjson.JSONDecodeError:
            return {}
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error") or body.get("detail") or body if isinstance(body, dict) else body
    return error if isinstance(error, dict) else {"message": error}


def _message(error: Mapping[str, object]) -> str:
    """Return the words of an error, also those of a list of faults: `[{"loc": […], "msg": "…"}]`."""
    message = error.get("message") or error.get("msg") or ""
    if isinstance(message, list):
        faults = (fault for fault in message if isinstance(fault, dict))
        return "; ".join(f"{_path(fault.get('loc'))} {fault.get('msg', '')}" for fault in faults)
    return str(message)


def _path(loc: object) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else str(loc or "")


def _retry_delay(details: object) -> int | None:
    """Read the `retryDelay` of Google's error details, such as `17s`."""
    delays = [d.get("retryDelay") for d in details if isinstance(d, dict)] if isinstance(details, list) else []
    seconds = next((str(delay).removesuffix("s").split(".")[0] for delay in delays if delay), "")
    return min(int(seconds[:9]) + 1, MOST_S) if seconds.isdecimal() else None
