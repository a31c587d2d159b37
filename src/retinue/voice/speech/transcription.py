"""Speech to text: Whisper in this process, or a server with OpenAI's audio API."""

from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Protocol

from retinue.tools.authoring.declare import ToolUnavailable
from retinue.voice.speech.options import INSTALL, EngineMissing, SpeechOptions
from retinue.voice.speech.pcm import Pcm, Resampler, to_float

_WHISPER_RATE = 16_000
_LONGEST_S = 29.0
_opening = Lock()


class Transcriber(Protocol):
    """Transcribes speech. One instance serves several threads."""

    def transcribe(self, pcm: Pcm, rate: int, language: str = "") -> str:
        """Return the text of mono audio at `rate` samples per second; "" without speech. Raises `SpeechFailed`.

        `language` is a hint for models that know several.
        """
        ...


def open_transcriber(options: SpeechOptions) -> Transcriber:
    """Return the configured transcriber, loaded once and cached. Raises `EngineMissing`."""
    with _opening:
        return _open(options)


@lru_cache(2)
def _open(options: SpeechOptions) -> Transcriber:
    if options.transcription_server:
        from retinue.voice.speech.openai_transcription import OpenAITranscriber

        return OpenAITranscriber(options.transcription_server)
    return WhisperTranscriber(options.whisper_model)


class WhisperTranscriber:
    """An English Whisper model on CTranslate2, on one thread. It needs about 4 % of the duration of the speech."""

    def __init__(self, folder: Path | None = None) -> None:
        try:
            from retinue.tools.speech import whisper

            self._model = whisper.load_model(folder)
        except ImportError as error:
            raise EngineMissing(f"Transcription is not installed. {INSTALL}") from error
        except (ToolUnavailable, RuntimeError, OSError) as error:
            raise EngineMissing(f"The Whisper model cannot be loaded: {error}") from error
        if self._model.is_multilingual:
            raise EngineMissing(f"The Whisper model in {folder} is multilingual. Use an English one, such as base.en.")
        self._whisper = whisper

    def transcribe(self, pcm: Pcm, rate: int, language: str = "") -> str:
        """See `Transcriber`. Audio over 29 s is transcribed in parts of that length."""
        samples = to_float(Resampler(rate, _WHISPER_RATE).finish(pcm))
        longest = round(_LONGEST_S * _WHISPER_RATE)
        parts = [samples[start : start + longest] for start in range(0, len(samples), longest)]
        return " ".join(filter(None, (self._whisper.transcribe(self._model, part) for part in parts)))
