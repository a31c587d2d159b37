"""Servers that repeatedly die at a crash point."""

from contextlib import suppress

from retinue.core.work.leases import ATTEMPTS
from tests.support.server import Server


def die_again_and_again(server: Server, times: int = ATTEMPTS) -> None:
    """Let the server die at its crash point, by default until its work is set aside, then start it without one."""
    server.has_died()
    for _ in range(times - 1):
        with suppress(AssertionError):  # It may die before it has printed its address.
            server.start()
        server.has_died()
    server.start(RETINUE_CRASH_AT="")
