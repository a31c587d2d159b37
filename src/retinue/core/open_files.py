"""How many files and connections the process may have open at once (RLIMIT_NOFILE, getrlimit(2))."""

import resource

_MOST_FILES = 65_536
"""Enough. In containers the hard limit can be a thousand million, and child processes inherit what is set here."""

_MOST_CONNECTIONS = 16_384
_OTHER_FILES = 1024
"""For the database, pipes of workers, uploads and outgoing connections."""


def open_files() -> int:
    """The limit in force, at most 65,536."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _clamp(soft)


def raise_limit() -> None:
    """Raise the soft limit of open files to the hard one, at most to 65,536."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files() < _clamp(hard):
        resource.setrlimit(resource.RLIMIT_NOFILE, (_clamp(hard), hard))


def connections_for(files: int) -> int:
    """How many client connections fit into a limit of open files, beside what else the server opens."""
    return min(max(files - _OTHER_FILES, files // 2), _MOST_CONNECTIONS)


def _clamp(limit: int) -> int:
    return _MOST_FILES if limit == resource.RLIM_INFINITY else min(limit, _MOST_FILES)
