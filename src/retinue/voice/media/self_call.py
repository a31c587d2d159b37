"""Makes a telephone call on this machine from a media worker to itself, to find out whether calls work."""

import asyncio
import random
import socket
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from retinue.voice.media.process import MediaProcess, WorkerEnded, WorkerOptions
from retinue.voice.options import VoiceOptions
from retinue.voice.wire import Message

SENTENCE = "Please bring me five apples."
_PATIENCE_S = 60.0
_CALLER, _CALLED = 1, 2
_SESSION = {"wait_s": [0.3, 2.0], "end_phrases": [], "voice": "", "speed": 1.0, "language": ""}


@dataclass(frozen=True, slots=True)
class SelfCall:
    """What became of a call. `heard` are the words that arrived; `transcription_ms` is how long they took."""

    heard: str
    transcription_ms: int

    @property
    def understood(self) -> bool:
        """Whether most of the words were understood."""
        said, heard = (set(text.lower().replace(".", "").split()) for text in (SENTENCE, self.heard))
        return len(said & heard) > len(said) // 2


class SelfCaller:
    """A media worker that calls itself over loopback."""

    def __init__(self, process: MediaProcess, port: int) -> None:
        self._process, self._port = process, port
        self.problems: list[str] = []
        """What the worker complained about, such as a kernel that does not confine it."""

    async def call(self, engine: str) -> SelfCall:
        """Speak a sentence with an engine in a call, and return what arrived. Raises `OSError` with a message."""
        options = {"engine": engine, "account": 1, "recording": None, "detection": None, "session": _SESSION}
        address = f"sip:doctor@127.0.0.1:{self._port};transport=udp"
        self._process.send({"do": "dial", "call": _CALLER, "uri": address, "trunk": None, **options})
        try:
            async with asyncio.timeout(_PATIENCE_S):
                heard = await self._talk(options)
                await self._hang_up()
        except TimeoutError as error:
            raise OSError(
                f"no words arrived within {_PATIENCE_S:.0f} s. Is a firewall closing UDP on 127.0.0.1, or the "
                "processor busy?"
            ) from error
        except WorkerEnded as error:
            raise OSError(str(error)) from error
        return heard

    async def _talk(self, options: dict[str, object]) -> SelfCall:
        while True:
            message = await self._receive()
            match message["is"]:
                case "incoming":
                    self._process.send({"do": "answer", "call": _CALLED, "line": message["line"], **options})
                case "answered" if message["call"] == _CALLER:
                    self._order("say", turn=1, text=SENTENCE, protected=True)
                    self._order("finish", turn=1)
                case "heard" if message["call"] == _CALLED:
                    return SelfCall(message["text"], message["timing"]["transcription_ms"])
                case "failed" | "ended":
                    raise OSError(message["reason"] or "the call was closed before anything was said")

    async def _hang_up(self) -> None:
        self._order("hangup")
        open_calls = {_CALLER, _CALLED}
        while open_calls:
            message = await self._receive()
            if message["is"] == "ended":
                open_calls.discard(message["call"])

    async def _receive(self) -> Message:
        message = await self._process.receive()
        if message["is"] == "trouble":
            self.problems.append(message["reason"])
        return message

    def _order(self, do: str, **values: object) -> None:
        self._process.send({"do": do, "call": _CALLER, **values})


@asynccontextmanager
async def running_self_caller(
    python: Path, piper_python: Path | None, options: VoiceOptions
) -> AsyncGenerator[SelfCaller]:
    """Run a media worker on a free port of 127.0.0.1. Raises `WorkerEnded` or `OSError`."""
    port = free_sip_port()
    with tempfile.TemporaryDirectory() as folder:
        worker = WorkerOptions("127.0.0.1", port, [], {}, piper_python, Path(folder), options)
        process = await MediaProcess.start(python, worker)
        try:
            yield SelfCaller(process, port)
        finally:
            await process.close()


def engines_to_try(options: VoiceOptions, *, has_piper: bool) -> Sequence[str]:
    """Return the engines that are installed or configured."""
    more = {"piper": has_piper, "openai": options.speech_server is not None}
    return ["hibari", "kokoro", *(name for name, usable in more.items() if usable)]


def free_sip_port() -> int:
    """Return a port of 127.0.0.1 that is free for UDP and TCP, as is the next one, which the SIP stack takes for TLS.

    It lies below the ports that the kernel gives to outgoing connections.
    """
    while True:
        port = random.randrange(10_000, 16_000, 2)  # noqa: S311 - the choice is no secret
        if is_free(port) and is_free(port + 1):
            return port


def is_free(port: int) -> bool:
    """Return whether a port of 127.0.0.1 is free for UDP and TCP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
        try:
            udp.bind(("127.0.0.1", port))
            tcp.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
