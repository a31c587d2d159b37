"""Whether the server can work, and what its parts say of themselves."""

import shutil
import time
from typing import Any

from retinue.platform.platform import Platform

_LEAST_DISK = 16 << 20
"""Free bytes below which the server is not ready."""

_FRESH_S = 10.0
"""How long a refused change counts: a server that gets no requests has nothing to show that it is well again."""


def readiness(platform: Platform) -> dict[str, Any]:
    """What `GET /readyz` answers; it holds a `reason` while the server is not ready."""
    reason = _trouble(platform)
    told = {"status": "not ready" if reason else "ready", **({"reason": reason} if reason else {})}
    parts = {
        "model": platform.models.status(),
        "tools": platform.libraries.status,
        "voice": platform.media.status,
    }
    walls = {"programs": platform.bubbles.status, "sandbox": platform.pool.confinement.status}
    return {**told, **parts, **walls}


def _trouble(platform: Platform) -> str:
    """Why changes cannot be kept at present; empty where nothing is known to hinder them."""
    if shutil.disk_usage(platform.home.folder).free < _LEAST_DISK:
        return f"The disk of {platform.home.folder} is full. Make room on it."
    failed_at = platform.database.failed_at
    if failed_at is not None and time.monotonic() - failed_at < _FRESH_S:
        return "The database has just refused a change. The log says why."
    return ""
