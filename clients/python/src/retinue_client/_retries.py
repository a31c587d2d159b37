"""When to send a request again, and after how long."""

import random

import httpx

from retinue_client._calls import Call
from retinue_client._options import Options, failure, refusal, retry_after

FIRST_S, LONGEST_S = 0.5, 8.0
MOST_S = 60.0
"""Seconds that a retry waits at most. Where a server asks for more, such as for the rest of a month, none is made."""

_PASSING = frozenset({429, 502, 503, 504})
_REFUSED = frozenset({429, 503})
"""Statuses that say that nothing was done; behind a gateway's 502 or 504 the request may have been carried out."""

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Attempts:
    """The attempts at one call: each method counts one that failed and returns the seconds to wait before the next.

    They raise the error of the failed attempt where there must be no other.
    """

    def __init__(self, call: Call, options: Options) -> None:
        self._call = call
        self._options = options
        self._failed = 0

    def delay_after_answer(self, response: httpx.Response) -> float:
        """After an answer that is no success, whose body has been read."""
        asked = retry_after(response.headers)
        passing = response.status_code in (_PASSING if self._call.repeatable else _REFUSED)
        if not passing or self._is_last() or (asked or 0) > MOST_S:
            raise refusal(response)
        return asked if asked is not None else self._jitter()

    def delay_after_failure(self, error: httpx.TransportError) -> float:
        """After no answer, or one that broke off."""
        wrong = isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError))
        safe = self._call.repeatable or isinstance(error, _NOT_SENT)
        if wrong or not safe or self._is_last():
            raise failure(error, self._options.url) from error
        return self._jitter()

    def _is_last(self) -> bool:
        self._failed += 1
        return self._failed > self._options.max_retries

    def _jitter(self) -> float:
        """Full jitter: anything up to an exponentially growing bound, so that clients do not come back together."""
        return random.uniform(0, min(LONGEST_S, FIRST_S * 2 ** (self._failed - 1)))  # noqa: S311 - no secret
