"""The system calls that a program in a bubble may not make, as a seccomp filter.

Refused are those that make new namespaces or mounts, which open the most of the kernel to attack; those that hold
memory which no process is seen to use; and sockets of families that network namespaces do not part, such as those
between a virtual machine and its host. Numbers and structures are those of the kernel's tables of system calls,
`seccomp.h` and `bpf_common.h`.
"""

import platform
import struct
from collections.abc import Sequence

_REFUSED = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "open_by_handle_at": (304, 265),
}
"""Their numbers on x86-64 and on aarch64."""

_AUDIT_NAMES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE, _SOCKET, _CLONE3 = (56, 220), (41, 198), 435
_NEW_USER_NAMESPACE = 0x10000000
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""

_X32 = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NOT_PERMITTED, _NO_SUCH_CALL, _NO_SUCH_FAMILY = _ERROR | 1, _ERROR | 38, _ERROR | 97

_Step = tuple[int, int, int, int]


def supported() -> bool:
    """Whether the calls of this kind of machine are known."""
    return platform.machine() in _AUDIT_NAMES


def program() -> bytes:
    """The filter, for `--seccomp` of bubblewrap. libc makes do without clone3, whose flags no filter can see."""
    machine = platform.machine()
    column = list(_AUDIT_NAMES).index(machine)
    steps: list[_Step] = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT_NAMES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _NOT_PERMITTED),
        *_on(_CLONE3, [(_RETURN, 0, 0, _NO_SUCH_CALL)]),
    ]
    for numbers in _REFUSED.values():
        steps += _on(numbers[column], [(_RETURN, 0, 0, _NOT_PERMITTED)])
    steps += _on(_CLONE[column], _unless_new_user())
    steps += _on(_SOCKET[column], _if_known_family())
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (_RETURN, 0, 0, _ALLOW)])


def _on(number: int, steps: Sequence[_Step]) -> list[_Step]:
    """Take these steps for one system call; they end in an answer."""
    return [(_EQUAL, 0, len(steps), number), *steps]


def _unless_new_user() -> list[_Step]:
    return [
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _NEW_USER_NAMESPACE),
        (_RETURN, 0, 0, _NOT_PERMITTED),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _if_known_family() -> list[_Step]:
    known = [
        step for family in _FAMILIES for step in ((_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW))
    ]  # fmt: skip
    return [(_LOAD, 0, 0, _FIRST_ARGUMENT), *known, (_RETURN, 0, 0, _NO_SUCH_FAMILY)]
