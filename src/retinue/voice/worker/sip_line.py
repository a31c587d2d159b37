"""One call of the SIP stack: its audio in both directions, and what this side does with it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import baresip
import numpy as np

from retinue.voice.speech.pcm import Pcm

Notify = Callable[["SipLine", str, str], None]
"""A callback with the line, the kind of event (`ringing`, `answered`, `closed`, `key`, `trouble`) and a detail."""

_TRANSFER_S = 25.0
"""Seconds that the other side has to reach the transfer destination."""
_REINVITE_S, _RETRY_S = 5.0, 0.05
"""Seconds to wait for an earlier re-INVITE: a dialog has one at a time (RFC 3261, section 14.1)."""


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
    hung_up: bool = False
    """True once this side ends the call."""
    changed_at: float = 0.0
    """Time of the last SIP event of this line, on the machine's monotonic clock."""
    _channels: int = 1
    _bound: bool = field(default=False)
    _hears: bool = False
    """True once audio comes in. A telephone with silence suppression may send none, but still receives audio."""
    _queued: int = 0
    """Samples in the queue, when it was last looked at."""
    _unsent: int = 0
    on_hold: bool = False
    """True while the other side has put the call on hold."""

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
        self.hung_up = True
        await self._attempt(self.call.hangup())

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

    async def _attempt(self, action: Awaitable[object]) -> None:
        try:
            await action
        except baresip.StaleHandleError:
            return  # the other side has already ended the call
        except baresip.BaresipError as error:
            self.notify(self, "trouble", str(error))


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
