"""Decides when to retry a request, and after which delay."""

import random
import time

import httpx

from retinue_client._calls import Call
from retinue_client._options import Options, failure, refusal, retry_after
from retinue_client.errors import APITimeoutError

FIRST_S, LONGEST_S = 0.5, 8.0
LONGEST_WATCH_S = 5.0
"""Maximum delay in seconds before a watched run is asked for again."""

PATIENCE_S = 300.0
"""How many seconds a watch goes on without any answer, such as while the server restarts."""

MOST_S = 60.0
"""Maximum delay of a retry in seconds.

If the server asks for more, such as the rest of a month, the call is not retried.
"""

_PASSING = frozenset({429, 502, 503, 504})
_REFUSED = frozenset({429})
"""Statuses that guarantee that the request was not executed.

A gateway's 502 or 504 does not, and neither does a 503: the model may fail after the message was stored, and the
connection to the database may break during a commit.
"""

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Patience:
    """How long a watch goes on: for `timeout` seconds, or, by default, until the server was silent for `PATIENCE_S`."""

    def __init__(self, timeout: float | None, may_retry: bool) -> None:
        self._timeout = timeout
        self._may_retry = may_retry
        self._end = time.monotonic() + (PATIENCE_S if timeout is None else timeout)

    @property
    def left(self) -> float:
        """The number of seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """True if a failure must not be followed by another attempt."""
        return not self._may_retry or not self.left

    def renew(self) -> None:
        """Note that the server has sent something. Raises `APITimeoutError` after `timeout` seconds."""
        if self._timeout is None:
            self._end = time.monotonic() + PATIENCE_S
        else:
            self.check()

    def check(self) -> None:
        """Raise `APITimeoutError` if the caller's `timeout` is over."""
        if self._timeout is not None and not self.left:
            raise APITimeoutError(f"It did not end within {self._timeout:g} seconds.")

    def delay(self, failed: int) -> float:
        """Return the seconds to wait after some failures in a row."""
        return min(self.left, jitter(failed, LONGEST_WATCH_S))


class Attempts:
    """The attempts of one call.

    Each method counts a failed attempt and returns the delay in seconds before the next one. If there must be no other
    attempt, it raises the error of the failed one.
    """

    def __init__(self, call: Call, options: Options, patience: Patience | None = None) -> None:
        self._call = call
        self._options = options
        self._patience = patience
        self._failed = 0

    def delay_after_answer(self, response: httpx.Response) -> float:
        """Handle an error response whose body has been read."""
        asked = retry_after(response.headers)
        passing = response.status_code in (_PASSING if self._call.repeatable else _REFUSED)
        error = refusal(response)
        if not (passing and error.should_retry) or self._is_last() or (asked or 0) > MOST_S:
            raise error
        return asked if asked is not None else self._jitter()

    def delay_after_failure(self, error: httpx.TransportError) -> float:
        """Handle a missing or incomplete response."""
        wrong = isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError))
        safe = self._call.repeatable or isinstance(error, _NOT_SENT)
        if wrong or not safe or self._is_last():
            raise failure(error, self._options.url) from error
        return self._jitter()

    def _is_last(self) -> bool:
        self._failed += 1
        return self._patience.is_over if self._patience else self._failed > self._options.max_retries

    def _jitter(self) -> float:
        return self._patience.delay(self._failed) if self._patience else jitter(self._failed, LONGEST_S)


def jitter(failed: int, longest: float) -> float:
    """Return a random delay up to an exponentially growing limit ("full jitter"), so that clients do not retry
    simultaneously.
    """
    return random.uniform(0, min(longest, FIRST_S * 2 ** min(failed - 1, 60)))  # noqa: S311 - no secret
