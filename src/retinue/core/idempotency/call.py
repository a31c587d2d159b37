"""Executes a request under an idempotency key."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from retinue.core.errors import NO_RETRY, InternalError, RateLimited, RetinueError, ValidationFailed
from retinue.core.idempotency.keys import Claim, IdempotentRequests, StoredResponse
from retinue.core.runtime.failpoints import crash_point

Recover = Callable[[Request, Any], Awaitable[Response]]
"""Builds the response from the effect that an earlier attempt recorded, or raises the error with which it failed.

Each names the type of the effect that its operation records.
"""


def refuse_key(headers: Mapping[str, str]) -> None:
    """Raise `ValidationFailed` if a request for a stream has an idempotency key, as no stream is stored."""
    if "idempotency-key" in headers:
        raise ValidationFailed(
            "A streamed response cannot be repeated under an Idempotency-Key. Leave out the header, or ask for a "
            "response that is not streamed."
        )


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
            headers = {"Idempotency-Replayed": "true", **(NO_RETRY if claim.status >= ValidationFailed.status else {})}
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
    return await recover(request, claim.effect) if claim.effect and recover else await carry_out()


async def _remember(store: IdempotentRequests, claim: Claim, account: int, key: str, error: RetinueError) -> bool:
    """Store an error as the response of the key, except errors that a retry may not meet again.

    If the request had an effect before it failed, a retry gets the response for that effect.

    Returns False if another process holds the claim now: its effect may have caused this error.
    """
    if error.status == RateLimited.status or error.status >= InternalError.status:
        await store.forget(claim, account, key)
        return True
    return await store.finish(claim, account, key, error.status, orjson.dumps(error.envelope()).decode())
