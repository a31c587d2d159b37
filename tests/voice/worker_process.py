"""A program of the voice environment that tests parts of the media worker: `python worker_process.py SOURCE`.

It writes the results of its cases to standard output, as a JSON object. Then the worker's tick task fails, which ends
the process.
"""

import asyncio
import contextlib
import json
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = json.loads(sys.argv[1])

import numpy as np  # noqa: E402 - the path comes first
from aiortc import AudioStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription  # noqa: E402

from retinue.core.runtime.executors import FairExecutor  # noqa: E402
from retinue.voice.speech import SpeechEnd  # noqa: E402
from retinue.voice.speech.pcm import Pcm  # noqa: E402
from retinue.voice.wire import Message, pack  # noqa: E402
from retinue.voice.worker import legs, main  # noqa: E402
from retinue.voice.worker.account_threads import AccountThreads  # noqa: E402
from retinue.voice.worker.legs import BrowserLeg  # noqa: E402
from retinue.voice.worker.listener import Reactions, SpeechListener  # noqa: E402
from retinue.voice.worker.main import MediaWorker  # noqa: E402
from retinue.voice.worker.mixer import MixerInput  # noqa: E402
from retinue.voice.worker.room import RoomSession  # noqa: E402
from retinue.voice.worker.session import CallSession  # noqa: E402
from retinue.voice.worker.speaker import Speaker, SpokenAnswer  # noqa: E402


class Channel:
    """The worker's connection to the server. It keeps the messages."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def write(self, packed: bytes) -> None:
        """Keep a message."""
        self.messages.append(json.loads(packed[4:]))


class Line:
    """A line with silence, which can break."""

    rate, audible, on_hold = 16_000, True, False

    def __init__(self) -> None:
        self.broken = False

    def read(self) -> Pcm:
        """20 ms of silence."""
        if self.broken:
            raise RuntimeError("broken")
        return np.zeros(320, np.int16)

    receive = read

    def queue(self) -> int:
        """Nothing is queued."""
        return 0

    def flush(self) -> None:
        """Nothing is queued."""


def new_worker() -> tuple[MediaWorker, list[Message]]:
    """A worker, and the messages that it sends."""
    channel: Any = Channel()
    return MediaWorker(channel), channel.messages


def add_call(worker: MediaWorker, call: int, recording: Path | None = None) -> Any:
    """Add an answered call. Returns its line."""
    line: Any = Line()
    unused: Any = None
    threads = (AccountThreads(FairExecutor("voice", 1), 1), AccountThreads(FairExecutor("ears", 1), 1))
    worker._sessions[call] = CallSession(call, line, unused, unused, threads, worker.send, 15.0, recording)
    return line


async def full_disk() -> list[Message]:
    """A call whose recording cannot be written, to its end."""
    worker, messages = new_worker()
    add_call(worker, 1, Path("/dev/full"))
    worker._sessions[1].tick()
    worker._sessions[1].tick()
    worker._close(1, "", 0.0)
    return messages


async def short_full_disk() -> list[Message]:
    """A call whose recording cannot be written, which ends before there is audio."""
    worker, messages = new_worker()
    add_call(worker, 1, Path("/dev/full"))
    worker._close(1, "", 0.0)
    return messages


async def broken_call() -> list[Message]:
    """A call whose line breaks."""
    worker, messages = new_worker()
    add_call(worker, 1).broken = True
    worker._sessions[1].tick()
    worker._sessions[1].tick()
    return messages


async def broken_room() -> list[Message]:
    """A room with a participant whose connection breaks."""
    worker, messages = new_worker()
    leg: Any = Line()
    leg.broken = True
    unused: Any = None
    room = RoomSession(7, None, unused, (unused, unused), worker.send)
    room.add(1, leg)
    room.tick()
    room.tick()
    return messages


class Guest:
    """A participant of a room, whose audio arrives or does not."""

    def __init__(self, samples: int) -> None:
        self.input, self._samples = MixerInput(), samples

    def receive(self) -> Pcm:
        """Silence."""
        return np.zeros(self._samples, np.int16)

    def deliver(self, frame: Pcm) -> None:
        """Hear nothing."""


async def greeted_room() -> list[Message]:
    """A room with two participants, of whom only the first one's audio arrives."""
    worker, messages = new_worker()
    unused: Any = None
    room = RoomSession(7, None, unused, (unused, unused), worker.send)
    room.muted = frozenset((1, 2))
    for participant, samples in ((1, 960), (2, 0)):
        guest: Any = Guest(samples)
        room.add(participant, guest)
    room.tick()
    room.tick()
    return messages


class Unclosable:
    """A session that cannot be closed."""

    def close(self) -> None:
        """Fail."""
        raise RuntimeError("broken")


async def unclosable_call() -> list[Message]:
    """A call whose session cannot be closed."""
    worker, messages = new_worker()
    session: Any = Unclosable()
    worker._sessions[1] = session
    with contextlib.suppress(RuntimeError):
        worker._close(1, "", 0.0)
    return messages


async def ice_servers() -> list[Any]:
    """The STUN and the TURN server that the connection to a browser uses."""
    leg = BrowserLeg(lambda: None)
    connection = leg._peer.getSenders()[0].transport.transport.iceGatherer._connection
    await leg.close()
    return [connection.stun_server, connection.turn_server]


async def candidates_of_others() -> list[Any]:
    """A browser connects whose offer also names other addresses. Returns its state, and the packets sent to them."""
    browser, leg = RTCPeerConnection(RTCConfiguration(iceServers=[])), BrowserLeg(lambda: None)
    others = [socket.socket(family, socket.SOCK_DGRAM) for family in (socket.AF_INET, socket.AF_INET6)]
    try:
        for other, host in zip(others, ("127.0.0.1", "::1"), strict=True):
            other.bind((host, 0))
            other.setblocking(False)
        named = [(host, other.getsockname()[1]) for other in others for host in other.getsockname()[:1]]
        named.append(("browser.local", 9))
        browser.addTrack(AudioStreamTrack())
        await browser.setLocalDescription(await browser.createOffer())
        lines = [f"a=candidate:{n} 1 udp 2130706431 {ip} {port} typ host" for n, (ip, port) in enumerate(named)]
        offer = browser.localDescription.sdp.replace("a=candidate:", "\r\n".join([*lines, "a=candidate:"]), 1)
        answer = await leg.answer(offer)
        await browser.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        async with asyncio.timeout(60):
            while browser.connectionState != "connected":  # noqa: ASYNC110 - a state to wait for
                await asyncio.sleep(0.02)
        return [browser.connectionState, *(len(_received(other)) for other in others)]
    finally:
        await browser.close()
        await leg.close()
        for other in others:
            other.close()


def _received(other: socket.socket) -> list[bytes]:
    """The datagrams that a socket has received."""
    packets = []
    with contextlib.suppress(BlockingIOError):
        while True:
            packets.append(other.recv(2048))
    return packets


async def absent_browser() -> list[str]:
    """A browser whose offer is answered, and that never connects."""
    legs.CONNECT_S = 0.01
    left = asyncio.Event()
    leg = BrowserLeg(left.set)
    browser = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    browser.addTrack(AudioStreamTrack())
    await browser.setLocalDescription(await browser.createOffer())
    await leg.answer(browser.localDescription.sdp)
    async with asyncio.timeout(60):
        await left.wait()
    await browser.close()
    await leg.close()
    return ["left"]


class SlowTranscriber:
    """Transcribes nothing, once it may, and records for which account."""

    def __init__(self, account: int, order: list[int], go: threading.Event) -> None:
        self._account, self._order, self._go = account, order, go

    def transcribe(self, samples: Any, rate: int) -> str:
        """See `Transcriber`."""
        self._go.wait()
        self._order.append(self._account)
        return ""


async def turns_of_accounts() -> list[int]:
    """One account has spoken six times before another speaks. Returns the accounts in the order of transcription."""
    threads, go, order, done = FairExecutor("ears", 1), threading.Event(), list[int](), asyncio.Semaphore(0)
    reactions = Reactions(lambda _: None, lambda _: None, done.release, lambda _: None)
    for account in (1, 1, 1, 1, 1, 1, 2):
        transcriber: Any = SlowTranscriber(account, order, go)
        listener = SpeechListener(transcriber, AccountThreads(threads, account), reactions)
        listener._rates = 8000, 8000
        listener._speech.put_nowait((SpeechEnd(0.0, np.zeros(80, np.int16)), 0.0))
    while threads._slots.waiting < 6:  # noqa: ASYNC110 - a state to wait for
        await asyncio.sleep(0)
    go.set()
    for _ in range(7):
        await done.acquire()
    return order


class SlowEngine:
    """Speaks silence, once it may."""

    sample_rate = 16_000

    def __init__(self, go: threading.Event) -> None:
        self._go = go

    def speak(self, text: str) -> Iterator[Pcm]:
        """See `Engine`."""
        del text
        self._go.wait()
        yield np.zeros(80, np.int16)


async def busy_speaker_and_another() -> list[bool]:
    """One account speaks on as many threads as it may, and another account speaks. Returns which turns are complete."""
    threads, go, at_once = FairExecutor("voice", 2, 1), threading.Event(), threading.Event()
    at_once.set()
    line: Any = Line()
    turns: list[SpokenAnswer] = []
    for account, may_speak in ((1, go), (1, go), (1, go), (2, at_once)):
        own = AccountThreads(threads, account)
        speaker = Speaker(line, SlowEngine(may_speak), own, lambda _: None, lambda _: None)
        speaker.say(1, "Hello.")
        speaker.finish(1)
        turns += speaker._turns
    try:
        async with asyncio.timeout(60):
            while not turns[-1].complete:  # noqa: ASYNC110 - a state to wait for
                await asyncio.sleep(0)
        complete = [turn.complete for turn in turns]
    finally:
        go.set()
    while not all(turn.complete for turn in turns):  # noqa: ASYNC110 - a state to wait for
        await asyncio.sleep(0)
    return complete


class BrokenWorker(MediaWorker):
    """A worker whose tick task fails."""

    async def start(self, order: Message) -> None:
        """Load nothing."""

    async def tick(self) -> None:
        """Fail."""
        raise RuntimeError("broken")


async def run_broken_worker() -> None:
    """Run a worker whose tick task fails."""
    ours, theirs = socket.socketpair()
    with ours:
        ours.sendall(pack({"do": "start"}))
        async with asyncio.timeout(60):
            await main._run(theirs.detach(), "", must_be_confined=False)


def run(case: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """The result of a case, or its error."""
    try:
        return asyncio.run(case())
    except Exception as error:  # noqa: BLE001 - the other cases are run as well
        return repr(error)


CASES = (
    full_disk, short_full_disk, broken_call, broken_room, greeted_room, unclosable_call, ice_servers,
    candidates_of_others, absent_browser, turns_of_accounts,
    busy_speaker_and_another,
)  # fmt: skip
sys.stdout.write(json.dumps({case.__name__: run(case) for case in CASES}))
sys.stdout.flush()
main.MediaWorker = BrokenWorker  # type: ignore[misc]
asyncio.run(run_broken_worker())
