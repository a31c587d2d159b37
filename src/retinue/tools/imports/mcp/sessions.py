"""Sessions with MCP servers (revisions 2025-03-26 to 2025-11-25), and requests to those without sessions
(2026-07-28).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import structlog

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.mcp.http_transport import McpEndpoint, McpReply
from retinue.tools.imports.mcp.messages import (
    HANDSHAKE_VERSIONS,
    STATELESS_VERSION,
    Json,
    Reply,
    greeting,
    notification,
    reply_to,
    request,
    routing_headers,
    self_contained,
)
from retinue.tools.imports.mcp.programs import SCHEME
from retinue.tools.imports.mcp.refusals import check_authorization, rejected_version, result_of
from retinue.tools.imports.mcp.transports import Transport
from retinue.tools.imports.schema_trimming import text

OPEN_S = 20.0
"""Time limit in seconds for each step of a handshake."""

_MOST_SESSIONS = 256
_END_S = 2.0
_LOST = frozenset({400, 404})
"""Statuses for a session that the server no longer knows: the specification has 404, some servers send 400."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class McpSession:
    """The revision to use with a server, and the session id if the server issued one."""

    server: McpEndpoint
    version: str
    id: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request of the session."""
        return {"MCP-Protocol-Version": self.version} | ({"Mcp-Session-Id": self.id} if self.id else {})


@dataclass(slots=True)
class _Place:
    """Holds the session with a source's server. The task that opens the session holds the lock."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    session: McpSession | None = None


class McpSessions:
    """Opens sessions, and stores the latest for the next call."""

    def __init__(self, wire: Transport, most: int = _MOST_SESSIONS) -> None:
        self._wire = wire
        self._most = most
        self._places: OrderedDict[int, _Place] = OrderedDict()
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[None]] = set()

    async def stop(self) -> None:
        """Notify the servers that their sessions are over."""
        for source_id in list(self._places):
            self.forget(source_id)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_END_S)

    def forget(self, source_id: int) -> None:
        """End the session of a source, if there is one."""
        place = self._places.pop(source_id, None)
        if place and place.session:
            self._in_background(self.close(place.session))

    async def call(
        self,
        source_id: int,
        server: McpEndpoint,
        params: Mapping[str, object],
        repeated: Mapping[str, Sequence[str]],
        timeout_s: float,
        reply: Reply = reply_to,
    ) -> Json:
        """Return the result of `tools/call` in the stored session. `reply` answers what the server asks meanwhile."""
        return await self.ask(source_id, server, "tools/call", params, timeout_s, repeated, reply)

    async def ask(
        self,
        source_id: int,
        server: McpEndpoint,
        method: str,
        params: Mapping[str, object],
        timeout_s: float,
        repeated: Mapping[str, Sequence[str]] | None = None,
        reply: Reply = reply_to,
    ) -> Json:
        """Return the result of a request in the stored session; if the server no longer knows it, a new one is
        opened.
        """
        session = await self._session(source_id, server)
        answer = await self.send(session, method, params, timeout_s, repeated, reply)
        if answer.status in _LOST:
            session = await self._session(source_id, server, lost=session)
            answer = await self.send(session, method, params, timeout_s, repeated, reply)
        return result_of(answer)

    async def open(self, server: McpEndpoint, *, has_sessions: bool = False) -> McpSession:
        """Agree on a revision, and open a session if it has sessions. `has_sessions` is True if that is known.

        Over HTTP, the revision without sessions is tried first. A program gets `initialize` first, as an old one may
        not answer anything else. Raises the errors of `result_of`, and `ValidationFailed` for an unsupported revision.
        """
        tries_stateless = not has_sessions and not server.address.startswith(SCHEME)
        stateless = McpSession(server, STATELESS_VERSION)
        if tries_stateless and await self._is_stateless(stateless):
            return stateless
        number = next(self._numbers)
        reply = await self._wire.exchange(server, request(number, "initialize", greeting()), {}, OPEN_S)
        begun = McpSession(server, HANDSHAKE_VERSIONS[0], _session_id(reply))
        try:
            return await self._agree(begun, reply)
        except BaseException:
            self._in_background(self.close(begun))
            raise

    async def _agree(self, begun: McpSession, reply: McpReply) -> McpSession:
        """Return the session in the revision that the server's answer to `initialize` selects."""
        server, stateless = begun.server, replace(begun, version=STATELESS_VERSION)
        refused = reply.message and "error" in reply.message
        if server.address.startswith(SCHEME) and refused and await self._is_stateless(stateless):
            return stateless
        version = result_of(reply).get("protocolVersion")
        if version not in HANDSHAKE_VERSIONS:
            raise ValidationFailed(
                f"The MCP server speaks the revision {text(version, 20) or '?'} of the protocol; this client speaks "
                f"{', '.join(HANDSHAKE_VERSIONS)} and {STATELESS_VERSION}."
            )
        session = replace(begun, version=version)
        await self._wire.exchange(server, notification("notifications/initialized"), session.headers, OPEN_S)
        return session

    async def send(
        self,
        session: McpSession,
        method: str,
        params: Mapping[str, object],
        timeout_s: float,
        repeated: Mapping[str, Sequence[str]] | None = None,
        reply: Reply = reply_to,
    ) -> McpReply:
        """Return the reply to a request. If the caller is cancelled or `reply` fails, the server gets a
        cancellation.
        """
        number, headers = next(self._numbers), session.headers
        if session.version == STATELESS_VERSION:
            headers |= routing_headers(method, params, repeated or {})
            params = self_contained(params)
        try:
            message = request(number, method, params)
            return await self._wire.exchange(session.server, message, headers, timeout_s, reply)
        except BaseException:
            if session.id:
                cancellation = notification("notifications/cancelled", {"requestId": number})
                self._in_background(self._notify(session, cancellation))
            raise

    async def close(self, session: McpSession) -> None:
        """End a session."""
        if session.id:
            await self._wire.end(session.server, session.headers, _END_S)

    async def _session(self, source_id: int, server: McpEndpoint, lost: McpSession | None = None) -> McpSession:
        """Return the stored session. A new one is opened if there is none, if the stored one is `lost`, or if the
        credential has changed.
        """
        place = self._places.setdefault(source_id, _Place())
        self._places.move_to_end(source_id)
        while len(self._places) > self._most:
            self.forget(next(iter(self._places)))
        async with place.lock:
            changed = place.session is not None and place.session.server != server
            if place.session is None or place.session is lost or changed:
                if place.session and changed:
                    self._in_background(self.close(place.session))
                place.session = None
                place.session = await self.open(server, has_sessions=lost is not None and lost.id is not None)
            return place.session

    async def _is_stateless(self, probe: McpSession) -> bool:
        """Return whether the server of a session speaks the revision without sessions.

        Raises `AuthorizationRequired`, and `ValidationFailed` if the server supports no revision of this client.
        """
        reply = await self.send(probe, "server/discover", {}, OPEN_S)
        if STATELESS_VERSION in (rejected := rejected_version(reply)):
            reply = await self.send(probe, "server/discover", {}, OPEN_S)
        elif rejected and not set(rejected) & set(HANDSHAKE_VERSIONS):
            result_of(reply)
        check_authorization(reply)
        found = (reply.message or {}).get("result")
        versions = found.get("supportedVersions") if isinstance(found, dict) else None
        return isinstance(versions, list) and STATELESS_VERSION in versions

    async def _notify(self, session: McpSession, message: Json) -> None:
        await self._wire.exchange(session.server, message, session.headers, _END_S)

    def _in_background(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.debug("mcp.unheard", reason=type(error).__name__)


def _session_id(reply: McpReply) -> str | None:
    """Return the session id that the server issued: visible ASCII characters."""
    value = reply.headers.get("Mcp-Session-Id", "")
    return value if value and value.isascii() and value.isprintable() and " " not in value else None
