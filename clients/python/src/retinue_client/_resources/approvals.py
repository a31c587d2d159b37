"""`client.approvals`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Approvals:
    """`client.approvals`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, id: int, /) -> types.Approval:
        """Get one approval.

        Needs the scope `agents:read`.
        """
        return self._transport.record(Call("GET", path_of("/approvals/{}", id)), types.Approval)

    def decide(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.ApprovalDecision]
    ) -> types.Approval:
        """Approve or deny the call, with other arguments if need be; the run goes on.

        Needs the scope `agents:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/approvals/{}", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Approval,
        )

    def list(self, **query: Unpack[types.ListApprovalsParams]) -> Listing[types.Approval]:
        """List the tool calls of your runs that wait, or waited, for a person, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", "/approvals", query={**query}), types.Approval)


class AsyncApprovals:
    """`client.approvals`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self, id: int, /) -> types.Approval:
        """Get one approval.

        Needs the scope `agents:read`.
        """
        return await self._transport.record(Call("GET", path_of("/approvals/{}", id)), types.Approval)

    async def decide(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.ApprovalDecision]
    ) -> types.Approval:
        """Approve or deny the call, with other arguments if need be; the run goes on.

        Needs the scope `agents:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/approvals/{}", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Approval,
        )

    def list(self, **query: Unpack[types.ListApprovalsParams]) -> AsyncListing[types.Approval]:
        """List the tool calls of your runs that wait, or waited, for a person, newest first.

        Needs the scope `agents:read`.
        """
        return self._transport.listing(Call("GET", "/approvals", query={**query}), types.Approval)
