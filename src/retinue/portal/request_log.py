"""Record portal requests in the request log: requests that count as API calls, and the portal's own failures."""

import time
from dataclasses import dataclass, field

from starlette.requests import Request

from retinue.auth.caller import Caller
from retinue.core.errors import InternalError
from retinue.core.runtime import log
from retinue.core.runtime.clock import now
from retinue.request_log.entries import RequestLogEntry

_SAFE = ("GET", "HEAD")


@dataclass
class PortalRequest:
    """A request in progress and its outcome. `route` is the path of its handler."""

    request: Request
    route: str
    caller: Caller | None = None
    status: int = 0
    error: tuple[str, str] | None = None
    """Code and message; `status` is set with it."""

    began: float = field(default_factory=time.perf_counter)

    @property
    def logged_as(self) -> str:
        """The id of the request in the log, or an empty string if it is not logged."""
        failed = self.error is not None and self.status >= InternalError.status
        return log.request_id.get() if self.caller and (self.request.method not in _SAFE or failed) else ""

    def entry(self) -> RequestLogEntry | None:
        """Return the log entry, or None if the request is not logged."""
        if not self.caller or not self.logged_as:
            return None
        return RequestLogEntry(
            self.logged_as,
            self.request.method,
            self.request.url.path,
            self.route,
            self.status,
            (time.perf_counter() - self.began) * 1000,
            self.caller,
            log.client_address.get(),
            self.error,
            now(),
            next(iter(log.started_runs.get()), None),
        )
