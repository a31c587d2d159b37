"""The pipe that ends with the server."""

import os
import socket
from contextlib import ExitStack
from select import poll

from retinue.tools.execution.parent_death_pipe import open_lifeline


def test_its_writing_end_has_the_highest_number() -> None:
    reading, writing = open_lifeline()
    with ExitStack() as opened:
        opened.callback(os.close, reading)
        sockets = [opened.enter_context(end) for _ in range(50) for end in socket.socketpair()]
        assert writing > max(end.fileno() for end in sockets)
        assert not os.get_inheritable(writing)
        looked = poll()
        looked.register(reading)
        assert not looked.poll(0)
        os.close(writing)
        assert looked.poll(0)
