"""The limit of open files and connections (RLIMIT_NOFILE, getrlimit(2))."""

import resource

_MOST_FILES = 65_536
"""The highest limit to set. In containers the hard limit can be 10**9, and child processes inherit this limit."""

_MOST_CONNECTIONS = 16_384
_OTHER_FILES = 1024
"""Files reserved for the database, worker pipes, uploads and outgoing connections."""


def open_files() -> int:
    """Return the current limit, at most 65,536."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _clamp(soft)


def raise_limit() -> None:
    """Raise the soft limit of open files to the hard limit, at most 65,536."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files() < _clamp(hard):
        resource.setrlimit(resource.RLIMIT_NOFILE, (_clamp(hard), hard))


def connections_for(files: int) -> int:
    """Return how many client connections fit into a limit of `files`, beside the server's other open files."""
    return min(max(files - _OTHER_FILES, files // 2), _MOST_CONNECTIONS)


def _clamp(limit: int) -> int:
    return _MOST_FILES if limit == resource.RLIM_INFINITY else min(limit, _MOST_FILES)
