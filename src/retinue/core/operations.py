"""The table of operations: what each endpoint is, who may call it, and how its request is read.

A router declares its endpoints with `Api.get`, `Api.post` and so on. The same declaration makes the route, its part of
the OpenAPI document, the scope check and the tests of scopes.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.problems import describe

Handler = Callable[..., Any]
Finder = Callable[[Request], Awaitable[object]]

BASE = "/api/v1"
"""Where version 1 of the API is."""

MAX_BODY = 1 << 20
"""Bytes of a JSON body at most."""


@dataclass(frozen=True)
class Operation:
    """One endpoint of the API. `path` is relative to the version's base address."""

    method: str
    path: str
    scope: str
    status: int
    name: str
    streams: bool


class Api:
    """The endpoints of one resource.

    `record` looks the record of a path up and raises `NotFound`; it is asked before a wrong body is refused, because
    a missing record is told first.
    """

    def __init__(self, tag: str, record: Finder | None = None) -> None:
        self.router = APIRouter(tags=[tag], route_class=OperationRoute)
        self.operations: list[Operation] = []
        self._record = record

    def get(self, path: str, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a GET."""
        return self._declare("GET", path, scope, 200, options)

    def post(self, path: str, scope: str, status: int = 200, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a POST."""
        return self._declare("POST", path, scope, status, options)

    def put(self, path: str, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a PUT."""
        return self._declare("PUT", path, scope, 200, options)

    def delete(self, path: str, scope: str, **options: Any) -> Callable[[Handler], Handler]:
        """Declare a DELETE."""
        return self._declare("DELETE", path, scope, 200, options)

    def _declare(
        self, method: str, path: str, scope: str, status: int, options: dict[str, Any]
    ) -> Callable[[Handler], Handler]:
        streams = options.pop("streams", False)

        def add(endpoint: Handler) -> Handler:
            operation = Operation(method, path, scope, status, endpoint.__name__, streams)
            self.operations.append(operation)
            endpoint.__dict__.update(operation=operation, record=self._record if "{" in path else None)
            self.router.add_api_route(
                BASE + path,
                endpoint,
                methods=[method],
                status_code=status,
                operation_id=endpoint.__name__,
                openapi_extra={"x-scope": scope},
                **options,
            )
            return endpoint

        return add


class OperationRoute(APIRoute):
    """A route that checks the scope before it reads the body, and answers wrong input as the contract has it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the framework's handler."""
        handle = super().get_route_handler()
        operation: Operation = self.endpoint.__dict__["operation"]
        record: Finder | None = self.endpoint.__dict__["record"]

        async def checked(plain: Request) -> Response:
            plain.scope["caller"].require(operation.scope)
            plain.scope["query_string"] = _without_empty(plain.scope["query_string"])
            request = JsonRequest(plain.scope, plain.receive)
            try:
                await request.load()
                return await handle(request)
            except RequestValidationError as error:
                raise await _refusal(request, error, record) from error
            except BadBody as error:
                if record:
                    await record(request)
                raise ValidationFailed(str(error)) from error

        return checked


class BadBody(Exception):
    """The body cannot be read as a JSON object."""


class JsonRequest(Request):
    """A request whose body is a bounded, strict JSON object."""

    async def load(self) -> None:
        """Read and check the body. An empty one counts as an empty object."""
        if self.method not in {"POST", "PUT"}:
            return
        raw = await self._read()
        self._body = raw or b"{}"
        self._json = _parsed(raw) if raw else {}
        if not raw:
            self.scope["headers"] = [*self.scope["headers"], (b"content-type", b"application/json")]

    async def _read(self) -> bytes:
        read = bytearray()
        async for chunk in self.stream():
            read += chunk
            if len(read) > MAX_BODY:
                raise BadBody("The body is larger than 1 MiB; send less, or upload large content as a file.")
        if not read.strip():
            return b""
        if self.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise BadBody("A body needs the header Content-Type: application/json.")
        return bytes(read)


def _parsed(raw: bytes) -> Any:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadBody(f"The body is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise BadBody('The body must be a JSON object, such as {"name": "value"}.')
    if b"\\u0000" in raw and _holds_nul(value):
        raise BadBody("Text may not hold the NUL character (U+0000).")
    return value


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(key) or _holds_nul(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value


def _without_empty(query: bytes) -> bytes:
    """An empty value of a query parameter counts as absent."""
    if b"=&" not in query and not query.endswith(b"="):
        return query
    return b"&".join(part for part in query.split(b"&") if not part.endswith(b"="))


async def _refusal(request: Request, error: RequestValidationError, record: Finder | None) -> Exception:
    problems = error.errors()
    if any(problem["loc"][0] == "path" for problem in problems):
        return NotFound(f"There is nothing at {request.url.path}: the id is not a positive integer.")
    if record:
        await record(request)
    return ValidationFailed(describe(problems))
