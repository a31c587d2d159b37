"""The pipe that lets processes detect the end of the server: see `sandbox.die_with_parent`."""

import fcntl
import os
import resource

_HIGHEST = 65_536
"""The kernel's descriptor table grows to the highest number: with this one, to half a megabyte."""
_ROOM = 64


def open_lifeline() -> tuple[int, int]:
    """Create a pipe and return its read and write ends; child processes get the read end.

    The write end gets a number above those of sockets and other pipes. Linux closes the files of a dead process from
    the highest number down (task_work_add takes its works last in, first out). A program whose standard input closed
    first could exit by itself, miss the signal of this pipe, and leave its child processes behind.
    """
    reading, writing = os.pipe()
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    high = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, max(0, min(most, _HIGHEST) - _ROOM))
    os.close(writing)
    return reading, high
