"""Log entries, and the removal of secrets from them."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from retinue.auth.caller import Caller

_SECRET = re.compile(r"(ak_(?:live|test)_[A-Za-z0-9]{8}|sess|link|aat|art|acs)_[A-Za-z0-9_-]{32,}")
"""API keys, session and app tokens, and sign-in links that a caller may put into a path or request id by mistake."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished request. The gate creates one per request, so it only holds values."""

    request_id: str
    method: str
    path: str
    route: str | None
    status: int
    duration_ms: float
    caller: Caller
    address: str
    error: tuple[str, str] | None
    """Error code and message. The exception itself would keep the connection open through a reference cycle."""

    ended_at: datetime

    def row(self) -> dict[str, Any]:
        """Return the column values, without the account and with secrets removed."""
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
    """Truncate credentials in a text to their prefix, and replace NUL, which PostgreSQL refuses."""
    return _SECRET.sub(r"\1_…", text.replace("\x00", "\ufffd"))
