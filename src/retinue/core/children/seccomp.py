"""Builds system call filters (seccomp(2)) as classic BPF programs.

The numbers and structures come from the kernel's system call tables, `seccomp.h` and `bpf_common.h`.
"""

import platform
import struct
from collections.abc import Iterable, Sequence

_CALLS = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "sendto": (44, 206),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "shmget": (29, 194),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "symlinkat": (266, 36),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
"""System call numbers on x86-64 and aarch64."""

_OF_X86_64 = {"ioperm": 173, "iopl": 172, "modify_ldt": 154, "symlink": 88}

KERNEL = (
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "unshare", "setns", "open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd", "acct",
    "add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "lookup_dcookie",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname", "setdomainname", "syslog", "vhangup",
    "iopl", "ioperm", "modify_ldt",
)  # fmt: skip
"""Calls that no code here may use: they change the machine or its namespaces, or expose much of the kernel."""

_NEW_NAMESPACES = 0x7E020000
"""The flags CLONE_NEW* of clone(2)."""

_AUDIT_NAMES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NOT_PERMITTED, _NO_SUCH_CALL, _NO_SUCH_FAMILY = _ERROR | 1, _ERROR | 38, _ERROR | 97

_Step = tuple[int, int, int, int]
Rule = Sequence[_Step]
"""The BPF steps for one system call. Other calls pass on to the next rule."""


def is_supported() -> bool:
    """Return True if the system call numbers of this machine type are known."""
    return platform.machine() in _AUDIT_NAMES


def program(rules: Iterable[Rule]) -> bytes:
    """Build a filter. It kills foreign machine types, refuses the x32 ABI, and allows all calls that no rule refuses.

    A filter cannot see the flags of clone3, so clone3 fails with ENOSYS. libc then falls back to clone, for which the
    filter refuses the namespace flags.
    """
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT_NAMES[platform.machine()]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _NOT_PERMITTED),
        *_on("clone3", [(_RETURN, 0, 0, _NO_SUCH_CALL)]),
        *refuse_flags("clone", 0, _NEW_NAMESPACES),
    ]
    steps += (step for rule in rules for step in rule)
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (_RETURN, 0, 0, _ALLOW)])


def refuse(name: str) -> Rule:
    """Refuse a call."""
    return _on(name, [(_RETURN, 0, 0, _NOT_PERMITTED)])


def refuse_flags(name: str, argument: int, flags: int) -> Rule:
    """Refuse a call if any of these bits is set in the lower 32 bits of an argument."""
    return _on(
        name, [_load(argument), (_ANY_BIT, 0, 1, flags), (_RETURN, 0, 0, _NOT_PERMITTED), (_RETURN, 0, 0, _ALLOW)]
    )


def only_on_itself(name: str, argument: int) -> Rule:
    """Allow a call only if the argument that names a process is 0, the caller itself."""
    return _on(name, [_load(argument), (_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _NOT_PERMITTED), (_RETURN, 0, 0, _ALLOW)])


def only_families(*families: int) -> Rule:
    """Allow only sockets of these address families."""
    known = [step for family in families for step in ((_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW))]
    return _on("socket", [_load(0), *known, (_RETURN, 0, 0, _NO_SUCH_FAMILY)])


def _load(argument: int) -> _Step:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)


def _on(name: str, steps: Sequence[_Step]) -> list[_Step]:
    """Apply steps that end in a return to one call. Returns no steps if the machine lacks the call."""
    machine = platform.machine()
    if name in _OF_X86_64:
        return [(_EQUAL, 0, len(steps), _OF_X86_64[name]), *steps] if machine == "x86_64" else []
    return [(_EQUAL, 0, len(steps), _CALLS[name][list(_AUDIT_NAMES).index(machine)]), *steps]
