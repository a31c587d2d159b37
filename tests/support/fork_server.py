"""Starts the command `retinue` quickly, because all its modules are imported already.

Importing takes most of the start-up time, and the suite starts hundreds of servers. So one process imports everything,
and each start is a fork of it with its own environment, arguments and output.
"""

import array
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
_MESSAGE_BYTES = 1 << 20
_SHARED = "TESTS_NURSERY"
"""An environment variable with the name of the forking process's address."""


class Process:
    """A forked process with the part of the `subprocess.Popen` interface that tests need."""

    def __init__(self, pid: int, end: socket.socket, stdout: IO[str] | None) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = stdout
        self._end = end

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, like `subprocess.Popen.wait`. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self._end.settimeout(timeout)
            try:
                status = self._end.recv(_MESSAGE_BYTES)
            except (TimeoutError, BlockingIOError) as error:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0) from error
            assert status, "the forking process died"
            self.returncode = int(status)
            self._end.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit status, or None if the process is still running."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal if the process is still running."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


def begin(
    arguments: Sequence[str],
    env: Mapping[str, str],
    stdout: int | IO[str],
    stderr: IO[str],
    stdin: IO[str] | None = None,
) -> Process:
    """Run `retinue` with these arguments and only this environment. `stdout` may be `subprocess.PIPE`."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(_address())
    reading, writing = os.pipe() if isinstance(stdout, int) else (None, stdout.fileno())
    request = {"arguments": [*arguments], "env": {**env}, "folder": str(Path.cwd())}
    files = array.array("i", [writing, stderr.fileno(), *([stdin.fileno()] if stdin else [])])
    connection.sendmsg([json.dumps(request).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
    if reading is None:
        return Process(int(connection.recv(_MESSAGE_BYTES)), connection, None)
    os.close(writing)
    return Process(int(connection.recv(_MESSAGE_BYTES)), connection, os.fdopen(reading))


def share() -> None:
    """Start the forking process now, for the workers of this test session too."""
    os.environ[_SHARED] = _address()[1:].decode()


@cache
def _address() -> bytes:
    """Return the abstract address of the forking process, which is started once unless it is shared."""
    if shared := os.environ.get(_SHARED):
        return b"\0" + shared.encode()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(b"\0retinue-nursery-%d" % os.getpid())
    listener.listen()
    ours, theirs = socket.socketpair()
    inherited = [listener.fileno(), theirs.fileno()]
    env = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")}
    forking = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forking", *map(str, inherited)], cwd=ROOT, env=env, pass_fds=inherited
    )
    theirs.close()
    atexit.register(forking.wait)
    atexit.register(ours.close)
    address: bytes = listener.getsockname()
    listener.close()
    return address
