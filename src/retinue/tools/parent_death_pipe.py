"""The pipe by whose end processes notice that the server is gone: see `sandbox.die_with_parent`."""

import fcntl
import os
import resource

_HIGHEST = 65_536
"""The kernel's table of files grows to the highest number: to half a megabyte with this one."""
_ROOM = 64


def open_lifeline() -> tuple[int, int]:
    """The reading end and the writing end of a pipe, of which processes that are started get the reading end.

    The writing end gets a number above those of sockets and other pipes. Linux closes the files of a dead process from
    the highest number down (the works of task_work_add are taken last in, first out): a program whose standard input
    closed first could end by itself, hear no more of this pipe, and leave behind what it has started.
    """
    reading, writing = os.pipe()
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    high = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, max(0, min(most, _HIGHEST) - _ROOM))
    os.close(writing)
    return reading, high
