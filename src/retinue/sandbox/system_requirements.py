"""Check what sandboxes and tools need from the machine, and explain to the operator how to install it."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from retinue.core.children import seccomp

PACKAGES = {"bwrap": "bubblewrap", "git": "git", "ffmpeg": "ffmpeg", "ffprobe": "ffmpeg"}
"""Programs that tools may need, with the system packages that contain them."""

_SWITCHES = {
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "10000"),
}
"""Kernel settings that deny namespaces to ordinary users: the denying value, and a permitting one."""


def find_program(name: str) -> str | None:
    """Return the path of a program on the server's PATH."""
    return shutil.which(name)


def describe_missing(needs: Iterable[str]) -> str:
    """Which of these programs are missing and how to install them; empty if none is."""
    absent = [name for name in dict.fromkeys(needs) if find_program(name) is None]
    if not absent:
        return "" if seccomp.is_supported() else "Programs can only run on x86-64 and aarch64."
    packages = " ".join(dict.fromkeys(PACKAGES[name] for name in absent))
    names = " and ".join(absent)
    return f"{names} not found on this server. The operator can install {packages} (apt-get install {packages})."


def explain_denial(reason: str) -> str:
    """Return the message for the operator when the kernel denies bubblewrap what it needs; `reason` is bubblewrap's."""
    for switch, (wrong, right) in _SWITCHES.items():
        if _value(switch) == wrong:
            return (
                f"The program bubblewrap is not allowed to run here ({reason}). The operator can allow it: sysctl -w "
                f"{switch}={right}"
            )
    return (
        f"The program bubblewrap does not work here ({reason}). In a container, its runtime must allow user namespaces "
        "and mounts; otherwise the operator can run the server outside one."
    )


def _value(switch: str) -> str:
    try:
        return Path("/proc/sys", *switch.split(".")).read_text().strip()
    except OSError:
        return ""
