"""Inspects processes."""

import psutil

from tests.support.server import Server


def children(server: Server) -> list[psutil.Process]:
    """Return every process that the server has started."""
    assert server.process is not None
    return psutil.Process(server.process.pid).children(recursive=True)


def all_gone(processes: list[psutil.Process]) -> bool:
    """Return whether none of the processes is running any longer."""
    return not [process for process in processes if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
