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

import numpy as np
from aiortc import AudioStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription

from retinue.core.runtime.executors import FairExecutor
from retinue.voice.speech import Resampler, SpeechEnd, TurnDetector
from retinue.voice.speech.pcm import Pcm
from retinue.voice.wire import Message, pack
from retinue.voice.worker import legs, main
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.legs import BrowserLeg
from retinue.voice.worker.listener import Reactions, SpeechListener, Start, TranscribedTurn
from retinue.voice.worker.main import MediaWorker
from retinue.voice.worker.mixer import MixerInput
from retinue.voice.worker.room import RoomSession
from retinue.voice.worker.session import CallSession, SessionOptions
from retinue.voice.worker.speaker import Speaker, SpokenAnswer
from tests.support.waiting import until
from tests.voice.worker_lines import Channel, Line, SlowLine, Story


def new_worker() -> tuple[MediaWorker, list[Message]]:
    """A worker, and the messages that it sends."""
    channel: Any = Channel()
    return MediaWorker(channel), channel.messages


def add_call(worker: MediaWorker, call: int, recording: Path | None = None) -> Any:
    """Add an answered call. Returns its line."""
    line: Any = Line()
    unused: Any = None
    threads = (AccountThreads(FairExecutor("voice", 1), 1), AccountThreads(FairExecutor("ears", 1), 1))
    options = SessionOptions(recording=recording)
    worker._sessions[call] = CallSession(call, line, unused, unused, threads, worker.send, options)
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


async def cancelled_call() -> list[Message]:
    """A call that is to be answered when its caller has just hung up."""
    worker, messages = new_worker()
    session = {"wait_s": [0.3, 2.0], "end_phrases": [], "language": "", "voice": "", "speed": 1.0}
    await worker._connect({"do": "answer", "call": 1, "line": "in-1", "recording": None, "session": session}, Story())
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
        await until(lambda: browser.connectionState == "connected")
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

    def transcribe(self, samples: Any, rate: int, language: str = "") -> str:
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
        listener._end_turn(SpeechEnd(0.0, np.zeros(80, np.int16)), 0.0)
    await until(lambda: threads._slots.waiting >= 6)
    go.set()
    for _ in range(7):
        await done.acquire()
    return order


class SlowEngine:
    """Speaks silence, once it may."""

    sample_rate = 16_000

    def __init__(self, go: threading.Event) -> None:
        self._go = go

    def speak(self, text: str, style: Any = None) -> Iterator[Pcm]:
        """See `SpeechEngine`."""
        del text, style
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
        await until(lambda: turns[-1].complete)
        complete = [turn.complete for turn in turns]
    finally:
        go.set()
    await until(lambda: all(turn.complete for turn in turns))
    return complete


async def speaking_session(*, protected: bool) -> tuple[CallSession, list[Message]]:
    """A call on which the agent has begun a story of ten seconds."""
    worker, messages = new_worker()
    line, story, unused = SlowLine(), Story(), None
    threads = (AccountThreads(FairExecutor("voice", 1), 1), AccountThreads(FairExecutor("ears", 1), 1))
    parts: tuple[Any, Any, Any] = line, story, unused
    session = CallSession(1, *parts, threads, worker.send, SessionOptions())
    session.speaker.say(1, "A story.", protected=protected)
    session.speaker.finish(1)
    await until(lambda: all(turn.complete for turn in session.speaker._turns))
    session.speaker.tick()
    return session, messages


def say_words(session: CallSession, text: str, level_db: float = -20.0) -> None:
    """The other side says something."""
    session._pause_speech(Start(100, level_db))
    session._take_words(TranscribedTurn(text, 0.0, 0, level_db))


async def interruptions() -> dict[str, Any]:
    """What happens to the agent's story, by what the other side says: whether it goes on, and what is reported."""
    found: dict[str, Any] = {}
    for text in ("Mm-hm.", "Okay, right.", "ha ha ha", "Wait, I have another question."):
        session, messages = await speaking_session(protected=False)
        say_words(session, text)
        found[text] = [session.speaker.busy and not session.speaker.paused, [message["is"] for message in messages]]
    session, messages = await speaking_session(protected=False)
    session._caller_db = -20.0
    say_words(session, "And now the news.", -40.0)
    found["far"] = [session.speaker.busy and not session.speaker.paused, [*messages]]
    session.speaker._turns.clear()
    session.speaker._pieces.clear()
    say_words(session, "I have put the telephone on the table.", -40.0)
    found["quiet caller"] = [message["text"] for message in messages if message["is"] == "heard"]
    return found


async def unsent_story() -> dict[str, list[bool]]:
    """Whether all of a story is left to speak when it has begun, and after that, although none of it was sent."""

    def is_whole(session: CallSession) -> bool:
        (turn,) = session.speaker._turns
        (sentence,) = turn.sentences
        return sum(len(piece.samples) for piece in session.speaker._pieces) == sentence.samples

    interrupted, _ = await speaking_session(protected=False)
    found = {"interrupted": [is_whole(interrupted)], "held": []}
    say_words(interrupted, "Mm-hm.")
    found["interrupted"].append(is_whole(interrupted))
    held, _ = await speaking_session(protected=False)
    line: Any = held.line
    found["held"].append(is_whole(held))
    line.stop()
    for _ in range(3):
        held.speaker.tick()
    found["held"].append(is_whole(held))
    return found


async def last_words() -> list[str]:
    """The other side says yes when the agent has nearly ended its question."""
    session, messages = await speaking_session(protected=False)
    session.speaker._pieces.clear()
    say_words(session, "Yes.")
    return [message["text"] for message in messages if message["is"] == "heard"]


async def protected_greeting() -> dict[str, Any]:
    """What is reported of words during a greeting that nothing may interrupt, before and after its end."""
    session, messages = await speaking_session(protected=True)
    session.cut_unless_protected()
    for text in ("Hello?", "I have a question.", "About my invoice."):
        say_words(session, text)
    during = [*messages]
    while session.speaker.busy:
        session.speaker._line.flush()
        session.speaker.tick()
    return {"during": during, "after": [[message["is"], message["text"]] for message in messages]}


async def farewells() -> dict[str, int]:
    """How often the call is hung up once the agent's last words have been spoken, by what the caller said."""
    found = {}
    for said in ("Thank you, bye.", "One more question."):
        session, _ = await speaking_session(protected=False)
        hung_up: list[None] = []

        async def hang_up(hung_up: list[None] = hung_up) -> None:
            hung_up.append(None)

        session.line.hang_up = hang_up  # type: ignore[method-assign] # counts
        say_words(session, said)
        session.speaker.say(2, "Goodbye.")
        session.speaker.finish(2)
        async with asyncio.timeout(60):
            while session.speaker.busy:
                session.speaker._line.flush()
                session.speaker.tick()
                await asyncio.sleep(0)
        await asyncio.sleep(0)
        found[said] = len(hung_up)
    return found


class Script:
    """Transcribes each turn with the next text."""

    def __init__(self, *texts: str) -> None:
        self._texts = iter(texts)

    def transcribe(self, samples: Pcm, rate: int, language: str = "") -> str:
        """See `Transcriber`."""
        del samples, rate, language
        return next(self._texts)


async def turns_by_words(*texts: str, pause: int) -> list[str]:
    """The turns of somebody who speaks, pauses for so many windows of 32 ms, speaks again and is silent."""
    heard: list[str] = []
    reactions = Reactions(lambda _: None, lambda words: heard.append(words.text), lambda: None, lambda _: None)
    transcriber: Any = Script(*texts)
    listener = SpeechListener(transcriber, AccountThreads(FairExecutor("ears", 1), 1), reactions)
    listener._rates, listener._resampler = (8000, 8000), Resampler(8000, 8000)
    listener._turns = TurnDetector(8000, silence_s=2.0, pause_s=0.2, probability=lambda window: float(window.max() > 0))
    async with asyncio.timeout(60):
        for loud, windows in ((True, 20), (False, pause), (True, 20), (False, 80)):
            for _ in range(windows):
                listener.feed(np.full(256, 5000 if loud else 0, np.int16), 8000)
                if listener._draft:
                    await asyncio.wait([listener._draft])
        await until(lambda: not (listener._ended.qsize() or listener.hearing))
    listener.close()
    return heard


async def turns_with_pauses() -> dict[str, list[str]]:
    """The turns of speakers who pause for 0.7 s, by what they have said before."""
    return {
        "open": await turns_by_words("I want to", "I want to cancel my order.", pause=22),
        "digits": await turns_by_words("4, 2, 7, 1.", "4, 2, 7, 1, 8, 5.", pause=22),
        "question": await turns_by_words("How are you?", "Hello?", pause=22),
    }


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
    full_disk, short_full_disk, cancelled_call, broken_call, broken_room, greeted_room, unclosable_call, ice_servers,
    candidates_of_others, absent_browser, turns_of_accounts,
    busy_speaker_and_another, interruptions, unsent_story, last_words, protected_greeting, farewells, turns_with_pauses,
)  # fmt: skip
sys.stdout.write(json.dumps({case.__name__: run(case) for case in CASES}))
sys.stdout.flush()
main.MediaWorker = BrokenWorker  # type: ignore[misc] # what `main` runs
asyncio.run(run_broken_worker())
