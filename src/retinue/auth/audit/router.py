"""Routes of the audit log."""

from typing import Annotated

from fastapi import Depends, Query, Request

from retinue.auth.audit.schemas import AuditEntryView, AuditQuery
from retinue.auth.audit.service import AuditLog
from retinue.auth.services import of_caller
from retinue.core.http.envelope import ListEnvelope, Listing, listing
from retinue.core.http.operations import Api
from retinue.core.http.streaming import Download

_KINDS = ("key", "session")
"""OAuth tokens belong to apps. An app must not learn from where its user signs in."""


_log = of_caller(AuditLog)


api = Api("account")


_CSV: dict[int | str, dict[str, object]] = {
    200: {
        "content": {
            "text/csv": {"schema": {"type": "string", "description": "A header line, followed by one line per entry."}}
        }
    }
}


@api.get("/audit", "*", response_model=Listing[AuditEntryView], credentials=_KINDS, responses=_CSV)
async def list_audit_entries(
    query: Annotated[AuditQuery, Query()], log: Annotated[AuditLog, Depends(_log)], request: Request
) -> ListEnvelope | Download:
    """List changes to your account and sign-in attempts, newest first.

    A test key sees only entries of test keys. The CSV format returns all entries without pagination; text that a
    spreadsheet would interpret as a formula is prefixed with an apostrophe.
    """
    if query.format == "csv" or (query.format is None and _prefers_csv(request)):
        headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": 'attachment; filename="audit.csv"'}
        return Download(log.as_csv(query), headers=headers)
    return listing(await log.page(query), query)


def _prefers_csv(request: Request) -> bool:
    """Return True if the client prefers CSV."""
    return request.headers.get("accept", "").split(",")[0].partition(";")[0].strip().lower() == "text/csv"
