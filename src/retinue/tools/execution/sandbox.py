"""Confine a worker process before it runs a tool: files, sockets, other processes and resources.

Landlock (Linux 5.13 on) confines files, seccomp (x86-64, aarch64) confines system calls. If the kernel lacks one, the
worker reports it and continues without; the server decides whether tools may run there. Constants and structures are
those of the kernel's `landlock.h`.
"""

import ctypes
import fcntl
import os
import platform
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from retinue.core.children import seccomp
from retinue.tools.execution import privileges

_libc = ctypes.CDLL(None, use_errno=True)

SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/nix/store", "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf",
    "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/hosts", "/etc/resolv.conf",
    "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/localtime", "/etc/mime.types", "/etc/ld.so.cache",
    "/etc/fonts", "/etc/alternatives", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
)  # fmt: skip
"""What a confined process reads: programs, libraries, certificates, and the configuration of names and time."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38

_LANDLOCK_CREATE, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT = 444, 445, 446
_READ = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read files, list folders."""
_READ_FILE = 1 << 0 | 1 << 2
_WRITE_FILE = 1 << 1 | 1 << 14
_SCRATCH = _READ | 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 13 | 1 << 14
"""In addition: write, truncate, create, move and remove files and folders. No links, devices, sockets or pipes."""
_LINKS = 1 << 12 | 1 << 13
"""Create symbolic links; move and link files between folders."""
_NO_SIGNALS_NO_ABSTRACT_SOCKETS = 3

_INTERNET = (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
"""Families of sockets that programs with a network need; C libraries list the machine's addresses by netlink."""
_MSG_FASTOPEN = 0x20000000
"""Sending with this flag connects."""
_OTHER_PROCESSES = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "move_pages",
    "migrate_pages",
)  # fmt: skip
"""System calls that access other processes."""
_OUTSIDE = ("socket", "connect", "symlink", "symlinkat")
"""System calls that create connections or symbolic links, which the server must never encounter."""
_SENDING = {"sendto": 3, "sendmsg": 2, "sendmmsg": 3}
"""System calls that send, with the position of their flags: a tool must not reconnect the sockets it receives."""
_ON_OTHERS = {
    "prlimit64": 0, "sched_setaffinity": 0, "sched_setattr": 0, "sched_setparam": 0, "sched_setscheduler": 0,
    "setpriority": 1, "ioprio_set": 1,
}  # fmt: skip
"""System calls that change a process, with the position of its id."""


def die_with_parent(parent: int, lifeline: int) -> None:
    """End this process and all that it has started when its parent ends, however the parent ends.

    `lifeline` is a pipe that only the parent holds open for writing. When that end closes, the kernel kills the whole
    process group (`F_SETSIG`, fcntl(2)), even after this process has executed another program. If that is
    unavailable, the kernel kills this process alone (prctl(2)). Never use both: a process that is already dead does
    not get the pipe's signal, and the processes it has started would live on.
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
    """Limit the process: no core dumps, 256 open files, files of up to 64 MiB, and the number of processes and
    threads.

    If the server runs as root, each worker has a user of its own, so the kernel counts only the worker's processes.
    Otherwise the worker shares a user with the server and that user's other processes.
    """
    processes = 256 if os.geteuid() == 0 else 4096
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_FSIZE: 64 * 2**20,
        resource.RLIMIT_NPROC: processes,
    }
    for kind, bound in bounds.items():
        hard = resource.getrlimit(kind)[1]
        most = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (most, most))


def confine_python(scratch: str) -> list[str]:
    """Limit and confine a process that imports tools: it reads the system's and Python's files alone, and writes
    below `scratch`.

    Call it before any tool is imported, while the process has a single thread. Returns what could not be denied.
    """
    limit_resources()
    readable = [*SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(os.path.exists, sys.path)]
    return confine(readable, DEVICES, scratch)


def confine(readable: Iterable[str], devices: Iterable[str], scratch: str) -> list[str]:
    """Drop all privileges, and deny all files but these, signals to other processes, and creating or connecting
    sockets.

    Returns what could not be denied, and why.
    """
    readable = list(readable)
    return _take(
        rights=partial(privileges.drop_privileges, scratch, filter(os.path.exists, readable)),
        landlock=partial(_restrict_files, readable, devices, scratch),
        seccomp=_filter_calls,
    )


def confine_program(
    readable: Iterable[str], writable: Iterable[str], home: str, *, network: bool, user: int
) -> list[str]:
    """Drop the privileges of a program that the operator allows. If this process is root, it becomes `user`, who owns
    `home`.

    Denied are all files but those of the system, `readable`, `writable` and `home`, signals to other processes, their
    memory, calls that reach deep into the kernel, Unix sockets, and without `network` all sockets. Returns what could
    not be denied, and why.
    """
    readable, writable = [*SYSTEM, *readable], [*writable]
    rules = [*map(seccomp.refuse, (*seccomp.KERNEL, *_OTHER_PROCESSES))]
    rules += (seccomp.only_on_itself(name, place) for name, place in _ON_OTHERS.items())
    rules.append(seccomp.only_families(*_INTERNET) if network else seccomp.refuse("socket"))
    return _take(
        rights=partial(privileges.drop_privileges, home, filter(os.path.exists, [*readable, *writable]), user),
        landlock=partial(_restrict_files, readable, DEVICES, home, writable, links=True),
        seccomp=partial(filter_calls, rules),
    )


def _take(**steps: Callable[[], None]) -> list[str]:
    """Take all steps. Returns those that failed, and why."""
    failed = []
    for name, step in steps.items():
        try:
            step()
        except OSError as error:
            failed.append(f"{name}: {error.strerror}")
    return failed


def _restrict_files(
    readable: Iterable[str],
    devices: Iterable[str],
    scratch: str,
    writable: Iterable[str] = (),
    *,
    links: bool = False,
) -> None:
    """Deny all files but these. With `links`, the process may create symbolic links in `scratch`."""
    version = _check(_libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1))
    handled = (1 << (13 if version == 1 else 14 if version == 2 else 15 if version < 5 else 16)) - 1
    attributes = struct.pack("=QQQ", handled, 0, _NO_SIGNALS_NO_ABSTRACT_SOCKETS if version >= 6 else 0)
    size = 24 if version >= 6 else 8
    ruleset = _check(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0))
    for path in readable:
        _allow(ruleset, path, handled & (_READ if Path(path).is_dir() else _READ_FILE))
    for path in devices:
        _allow(ruleset, path, handled & (_READ_FILE | _WRITE_FILE))
    for path in writable:
        _allow(ruleset, path, handled & (_SCRATCH if Path(path).is_dir() else _READ_FILE | _WRITE_FILE))
    _allow(ruleset, scratch, handled & (_SCRATCH | _LINKS if links else _SCRATCH))
    _check(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rule = struct.pack("=Qi", access, handle)
    try:
        _check(_libc.syscall(_LANDLOCK_ADD_RULE, ruleset, 1, rule, 0))
    finally:
        os.close(handle)


def _filter_calls() -> None:
    filter_calls(
        [
            *map(seccomp.refuse, (*seccomp.KERNEL, *_OTHER_PROCESSES, *_OUTSIDE)),
            *(seccomp.refuse_flags(name, place, _MSG_FASTOPEN) for name, place in _SENDING.items()),
            *(seccomp.only_on_itself(name, place) for name, place in _ON_OTHERS.items()),
        ]
    )


def confine_media(readable: Iterable[str], scratch: str) -> list[str]:
    """Drop the privileges that a networked process does not need. It keeps its user and sockets.

    Denied are new privileges, all files but those of the system, `readable` and the folder `scratch`, where alone it
    may write, signals to other processes, calls that reach deep into the kernel, and the memory and descriptors of
    other processes. Returns what could not be denied, and why. Call it while the process has a single thread: other
    threads would not be confined.
    """
    return _take(
        rights=_refuse_new_rights,
        landlock=partial(_restrict_files, [*SYSTEM, *readable], DEVICES, scratch),
        seccomp=_filter_media_calls,
    )


def _refuse_new_rights() -> None:
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _filter_media_calls() -> None:
    filter_calls(
        [
            *map(seccomp.refuse, (*seccomp.KERNEL, *_OTHER_PROCESSES)),
            *(seccomp.only_on_itself(name, place) for name, place in _ON_OTHERS.items()),
        ]
    )


def filter_calls(rules: Iterable[seccomp.Rule]) -> None:
    """Make the kernel apply these rules permanently to this thread and to all that it starts. Raises `OSError`."""
    if not seccomp.is_supported():
        raise OSError(0, f"no filter for {platform.machine()}")
    program = seccomp.program(rules)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _check(_libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0))


def _check(outcome: int) -> int:
    if outcome < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return outcome
