"""The engine `piper`: Piper in a separate process, because it is under the GPL."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

import numpy as np

from retinue.core.children.processes import Popen, popen_pipes
from retinue.voice.speech.options import PLAIN, EngineMissing, SpeechFailed, VoiceStyle
from retinue.voice.speech.pcm import Pcm
from retinue.voice.speech.piper_process import FAILED

_PROGRAM = Path(__file__).with_name("piper_process.py")
_INSTALL = "Run: retinue voice install --piper"
_LONGEST_BLOCK = 32 << 20


class PiperEngine:
    """Speaks one sentence at a time; threads take turns. It restarts a process that ended."""

    def __init__(self, python: Path | None, voice: Path | None) -> None:
        if python is None or not python.exists():
            raise EngineMissing(f"The voice engine piper is not installed. {_INSTALL}")
        # The process ends with this one, because its standard input closes then.
        self._command = [str(python), "-I", str(_PROGRAM), str(voice or "")]
        self._turn = Lock()
        self._process, self.sample_rate = self._start()

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `Engine`. Reads the whole sentence first, so that a stopped consumer does not block other threads."""
        yield from self._say(text, style.speed)

    def _say(self, text: str, speed: float) -> list[Pcm]:
        with self._turn:
            if self._process.poll() is not None:
                self._process, self.sample_rate = self._start()
            try:
                return self._exchange(text, speed)
            except (EOFError, OSError) as error:
                self._process.kill()
                self._process.wait()
                raise SpeechFailed("Piper ended in the middle of a sentence.") from error

    def _exchange(self, text: str, speed: float) -> list[Pcm]:
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        self._process.stdin.write(json.dumps([text, speed]).encode() + b"\n")
        self._process.stdin.flush()
        blocks: list[Pcm] = []
        while length := _read_number(self._process):
            if length == FAILED:
                raise SpeechFailed(f"Piper cannot speak this text: {text[:100]}")
            if length > _LONGEST_BLOCK:
                raise EOFError
            blocks.append(np.frombuffer(_read(self._process, length), "<i2").astype(np.int16))
        return blocks

    def _start(self) -> tuple[Popen[bytes], int]:
        process = popen_pipes(self._command)
        try:
            return process, _read_number(process)
        except EOFError as error:
            process.kill()
            process.wait()
            raise EngineMissing(f"Piper cannot load its voice. Check the voice file, or {_INSTALL.lower()}") from error


def _read_number(process: Popen[bytes]) -> int:
    return int(struct.unpack("<I", _read(process, 4))[0])


def _read(process: Popen[bytes], length: int) -> bytes:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    data = process.stdout.read(length)
    if len(data) < length:
        raise EOFError
    return data
