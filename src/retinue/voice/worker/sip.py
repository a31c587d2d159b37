"""The SIP stack behind our own interface: baresip's Python binding is young, and only this file uses it.

This module works around three properties of the binding. `dial` subscribes to the events of its call after it has
sent the INVITE, so an immediate answer is lost: the module buffers events of unknown calls and replays them. The
default limit of concurrent calls is 2. And events have no timestamp, although the event loop may handle them late.
"""

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import baresip
import numpy as np
from baresip._native import lib as binding
from baresip.call import CallState

from retinue.voice.speech.pcm import Pcm
from retinue.voice.wire import SESSION_EXPIRED
from retinue.voice.worker.audio_watch import AudioWatch
from retinue.voice.worker.forked_answers import ForkedAnswers, end_branch
from retinue.voice.worker.inbound_access import InboundAccess
from retinue.voice.worker.libre import (
    add_extension,
    count_packets,
    has_codec,
    offer_audio_only,
    reject_call,
    send_reinvite,
)
from retinue.voice.worker.rtp_latch import RtpLatch
from retinue.voice.worker.session_timers import MIN_S, OFFER, SessionTimers
from retinue.voice.worker.sip_hooks import SipHooks
from retinue.voice.worker.sip_message import SipMessage, SipReply

Notify = Callable[["SipLine", str, str], None]
"""A callback with the line, the kind of event (`ringing`, `answered`, `closed`, `key`, `trouble`) and a detail."""

_DIRECT = {"udp": "direct", "tcp": "direct by TCP"}
"""The identities of direct calls. The stack routes an inbound call only to an identity of its transport."""

_EARLY = 64
_SESSION_LOOK_S = 1.0
"""Seconds between looks at which calls must be refreshed or have expired, and at where their audio comes from."""

_TIMER = "timer"
"""The option tag of session timers."""

_SPARE = 64
"""Lines in addition to the server's calls: telephones in rooms, and inbound calls that wait for the server."""

_TRANSFER_S = 25.0
"""Seconds that the other side has to reach the transfer destination."""
_REINVITE_S, _RETRY_S = 5.0, 0.05
"""Seconds to wait for an earlier re-INVITE: a dialog has one at a time (RFC 3261, section 14.1)."""

_NO_CODEC = "The remote side answered without a codec that this server supports."
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


@dataclass(eq=False)
class SipLine:
    """One call of the SIP stack, with its audio: mono PCM at `rate` in both directions."""

    call: Any
    notify: Notify
    call_id: str = ""
    """The Call-ID of SIP, once known."""
    again: Callable[[int], Coroutine[object, None, None]] | None = None
    """Dials an outbound call again with a longer session interval, in seconds."""
    cause: str = ""
    """Why this side hangs up, if the stack cannot know."""
    rate: int = 0
    closed: bool = False
    changed_at: float = 0.0
    """Time of the last SIP event of this line, on the machine's monotonic clock."""
    _channels: int = 1
    _bound: bool = field(default=False)
    _hears: bool = False
    """True once audio comes in. A telephone with silence suppression may send none, but still receives audio."""
    _queued: int = 0
    """Samples in the queue, when it was last looked at."""
    _unsent: int = 0
    unreachable: bool = False
    """True while the other side's SDP names no address: it holds the call in the way of RFC 2543."""

    @property
    def audible(self) -> bool:
        """True if audio can be sent now. This starts shortly after the answer, and a renegotiation may change it."""
        if not self._bound:
            self._bind()
        return self._bound

    def read(self) -> Pcm:
        """Return the audio received since the last call."""
        if not (self._bound and self._hears):
            self._bind()
        if not self._hears:
            return np.zeros(0, np.int16)
        try:
            samples = np.frombuffer(self.call.audio.read(self.rate * self._channels), "<i2")
        except baresip.BaresipError:
            self._stop()
            self._hears = False
            return np.zeros(0, np.int16)
        return samples[:: self._channels].astype(np.int16)

    def _bind(self) -> None:
        """Update the directions in which audio flows, and its rate."""
        try:
            info = self.call.audio.info()
        except baresip.BaresipError:
            self._stop()
            self._hears = False
            return
        self._bound, self._hears = bool(info.tx_ready), bool(info.rx_ready)
        if not self._bound:
            self._stop()
        if self._hears:
            self.rate, self._channels = info.rx_sample_rate, info.rx_channels
        elif self._bound:
            self.rate, self._channels = info.tx_sample_rate, info.tx_channels

    def write(self, samples: Pcm) -> int:
        """Queue audio for the other side. Returns the number of samples accepted."""
        if not self.audible or not len(samples):
            return 0
        wide = np.repeat(samples, self._channels).astype("<i2")
        try:
            taken = int(self.call.audio.write(wide.tobytes())) // 2 // self._channels
        except baresip.BaresipError:
            self._stop()
            return 0
        self._queued += taken
        return taken

    def queue(self) -> int:
        """Return the number of queued samples."""
        try:
            info = self.call.audio.info()
        except baresip.BaresipError:
            info = None
        if info is None or not info.tx_ready:
            self._stop()
            return 0
        self._queued = int(info.tx_buffered // 2 // max(1, info.tx_channels))
        return self._queued

    def take_unsent(self) -> int:
        """Return how many samples were queued when the audio stopped, and are lost. The next call returns 0."""
        unsent, self._unsent = self._unsent, 0
        return unsent

    def flush(self) -> None:
        """Discard the queue."""
        self._queued = self._unsent = 0
        try:
            self.call.audio.flush_tx()
        except baresip.BaresipError:
            self._stop()

    def _stop(self) -> None:
        """Note that no audio is sent any more, until `_bind` finds that it is."""
        self._unsent += self._queued
        self._queued, self._bound = 0, False

    async def answer(self) -> None:
        """Answer an inbound call."""
        await self._attempt(self.call.answer())

    async def hang_up(self) -> None:
        """End the call in any state."""
        await self._attempt(self.call.hangup())

    @property
    def on_hold(self) -> bool:
        """True if the other side has put the call on hold."""
        return self.unreachable or bool(self.call.remote_on_hold)

    async def hold(self) -> None:
        """Put the other side on hold. Raises `OSError`."""
        await _demand(_after_reinvite(self.call.hold))

    async def resume(self) -> None:
        """Resume the call. Raises `OSError`."""
        await _demand(_after_reinvite(self.call.resume))

    async def press(self, keys: str) -> None:
        """Send DTMF keys, as RTP events (RFC 4733) or else by INFO. Raises `OSError`."""
        await _demand(self.call.send_dtmf(keys))

    async def transfer(self, uri: str) -> None:
        """Transfer the other side to `uri` (REFER, RFC 3515), and wait for the result. Raises `OSError`."""
        await _demand(self.call.transfer(uri, timeout=_TRANSFER_S))

    async def _attempt(self, action: Any) -> None:
        try:
            await action
        except baresip.StaleHandleError:
            return  # the other side has already ended the call
        except baresip.BaresipError as error:
            self.notify(self, "trouble", str(error))


class SipRuntime(baresip.Runtime):
    """Records the time of each event, and does what must be done on the stack's own thread."""

    moment = 0.0
    """Time of the event that is being delivered, on the monotonic clock."""
    access: InboundAccess

    def __init__(self) -> None:
        super().__init__()
        self.latch, self._answers = RtpLatch(), ForkedAnswers()
        self.without_codec: set[str] = set()
        """Established calls in which there can be no audio, by Call-ID."""
        self.unreachable: set[str] = set()
        """Calls whose SDP names no address to send audio to, by Call-ID."""
        self._work: deque[Callable[[], None]] = deque()
        self.timers = SessionTimers(self.clock)
        self.hooks = SipHooks(self._take_request, self._take_response, self.timers.send)
        self._actions: dict[int, Callable[[str], None]] = {
            baresip.Event.CALL_OUTGOING: self.timers.begin,
            baresip.Event.CALL_INCOMING: self._begin_inbound,
            baresip.Event.CALL_PROGRESS: self._take_sdp,
            baresip.Event.CALL_ESTABLISHED: self._begin_audio,
            baresip.Event.CALL_LOCAL_SDP: self._take_sdp,
            baresip.Event.CALL_REMOTE_SDP: self._take_sdp,
            baresip.Event.CALL_CLOSED: self.latch.forget,
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
        if self.latch.watch(call_id):
            self.unreachable.discard(call_id)
        else:
            self.unreachable.add(call_id)

    def forget(self, call_id: str) -> None:
        """Forget a call that has ended."""
        self.without_codec.discard(call_id)
        self.unreachable.discard(call_id)

    def _take_request(self, message: SipMessage) -> SipReply | None:
        if refusal := self.access.check(message):
            return refusal
        if self.timers.too_short(message):
            return SipReply(422, "Session Interval Too Small", (f"Min-SE: {MIN_S}",))
        self.timers.receive(message)
        return None

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
        self._agents: dict[str, Any] = {}
        self._audio = AudioWatch(self._runtime.clock)
        self._lines: dict[int, SipLine] = {}
        self._early: OrderedDict[int, list[tuple[Any, float]]] = OrderedDict()

    async def start(
        self,
        host: str,
        port: int,
        ca_file: str | None,
        trunks: Sequence[dict[str, Any]],
        access: dict[str, Any],
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
        for transport, name in _DIRECT.items():
            direct = baresip.Account(
                "retinue",
                place,
                "",
                reg_interval=0,
                transport=transport,
                dtmf_mode="auto",
                audio_codecs=tuple(_CODECS.values()),
                extra_params=("catchall=yes",),
            )
            await self._add(name, direct)
        troubles = [trouble for trunk in trunks if (trouble := await self._add_trunk(trunk))]
        await self._runtime.on_own_thread(partial(add_extension, _TIMER))
        self._spawn(self._keep_sessions())
        return troubles

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

    async def _add_trunk(self, trunk: dict[str, Any]) -> str:
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

    async def _register(self, name: str, agent: Any) -> None:
        """Register the trunk. The stack retries and renews by itself."""
        try:
            await agent.register()
        except baresip.BaresipError as error:
            self._on_trouble(f"The trunk {name} did not register: {error}")

    async def _add(self, name: str, account: Any) -> Any:
        # A remote transfer request could make this server call any address.
        agent = self._agents[name] = await baresip.UserAgent.create(self._runtime, account, transfer_policy="reject")
        agent.on_incoming(self._arrive)
        return agent

    def _arrive(self, call: Any) -> None:
        line = SipLine(call, lambda line, kind, detail: None, call.call_id or "")
        self._lines[call.handle] = line
        self._early.pop(call.handle, None)
        self._on_incoming(IncomingCall(line, call.headers.get("To", ""), call.headers.get("From", call.peer or "")))

    def _route(self, event: Any) -> None:
        if not event.call:
            return None
        if line := self._lines.get(event.call):
            return self._tell(line, event, self._runtime.moment)
        self._early.setdefault(event.call, []).append((event, self._runtime.moment))
        if len(self._early) > _EARLY:
            self._early.popitem(last=False)
        return None

    def _tell(self, line: SipLine, event: Any, moment: float) -> None:
        kind, line.changed_at = _KINDS.get(event.event), moment
        line.call_id = event.call_id or line.call_id
        line.unreachable = line.call_id in self._runtime.unreachable
        reason = event.text or ""
        if kind == "closed":
            self._lines.pop(event.call, None)
            interval_s = self._runtime.timers.end(line.call_id)
            reason = line.cause or reason
            if line.again and reason.startswith("422"):
                again, line.again = line.again, None
                return self._spawn(again(interval_s))
            line.closed = True
            self._runtime.forget(line.call_id)
        if kind == "answered" and line.call_id in self._runtime.without_codec:
            line.cause = _NO_CODEC
            return self._spawn(line.hang_up())
        if kind:
            line.notify(line, kind, reason)
        return None


async def _after_reinvite(action: Callable[[], Coroutine[object, None, None]]) -> None:
    deadline = time.monotonic() + _REINVITE_S
    while True:
        try:
            return await action()
        except baresip.BaresipError as error:
            if "in flight" not in str(error) or time.monotonic() > deadline:
                raise
        await asyncio.sleep(_RETRY_S)


async def _demand(action: Coroutine[object, None, None]) -> None:
    try:
        await action
    except baresip.BaresipError as error:
        raise OSError(str(error)) from error


def _direct(uri: str) -> str:
    return _DIRECT["tcp" if uri.endswith(";transport=tcp") else "udp"]
