"""Options and errors of the speech package."""

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
class SpeechServer:
    """A server that speaks OpenAI's audio API. `url` is the part before `/audio/speech`."""

    url: str
    key: str = ""
    model: str = "tts-1"
    voice: str = "alloy"
    timeout_s: float = 30.0

    def __repr__(self) -> str:
        return f"SpeechServer({self.url!r})"


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """The defaults use what the voice environment brings."""

    speech_server: SpeechServer | None = None
    """Where the engine `openai` speaks."""

    transcription_server: SpeechServer | None = None
    """Transcribes instead of the local Whisper model. Its `model` is the transcription model; `voice` is not used."""

    kokoro_voice: Path | None = None
    """A voice file of Kokoro-82M (510 x 256 little-endian float32); a bundled voice by default."""

    piper_python: Path | None = None
    """The Python of the environment in which Piper is installed."""

    piper_voice: Path | None = None
    """A Piper voice, `*.onnx` with its `*.onnx.json` beside it; a bundled voice by default."""

    whisper_model: Path | None = None
    """A folder with an English Whisper model converted for CTranslate2; the bundled tiny.en by default."""


def read_options(given: Mapping[str, Any]) -> SpeechOptions:
    """Build options from JSON values: servers as objects, files and folders as paths."""
    made: dict[str, Any] = {
        name: SpeechServer(**value) if name.endswith("_server") else Path(value) for name, value in given.items()
    }
    return SpeechOptions(**made)
