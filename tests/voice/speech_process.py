"""A process in the voice environment that the tests ask for speech: JSON lines in, JSON lines out."""

import base64
import fractions
import json
import sys
from collections.abc import Callable
from typing import Any

sys.path[:0] = json.loads(sys.argv[1])

import av
import numpy as np

from retinue.voice.speech import (
    EngineMissing,
    Resampler,
    SpeechEnd,
    SpeechFailed,
    SpeechOptions,
    TurnDetector,
    open_engine,
    open_transcriber,
    speak_stream,
)
from retinue.voice.speech.options import read_options
from retinue.voice.speech.pcm import Pcm

PHONE = 8000
CODECS = {"pcm_mulaw": PHONE, "g722": 2 * PHONE}
"""The rates of codecs, which have the names of FFmpeg."""


def through_a_telephone(pcm: Pcm, rate: int, codec: str) -> Pcm:
    """What a codec leaves of some sound, in frames of 20 ms; at the rate of the codec."""
    slow = Resampler(rate, CODECS[codec]).finish(pcm)
    encoder, decoder = (av.CodecContext.create(codec, way) for way in "wr")
    for context in (encoder, decoder):
        context.sample_rate, context.layout, context.format = CODECS[codec], "mono", "s16"
    encoder.time_base = fractions.Fraction(1, CODECS[codec])
    size = CODECS[codec] // 50
    heard = []
    for start in range(0, len(slow) - size + 1, size):
        frame = av.AudioFrame.from_ndarray(slow[start : start + size].reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts = CODECS[codec], start
        for packet in encoder.encode(frame):
            heard += [decoded.to_ndarray().reshape(-1) for decoded in decoder.decode(packet)]
    return np.concatenate(heard).astype(np.int16)


def say(text: str, engine: str, options: SpeechOptions) -> tuple[list[str], Pcm, int]:
    voice = open_engine(engine, options)
    spoken = list(speak_stream(voice, [text]))
    samples = [part.samples for part in spoken] or [np.zeros(0, np.int16)]
    return [part.text for part in spoken if part.text], np.concatenate(samples), voice.sample_rate


def sound(text: str, rate: int, options: SpeechOptions) -> str:
    """What Hibari says, as samples in base64."""
    _, pcm, own_rate = say(text, "hibari", options)
    return base64.b64encode(Resampler(own_rate, rate).finish(pcm).tobytes()).decode()


def hear_back(
    texts: list[str], engine: str, options: SpeechOptions, codecs: tuple[str, ...] = ("pcm_mulaw",)
) -> list[list[str]]:
    """What is heard of each text, directly and through codecs."""
    ears = open_transcriber(SpeechOptions(transcription_server=options.transcription_server))
    heard = []
    for text in texts:
        _, pcm, rate = say(text, engine, options)
        lines = [(through_a_telephone(pcm, rate, codec), CODECS[codec]) for codec in codecs]
        heard.append([ears.transcribe(sound, speed) for sound, speed in [(pcm, rate), *lines]])
    return heard


def describe(text: str, engine: str, options: SpeechOptions) -> dict[str, Any]:
    texts, pcm, rate = say(text, engine, options)
    return {"texts": texts, "seconds": len(pcm) / rate, "loudest": int(np.abs(pcm.astype(np.int32)).max(initial=0))}


def hear_noise(options: SpeechOptions) -> list[str]:
    """What is heard in silence, in noise and in a tone."""
    random, time = np.random.default_rng(0), np.arange(3 * PHONE) / PHONE
    sounds = [np.zeros(3 * PHONE), random.normal(0, 300, 3 * PHONE), 8000 * np.sin(2 * np.pi * 440 * time)]
    ears = open_transcriber(options)
    return [ears.transcribe(sound.astype(np.int16), PHONE) for sound in sounds]


def take_turns(texts: list[str], rate: int, pause_s: float, options: SpeechOptions) -> list[dict[str, Any]]:
    """The turns in texts with pauses between, in frames of 20 ms with faint noise, and what is heard in each."""
    line: list[Any] = [np.zeros(rate // 2)]
    starts = []
    for text in texts:
        _, pcm, own_rate = say(text, "hibari", options)
        starts.append(sum(map(len, line)) / rate)
        line += [Resampler(own_rate, rate).finish(pcm), np.zeros(round(pause_s * rate))]
    audio = np.concatenate(line)
    noisy = np.clip(audio + np.random.default_rng(0).normal(0, 30, len(audio)), -32768, 32767).astype(np.int16)
    detector, ears, frame = TurnDetector(rate), open_transcriber(options), rate // 50
    events = [event for start in range(0, len(noisy), frame) for event in detector.feed(noisy[start : start + frame])]
    return [
        {"end_s": event.at_s, "heard": ears.transcribe(event.samples, rate)}
        if isinstance(event, SpeechEnd)
        else {"start_s": event.at_s, "said_s": starts[number // 2]}
        for number, event in enumerate(events)
    ]


WORK: dict[str, Callable[..., Any]] = {
    "hear_back": hear_back,
    "sound": sound,
    "describe": describe,
    "hear_noise": hear_noise,
    "take_turns": take_turns,
}


def main() -> None:
    for line in sys.stdin:
        name, values = json.loads(line)
        try:
            answer = {"answer": WORK[name](**{**values, "options": read_options(values.get("options", {}))})}
        except (EngineMissing, SpeechFailed) as error:
            answer = {"error": type(error).__name__, "message": str(error)}
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


main()
