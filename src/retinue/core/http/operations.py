"""Declares the endpoints of the API with their scopes and their request handling.

A router declares its endpoints with `Api.get`, `Api.post` and so on. One declaration creates the route, its part of
the OpenAPI document, the scope check and the scope tests.
"""

import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.endpoint_params import EndpointParams
from retinue.core.http.envelope import json_response
from retinue.core.http.json_body import JsonRequest
from retinue.core.http.request_body import BadBody
from retinue.core.http.validation_messages import describe
from retinue.core.idempotency.call import Recover, carried_out_once, refuse_key
from retinue.core.idempotency.keys import RecordIds
from retinue.core.runtime.whole_numbers import parse_whole_number

Handler = Callable[..., Awaitable[object]]
Finder = Callable[[Request], Awaitable[object]]

BASE = "/api/v1"
"""Base path of version 1 of the API."""

METADATA = f"/.well-known/oauth-protected-resource{BASE}"
"""Path of the protected resource metadata for OAuth clients (RFC 9728, section 3.1)."""


@dataclass(frozen=True)
class Operation:
    """One endpoint of the API. `path` is relative to `base`. An empty `scope` means that no credential is needed."""

    method: str
    path: str
    scope: str
    status: int
    name: str
    streams: bool
    hands_out_secret: bool = False
    """The response contains a secret that is shown once and never stored, not even under an idempotency key."""
    credentials: frozenset[str] = frozenset()
    """The kinds of credential that may call the endpoint; empty for all kinds."""
    base: str = BASE
    binary: bool = False
    """The response is no text, and is not stored under an idempotency key."""
    max_body: int | None = None
    """Maximum size of the body in bytes; None for the default of all operations."""
    public: bool = False
    """Publishable keys, which have no scopes, may call the endpoint too."""

    @property
    def address(self) -> str:
        """The full path on the server."""
        return self.base + self.path

    @property
    def takes_key(self) -> bool:
        """True if the endpoint supports idempotency keys."""
        return self.method == "POST" and not (self.hands_out_secret or self.binary) and bool(self.scope)


class Api:
    """The endpoints of one resource.

    `record` looks up the record in the path and raises `NotFound`. It runs before an invalid body is refused, because
    404 takes precedence over 400.
    """

    def __init__(self, tag: str, record: Finder | None = None, base: str = BASE) -> None:
        self.router = APIRouter(tags=[tag], route_class=OperationRoute)
        self.operations: list[Operation] = []
        self._record = record
        self._base = base

    def get(self, path: str, scope: str, **options: object) -> Callable[[Handler], Handler]:
        """Declare a GET."""
        return self._declare("GET", path, scope, 200, options)

    def post(self, path: str, scope: str, status: int = 200, **options: object) -> Callable[[Handler], Handler]:
        """Declare a POST. With `raw_body`, the handler reads the request body itself, in any format."""
        return self._declare("POST", path, scope, status, options)

    def put(self, path: str, scope: str, **options: object) -> Callable[[Handler], Handler]:
        """Declare a PUT."""
        return self._declare("PUT", path, scope, 200, options)

    def patch(self, path: str, scope: str, **options: object) -> Callable[[Handler], Handler]:
        """Declare a PATCH."""
        return self._declare("PATCH", path, scope, 200, options)

    def delete(self, path: str, scope: str, **options: object) -> Callable[[Handler], Handler]:
        """Declare a DELETE."""
        return self._declare("DELETE", path, scope, 200, options)

    def _declare(
        self, method: str, path: str, scope: str, status: int, options: dict[str, Any]
    ) -> Callable[[Handler], Handler]:
        streams, recover = options.pop("streams", False), options.pop("recover", None)
        raw_body, extra = options.pop("raw_body", False), options.pop("openapi_extra", {})
        secret, kinds = options.pop("hands_out_secret", False), frozenset(options.pop("credentials", ()))
        binary, most = options.pop("binary", False), options.pop("max_body", None)
        public = options.pop("public", False)
        if scope:
            extra = {"x-scope": scope, **extra}

        def add(endpoint: Handler) -> Handler:
            name = endpoint.__name__
            operation = Operation(
                method, path, scope, status, name, streams, secret, kinds, self._base, binary, most, public
            )
            self.operations.append(operation)
            endpoint.__dict__.update(
                operation=operation,
                record=self._record if "{" in path else None,
                recover=recover,
                raw_body=raw_body,
            )
            self.router.add_api_route(
                operation.address,
                endpoint,
                methods=[method],
                status_code=status,
                operation_id=endpoint.__name__,
                openapi_extra=extra,
                **options,
            )
            return endpoint

        return add


class OperationRoute(APIRoute):
    """A route that checks the scope before it reads the body, and reports invalid input with the error envelope."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        answer = self._handler

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            response = await answer(Request(scope, receive, send))
            await response(scope, receive, send)

        self.app = app

    def get_route_handler(self) -> Callable[[Request], Coroutine[object, None, Response]]:
        """Return the function that handles a request."""
        return self._handler

    @cached_property
    def _handler(self) -> Callable[[Request], Coroutine[object, None, Response]]:
        """The function that handles a request. It is built once, though FastAPI asks for it too."""
        handle = EndpointParams(self.endpoint, self.response_model, self.status_code or 200)
        operation: Operation = self.endpoint.__dict__["operation"]
        record: Finder | None = self.endpoint.__dict__["record"]
        recover: Recover | None = self.endpoint.__dict__["recover"]
        raw_body: bool = self.endpoint.__dict__["raw_body"]

        async def carry_out(request: Request) -> Response:
            try:
                response: Response = await handle(request)
            except RequestValidationError as error:
                raise await _refusal(request, error, record) from error
            if operation.hands_out_secret:
                response.headers["Cache-Control"] = "no-store"
            return response

        async def check(plain: Request) -> Response:
            if operation.scope:
                _check_credential(plain.scope["caller"], operation)
            plain.scope["query_string"] = _without_empty(plain.scope["query_string"])
            return await (carry_out if raw_body else with_json)(plain)

        async def with_json(plain: Request) -> Response:
            request = JsonRequest(plain.scope, plain.receive)
            try:
                await request.load(handle.takes_body, operation.max_body)
            except BadBody as error:
                if record:
                    await record(request)
                raise ValidationFailed(str(error)) from error
            if (key := _key_of(request, operation)) is None:
                return await carry_out(request)
            fingerprint = hashlib.sha256(request.raw).hexdigest()
            return await carried_out_once(request, key, fingerprint, partial(carry_out, request), recover)

        return check


def _key_of(request: JsonRequest, operation: Operation) -> str | None:
    """Return the idempotency key under which to execute a request. Raises `ValidationFailed` if it is to stream."""
    if not operation.takes_key:
        return None
    if request.wants_stream():
        refuse_key(request.headers)
    return request.headers.get("idempotency-key")


def _check_credential(caller: Any, operation: Operation) -> None:
    """Raise `InsufficientScope` if the caller's credential does not allow the operation."""
    if not (operation.public and caller.is_public):
        # First the kind: another scope would not help the wrong kind.
        caller.require_kind(operation.credentials)
        caller.require(operation.scope)


def _without_empty(query: bytes) -> bytes:
    """Remove query parameters with an empty value. Raises `ValidationFailed` if the query contains NUL."""
    if b"%00" in query:
        raise ValidationFailed("Query parameters must not contain the NUL character (U+0000).")
    if b"=&" not in query and not query.endswith(b"="):
        return query
    return b"&".join(part for part in query.split(b"&") if part.partition(b"=")[1:] != (b"=", b""))


def path_id(request: Request) -> int:
    """Return the integer id in the path. Raises `NotFound`."""
    if number := parse_whole_number(request.path_params["id"]):
        return number
    raise _not_an_id(request)


class _Records(Protocol):
    """A service that has records by id."""

    async def get(self, record_id: int, /) -> object:
        """Return a record. Raises `NotFound`."""
        ...


def record_of(service: Callable[[Request], Awaitable[_Records]]) -> Finder:
    """Return the function that looks up the record in the path, for `Api(record=...)`."""

    async def find(request: Request) -> object:
        return await (await service(request)).get(path_id(request))

    return find


def recover_record(
    service: Callable[[Request], Awaitable[_Records]], kind: str, shape: type[BaseModel], status: int = 200
) -> Recover:
    """Return the function that answers a repeated request with the record of its effect, for `recover=...`.

    `kind` is the name of the record's id in the effect.
    """

    async def recover(request: Request, effect: RecordIds) -> Response:
        return json_response(shape, await (await service(request)).get(effect[kind]), status)

    return recover


def _not_an_id(request: Request) -> NotFound:
    return NotFound(f"No resource exists at {request.url.path[:200]}: the id is not a positive integer.")


async def _refusal(request: Request, error: RequestValidationError, record: Finder | None) -> Exception:
    problems = error.errors()
    if any(problem["loc"][0] == "path" for problem in problems):
        return _not_an_id(request)
    if record:
        await record(request)
    return ValidationFailed(describe(problems))
