"""Programs that a tool inside the server can start, each in a sandbox with limits, on a copy of a workspace folder.

In the sandbox, the copy is at `PROGRAM_FOLDER`. `PROGRAM_TEMPORARY` is a folder that is deleted with the sandbox.
"""

from retinue.sandbox.bwrap_args import FOLDER as PROGRAM_FOLDER
from retinue.sandbox.bwrap_args import TEMPORARY as PROGRAM_TEMPORARY
from retinue.sandbox.limits import ResourceLimits
from retinue.sandbox.sandbox import ProgramResult, Sandbox, StopReason
from retinue.workspace.working_copy import FolderChanges, WorkingCopy

__all__ = [
    "PROGRAM_FOLDER",
    "PROGRAM_TEMPORARY",
    "FolderChanges",
    "ProgramResult",
    "ResourceLimits",
    "Sandbox",
    "StopReason",
    "WorkingCopy",
]
