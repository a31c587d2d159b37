"""The options and errors of the speech package."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INSTALL = "Run: retinue voice install"


class EngineMissing(Exception):
    """An engine is not installed or configured. The message tells the operator what to do; the API returns 503."""


class SpeechFailed(Exception):
    """An engine failed to speak or transcribe one input; other inputs may succeed."""


@dataclass(frozen=True, slots=True)
class VoiceStyle:
    """How an engine speaks. `voice` is one of its voices, "" for the usual one; engines with one voice ignore it."""

    voice: str = ""
    speed: float = 1.0


PLAIN = VoiceStyle()


@dataclass(frozen=True, slots=True)
class SpeechServer:
    """A server with OpenAI's audio API. `url` is the part before `/audio/speech`."""

    url: str
    key: str = ""
    model: str = "tts-1"
    voice: str = "alloy"
    timeout_s: float = 30.0

    def __repr__(self) -> str:
        return f"SpeechServer({self.url!r})"


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """The defaults use the voices and models of the voice environment."""

    speech_server: SpeechServer | None = None
    """Speech server of the engine `openai`."""

    transcription_server: SpeechServer | None = None
    """Transcription server, which replaces the local Whisper model.

    Its `model` is the transcription model; `voice` is not used.
    """

    kokoro_voice: Path | None = None
    """Voice file for Kokoro-82M (510 x 256 little-endian float32). Defaults to a bundled voice."""

    piper_python: Path | None = None
    """Python interpreter of the environment in which Piper is installed."""

    piper_voice: Path | None = None
    """Piper voice, `*.onnx` with its `*.onnx.json` next to it. Defaults to a bundled voice."""

    whisper_model: Path | None = None
    """Folder of an English Whisper model converted for CTranslate2. Defaults to the bundled tiny.en."""


def read_options(given: Mapping[str, Any]) -> SpeechOptions:
    """Build options from JSON values: servers as objects, files and folders as paths."""
    made: dict[str, Any] = {
        name: SpeechServer(**value) if name.endswith("_server") else Path(value) for name, value in given.items()
    }
    return SpeechOptions(**made)
