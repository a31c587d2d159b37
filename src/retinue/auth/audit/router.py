"""HTTP of the audit log."""

from typing import Annotated, Any

from fastapi import Depends, Query, Request
from starlette.responses import StreamingResponse

from retinue.auth.audit.schemas import AuditEntryView, AuditQuery
from retinue.auth.audit.service import AuditLog
from retinue.auth.services import of_caller
from retinue.core.envelope import Listing, listing
from retinue.core.operations import Api

_KINDS = ("key", "session")
"""An OAuth token is an app's: it does not learn from where its user signs in."""


_log = of_caller(AuditLog)


api = Api("account")


_CSV: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/csv": {"schema": {"type": "string", "description": "A header line, then a line an entry."}}}
    }
}


@api.get("/audit", "*", response_model=Listing[AuditEntryView], credentials=_KINDS, responses=_CSV)
async def list_audit_entries(
    query: Annotated[AuditQuery, Query()], log: Annotated[AuditLog, Depends(_log)], request: Request
) -> Any:
    """List changes of your account and attempts to sign in, newest first. A test key sees those by test keys alone.

    As CSV the answer has every entry and no pages. A text that a spreadsheet would take for a formula begins with an
    apostrophe there.
    """
    if query.format == "csv" or (query.format is None and _prefers_csv(request)):
        headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
        return StreamingResponse(log.as_csv(query), media_type="text/csv", headers=headers)
    return listing(await log.page(query), query)


def _prefers_csv(request: Request) -> bool:
    """Whether the media type that a client names first is CSV."""
    return request.headers.get("accept", "").split(",")[0].partition(";")[0].strip().lower() == "text/csv"
