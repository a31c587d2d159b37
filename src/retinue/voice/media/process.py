"""Starts one media worker process and exchanges messages with it."""

import asyncio
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import orjson

from retinue.core.children import processes
from retinue.voice.options import VoiceOptions
from retinue.voice.wire import BootOptions, CallerRules, Message, TrunkAccount, pack, receive

_SOURCE = Path(__file__).parents[3]
_BOOT = (
    "import sys, json; options = json.loads(sys.argv[1]); sys.path += options['paths']; "
    "from retinue.voice.worker.main import main; main(options)"
)
_START_S = 120.0
_LAST_WORDS = 4096
_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")


class WorkerEnded(Exception):
    """The worker did not start or has ended; the message says why."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The worker's configuration. It is sent over the socket, because the command line would expose passwords."""

    host: str
    port: int
    trunks: Sequence[TrunkAccount]
    access: CallerRules
    piper_python: Path | None
    recordings: Path
    options: VoiceOptions

    def message(self) -> Message:
        """Return the first message to the worker."""
        return {
            "do": "start",
            "host": self.host,
            "port": self.port,
            "trunks": list(self.trunks),
            "access": self.access,
            "ca_file": str(self.options.ca_file.absolute()) if self.options.ca_file else None,
            "speech": self._speech(),
            "silence_s": self.options.silence_s,
            "calls": self.options.calls,
        }

    def boot(self, channel: int) -> str:
        """Return the command-line argument: what the worker needs before it confines itself."""
        paths = [*self.options.models.values(), self.options.ca_file]
        files = [str(path.absolute()) for path in paths if path]
        piper = [str(self.piper_python.parents[1])] if self.piper_python else []
        boot: BootOptions = {
            "paths": [str(_SOURCE)],
            "channel": channel,
            "parent": os.getpid(),
            # The configuration of a Piper voice is in a file beside it.
            "readable": [*files, *(f"{file}.json" for file in files), *piper],
            "writable": str(self.recordings.absolute()),
            "must_be_confined": self.options.confined,
        }
        return orjson.dumps(boot).decode()

    def _speech(self) -> dict[str, object]:
        """Return what differs from the defaults of `speech.SpeechOptions`, by its names."""
        servers = {
            "speech_server": self.options.speech_server,
            "transcription_server": self.options.transcription_server,
        }
        paths = {**self.options.models, "piper_python": self.piper_python}
        return {name: asdict(server) for name, server in servers.items() if server} | {
            name: str(path.absolute()) for name, path in paths.items() if path
        }


class MediaProcess:
    """A running worker. Create it with `start`."""

    def __init__(self, process: processes.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._process, self._reader, self._writer = process, reader, writer
        self._last_words = b""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, python: Path, options: WorkerOptions) -> Self:
        """Start a worker and wait until it is ready. Raises `WorkerEnded` or `OSError`."""
        options.recordings.mkdir(mode=0o700, parents=True, exist_ok=True)
        ours, theirs = socket.socketpair()
        with theirs:
            process = await processes.start(
                [str(python), "-I", "-c", _BOOT, options.boot(theirs.fileno())],
                stderr=processes.PIPE,
                env={
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                    "LANG": "C.UTF-8",
                    "TMPDIR": str(options.recordings.absolute()),
                    # ONNX Runtime would otherwise send reports of its use to its maker.
                    "ORT_DISABLE_TELEMETRY": "1",
                    **{f"{library}_NUM_THREADS": "1" for library in _THREADS},
                },
                pass_fds=(theirs.fileno(),),
                niceness=processes.REAL_TIME,
            )
        reader, writer = await asyncio.open_connection(sock=ours)
        worker = cls(process, reader, writer)
        try:
            worker.send(options.message())
            async with asyncio.timeout(_START_S):
                first = await worker.receive()
            _check_ready(first)
        except TimeoutError as error:
            await worker.close()
            raise WorkerEnded(f"it was not ready within {_START_S:.0f} seconds") from error
        except BaseException:
            await worker.close()
            raise
        return worker

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, message: Message) -> None:
        """Send a message without waiting: messages are small, and the worker reads them at once."""
        self._writer.write(pack(message))

    async def receive(self) -> Message:
        """Return the next message. Raises `WorkerEnded`."""
        try:
            return await receive(self._reader)
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            self._process.kill()
            status = await self._process.wait()
            words = " / ".join(self._last_words.decode(errors="replace").strip().splitlines()[-3:])
            raise WorkerEnded(f"the media worker ended with code {status}: {words[:300]}") from error

    async def close(self) -> None:
        """Kill the process group of the worker."""
        self._process.kill_group()
        await self._process.wait()
        self._listening.cancel()
        self._process.close()
        self._writer.close()

    async def _listen(self) -> None:
        """Drain standard error, so that the pipe does not fill up. Store its end for the error message."""
        while self._process.stderr and (output := await self._process.stderr.read(_LAST_WORDS)):
            self._last_words = (self._last_words + output)[-_LAST_WORDS:]


def _check_ready(first: Message) -> None:
    if first["is"] != "ready":
        raise WorkerEnded(str(first.get("reason")))
