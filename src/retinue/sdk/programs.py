"""Programs that a tool inside the server starts: each in a bubble with limits, on a copy of a folder of the workspace.

In a bubble the copy lies at `PROGRAM_FOLDER`, and `PROGRAM_TEMPORARY` is a folder that goes away with it.
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
