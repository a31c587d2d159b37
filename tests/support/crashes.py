"""Servers that die at a crash point, time after time."""

from contextlib import suppress

from retinue.core.leases import ATTEMPTS
from tests.support.server import Server


def die_again_and_again(server: Server) -> None:
    """Wait until a server with a crash point has died, start it as often as makes its work suspect, then for good."""
    server.has_died()
    for _ in range(ATTEMPTS - 1):
        with suppress(AssertionError):  # it may die before it has told its address
            server.start()
        server.has_died()
    server.start(RETINUE_CRASH_AT="")
