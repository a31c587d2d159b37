"""Routes of approvals."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.runs.approvals.schemas import ApprovalDecision, ApprovalQuery, ApprovalView
from retinue.runs.approvals.service import Approvals

ApprovalId = Annotated[PathId, Path(description="ID of the approval.")]

_approvals = of_caller(Approvals)

api = Api("approvals", record=record_of(_approvals))
_recover_decision = recover_record(_approvals, "approval", Data[ApprovalView])
ApprovalsOfCaller = Annotated[Approvals, Depends(_approvals)]


@api.get("/approvals", scope="agents:read", response_model=Listing[ApprovalView])
async def list_approvals(query: Annotated[ApprovalQuery, Query()], approvals: ApprovalsOfCaller) -> ListEnvelope:
    """List the tool calls of your runs that are waiting, or were waiting, for approval, newest first."""
    return listing(await approvals.page(query, query.status), query)


@api.get("/approvals/{id}", scope="agents:read", response_model=Data[ApprovalView])
async def get_approval(id: ApprovalId, approvals: ApprovalsOfCaller) -> Envelope:
    """Retrieve an approval."""
    return one(await approvals.get(id))


@api.post("/approvals/{id}", scope="agents:write", response_model=Data[ApprovalView], recover=_recover_decision)
async def decide_approval(id: ApprovalId, body: ApprovalDecision, approvals: ApprovalsOfCaller) -> Envelope:
    """Approve or deny a tool call, optionally with other arguments, or answer a question. The run then continues."""
    return one(await approvals.decide(id, body.decision, body.arguments, body.reason, body.answer))
