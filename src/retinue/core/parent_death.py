"""Ties a child process to the life of its parent, so that kill -9 of the server leaves nothing behind.

`python -m retinue.core.parent_death PARENT_PID COMMAND …` becomes COMMAND, tied to its parent.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends (prctl(2), Linux); end at once if it has already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit("the parent process is gone")


def tie(command: list[str]) -> list[str]:
    """`command` as a child of this process that ends when it ends."""
    return [sys.executable, "-m", "retinue.core.parent_death", str(os.getpid()), *command]


if __name__ == "__main__":
    die_with(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - becoming the command is the purpose
