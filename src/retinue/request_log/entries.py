"""One request as it is logged, and what stays out of the log."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from retinue.auth.caller import Caller

_SECRET = re.compile(r"(ak_(?:live|test)_[A-Za-z0-9]{8}|sess|link|aat|art|acs)_[A-Za-z0-9_-]{32,}")
"""API keys, tokens of sessions and apps, links: should a caller put one into a path or a request id by mistake."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A request that was answered: the gate makes one for each, so it does nothing but hold values."""

    request_id: str
    method: str
    path: str
    route: str | None
    status: int
    duration_ms: float
    caller: Caller
    address: str
    error: tuple[str, str] | None
    """Code and message. Not the exception: it would keep the request's connection open in a cycle of references."""

    ended_at: datetime

    def row(self) -> dict[str, Any]:
        """The columns, without the account and without secrets."""
        return {
            "request_id": hide_secrets(self.request_id),
            "method": self.method[:16],
            "path": hide_secrets(self.path)[:500],
            "route": self.route,
            "status": self.status,
            "duration_ms": round(self.duration_ms, 2),
            "credential": f"{self.caller.kind}:{self.caller.credential_id}",
            "address": self.address,
            "error_code": self.error[0] if self.error else None,
            "error_message": hide_secrets(self.error[1])[:500] if self.error else None,
            "created_at": self.ended_at - timedelta(milliseconds=self.duration_ms),
        }


def hide_secrets(text: str) -> str:
    """The text with credentials cut down to how they begin, and without NUL, which PostgreSQL refuses."""
    return _SECRET.sub(r"\1_…", text.replace("\x00", "\ufffd"))
