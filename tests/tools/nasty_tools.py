"""Functions that misbehave in every way a tool can, for the pool to survive."""

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from retinue.tools.authoring.declare import ToolError, ToolUnavailable
from retinue.tools.authoring.output_file_api import output_path, save

kept: list[bytearray] = []


def echo(**args: Any) -> dict[str, Any]:
    return args


def process_id() -> dict[str, Any]:
    return {"pid": os.getpid()}


def environment() -> dict[str, Any]:
    return {"environment": dict(os.environ), "folder": str(Path.cwd())}


def hang() -> dict[str, Any]:
    while True:
        time.sleep(3600)


def burn() -> dict[str, Any]:
    """Busy without ever returning to the interpreter."""
    return {"value": 9**9**9}


def refuse() -> dict[str, Any]:
    raise ToolError("There is no such city. Check the spelling.")


def be_unavailable() -> dict[str, Any]:
    raise ToolUnavailable("The weather service does not answer.")


def fill_disk() -> dict[str, Any]:
    raise OSError(errno.ENOSPC, "No space left on device")


def fail() -> dict[str, Any]:
    raise KeyError("secret detail")


def fail_with(connection: str) -> dict[str, Any]:
    raise KeyError(connection)


def leave() -> dict[str, Any]:
    os._exit(3)


def segfault() -> dict[str, Any]:
    ctypes.string_at(0)
    return {}


def die_by_signal() -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def hog() -> dict[str, Any]:
    return {"length": len(bytearray(2**32))}


def hog_slowly() -> dict[str, Any]:
    rows: list[bytearray] = []
    while True:
        rows.append(bytearray(2**20))


def recurse() -> dict[str, Any]:
    return recurse()


def chatter() -> dict[str, Any]:
    sys.stdout.write("\x00\x00\x00\x02{}")
    sys.stdout.flush()
    os.write(1, b"\x00\x00\x00\x02{}")
    subprocess.run(["/bin/echo", "hello"], check=True)
    sys.stdout.write(sys.stdin.read())
    return {"said": True}


def give(kind: str) -> Any:
    return {
        "nan": {"value": [float("nan")]},
        "infinity": {"value": float("inf")},
        "null": {"value": None, "infinity": "null"},
        "list": [1],
        "huge": {"value": 2**70},
        "object": {"value": object()},
        "keys": {"value": {1: 2}},
        "long": {"value": "x" * (17 * 2**20)},
        "large": {"value": "x" * (4 * 2**20)},
    }[kind]


def open_socket(family: int) -> dict[str, Any]:
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError as error:
        raise ToolError(f"no socket: {error.strerror}") from error
    return {"opened": True}


def read(path: str) -> dict[str, Any]:
    try:
        return {"content": Path(path).read_text(errors="replace")[:100]}
    except OSError as error:
        raise ToolError(f"not readable: {error.strerror}") from error


def write(path: str) -> dict[str, Any]:
    try:
        Path(path).write_text("written")
    except OSError as error:
        raise ToolError(f"not writable: {error.strerror}") from error
    return {"files": sorted(path.name for path in Path().iterdir())}


def signal_process(pid: int) -> dict[str, Any]:
    try:
        os.kill(pid, 0)
    except OSError as error:
        raise ToolError(f"no signal: {error.strerror}") from error
    return {"sent": True}


def start_child() -> dict[str, Any]:
    return {"pid": subprocess.Popen(["/bin/sleep", "3600"]).pid, "worker": os.getpid()}


def spend(seconds: float) -> dict[str, Any]:
    time.sleep(seconds)
    return {"pid": os.getpid(), "seconds": seconds}


def look_around() -> dict[str, Any]:
    return {"files": sorted(path.name for path in Path().iterdir())}


def move_away() -> dict[str, Any]:
    Path("left-behind").mkdir()
    os.chdir("left-behind")
    return {}


def make_files(names: list[str]) -> dict[str, Any]:
    return {"first": save(names[0], b"one"), "others": [{"file": save(name, b"more")} for name in names[1:]]}


def make_trap(kind: str) -> dict[str, Any]:
    path = output_path("trap.txt")
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "linked folder":
        path.parent.rmdir()
        path.parent.symlink_to("/etc")
    elif kind == "pipe":
        os.mkfifo(path)
    return {"first": {"outside": "../trap.txt", "linked folder": "passwd"}.get(kind, path.name)}


def look_for_made() -> dict[str, Any]:
    return {"files": sorted(str(path) for path in Path().rglob("*"))}


def grow() -> dict[str, Any]:
    kept.append(bytearray(os.urandom(1) * (64 * 2**20)))
    return {"pid": os.getpid()}


def call_kernel(calls: list[list[int]]) -> dict[str, Any]:
    """What the kernel answers to system calls by number: 0 for success, else the number of the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    answers = []
    for call in calls:
        outcome = libc.syscall(*map(ctypes.c_long, call))
        answers.append(ctypes.get_errno() if outcome < 0 else 0)
    return {"answers": answers}


def show_rights() -> dict[str, Any]:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    names = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp")
    return {"pid": os.getpid(), "rights": {name: status[name].split() for name in names}}


def make_link(target: str) -> dict[str, Any]:
    try:
        Path("link").symlink_to(target)
    except OSError as error:
        raise ToolError(f"no link: {error.strerror}") from error
    return {"linked": True}


def list_by_program() -> dict[str, Any]:
    Path("written").write_text("x")
    listing = subprocess.run(["/bin/ls", str(Path.cwd())], check=True, capture_output=True, text=True)
    return {"names": listing.stdout.split()}
