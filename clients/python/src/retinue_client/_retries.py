"""Decides when to retry a request, and after which delay."""

import random

import httpx

from retinue_client._calls import Call
from retinue_client._options import Options, failure, refusal, retry_after

FIRST_S, LONGEST_S = 0.5, 8.0
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


class Attempts:
    """The attempts of one call.

    Each method counts a failed attempt and returns the delay in seconds before the next one. If there must be no other
    attempt, it raises the error of the failed one.
    """

    def __init__(self, call: Call, options: Options) -> None:
        self._call = call
        self._options = options
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
        return self._failed > self._options.max_retries

    def _jitter(self) -> float:
        """Return a random delay up to an exponentially growing limit ("full jitter"), so that clients do not retry
        simultaneously.
        """
        return random.uniform(0, min(LONGEST_S, FIRST_S * 2 ** (self._failed - 1)))  # noqa: S311 - no secret
