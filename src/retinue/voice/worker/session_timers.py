"""Session timers (RFC 4028): a call whose other side has died ends, although neither side hangs up.

The sides agree on an interval, and on who refreshes the call within half of it, by a re-INVITE or an UPDATE. The stack
knows none of this. `SessionTimers` reads the messages that arrive, adds headers to the messages that are sent, and says
which calls to refresh or to end.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from retinue.voice.worker.sip_message import SipMessage, parameter, with_headers

DEFAULT_S = 1800
"""The interval that this side asks for (RFC 4028, section 4)."""

MIN_S = 90
"""The least interval that this side accepts, and that RFC 4028 permits."""

_REFRESHES = ("INVITE", "UPDATE")
_GRACE_S = 32.0
_RETRY_S = 30.0
"""Seconds between attempts of a refresh."""

_UNANSWERED = 1024
"""Most requests to remember until they are answered."""

OFFER = {"Session-Expires": str(DEFAULT_S), "Min-SE": str(MIN_S)}
"""Headers of an outbound call's first INVITE."""


@dataclass
class Session:
    """What was agreed for one call. Without an `interval_s` it does not expire."""

    interval_s: int | None = None
    refreshes: bool = False
    """True if this side refreshes the call."""
    min_s: int = MIN_S
    """The least interval that the other side accepts."""
    renewed_at: float = 0.0
    tried_at: float = 0.0

    def is_due(self, now: float) -> bool:
        """Return whether this side has to refresh the call."""
        if not self.interval_s or not self.refreshes:
            return False
        return now >= max(self.renewed_at + self.interval_s / 2, self.tried_at + _RETRY_S)

    def has_expired(self, now: float) -> bool:
        """Return whether the call must be ended. The side that does not refresh ends it a bit earlier."""
        if not self.interval_s:
            return False
        early = 0.0 if self.refreshes else min(_GRACE_S, self.interval_s / 3)
        return now >= self.renewed_at + self.interval_s - early


class SessionTimers:
    """The session timers of all calls, by Call-ID."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sessions: dict[str, Session] = {}
        self._requests: OrderedDict[tuple[str, str, int], SipMessage] = OrderedDict()
        """INVITEs and UPDATEs of other sides that are not answered yet, by Call-ID, method and number."""
        self._lock = threading.Lock()
        """The stack's thread reads and writes messages, while the event loop asks what is due."""

    def begin(self, call_id: str) -> None:
        """Begin to follow a call."""
        with self._lock:
            self._sessions.setdefault(call_id, Session())

    def end(self, call_id: str) -> int:
        """Forget a call. Returns the least interval that its other side has asked for."""
        with self._lock:
            return self._sessions.pop(call_id, Session()).min_s

    def too_short(self, message: SipMessage) -> bool:
        """Return whether a request must be refused with 422."""
        asked = _seconds(message.header("session-expires"))
        return message.method in _REFRESHES and asked is not None and asked < MIN_S and _supports(message)

    def receive(self, message: SipMessage) -> None:
        """Take note of a message of the other side."""
        if message.method not in _REFRESHES:
            return
        with self._lock:
            if not message.status:
                self._requests[_key(message)] = message
                if len(self._requests) > _UNANSWERED:
                    self._requests.popitem(last=False)
            elif session := self._sessions.get(message.call_id):
                self._take_response(session, message)

    def send(self, packet: bytes) -> bytes:
        """Return a message of this side with the headers that belong into it."""
        message = SipMessage.parse(packet)
        if message.method not in _REFRESHES or "session-expires" in message.headers:
            return packet
        with self._lock:
            request = self._requests.pop(_key(message), None) if message.status >= 200 else None
            if not (session := self._sessions.get(message.call_id)):
                return packet
            if request and message.status < 300:
                return with_headers(packet, self._answer(session, request, message))
            return with_headers(packet, self._ask(session)) if message.to_tag and not message.status else packet

    def due(self) -> tuple[list[str], list[str]]:
        """Return the calls to refresh now, and the calls that have expired."""
        now = self._clock()
        with self._lock:
            expired = [call_id for call_id, session in self._sessions.items() if session.has_expired(now)]
            due = [name for name, session in self._sessions.items() if session.is_due(now) and name not in expired]
            for call_id in due:
                self._sessions[call_id].tried_at = now
            for call_id in expired:
                self._sessions[call_id].interval_s = None
        return due, expired

    def _take_response(self, session: Session, message: SipMessage) -> None:
        """Take note of the answer to an INVITE or UPDATE of this side."""
        if message.status == 422:
            session.min_s = max(session.min_s, _seconds(message.header("min-se")) or 0)
            if session.interval_s:
                session.interval_s, session.tried_at = max(session.interval_s, session.min_s), 0.0
        elif 200 <= message.status < 300:
            asked = message.header("session-expires")
            self._agree(session, _seconds(asked), refreshes=parameter(f"<>{asked}", "refresher") != "uas")

    def _answer(self, session: Session, request: SipMessage, response: SipMessage) -> list[str]:
        """Agree to an INVITE or UPDATE of the other side. Returns further headers of the 2xx response to it."""
        asked = request.header("session-expires")
        seconds, supports = _seconds(asked), _supports(request)
        refresher = parameter(f"<>{asked}", "refresher")
        if seconds is None and supports and session.interval_s:
            seconds, refresher = session.interval_s, "uas" if session.refreshes else "uac"
        if seconds is None:
            self._agree(session, None, refreshes=False)
            return []
        if refresher != "uas":
            refresher = "uac" if supports else "uas"
        self._agree(session, max(seconds, MIN_S), refreshes=refresher == "uas")
        headers = [f"Session-Expires: {session.interval_s};refresher={refresher}"]
        if supports:
            headers.append("Require: timer")
        return headers if "supported" in response.headers else [*headers, "Supported: timer"]

    def _ask(self, session: Session) -> list[str]:
        """Return the headers of a re-INVITE or UPDATE of this side."""
        if not session.interval_s:
            return []
        refresher = "uac" if session.refreshes else "uas"
        expires = f"Session-Expires: {session.interval_s};refresher={refresher}"
        return [expires, f"Min-SE: {session.min_s}", "Supported: timer"]

    def _agree(self, session: Session, seconds: int | None, *, refreshes: bool) -> None:
        session.interval_s, session.refreshes = seconds, refreshes
        session.renewed_at, session.tried_at = self._clock(), 0.0


def _key(message: SipMessage) -> tuple[str, str, int]:
    return message.call_id, message.method, message.number


def _supports(message: SipMessage) -> bool:
    return message.has_option("supported", "timer") or message.has_option("require", "timer")


def _seconds(header: str) -> int | None:
    digits = header.partition(";")[0].strip()
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None
