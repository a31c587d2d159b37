"""What becomes of processes."""

import psutil

from tests.support.server import Server


def children(server: Server) -> list[psutil.Process]:
    """Every process that the server has started."""
    assert server.process is not None
    return psutil.Process(server.process.pid).children(recursive=True)


def all_gone(processes: list[psutil.Process]) -> bool:
    """Whether none of them runs any longer."""
    return not [process for process in processes if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
