"""Executes a request under an idempotency key."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from retinue.core.errors import InternalError, RateLimited, RetinueError
from retinue.core.idempotency.keys import Claim, IdempotentRequests, StoredResponse
from retinue.core.runtime.failpoints import crash_point

Recover = Callable[[Request, Any], Awaitable[Response | None]]
"""Builds the response from the effect that an earlier process recorded; None to execute the request again.

Each names the type of the effect that its operation records.
"""


async def carried_out_once(
    request: Request,
    key: str | None,
    fingerprint: str,
    carry_out: Callable[[], Awaitable[Response]],
    recover: Recover | None,
) -> Response:
    """Return the stored response of this key, or execute the request and store its response.

    If the claim expires meanwhile and another process takes over, return the response of that process. `fingerprint`
    identifies the body and has at most 64 characters.
    """
    if key is None:
        return await carry_out()
    store: IdempotentRequests = request.app.state.idempotency
    account: int = request.scope["caller"].account_id
    operation = f"{request.method} {request.url.path}"
    while True:
        claim = await store.claim(account, operation, key, fingerprint)
        if isinstance(claim, StoredResponse):
            headers = {"Idempotency-Replayed": "true"}
            return Response(claim.body, claim.status, headers, media_type="application/json")
        crash_point("idempotency.claimed")
        request.scope["caller"] = replace(request.scope["caller"], claim=claim)
        try:
            response = await _answer(request, claim, carry_out, recover)
            crash_point("idempotency.carried_out")
            stored = await store.finish(claim, account, key, response.status_code, bytes(response.body).decode())
            crash_point("idempotency.finished")
        except RetinueError as error:
            if await _remember(store, claim, account, key, error):
                raise
            continue
        except BaseException:
            store.drop(claim)
            raise
        if stored:
            return response


async def _answer(
    request: Request, claim: Claim, carry_out: Callable[[], Awaitable[Response]], recover: Recover | None
) -> Response:
    if claim.effect and recover:
        found = await recover(request, claim.effect)
        if found:
            return found
    return await carry_out()


async def _remember(store: IdempotentRequests, claim: Claim, account: int, key: str, error: RetinueError) -> bool:
    """Store an error as the response of the key, except errors that a retry may not meet again.

    Returns False if another process holds the claim now: its effect may have caused this error.
    """
    if error.status == RateLimited.status or error.status >= InternalError.status:
        await store.forget(claim, account, key)
        return True
    return await store.finish(claim, account, key, error.status, orjson.dumps(error.envelope()).decode())
