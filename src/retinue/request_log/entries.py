"""Log entries, and the removal of secrets from them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from retinue.auth.caller import Caller
from retinue.core.runtime.redaction import hide_secrets


@dataclass(frozen=True, slots=True)
class RequestLogEntry:
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
    run_id: int | None = None
    """The first run that the request started."""

    def row(self) -> dict[str, Any]:
        """Return the column values, without the account and with secrets removed."""
        return {
            "request_id": _storable(self.request_id),
            "method": self.method[:16],
            "path": _storable(self.path)[:500],
            "route": self.route,
            "status": self.status,
            "duration_ms": round(self.duration_ms, 2),
            "credential": f"{self.caller.kind}:{self.caller.credential_id}",
            "address": self.address,
            "error_code": self.error[0] if self.error else None,
            "error_message": _storable(self.error[1])[:500] if self.error else None,
            "run_id": self.run_id,
            "created_at": self.ended_at - timedelta(milliseconds=self.duration_ms),
        }


def _storable(text: str) -> str:
    """Hide credentials that a caller put into a text by mistake, and replace NUL, which PostgreSQL refuses."""
    return hide_secrets(text).replace("\x00", "\ufffd")
