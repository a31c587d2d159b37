"""The gate, a plain ASGI layer: the framework's own middleware would cost more than the request itself."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import orjson
import structlog
from starlette.requests import Request

from retinue.auth.caller import Caller
from retinue.auth.credentials import Credentials
from retinue.auth.keys.networks import is_within
from retinue.core.errors import (
    AuthRequired,
    InsufficientScope,
    InternalError,
    NotFound,
    RateLimited,
    RetinueError,
    Unavailable,
    ValidationFailed,
    disk_full,
)
from retinue.core.http.operations import BASE, METADATA
from retinue.core.http.server_address import server_address
from retinue.core.http.streaming import BLOCK, send_in_blocks
from retinue.core.runtime import log
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import acting_for
from retinue.core.runtime.ids import ulid
from retinue.gate.addresses import Network, client_address, peer_address
from retinue.gate.cross_origin import (
    answer_preflight,
    check_origin,
    is_preflight,
    is_publishable,
    readable_headers,
)
from retinue.gate.hosts import AllowedHosts
from retinue.gate.limiter import Limiter, RateLimitDecision
from retinue.language.request_language import use_language_of
from retinue.request_log.entries import RequestLogEntry
from retinue.request_log.writer import RequestWriter
from retinue.usage.meter import Meter
from retinue.usage.quotas import Quotas

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_PRIVATE = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""Default headers of API responses."""

_PUBLIC = frozenset({"", "/openapi.json"})
_SIGN_IN = ("/api/auth.php", "/api/auth/")
"""Sign-in paths. The gate counts these requests per address, but only `auth/throttle.py` slows them down."""

_UNKNOWN_PER_MINUTE = 60
"""Requests without a valid credential that one address may send per minute."""

_VISITOR_PER_MINUTE = 60
"""Requests with publishable keys that one address may send per minute."""

_REQUEST_ID = re.compile(rb"[\x20-\x7e]{1,128}")
_log = structlog.get_logger()


async def _receive_nothing() -> Message:
    return {"type": "http.disconnect"}


async def _send_nothing(message: Message) -> None:
    del message


@dataclass(slots=True)
class _Exchange:
    """The state of one request in the gate."""

    scope: Scope
    receive: Receive
    send: Send
    request_id: bytes
    meter: Meter
    dialect: "Dialect | None"
    began: float = field(default_factory=time.perf_counter)
    extra: list[tuple[bytes, bytes]] = field(default_factory=list)
    status: int = 0
    private: bool = False
    """True for API responses: caches must not store them, and browsers must not guess their type."""
    metered: Caller | None = None
    caller: Caller | None = None
    """The caller whose request log receives the request."""
    started_runs: list[int] = field(default_factory=list)
    error: tuple[str, str] | None = None
    """Error code and message."""

    entered: int | None = None
    """The account whose concurrent requests include this one; for visitors, the negative id of their key."""

    def read(self) -> Awaitable[Message]:
        """Receive the next part of the body."""
        return self.receive()

    def release(self) -> None:
        """Release the connection even if something still refers to the request.

        The HTTP server closes a connection whose body was not read to its end when nothing can read it any more. An
        exception that is part of a reference cycle refers to the request until the next garbage collection.
        """
        self.receive, self.send = _receive_nothing, _send_nothing

    async def forward(self, message: Message) -> None:
        """Send a message. The first one gets the gate's headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._count()
            message["headers"] = [*message.get("headers", ()), *self.extra]
            if self.private:
                own = {name for name, _ in message["headers"]}
                message["headers"] += [header for header in _PRIVATE if header[0] not in own]
        if len(message.get("body", b"")) > BLOCK and not message.get("more_body"):
            return await send_in_blocks(self.send, message)
        return await self.send(message)

    def _count(self) -> None:
        """Count the response as an API call, unless it is a 429 or 5xx, or has no metered caller."""
        if self.metered and self.status != RateLimited.status and self.status < InternalError.status:
            self.meter.count(self.metered.account_id, refused=self.status >= ValidationFailed.status)

    def add_limit_headers(self, decision: RateLimitDecision) -> None:
        """Add the rate-limit headers of the minute window."""
        self.extra += [
            (b"x-ratelimit-limit", b"%d" % decision.limit),
            (b"x-ratelimit-remaining", b"%d" % decision.remaining),
            (b"x-ratelimit-reset", b"%d" % decision.reset),
        ]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Another protocol, below the path `base`, whose clients read errors in its own shape.

    OAuth tokens must be for `resource`. `metadata` is the path of the resource's metadata, and its clients should ask
    for `scopes`.
    """

    base: str
    error_body: Callable[[RetinueError], dict[str, Any]]
    resource: str = "api"
    metadata: str = METADATA
    scopes: tuple[str, ...] = ()
    cross_origin: bool = False
    """Whether pages of other sites may ask with a publishable key. Its origins are checked for each request.

    The language of such a request is that of the visitor, for `error_body` and the endpoints.
    """
    anonymous: str | None = None
    """The end of the paths that clients may ask for without a credential."""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """The operator's settings. `per_account` limits the concurrent requests of an account, including streams."""

    refuse: bool
    trusted_proxies: tuple[Network, ...]
    per_account: int
    public_url: str | None
    hosts: AllowedHosts


class Gate:
    """Wraps the application. Requests outside the API only get a request id, a log line and error handling."""

    def __init__(
        self,
        app: App,
        credentials: Credentials,
        limiter: Limiter,
        quotas: Quotas,
        requests: RequestWriter,
        options: GateOptions,
        dialects: Sequence[Dialect] = (),
    ) -> None:
        self._app = app
        self._credentials = credentials
        self._limiter = limiter
        self._meter = quotas.meter
        self._quotas = quotas
        self._requests = requests
        self._refuse = options.refuse
        self._proxies = options.trusted_proxies
        self._per_account = options.per_account
        self._public_url = options.public_url
        self._hosts = options.hosts
        self._dialects = dialects
        self._under_way: dict[int, int] = {}
        self._tasks: set[asyncio.Task[object] | None] = set()
        self._stopping = False
        self._tells_access = log.is_written("info")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = _Exchange(scope, receive, send, _request_id(scope), self._meter, self._dialect(scope["path"]))
        del receive, send  # The traceback of an error refers to this frame.
        exchange.extra.append((b"x-request-id", exchange.request_id))
        outer = log.request_id.set(exchange.request_id.decode())
        others = log.started_runs.set(exchange.started_runs)
        elsewhere = log.client_address.set(client_address(scope, self._proxies))
        nobody = acting_for.set(0)
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            self._hosts.check(scope)
            await self._respond(exchange)
        except RetinueError as error:
            self._add_challenge(exchange, error)
            exchange.error = error.code, error.message
            await _refuse(exchange, error)
        except Exception as error:  # noqa: BLE001 - the last resort: no traceback reaches a client
            unexpected = disk_full(error) or _internal_error(exchange)
            if isinstance(unexpected, InternalError):
                _log.exception("request.failed", path=scope["path"])
            else:
                _log.error("request.disk_full", path=scope["path"], reason=str(error))
            exchange.error = unexpected.code, unexpected.message
            await _refuse(exchange, unexpected)
        except asyncio.CancelledError:
            if self._stopping:
                await _refuse(exchange, Unavailable("The server is shutting down. Send the request again."))
            raise
        finally:
            self._tasks.discard(task)
            self._leave(exchange)
            self._record(exchange)
            exchange.release()
            log.request_id.reset(outer)
            log.started_runs.reset(others)
            log.client_address.reset(elsewhere)
            acting_for.reset(nobody)
        return None

    async def _respond(self, exchange: _Exchange) -> None:
        if exchange.dialect and exchange.dialect.cross_origin and is_preflight(exchange.scope):
            await answer_preflight(exchange.forward)
        else:
            await self._admit(exchange)
            await self._app(exchange.scope, exchange.read, exchange.forward)

    def abort(self) -> None:
        """Cancel all requests in progress. Those without a response are answered with 503."""
        self._stopping = True
        for task in self._tasks:
            if task:
                task.cancel()

    def _add_challenge(self, exchange: _Exchange, error: RetinueError) -> None:
        """Say to which resource and scope a 401 or 403 response refers (RFC 9728, section 5.1; RFC 6750, section 3)."""
        details = _challenge(exchange, error)
        if details is not None:
            path = exchange.dialect.metadata if exchange.dialect else METADATA
            metadata = f'resource_metadata="{server_address(Request(exchange.scope), self._public_url)}{path}"'
            error.headers["WWW-Authenticate"] = ", ".join(['Bearer realm="Retinue"', metadata, *details])
            if exchange.dialect and exchange.dialect.metadata != METADATA:
                _log.info("oauth.challenged", path=exchange.scope["path"], status=error.status, reason=error.message)

    def _record(self, exchange: _Exchange) -> None:
        self._log_access(exchange)
        self._log_request(exchange)

    def _log_access(self, exchange: _Exchange) -> None:
        if self._tells_access:
            log.access(
                method=exchange.scope["method"],
                path=exchange.scope["path"],
                status=exchange.status,
                ms=round((time.perf_counter() - exchange.began) * 1000, 2),
                request_id=exchange.request_id.decode(),
            )

    def _log_request(self, exchange: _Exchange) -> None:
        """Add the request to its account's request log."""
        if exchange.caller is None:
            return
        scope = exchange.scope
        entry = RequestLogEntry(
            exchange.request_id.decode(),
            scope["method"],
            scope["path"],
            scope.get("operation"),
            exchange.status,
            (time.perf_counter() - exchange.began) * 1000,
            exchange.caller,
            log.client_address.get(),
            exchange.error,
            now(),
            next(iter(exchange.started_runs), None),
        )
        self._requests.add(entry)

    async def _admit(self, exchange: _Exchange) -> None:
        """Authenticate the caller and count the request, if the path belongs to the API."""
        scope = exchange.scope
        path = scope["path"]
        if len(path) > 1 and path.endswith("/"):
            path = scope["path"] = path.rstrip("/") or "/"
        is_api = path.startswith(BASE) and path[len(BASE) :] not in _PUBLIC and path[len(BASE)] == "/"
        if is_api or exchange.dialect:
            exchange.private = True
            scope["token"] = _token(scope, takes_key_header=exchange.dialect is not None)
            if _is_anonymous(exchange):
                await self._count_stranger(exchange, refuse=self._refuse)
            else:
                scope["caller"] = await self._identify(exchange)
        elif path.startswith(_SIGN_IN):
            await self._count_stranger(exchange, refuse=False)
        elif path.startswith("/api") and path != BASE and not path.startswith(BASE + "/"):
            raise NotFound(f"No resource exists at {path[:200]}. The API is at {BASE}.")

    def _dialect(self, path: str) -> "Dialect | None":
        return next((one for one in self._dialects if f"{path}/".startswith(f"{one.base}/")), None)

    async def _identify(self, exchange: _Exchange) -> Caller:
        try:
            if exchange.dialect and exchange.dialect.cross_origin:
                exchange.extra += readable_headers(exchange.scope, exchange.scope["token"])
                if is_publishable(exchange.scope["token"]):
                    await use_language_of(Request(exchange.scope))
            _check_form(exchange.scope)
            caller = exchange.caller = await self._credentials.authenticate(exchange.scope["token"])
            if not self._permits(caller, exchange.scope):
                address = peer_address(exchange.scope, self._proxies)
                raise AuthRequired(f"This API key cannot be used from {address}. Call from one of its networks.")
            check_origin(caller, exchange.scope, self._public_url)
            _check_resource(caller, exchange)
        except RetinueError as error:
            await self._count_stranger(exchange, refuse=self._refuse and isinstance(error, AuthRequired))
            raise
        if caller.is_public:
            await self._count_visitor(exchange)
        decision = await self._limiter.hit(
            caller.credential, caller.rate_window, caller.plan.requests, refuse=self._refuse
        )
        exchange.add_limit_headers(decision)
        if not decision.allowed:
            raise decision.refusal()
        self._enter(exchange, caller)
        await self._quotas.check_calls(caller)
        exchange.metered = None if caller.sandbox else caller
        acting_for.set(caller.account_id)
        return caller

    def _enter(self, exchange: _Exchange, caller: Caller) -> None:
        """Count a request as running, so that one account cannot occupy all connections. Raises `RateLimited`.

        The visitors of a publishable key have places of their own, half as many.
        """
        account_id = -caller.credential_id if caller.is_public else caller.account_id
        others = self._under_way.get(account_id, 0)
        if others >= self._per_account // (2 if caller.is_public else 1):
            raise RateLimited(
                f"You have {others:,} requests in progress, which is the maximum. Wait for some of them to "
                "finish, and try again.",
                1,
            )
        self._under_way[account_id] = others + 1
        exchange.entered = account_id

    def _leave(self, exchange: _Exchange) -> None:
        if exchange.entered is None:
            return
        others = self._under_way[exchange.entered] - 1
        if others:
            self._under_way[exchange.entered] = others
        else:
            del self._under_way[exchange.entered]

    async def find_refused(self, token: str, requests: Collection[Scope]) -> Collection[Scope]:
        """Look a token up again. Returns those of its requests that it no longer permits, also for a wrong network."""
        try:
            caller = await self._credentials.authenticate(token, fresh=True)
        except AuthRequired:
            return requests
        return [scope for scope in requests if not self._permits(caller, scope)]

    def _permits(self, caller: Caller, scope: Scope) -> bool:
        return not caller.networks or is_within(peer_address(scope, self._proxies), caller.networks)

    async def _count_stranger(self, exchange: _Exchange, *, refuse: bool) -> None:
        """Count an unauthenticated request by its address."""
        address = client_address(exchange.scope, self._proxies)
        decision = await self._limiter.hit_address(address, _UNKNOWN_PER_MINUTE)
        exchange.add_limit_headers(decision)
        if refuse and not decision.allowed:
            raise decision.refusal()

    async def _count_visitor(self, exchange: _Exchange) -> None:
        """Count a request with a publishable key by its address, so that one visitor cannot use up all of them."""
        address = client_address(exchange.scope, self._proxies)
        decision = await self._limiter.hit_address(f"visitor:{address}", _VISITOR_PER_MINUTE)
        if self._refuse and not decision.allowed:
            exchange.add_limit_headers(decision)
            raise decision.refusal()


def _is_anonymous(exchange: _Exchange) -> bool:
    """Return whether a request without a credential asks for what everybody may see."""
    path = exchange.dialect.anonymous if exchange.dialect else None
    return path is not None and not exchange.scope["token"] and exchange.scope["path"].endswith(path)


def _challenge(exchange: _Exchange, error: RetinueError) -> Sequence[str] | None:
    """Return the attributes of the challenge for an error. None if no other credential would help."""
    if not exchange.private or not isinstance(error, AuthRequired | InsufficientScope):
        return None
    if isinstance(error, InsufficientScope):
        if error.scope is None or exchange.caller is None:
            return None
        scopes = {error.scope, *exchange.caller.scopes} - {"*"}
        return ['error="insufficient_scope"', f'scope="{" ".join(sorted(scopes))}"']
    invalid = ['error="invalid_token"'] if exchange.scope.get("token") else []
    if exchange.dialect is None or not exchange.dialect.scopes:
        return invalid
    return [*invalid, f'scope="{" ".join(exchange.dialect.scopes)}"']


def _check_form(scope: Scope) -> None:
    """Raise `AuthRequired` if a credential was sent, but in a form in which none is read."""
    if scope["token"]:
        return
    if any(name == b"authorization" for name, _ in scope["headers"]):
        raise AuthRequired(
            "The Authorization header must have the form 'Bearer ak_live_…': the word Bearer and a credential."
        )
    if parse_qs(scope["query_string"].decode("latin-1")).get("api_key"):
        raise AuthRequired(
            "The query takes only API keys, which begin with ak_. Send other credentials in the Authorization header."
        )


def _check_resource(caller: Caller, exchange: _Exchange) -> None:
    """Raise `AuthRequired` for a token that is for another resource (RFC 8707, section 2)."""
    required = exchange.dialect.resource if exchange.dialect else "api"
    if caller.resource not in (None, required):
        raise AuthRequired(
            f"This token is for another resource: {caller.resource}. Ask for one with the resource of the metadata, "
            "or use an API key."
        )


def _request_id(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(value):
            return bytes(value)
    return b"req_" + ulid().encode()


def _token(scope: Scope, *, takes_key_header: bool = False) -> str:
    """Return the bearer token, or the API key in the query if there is no Authorization header.

    With `takes_key_header`, the header `x-api-key` is read too.
    """
    key = ""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if scheme.lower() == "bearer" else ""
        if name == b"x-api-key" and takes_key_header:
            key = value.decode("latin-1").strip()
    if key:
        return key
    if b"api_key" in scope["query_string"]:
        key = parse_qs(scope["query_string"].decode("latin-1")).get("api_key", [""])[0]
        return key if key.startswith("ak_") else ""
    return ""


def _internal_error(exchange: _Exchange) -> InternalError:
    return InternalError(
        f"Something went wrong on our side. Quote the request id {exchange.request_id.decode()} when you report it."
    )


async def _refuse(exchange: _Exchange, error: RetinueError) -> None:
    if exchange.status:
        return  # the response has started, so the stream itself reports the error
    body = orjson.dumps(exchange.dialect.error_body(error) if exchange.dialect else error.envelope())
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
    await exchange.forward({"type": "http.response.start", "status": error.status, "headers": headers})
    await exchange.forward({"type": "http.response.body", "body": body})
