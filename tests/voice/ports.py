"""Ports for SIP: each worker of the tests has its own, and uses none twice, so that no two tests take the same."""

import os
from itertools import count

from retinue.voice.media.self_call import is_free

_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 10
_FIRST = 16_000 + 1_600 * _WORKER
"""The kernel gives higher ports to outgoing connections, and the server itself tries lower ones."""

_PAIRS = 800
_TRIED = count(os.getpid())
"""Processes that a worker starts begin at other places."""


def free_sip_port() -> int:
    """Return a port of 127.0.0.1 that is free for UDP and TCP, as is the next one, which the SIP stack uses for TLS."""
    ports = (_FIRST + 2 * (number % _PAIRS) for number in _TRIED)
    return next(port for port in ports if is_free(port) and is_free(port + 1))
