"""Text to speech: one interface over all engines."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Protocol

from retinue.voice.speech.options import PLAIN, EngineMissing, SpeechOptions, VoiceStyle
from retinue.voice.speech.pcm import Pcm, trim_start
from retinue.voice.speech.sentences import SentenceStream

_MOST_WARM = 4
_opening = Lock()


class SpeechEngine(Protocol):
    """Speaks English text. One instance serves several threads."""

    @property
    def sample_rate(self) -> int:
        """Samples per second of its audio."""
        ...

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """Yield the audio of one sentence of plain text (see `speakable`) in pieces.

        Raises `SpeechFailed`, or `EngineMissing` at once if it has no such voice.
        """
        ...


@dataclass(frozen=True)
class StyledEngine:
    """An engine that speaks in one style."""

    engine: SpeechEngine
    style: VoiceStyle

    @property
    def sample_rate(self) -> int:
        """Samples per second of its audio."""
        return self.engine.sample_rate

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `SpeechEngine`. The own style replaces a plain one."""
        return self.engine.speak(text, self.style if style is PLAIN else style)


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """Audio, and the text that begins with it: "" if the audio continues the previous sentence."""

    text: str
    samples: Pcm


def open_engine(name: str, options: SpeechOptions) -> SpeechEngine:
    """Return the engine `hibari`, `kokoro`, `piper` or `openai`, loaded once and cached. Raises `EngineMissing`."""
    with _opening:
        return _open(name, options)


@lru_cache(_MOST_WARM)
def _open(name: str, options: SpeechOptions) -> SpeechEngine:
    if name not in _ENGINES:
        raise EngineMissing(f"There is no engine {name!r}. Use one of: {', '.join(_ENGINES)}.")
    return _ENGINES[name](options)


def speak_stream(engine: SpeechEngine, chunks: Iterable[str]) -> Iterator[Spoken]:
    """Speak a text that arrives in chunks of any size. Each sentence is spoken as soon as it is complete."""
    stream = SentenceStream()
    for chunk in chunks:
        for sentence in stream.feed(chunk):
            yield from _speak(engine, sentence)
    for sentence in stream.finish():
        yield from _speak(engine, sentence)


def _speak(engine: SpeechEngine, sentence: str) -> Iterator[Spoken]:
    text = sentence
    for samples in engine.speak(sentence):
        # Engines begin a sentence with up to 0.3 s of silence, which would delay the answer.
        heard = trim_start(samples, engine.sample_rate) if text else samples
        if len(heard):
            yield Spoken(text, heard)
            text = ""


def _open_hibari(_options: SpeechOptions) -> SpeechEngine:
    from retinue.voice.speech.hibari_engine import HibariEngine

    return HibariEngine()


def _open_kokoro(options: SpeechOptions) -> SpeechEngine:
    from retinue.voice.speech.kokoro_engine import KokoroEngine

    return KokoroEngine(options.kokoro_voice)


def _open_piper(options: SpeechOptions) -> SpeechEngine:
    from retinue.voice.speech.piper_engine import PiperEngine

    return PiperEngine(options.piper_python, options.piper_voice)


def _open_openai(options: SpeechOptions) -> SpeechEngine:
    from retinue.voice.speech.openai_engine import OpenAIEngine

    return OpenAIEngine(options.speech_server)


_ENGINES: dict[str, Callable[[SpeechOptions], SpeechEngine]] = {
    "hibari": _open_hibari,
    "kokoro": _open_kokoro,
    "piper": _open_piper,
    "openai": _open_openai,
}
