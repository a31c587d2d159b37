"""Programs that a tool inside the server can start, each in a sandbox with limits, on a copy of a workspace folder.

In the sandbox, the copy is at `PROGRAM_FOLDER`. `PROGRAM_TEMPORARY` is a folder that is deleted with the sandbox.
"""

from retinue.bubbles.bubble import Bubble, Ended, Stopped
from retinue.bubbles.bwrap_args import FOLDER as PROGRAM_FOLDER
from retinue.bubbles.bwrap_args import TEMPORARY as PROGRAM_TEMPORARY
from retinue.bubbles.limits import Limits
from retinue.workspace.working_copy import Changes, WorkingCopy

__all__ = [
    "PROGRAM_FOLDER",
    "PROGRAM_TEMPORARY",
    "Bubble",
    "Changes",
    "Ended",
    "Limits",
    "Stopped",
    "WorkingCopy",
]
