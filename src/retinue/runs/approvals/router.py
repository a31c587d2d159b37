"""Routes of approvals."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, PathId, json_response, listing, one
from retinue.core.http.operations import Api, path_id
from retinue.core.idempotency.keys import RecordIds
from retinue.runs.approvals.schemas import ApprovalDecision, ApprovalQuery, ApprovalView
from retinue.runs.approvals.service import Approvals

ApprovalId = Annotated[PathId, Path(description="ID of the approval.")]


_approvals = of_caller(Approvals)


async def _record(request: Request) -> object:
    return await (await _approvals(request)).get(path_id(request))


api = Api("approvals", record=_record)
ApprovalsOfCaller = Annotated[Approvals, Depends(_approvals)]


async def _recover_decision(request: Request, effect: RecordIds) -> Response:
    return json_response(Data[ApprovalView], await (await _approvals(request)).get(effect["approval"]))


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
