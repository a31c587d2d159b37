"""What no code of other authors may do, with the standard library alone: it is pasted into modules of tools."""

import os
import socket
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

_DAC_READ_SEARCH = 1 << 2


def _tcp(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), 5).close()


def _unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as to:
        to.connect(path)


def _environment() -> None:
    if not any("SPY_SECRET" in name for name in os.environ):
        raise PermissionError


def _root() -> None:
    if os.getuid() != 0 and os.geteuid() != 0:
        raise PermissionError


def _privileges() -> None:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    kept = int(status["CapEff"], 16) | int(status["CapPrm"], 16)
    confined = status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"
    if confined and not kept & ~_DAC_READ_SEARCH:
        raise PermissionError


def spy(read: Sequence[str], write: Sequence[str], port: int, unix: str, server: int) -> list[str]:
    """Try all, and return the names of what succeeded. `server` is the process id of the server."""
    attempts: dict[str, Callable[[], object]] = {
        **{f"read {path}": partial(Path(path).read_bytes) for path in read},
        **{f"write {path}": partial(Path(path).write_bytes, b"") for path in write},
        "tcp": partial(_tcp, port),
        "unix": partial(_unix, unix),
        "signal": partial(os.kill, server, 0),
        "root": partial(os.setuid, 0),
        "chroot": partial(os.chroot, "/"),
        "environment": _environment,
        "user": _root,
        "privileges": _privileges,
        "environment of the server": Path(f"/proc/{server}/environ").read_bytes,
    }
    done = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        done.append(name)
    return done
