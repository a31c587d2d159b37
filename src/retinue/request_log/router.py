"""Routes of the request log."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, listing, one
from retinue.core.http.operations import Api
from retinue.request_log.schemas import RequestMode, RequestQuery, RequestView
from retinue.request_log.service import Requests

_KINDS = ("key", "session")
"""OAuth tokens belong to apps. An app must not see what its user's other programs do."""


_requests = of_caller(Requests)


RequestsOfCaller = Annotated[Requests, Depends(_requests)]

api = Api("requests")


@api.get("/requests", "*", response_model=Listing[RequestView], credentials=_KINDS)
async def list_requests(query: Annotated[RequestQuery, Query()], requests: RequestsOfCaller) -> ListEnvelope:
    """List the API requests of your account with their outcomes, newest first.

    Bodies, headers and queries are not logged.
    """
    return listing(await requests.page(query), query)


@api.get("/requests/{request_id}", "*", response_model=Data[RequestView], credentials=_KINDS)
async def get_request(
    request_id: Annotated[str, Path(description="`X-Request-ID` of the response.")],
    query: Annotated[RequestMode, Query()],
    requests: RequestsOfCaller,
) -> Envelope:
    """Retrieve a request by its `X-Request-ID`. If several requests share it, the newest one is returned."""
    return one(await requests.get(request_id, query.mode))
