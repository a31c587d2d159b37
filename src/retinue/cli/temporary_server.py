"""Run a temporary server for one command, on a free port with a temporary data folder."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from retinue.core.children.processes import Popen, popen
from retinue.core.errors import Unavailable

_SETTINGS = {
    "HOST": "127.0.0.1",
    "PORT": "0",
    "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8",
    "RETINUE_LOCAL_MODEL": "off",
    "RETINUE_LOG_LEVEL": "error",
    "RETINUE_RATE_LIMITS": "off",
}
_STOP_S = 20.0


@contextmanager
def temporary_server() -> Iterator[tuple[str, str]]:
    """Yield the server's address and its owner's key. Rate limits are off, and loopback addresses are allowed."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+") as log:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")}
        env = {**inherited, **_SETTINGS, "RETINUE_HOME": f"{folder}/home"}
        command = [sys.executable, "-m", "retinue", "serve"]
        server = popen(command, env, log.fileno())
        try:
            yield _read_address(server, log)
        finally:
            server.terminate()
            server.wait(_STOP_S)


def _read_address(server: Popen[str], log: IO[str]) -> tuple[str, str]:
    printed: dict[str, str] = {}
    for line in server.stdout or ():
        name, _, value = line.strip().partition("  ")
        printed[name] = value.strip()
        if "API key" in printed:
            return printed["API"].removesuffix("/api/v1"), printed["API key"]
    log.seek(0)
    raise Unavailable(f"The temporary server did not start: {log.read()[-500:]}")
