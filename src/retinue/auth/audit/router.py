"""HTTP of the audit log."""

from typing import Annotated, Any

from fastapi import Depends, Query, Request

from retinue.auth.audit.schemas import AuditEntryView, AuditQuery
from retinue.auth.audit.service import AuditLog
from retinue.core.envelope import Listing, listing
from retinue.core.operations import Api

_KINDS = ("key", "session")
"""An OAuth token is an app's: it does not learn from where its user signs in."""


async def _log(request: Request) -> AuditLog:
    log: AuditLog = request.app.state.services.audit_log(request.scope["caller"])
    return log


api = Api("account")


@api.get("/audit", "*", response_model=Listing[AuditEntryView], credentials=_KINDS)
async def list_audit_entries(query: Annotated[AuditQuery, Query()], log: Annotated[AuditLog, Depends(_log)]) -> Any:
    """List changes of your account and attempts to sign in, newest first. A test key sees those by test keys alone."""
    return listing(await log.page(query), query)
