"""The system calls that a program in a bubble may not make, as a seccomp filter.

Besides those that reach the kernel's depths, refused are those that hold memory which no process is seen to use, and
sockets of families that network namespaces do not part, such as those between a virtual machine and its host.
"""

import socket

from retinue.core import seccomp

_MEMORY = ("memfd_create", "memfd_secret", "shmget", "msgget", "semget")
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)


def program() -> bytes:
    """The filter, for `--seccomp` of bubblewrap."""
    refused = [seccomp.refuse(name) for name in (*seccomp.KERNEL, *_MEMORY)]
    return seccomp.program([*refused, seccomp.only_families(*_FAMILIES)])
