"""Reports whether the server can work, and the status of its parts."""

import os
import time
from pathlib import Path

from retinue.platform.platform import Platform

_LEAST_DISK = 16 << 20
"""Free disk space in bytes below which the server is not ready."""

_LEAST_INODES = 100
"""Free inodes, each for one new file, below which the server is not ready."""

_FRESH_S = 10.0
"""Seconds that a failed write counts. Without requests, no later write would show that the database recovered."""


def readiness(platform: Platform) -> dict[str, object]:
    """Return the body of `GET /readyz`. It contains a `reason` while the server is not ready."""
    reason = _trouble(platform)
    body = {"status": "not ready" if reason else "ready", **({"reason": reason} if reason else {})}
    parts = {
        "model": platform.models.status(),
        "tools": platform.libraries.status,
        "voice": platform.media.status,
    }
    bwrap_args = {"programs": platform.sandboxes.status, "sandbox": platform.pool.confinement.status}
    return {**body, **parts, **bwrap_args}


def _trouble(platform: Platform) -> str:
    """Return why writes currently fail, or an empty text if there is no known reason."""
    if trouble := disk_trouble(platform.home.folder):
        return trouble
    if not platform.database.responds:
        return "PostgreSQL does not respond. Check it, and the network to it."
    failed_at = platform.database.failed_at
    if failed_at is not None and time.monotonic() - failed_at < _FRESH_S:
        return "The database has just rejected a change. See the log for the reason."
    return ""


def disk_trouble(folder: Path) -> str:
    """Return why the disk of a folder cannot take new files, or an empty text."""
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize < _LEAST_DISK:
        return f"The disk of {folder} is full. Free some space."
    if disk.f_files and disk.f_favail < _LEAST_INODES:  # Some file systems have no fixed number: it is 0 there.
        return f"The disk of {folder} has no inodes left for new files, as `df -i` shows. Delete some files."
    return ""
