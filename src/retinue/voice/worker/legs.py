"""The connections of a room: WebRTC for browsers, SIP for telephones, and the voice of the agent."""

import asyncio
import fractions
from collections.abc import Callable
from typing import Protocol

import av
import numpy as np
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError

from retinue.voice.speech.pcm import Pcm, Resampler
from retinue.voice.worker.mixer import FRAME, RATE, MixerInput
from retinue.voice.worker.sip_line import SipLine

_QUEUED = 10
"""Most frames of 20 ms in a browser's send queue; the oldest one is dropped first."""

CONNECT_S = 30.0
"""Seconds that a browser has to connect after the answer to its offer."""

_CANDIDATES = ("a=candidate:", "a=end-of-candidates")


class ParticipantLeg(Protocol):
    """The connection of one participant."""

    input: MixerInput

    def receive(self) -> Pcm:
        """Return the audio received since the last call, at 48 kHz. It is also in `input`."""
        ...

    def deliver(self, frame: Pcm) -> None:
        """Send 20 ms of mixed audio."""
        ...

    async def close(self) -> None:
        """Disconnect the participant."""
        ...


class _Sound(MediaStreamTrack):
    """The audio track to a browser."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self.frames: asyncio.Queue[Pcm] = asyncio.Queue(_QUEUED)
        self._sent = 0

    async def recv(self) -> object:
        """Return the next frame for aiortc's encoder."""
        samples = await self.frames.get()
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, self._sent, fractions.Fraction(1, RATE)
        self._sent += len(samples)
        return frame


class BrowserLeg:
    """A browser, connected by `answer`."""

    def __init__(self, left: Callable[[], None]) -> None:
        self.input = MixerInput()
        self._left = left
        self._fresh: list[Pcm] = []
        self._sound = _Sound()
        # Without this list, aiortc asks Google's STUN server for this machine's address.
        self._peer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self._peer.addTrack(self._sound)
        self._reading: asyncio.Task[None] | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._peer.on("track", self._hear)
        self._peer.on("connectionstatechange", self._note_state)

    async def answer(self, offer: str) -> str:
        """Return the SDP answer to an offer. Raises `ValueError` if the offer is invalid.

        A browser that does not connect in time has left.
        """
        try:
            await self._peer.setRemoteDescription(RTCSessionDescription(_without_candidates(offer), "offer"))
            await self._peer.setLocalDescription(await self._peer.createAnswer())
        except Exception as error:
            await self._peer.close()
            raise ValueError(str(error) or type(error).__name__) from error
        self._deadline = asyncio.get_running_loop().call_later(CONNECT_S, self._left)
        return str(self._peer.localDescription.sdp)

    def receive(self) -> Pcm:
        """See `ParticipantLeg`."""
        fresh, self._fresh = self._fresh, []
        return np.concatenate(fresh) if fresh else np.zeros(0, np.int16)

    def deliver(self, frame: Pcm) -> None:
        """See `ParticipantLeg`."""
        if self._sound.frames.full():
            self._sound.frames.get_nowait()
        self._sound.frames.put_nowait(frame)

    async def close(self) -> None:
        """See `ParticipantLeg`."""
        if self._deadline:
            self._deadline.cancel()
        if self._reading:
            self._reading.cancel()
        await self._peer.close()

    def _hear(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio":
            self._reading = asyncio.create_task(self._read(track))

    async def _read(self, track: MediaStreamTrack) -> None:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        try:
            while True:
                for frame in resampler.resample(await track.recv()):
                    samples = frame.to_ndarray().reshape(-1).astype(np.int16)
                    self.input.push(samples)
                    self._fresh.append(samples)
        except MediaStreamError:
            self._left()

    def _note_state(self) -> None:
        if self._deadline and self._peer.connectionState == "connected":
            self._deadline.cancel()
        if self._peer.connectionState in ("failed", "closed"):
            self._left()


def _without_candidates(offer: str) -> str:
    """Return an offer without its ICE candidates.

    This server would send UDP packets to whatever addresses an offer names, its own loopback interface included. It
    needs none of them: the browser sends the first packet, to an address in the answer, and the server replies to
    its source (a peer-reflexive candidate, RFC 8445).
    """
    return "".join(f"{line}\r\n" for line in offer.splitlines() if not line.startswith(_CANDIDATES))


class PhoneLeg:
    """A telephone."""

    def __init__(self, line: SipLine) -> None:
        self.input = MixerInput()
        self._line = line
        self._rate = 0

    def receive(self) -> Pcm:
        """See `ParticipantLeg`."""
        samples = self._line.read()
        if not len(samples):
            return samples
        if self._rate != self._line.rate:
            self._rate = self._line.rate
            self._up, self._down = Resampler(self._rate, RATE), Resampler(RATE, self._rate)
        wide = self._up.feed(samples)
        self.input.push(wide)
        return wide

    def deliver(self, frame: Pcm) -> None:
        """See `ParticipantLeg`."""
        if self._rate and self._rate == self._line.rate:
            self._line.write(self._down.feed(frame))

    async def close(self) -> None:
        """See `ParticipantLeg`."""
        await self._line.hang_up()


class AgentVoice:
    """The agent's input to the mix. It is the `Output` of a `Speaker`."""

    rate = RATE
    audible = True

    def __init__(self) -> None:
        self.input = MixerInput()

    def write(self, samples: Pcm) -> int:
        """Queue audio for the mix. Returns the number of samples accepted."""
        self.input.push(samples)
        return len(samples)

    def queue(self) -> int:
        """Return the number of unmixed samples; 0 for less than a frame, which is never mixed."""
        return self.input.samples if self.input.samples >= FRAME else 0

    def take_unsent(self) -> int:
        """Return 0: the mix does not stop."""
        return 0

    def flush(self) -> None:
        """Drop unmixed audio."""
        self.input.clear()
