"""Drop the privileges of a worker process: root, and all capabilities (capabilities(7))."""

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_FIRST_USER = 1_900_000_000
"""First user id for the workers of a server that runs as root: each has its own, above those of any real account."""

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 8, 38, 47
_RAISE, _CLEAR_ALL = 2, 4
_VERSION_3 = 0x20080522
_DAC_READ_SEARCH = 2


def drop_privileges(scratch: str, needed: Iterable[str], user: int | None = None) -> None:
    """Drop every capability and the means to regain any; root becomes `user`, by default one of this process alone,
    who owns `scratch`.

    One capability stays, to read files and traverse folders, if only root can reach the paths in `needed`, such as an
    environment below `/root`. Landlock alone then restricts reading. Raises `OSError` if root cannot be dropped.
    """
    capabilities = 0
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    try:
        if os.geteuid() == 0:
            _libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
            required = [(path, _access(path)) for path in (scratch, *needed)]
            _become(_FIRST_USER + os.getpid() if user is None else user, scratch)
            # access(2) ignores capabilities here, so it reports what the user may do.
            capabilities = 0 if all(os.access(path, access) for path, access in required) else 1 << _DAC_READ_SEARCH
    finally:
        _libc.prctl(_PR_SET_KEEPCAPS, 0, 0, 0, 0)
        _libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
        _set_capabilities(capabilities)
        _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # otherwise root owns the process's own /proc/self


def _become(user: int, scratch: str) -> None:
    os.chown(scratch, user, user)
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:
        os.chown(scratch, 0, 0)
        raise


def _access(path: str) -> int:
    return os.R_OK | os.X_OK if Path(path).is_dir() else os.R_OK


def _set_capabilities(capabilities: int) -> None:
    header = struct.pack("=Ii", _VERSION_3, 0)
    if _libc.capset(header, struct.pack("=6I", capabilities, capabilities, capabilities, 0, 0, 0)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if capabilities:  # programs that a tool starts must reach its folder as well
        _libc.prctl(_PR_CAP_AMBIENT, _RAISE, _DAC_READ_SEARCH, 0, 0)
