"""The SIP stack behind our own interface: baresip's Python binding is young, and only this file and `sip_line` use it.

This module works around three properties of the binding. `dial` subscribes to the events of its call after it has
sent the INVITE, so an immediate answer is lost: the module buffers events of unknown calls and replays them. The
default limit of concurrent calls is 2. And events have no timestamp, although the event loop may handle them late.
"""

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial

import baresip
from baresip._native import lib as binding
from baresip.call import CallState

from retinue.voice.wire import NOTHING_AGREED, SESSION_EXPIRED, CallerRules, TrunkAccount
from retinue.voice.worker.audio_offer import offered_codecs
from retinue.voice.worker.audio_watch import AudioWatch
from retinue.voice.worker.forked_answers import ForkedAnswers, end_branch
from retinue.voice.worker.inbound_access import InboundAccess
from retinue.voice.worker.late_offers import LateOffers
from retinue.voice.worker.libre import (
    accepted_codecs,
    add_extension,
    count_packets,
    end_call,
    has_codec,
    is_held,
    offer_audio_only,
    reject_call,
    send_reinvite,
)
from retinue.voice.worker.rtp_latch import RtpLatch
from retinue.voice.worker.session_timers import MIN_S, OFFER, SessionTimers
from retinue.voice.worker.sip_hooks import SipHooks
from retinue.voice.worker.sip_line import Notify, SipLine
from retinue.voice.worker.sip_message import SipMessage, SipReply

_DIRECT = {"udp": "direct", "tcp": "direct by TCP"}
"""The identities of direct calls. The stack routes an inbound call only to an identity of its transport."""

_EARLY = 64
_SESSION_LOOK_S = 1.0
"""Seconds between looks at which calls must be refreshed or have expired, and at where their audio comes from."""

_TIMER = "timer"
"""The option tag of session timers."""

_SPARE = 64
"""Lines in addition to the server's calls: telephones in rooms, and inbound calls that wait for the server."""

_NO_COMMON_CODEC = SipReply(488, "Not Acceptable Here", ('Warning: 305 retinue "Incompatible media format"',))
"""The refusal of an offer in the middle of a call, which goes on as before (RFC 3261, section 14.2)."""

_PENDING = SipReply(491, "Request Pending")
"""The refusal of an offer that comes before the answer to one of this side (RFC 3261, section 14.2)."""

_RTP_PORTS = "16384-32767"
_TLS = "sip_verify_server yes\nsip_capath /etc/ssl/certs\n"
"""Without these settings, the stack accepts every certificate."""

_CODECS = {"pcmu": "pcmu", "pcma": "pcma", "g722": "g722/16000/1", "opus": "opus/48000/2"}
_KINDS = {
    baresip.Event.CALL_RINGING: "ringing",
    baresip.Event.CALL_PROGRESS: "ringing",
    baresip.Event.CALL_ESTABLISHED: "answered",
    baresip.Event.CALL_CLOSED: "closed",
    baresip.Event.CALL_DTMF_START: "key",
}


class SipRuntime(baresip.Runtime):
    """Records the time of each event, and does what must be done on the stack's own thread."""

    moment = 0.0
    """Time of the event that is being delivered, on the monotonic clock."""
    access: InboundAccess

    def __init__(self) -> None:
        super().__init__()
        self.latch, self._answers = RtpLatch(), ForkedAnswers()
        self._late_offers = LateOffers(accepted_codecs)
        self.without_codec: set[str] = set()
        """Established calls without a common codec, or with other encryption than required, by Call-ID."""
        self.held: set[str] = set()
        """Calls that the other side holds, by Call-ID: its SDP wants no audio, or names no address for it."""
        self._work: deque[Callable[[], None]] = deque()
        self.timers = SessionTimers(self.clock)
        self.hooks = SipHooks(self._take_request, self._take_response, self._send)
        self._actions: dict[int, Callable[[str], None]] = {
            baresip.Event.CALL_OUTGOING: self.timers.begin,
            baresip.Event.CALL_INCOMING: self._begin_inbound,
            baresip.Event.CALL_PROGRESS: self._take_sdp,
            baresip.Event.CALL_ESTABLISHED: self._begin_audio,
            baresip.Event.CALL_LOCAL_SDP: self._take_sdp,
            baresip.Event.CALL_REMOTE_SDP: self._take_sdp,
            baresip.Event.CALL_CLOSED: self._end_call,
        }

    def clock(self) -> float:
        """Return the time for session timers, in seconds."""
        return time.monotonic()

    async def on_own_thread(self, work: Callable[[], None]) -> None:
        """Run a function on the stack's thread, which is between two events then, and wait for it."""
        self._work.append(work)
        await self.cmd(binding.BP_CMD_PING)

    def _on_native_event(self, ev: int, handle: int, payload: bytes | None) -> None:
        if ev == binding.BP_EV_PONG:
            while self._work:
                self._work.popleft()()
        if payload and (action := self._actions.get(ev - binding.BP_EV_BASE)):
            action(json.loads(payload).get("call_id", ""))
        self._call_threadsafe(self._deliver, time.monotonic(), ev, handle, payload)

    def _begin_inbound(self, call_id: str) -> None:
        self.timers.begin(call_id)
        offer_audio_only(call_id)

    def _begin_audio(self, call_id: str) -> None:
        self._take_sdp(call_id)
        if not has_codec(call_id):
            self.without_codec.add(call_id)

    def _take_sdp(self, call_id: str) -> None:
        if self.latch.watch(call_id) and not is_held(call_id):
            self.held.discard(call_id)
        else:
            self.held.add(call_id)

    def _end_call(self, call_id: str) -> None:
        self.latch.forget(call_id)
        self.without_codec.discard(call_id)
        self.held.discard(call_id)

    def _take_request(self, message: SipMessage) -> SipReply | None:
        if refusal := self.access.check(message):
            return refusal
        if self.timers.too_short(message):
            return SipReply(422, "Session Interval Too Small", (f"Min-SE: {MIN_S}",))
        if self._late_offers.is_too_early(message):
            return _PENDING
        if _offers_no_codec(message):
            return _NO_COMMON_CODEC
        if self._late_offers.is_declined(message):
            end_call(message.call_id, NOTHING_AGREED)
        self.timers.receive(message)
        return None

    def _send(self, packet: bytes) -> bytes:
        self._late_offers.note_response(SipMessage.parse(packet))
        return self.timers.send(packet)

    def _take_response(self, message: SipMessage) -> bool:
        if self._answers.is_further(message):
            end_branch(message)
            return True
        self.timers.receive(message)
        return False

    def _deliver(self, moment: float, ev: int, handle: int, payload: bytes | None) -> None:
        self.moment = moment
        self._dispatch(ev, handle, payload)


@dataclass(frozen=True, slots=True)
class IncomingCall:
    """An inbound call with its To and From headers."""

    line: SipLine
    to: str
    caller: str


class SipStack:
    """The SIP endpoint of this process, with an identity for direct calls per transport and one per trunk."""

    def __init__(
        self,
        on_incoming: Callable[[IncomingCall], None],
        on_trouble: Callable[[str], None],
        on_dead: Callable[[], None],
    ) -> None:
        """`on_trouble` receives a message about a trunk that does not register.

        `on_dead` is called if the stack's thread ends unexpectedly; this process is then unusable.
        """
        self._on_incoming, self._on_trouble, self._on_dead = on_incoming, on_trouble, on_dead
        self._tasks: set[asyncio.Task[None]] = set()
        self._runtime = SipRuntime()
        self._agents: dict[str, baresip.UserAgent] = {}
        self._audio = AudioWatch(self._runtime.clock)
        self._lines: dict[int, SipLine] = {}
        self._early: OrderedDict[int, list[tuple[baresip.StackEvent, float]]] = OrderedDict()

    async def start(
        self,
        host: str,
        port: int,
        ca_file: str | None,
        trunks: Sequence[TrunkAccount],
        access: CallerRules,
        calls: int,
    ) -> list[str]:
        """Listen, and start to register trunks that require it. Returns a message for each unusable trunk.

        An unreachable registrar does not delay the start. `calls` is the server's limit of calls. The stack itself
        rejects further ones, so a flood of calls uses neither memory nor file descriptors. The certificate
        authorities in `ca_file` are trusted in addition to those of the system. `access` are the rules for callers.
        """
        self._runtime.access = InboundAccess(access, time.time, self._on_trouble)
        authorities = f"sip_cafile {ca_file}\n" if ca_file else ""
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        every = host in {"0.0.0.0", "::"}  # noqa: S104 - the operator's choice
        await self._runtime.start(
            baresip.Config(
                net_interface=None if every else host,
                max_concurrent_calls=calls + _SPARE,
                expose_headers=("To", "From"),
                extra_config_text=f"sip_listen {place}\nrtp_ports {_RTP_PORTS}\n{_TLS}{authorities}",
            )
        )
        # Before there are identities: until then, the stack itself refuses all calls.
        await self._runtime.on_own_thread(self._runtime.hooks.attach)
        self._runtime.on_dead = self._on_dead
        self._runtime.subscribe(self._route)
        await self._add_direct(place)
        problems = [problem for trunk in trunks if (problem := await self._add_trunk(trunk))]
        await self._runtime.on_own_thread(partial(add_extension, _TIMER))
        self._spawn(self._keep_sessions())
        return problems

    async def dial(self, uri: str, trunk: str | None, notify: Notify) -> SipLine:
        """Call an address. Raises `OSError` if no INVITE can be sent."""
        line = SipLine(None, notify)
        line.again = partial(self._dial_again, line, uri, trunk)
        await self._dial(line, uri, trunk, OFFER)
        return line

    async def reject(self, line: SipLine, status: int) -> None:
        """Reject an inbound call."""
        await self._runtime.on_own_thread(partial(reject_call, line.call_id, status))

    async def _dial(self, line: SipLine, uri: str, trunk: str | None, headers: dict[str, str]) -> None:
        try:
            call = line.call = await self._agents[trunk or _direct(uri)].dial(uri, headers)
        except (baresip.BaresipError, ValueError, KeyError) as error:
            raise OSError(f"The call could not be dialled: {error}") from error
        self._lines[call.handle] = line
        for event, moment in self._early.pop(call.handle, ()):
            # The binding's call object has missed these events as well, and would stay in the state OUTGOING.
            if _KINDS.get(event.event) in ("answered", "closed") and call.state is CallState.OUTGOING:
                call._on_stack_event(event)
            self._tell(line, event, moment)

    async def _dial_again(self, line: SipLine, uri: str, trunk: str | None, interval_s: int) -> None:
        """Dial again, with the session interval that the other side requires."""
        try:
            await self._dial(line, uri, trunk, {"Session-Expires": str(interval_s), "Min-SE": str(interval_s)})
        except OSError as error:
            line.closed = True
            line.notify(line, "closed", str(error))

    async def _keep_sessions(self) -> None:
        """Refresh calls, and end calls that the other side no longer refreshes."""
        while True:
            await asyncio.sleep(_SESSION_LOOK_S)
            try:
                await self._refresh_sessions()
            except baresip.BaresipError as error:
                self._on_trouble(f"The sessions of calls could not be refreshed: {error}")

    async def _refresh_sessions(self) -> None:
        due, expired = self._runtime.timers.due()
        for line in [line for line in self._lines.values() if line.call_id in expired]:
            line.cause = SESSION_EXPIRED
            self._spawn(line.hang_up())
        talking = [line.call_id for line in self._lines.values() if line.audible and not line.on_hold]
        packets: dict[str, int] = {}

        def look_at_audio() -> None:
            packets.update((call_id, count_packets(call_id)) for call_id in talking)
            self._runtime.latch.follow()

        if talking:
            await self._runtime.on_own_thread(look_at_audio)
        for call_id in {*due, *self._audio.quiet_calls(packets)}:
            await self._runtime.on_own_thread(partial(send_reinvite, call_id))

    async def close(self) -> None:
        """Hang up all calls and stop, if the stack was started."""
        for task in self._tasks:
            task.cancel()
        if self._agents:
            await self._runtime.close()

    async def _add_direct(self, place: str) -> None:
        """Add the identities of direct calls."""
        for transport, name in _DIRECT.items():
            account = baresip.Account(
                "retinue",
                place,
                "",
                reg_interval=0,
                transport=transport,
                dtmf_mode="auto",
                audio_codecs=tuple(_CODECS.values()),
                extra_params=("catchall=yes",),
            )
            await self._add(name, account)

    async def _add_trunk(self, trunk: TrunkAccount) -> str:
        registers = trunk["register_"]
        account = baresip.Account(
            trunk["user"] if registers or not trunk["caller_id"] else trunk["caller_id"],
            trunk["host"],
            trunk["secret"],
            reg_interval=600 if registers else 0,
            transport=trunk["transport"],
            dtmf_mode="auto",
            audio_codecs=tuple(_CODECS[name] for name in trunk["codecs"]),
            auth_user=trunk["auth_user"] or trunk["user"],
            extra_params=("mediaenc=srtp-mand",) if trunk["srtp"] else (),
        )
        try:
            agent = await self._add(trunk["name"], account)
        except baresip.BaresipError as error:
            return f"The trunk {trunk['name']} cannot be used: {error}"
        if registers:
            self._spawn(self._register(trunk["name"], agent))
        return ""

    def _spawn(self, work: Coroutine[object, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _register(self, name: str, agent: baresip.UserAgent) -> None:
        """Register the trunk. The stack retries and renews by itself."""
        try:
            await agent.register()
        except baresip.BaresipError as error:
            self._on_trouble(f"The trunk {name} did not register: {error}")

    async def _add(self, name: str, account: baresip.Account) -> baresip.UserAgent:
        # A remote transfer request could make this server call any address.
        agent = self._agents[name] = await baresip.UserAgent.create(self._runtime, account, transfer_policy="reject")
        agent.on_incoming(self._arrive)
        return agent

    def _arrive(self, call: baresip.Call) -> None:
        line = SipLine(call, lambda line, kind, detail: None, call.call_id or "")
        self._lines[call.handle] = line
        self._early.pop(call.handle, None)
        self._on_incoming(IncomingCall(line, call.headers.get("To", ""), call.headers.get("From", call.peer or "")))

    def _route(self, event: baresip.StackEvent) -> None:
        if not event.call:
            return None
        if line := self._lines.get(event.call):
            return self._tell(line, event, self._runtime.moment)
        self._early.setdefault(event.call, []).append((event, self._runtime.moment))
        if len(self._early) > _EARLY:
            self._early.popitem(last=False)
        return None

    def _tell(self, line: SipLine, event: baresip.StackEvent, moment: float) -> None:
        kind, line.changed_at = _KINDS.get(event.event), moment
        line.call_id = event.call_id or line.call_id
        line.on_hold = line.call_id in self._runtime.held
        reason = event.text or ""
        if kind == "closed":
            self._lines.pop(event.call, None)
            interval_s = self._runtime.timers.end(line.call_id)
            reason = line.cause or reason
            if line.again and reason.startswith("422"):
                again, line.again = line.again, None
                return self._spawn(again(interval_s))
            line.closed = True
        if kind == "answered" and line.call_id in self._runtime.without_codec:
            line.cause = NOTHING_AGREED
            return self._spawn(line.hang_up())
        if kind:
            line.notify(line, kind, reason)
        return None


def _offers_no_codec(message: SipMessage) -> bool:
    """Return whether a request would change the audio of a call to codecs that this side does not have.

    The stack accepts such an offer, and the call goes on without audio.
    """
    if message.method not in ("INVITE", "UPDATE") or not message.to_tag:
        return False
    offered = offered_codecs(message.header("content-type"), message.body)
    accepted = accepted_codecs(message.call_id)
    return offered is not None and bool(accepted) and accepted.isdisjoint(offered)


def _direct(uri: str) -> str:
    return _DIRECT["tcp" if uri.endswith(";transport=tcp") else "udp"]
