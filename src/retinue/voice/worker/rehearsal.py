"""Speaks a text and listens to it as on a call, without a telephone and faster than real time."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from retinue.voice.speech import (
    Resampler,
    SpeechEngine,
    SpeechPause,
    SpeechStart,
    Transcriber,
    TurnDetector,
    silence_to_wait,
    speak_stream,
)
from retinue.voice.speech.pcm import Pcm
from retinue.voice.worker.listener import PAUSE_S
from retinue.voice.worker.noise import NOISES, add_noise

RATE, _FRAME = 8000, 160
"""Samples per second of a telephone, and samples of 20 ms."""

LONGEST_S = 180
"""Seconds of speech after which a speaker is not heard any more."""


def understand(
    engine: SpeechEngine,
    transcriber: Transcriber,
    text: str,
    wait_s: tuple[float, float],
    language: str = "",
    noise: str = "none",
) -> str:
    """Return what a listener at the telephone understands of a text that an engine speaks; "" if nothing.

    `noise` is one of `NOISES`, and surrounds the speaker also after the last word.
    `wait_s` are the least and most seconds of silence that end a turn; the turns are joined. Blocks for a part of the
    duration of the speech. Raises `SpeechFailed`.
    """
    least_s, most_s = wait_s
    detector = TurnDetector(RATE, silence_s=most_s, pause_s=PAUSE_S)
    turns: list[str] = []
    draft = ""
    silence: Pcm = np.zeros(round((most_s + 1) * RATE), np.int16)
    frames: Iterator[Pcm] = chain(_speak(engine, text), _frames(silence))
    if noise in NOISES:
        frames = _frames(add_noise(np.concatenate([*frames]), RATE, noise))
    for frame in frames:
        for event in detector.feed(frame):
            if isinstance(event, SpeechStart):
                continue
            if isinstance(event, SpeechPause) or not event.pause:
                draft = transcriber.transcribe(event.samples, RATE, language)
            if isinstance(event, SpeechPause):
                detector.end_after(event.number, min(max(silence_to_wait(draft), least_s), most_s))
            else:
                turns.append(draft)
    return " ".join(filter(None, turns))


def _speak(engine: SpeechEngine, text: str) -> Iterator[Pcm]:
    """Yield what an engine says of a text, in frames of 20 ms."""
    resampler = Resampler(engine.sample_rate, RATE)
    rest: Pcm = np.zeros(0, np.int16)
    spoken = 0
    for piece in speak_stream(engine, [text]):
        samples = np.concatenate([rest, resampler.feed(piece.samples)])
        whole = len(samples) // _FRAME * _FRAME
        yield from _frames(samples[:whole])
        rest, spoken = samples[whole:], spoken + whole
        if spoken >= LONGEST_S * RATE:
            return
    yield from _frames(np.concatenate([rest, resampler.finish(np.zeros(0, np.int16))]))


def _frames(samples: Pcm) -> Iterator[Pcm]:
    return (samples[start : start + _FRAME] for start in range(0, len(samples), _FRAME))
