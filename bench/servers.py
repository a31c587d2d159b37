"""Server processes: start them on free ports, measure their CPU time and memory, and stop them."""

import http.client
import os
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_START_S = 120.0
_STOP_S = 20.0


@dataclass(frozen=True)
class StartUp:
    """The time to the first answer: seconds of wall time, and CPU seconds of all processes."""

    seconds: float
    cpu_s: float


class Server:
    """A process that serves HTTP on a port of its own. Its output goes to `log` in its folder."""

    def __init__(self, command: Sequence[str], port: int, folder: Path, env: dict[str, str], probe: str) -> None:
        """Start `command` and wait until GET `probe` returns 200. Raises `RuntimeError`."""
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "log"
        began = time.perf_counter()
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, env={**os.environ, **env}, stdout=log, stderr=subprocess.STDOUT
            )
        self._tree = psutil.Process(self._process.pid)
        self._await_answer(probe)
        self.start_up = StartUp(time.perf_counter() - began, self.cpu_s())

    def _await_answer(self, probe: str) -> None:
        deadline = time.perf_counter() + _START_S
        while not _answers(self.port, probe):
            if self._process.poll() is not None or time.perf_counter() > deadline:
                self.stop()
                raise RuntimeError(f"The server did not start:\n{self.log.read_text()}")
            time.sleep(0.02)

    def cpu_s(self) -> float:
        """Return the CPU seconds, user and system, of the process and its descendants."""
        total = 0.0
        for process in [self._tree, *self._tree.children(recursive=True)]:
            try:
                times = process.cpu_times()
            except psutil.Error:
                continue
            total += times.user + times.system
        return total

    def own_cpu_s(self) -> float:
        """Return the CPU seconds, user and system, of the process without its descendants."""
        times = self._tree.cpu_times()
        return float(times.user + times.system)

    def memory_mb(self) -> float:
        """Return the resident MB of the process without its descendants."""
        return self._tree.memory_info().rss / 1e6

    def peak_memory_mb(self) -> float:
        """Return the peak resident MB of the process without its descendants."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6

    def stop(self) -> None:
        """Terminate the process and wait for its end."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
