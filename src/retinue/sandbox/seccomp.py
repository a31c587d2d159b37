"""The seccomp filter of sandboxed programs.

Besides calls that reach deep into the kernel, it denies calls that hold memory not attributed to any process, and
socket families that network namespaces do not isolate, such as those between a virtual machine and its host.
"""

import socket

from retinue.core.children import seccomp

_MEMORY = ("memfd_create", "memfd_secret", "shmget", "msgget", "semget")
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)


def program() -> bytes:
    """Return the filter program for bubblewrap's `--seccomp`."""
    refused = [seccomp.refuse(name) for name in (*seccomp.KERNEL, *_MEMORY)]
    return seccomp.program([*refused, seccomp.only_families(*_FAMILIES)])
