"""Makes child processes end with their parent, so that kill -9 of the server leaves no process behind.

`python -m retinue.core.children.parent_death PARENT_PID COMMAND …` executes COMMAND so that it ends with its parent.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` ends (prctl(2), Linux). Exit if it has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit("the parent process is gone")


def tie(command: list[str]) -> list[str]:
    """Wrap `command` so that a child process running it ends when this process ends."""
    return [sys.executable, "-m", "retinue.core.children.parent_death", str(os.getpid()), *command]


if __name__ == "__main__":
    die_with(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - becoming the command is the purpose
