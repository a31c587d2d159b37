"""What a worker process gives up before it touches a tool: files, sockets, other processes, and excess of anything.

Landlock (Linux 5.13 on) confines files, seccomp (x86-64, aarch64) confines system calls. Where the kernel lacks one,
the worker runs without it and says so. Constants and structures are those of the kernel's `landlock.h`, `seccomp.h`,
`bpf_common.h` and its tables of system calls.
"""

import ctypes
import fcntl
import os
import platform
import resource
import signal
import struct
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38

_LANDLOCK_CREATE, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_READ = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read files, list folders."""
_READ_FILE = 1 << 0 | 1 << 2
_WRITE_FILE = 1 << 1 | 1 << 14
_SCRATCH = _READ | 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13 | 1 << 14
"""Besides: write, truncate, make, move and remove files, folders and symbolic links. No devices, sockets or pipes."""
_NO_SIGNALS_NO_ABSTRACT_SOCKETS = 3

_SYSCALLS: dict[str, tuple[int, Sequence[int], Sequence[tuple[int, int]]]] = {
    "x86_64": (0xC000003E, (41, 42, 101, 310, 311, 438), ((44, 3), (46, 2), (307, 3))),
    "aarch64": (0xC00000B7, (198, 203, 117, 270, 271, 438), ((206, 3), (211, 2), (269, 3))),
}
"""The audit name of the machine; the numbers of calls that reach out of the process: socket, connect, ptrace,
process_vm_readv, process_vm_writev, pidfd_getfd; and those that send, with the place of their flags: sendto, sendmsg,
sendmmsg.
"""
_IO_URING_SETUP = 425
_MSG_FASTOPEN = 0x20000000
"""Sending with it connects."""
_X32 = 0x40000000
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16


def die_with_parent(parent: int, lifeline: int) -> None:
    """End with the process that started this one, however it ends, and take along whatever this one has started.

    `lifeline` is a pipe that only the parent holds open for writing: when that end closes, the kernel kills the whole
    process group (`F_SETSIG`, fcntl(2)), also when this process has become another program. Where that cannot be had,
    it kills this process alone (prctl(2)). Not both: a process that is dead already does not hear of the pipe, and what
    it has started would live on.
    """
    try:
        own = os.open(f"/proc/self/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK)
        os.set_inheritable(own, True)
        fcntl.fcntl(own, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(own, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    except OSError:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.close(lifeline)
    if os.getppid() != parent:
        os.killpg(0, signal.SIGKILL)


def limit_resources() -> None:
    """No core dumps, 256 open files, files of up to 64 MiB."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 2**20, 64 * 2**20))


def confine(readable: Iterable[str], devices: Iterable[str], scratch: str) -> list[str]:
    """Give up all files but these, signals to others, and making or connecting sockets.

    Returns what could not be given up, and why.
    """
    failed = []
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for name, step in (
        ("landlock", partial(_restrict_files, readable, devices, scratch)),
        ("seccomp", _filter_calls),
    ):
        try:
            step()
        except OSError as error:
            failed.append(f"{name}: {error.strerror}")
    return failed


def _restrict_files(readable: Iterable[str], devices: Iterable[str], scratch: str) -> None:
    version = _checked(_libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1))
    handled = (1 << (13 if version == 1 else 14 if version == 2 else 15 if version < 5 else 16)) - 1
    attributes = struct.pack("=QQQ", handled, 0, _NO_SIGNALS_NO_ABSTRACT_SOCKETS if version >= 6 else 0)
    size = 24 if version >= 6 else 8
    ruleset = _checked(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0))
    for path in readable:
        _allow(ruleset, path, handled & (_READ if Path(path).is_dir() else _READ_FILE))
    for path in devices:
        _allow(ruleset, path, handled & (_READ_FILE | _WRITE_FILE))
    _allow(ruleset, scratch, handled & _SCRATCH)
    _checked(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rule = struct.pack("=Qi", access, handle)
    try:
        _checked(_libc.syscall(_LANDLOCK_ADD_RULE, ruleset, 1, rule, 0))
    finally:
        os.close(handle)


def _filter_calls() -> None:
    machine = platform.machine()
    if machine not in _SYSCALLS:
        raise OSError(0, f"no filter for {machine}")
    program = _program(*_SYSCALLS[machine])
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0))


def _program(machine: int, refused: Sequence[int], sending: Sequence[tuple[int, int]]) -> bytes:
    """A filter that kills calls of a foreign machine type and refuses calls that reach out of the process.

    Connections that were handed over may be used, and not be turned to another address.
    """
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for number in (_IO_URING_SETUP, *refused):
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    for number, flags in sending:
        check = [(_LOAD, 0, 0, _ARGUMENTS + 8 * flags), (_ANY_BIT, 0, 1, _MSG_FASTOPEN), (_RETURN, 0, 0, _REFUSE)]
        steps += [(_EQUAL, 0, 4, number), *check, (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (_RETURN, 0, 0, _ALLOW)])


def _checked(outcome: int) -> int:
    if outcome < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return outcome
