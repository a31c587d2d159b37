"""Named points at which a test kills the process, to prove that nothing is lost there.

`RETINUE_CRASH_AT=runs.claimed:3` ends the process with SIGKILL when it passes the point `runs.claimed` the third
time. Outside tests the variable is unset, and a point costs one comparison.
"""

import os
import signal

_name, _, _count = os.environ.get("RETINUE_CRASH_AT", "").partition(":")
_left = int(_count or 1)


def crash_point(name: str) -> None:
    """Kill the process here if `RETINUE_CRASH_AT` names this point."""
    if name == _name:
        _die_when_due()


def _die_when_due() -> None:
    global _left  # noqa: PLW0603 - one countdown for the whole process is the point
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
