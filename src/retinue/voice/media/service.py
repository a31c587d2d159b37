"""Keeps one media worker running, and routes messages between it and the calls, rooms and rehearsals of this server."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import structlog

from retinue.core.errors import Unavailable
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.process import MediaProcess, WorkerEnded, WorkerOptions
from retinue.voice.options import VoiceOptions
from retinue.voice.trunks import Trunks
from retinue.voice.wire import Message

_log = structlog.get_logger()
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_STABLE_S = 30.0
_IDLE_LOOK_S = 0.5
GONE: Message = {"is": "gone"}
"""The message to each call and room when the worker has died."""

Incoming = Callable[[Message], None]

Place = tuple[Literal["call", "room", "rehearsal"], int]
"""A call, a room or a rehearsal, with its number."""

_PLACES: tuple[Literal["call", "room", "rehearsal"], ...] = ("call", "room", "rehearsal")


class MediaService:
    """Supervises the worker. It starts one if SIP is on, or when somebody joins a room."""

    def __init__(
        self,
        options: VoiceOptions,
        trunks: Trunks,
        environment: VoiceEnvironment,
        piper: PiperEnvironment,
        recordings: Path,
    ) -> None:
        """`recordings` is the only folder in which the worker may write."""
        self._options, self._trunks, self._recordings = options, trunks, recordings
        self._environment, self._piper = environment, piper
        self._process: MediaProcess | None = None
        self._has_piper = False
        """True if the running worker can use Piper: it may only read folders that existed when it started."""

        self._reason = ""
        self._places: dict[Place, asyncio.Queue[Message]] = {}
        self._wanted = asyncio.Event()
        if options.sip:
            self._wanted.set()
        self.on_incoming: Incoming = lambda message: None

    @property
    def status(self) -> str:
        """A readable status: off, ready, or the current step."""
        if not self._wanted.is_set():
            return "off"
        if self._process:
            return "ready"
        if not self._environment.ready:
            return self._environment.status
        return f"starting: {self._reason}" if self._reason else "starting"

    @property
    def sip(self) -> str | None:
        """The address where the worker listens for calls; None if SIP is off."""
        return self._options.sip

    def want(self) -> None:
        """Install the voice environment and start a worker, if not done yet. Returns at once.

        Raises `Unavailable` if the operator has forbidden that.
        """
        if not self._options.libraries:
            raise Unavailable("The operator has switched voice off on this server (RETINUE_VOICE_LIBRARIES=off).")
        self._wanted.set()

    def check_ready(self) -> None:
        """Raise `Unavailable` until a worker can take calls."""
        if not self._process and not self._environment.ready:
            raise Unavailable(
                f"Voice is not installed on this server yet ({self.status}). Try again in a few minutes. The operator "
                "can also install it with: retinue voice install"
            )
        if not self._process:
            raise Unavailable(f"Voice is not ready on this server ({self.status}). Try again in a minute.")

    def check_engine(self, engine: str) -> None:
        """Raise `Unavailable` if an engine is not installed or not configured."""
        if engine == "piper" and not self._piper.ready:
            raise Unavailable(
                "The voice engine piper is not installed on this server. The operator can install it with: "
                "retinue voice install --piper"
            )
        if engine == "piper" and self._process and not self._has_piper:
            raise Unavailable(
                "The voice engine piper has been installed, and can be used as soon as the calls and rooms in progress "
                "on this server have ended. Try again in a minute."
            )
        if engine == "openai" and not self._options.speech_server:
            raise Unavailable(
                "The voice engine openai is not configured. The operator can set a speech server with "
                "RETINUE_SPEECH_URL."
            )

    def send(self, message: Message) -> None:
        """Send a message to the worker. Without a worker the message is dropped: its calls have ended."""
        if self._process:
            self._process.send(message)

    @contextlib.contextmanager
    def messages_of(self, place: Place) -> Iterator[asyncio.Queue[Message]]:
        """Receive the worker's messages about a place in a queue, while the context is open."""
        queue = self._places[place] = asyncio.Queue()
        try:
            yield queue
        finally:
            del self._places[place]

    async def run(self) -> None:
        """Install missing packages and keep a worker running, until cancelled."""
        await self._wanted.wait()
        await self._environment.keep_trying()
        pause = _FIRST_PAUSE_S
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                await self._serve()
            except (WorkerEnded, OSError) as error:
                self._reason = str(error)
                _log.warning("voice.worker_ended", reason=self._reason)
            pause = _FIRST_PAUSE_S if loop.time() - began > _STABLE_S else min(pause * 2, _LONGEST_PAUSE_S)
            await asyncio.sleep(pause)

    async def _serve(self) -> None:
        """Start a worker and route its messages until it ends, or a new one could use Piper."""
        options = self._worker_options()
        process = await MediaProcess.start(self._environment.python, options)
        self._process, self._reason, self._has_piper = process, "", options.piper_python is not None
        _log.info("voice.worker_ready", pid=process.pid, sip=self._options.sip)
        tasks = [asyncio.create_task(self._route(process))]
        if not self._has_piper:
            tasks.append(asyncio.create_task(self._wait_for_piper()))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            self._process = None
            for queue in self._places.values():
                queue.put_nowait(GONE)
            await process.close()

    async def _route(self, process: MediaProcess) -> None:
        """Route the worker's messages. Raises `WorkerEnded`."""
        while True:
            self._hand_out(await process.receive())

    async def _wait_for_piper(self) -> None:
        """Wait until Piper has been installed beside the running worker, and no call or room would be interrupted."""
        await self._piper.wait_until_ready()
        while self._places:  # noqa: ASYNC110 - looked at rarely, and after an installation only
            await asyncio.sleep(_IDLE_LOOK_S)

    def _hand_out(self, message: Message) -> None:
        if message["is"] == "incoming":
            return self.on_incoming(message)
        if message["is"] == "trouble":
            _log.warning("voice.trouble", **{name: message[name] for name in message.keys() - {"is"}})
            return None
        for place in _PLACES:
            if queue := self._places.get((place, message.get(place, 0))):
                queue.put_nowait(message)
        return None

    def _worker_options(self) -> WorkerOptions:
        host, _, port = (self._options.sip or "").rpartition(":")
        trunks = [trunk.account(name) for name, trunk in self._trunks.by_name.items()]
        piper = self._piper.python if self._piper.ready else None
        access = self._trunks.access()
        return WorkerOptions(host.strip("[]"), int(port or 0), trunks, access, piper, self._recordings, self._options)
