"""Text to speech with the voice included in Hibari."""

from functools import cache
from typing import Annotated, Any

import numpy as np
from hibari import Hibari
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.speech import is_latin, split_at_pauses, spoken_length, to_speech
from retinue_tools.media._sounds import MOST_SAMPLES, MadeSound, Sound, record

_VOICE = "heart"
"""The voice included in the package; Hibari would download others."""
_MOST_SIGNS = 10_000
"""About eleven minutes."""
_MOST_LETTERS = 16_000
_LONGEST_WORD = 100
_TOO_LONG = "The speech would last longer than 13 minutes. Send a part of the text."
_NOTHING = "There is nothing to say in the text: it has no words. Send some."
_NOISE = 0
"""Seed of the voice's noise, so that the same text sounds the same."""


class SpokenSentence(TypedDict):
    """A spoken sentence."""

    text: Annotated[str, About("Sentence as it was read")]
    start_s: Annotated[float, About("Start in seconds")]
    end_s: Annotated[float, About("End in seconds")]


class SpokenText(MadeSound):
    """A spoken text."""

    sentences: Annotated[list[SpokenSentence], About("Sentences with their times")]


@tool(
    tags="speech text to speech tts say read aloud voice speak narrate voiceover wav audio spoken announcement",
    use_when=(
        "Read this text aloud",
        "Turn my article into speech that I can listen to",
        "Say 'The train leaves at nine' as a sound file",
        "Make a voice-over of these two paragraphs",
        "Text to speech, a bit slower",
        "Read a story out loud",
        "Read this to me",
        "Speak this text",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1536,
    examples=(
        Example(
            {"text": "Please bring the printed report. The meeting starts on **Tuesday** morning."},
            {"file": "speech.wav", "sample_rate_hz": 24000, "channels": 1, "clipped": False},
            source="what the engine makes; another engine, that of speech_transcribe_audio, hears the words",
            then=(
                ExampleCall(
                    "speech_transcribe_audio",
                    {"file": "{made}"},
                    {"text": "Please bring the printed report. The meeting starts on Tuesday morning.", "words": 11},
                ),
            ),
        ),
        Example(
            {"text": "# News\n\nSee https://example.com/a 😀", "speed": 0.8, "pause_s": 1},
            {"sample_rate_hz": 24000, "sentences": [{"text": "News"}, {"text": "See"}]},
            source="by hand: signs, addresses and emoji are not said",
        ),
        Refusal({"text": "https://example.com 😀"}, "nothing to say"),
        Refusal({"text": "123456789 " * 300}, "longer than 13 minutes"),
        Refusal({"text": "Поезд отправляется в девять часов."}, "English"),
    ),
    reply="The text read aloud, {duration_s|second} long: {file}",
)
def speech_say_text(
    text: Annotated[
        str,
        About("English text to say", "The train leaves at nine.", min_length=1, max_length=_MOST_SIGNS),
    ],
    speed: Annotated[float, About("Speed: 0.5 is half as fast, 2 is twice as fast", minimum=0.5, maximum=2)] = 1,
    pause_s: Annotated[float, About("Additional silence between sentences, in seconds", minimum=0, maximum=5)] = 0.2,
) -> SpokenText:
    """Read English text aloud in a natural woman's voice (text to speech).

    Use it for voice-overs, announcements, and to listen to articles. Markup, web addresses and emoji are skipped;
    dates, numbers and amounts are read as words. Returns a mono WAV of 24 kHz, and the times of each sentence; use
    audio_convert_format for an MP3.
    """
    plain = to_speech(text)
    if not plain:
        raise ToolError(_NOTHING)
    if not is_latin(plain):
        raise ToolError("The voice only speaks English. Send English text, in Latin letters.")
    if max(map(len, plain.split())) > _LONGEST_WORD:
        raise ToolError(f"Words of more than {_LONGEST_WORD} letters cannot be spoken. Send normal text.")
    if spoken_length(plain) > _MOST_LETTERS:
        raise ToolError(_TOO_LONG)
    engine = _engine()
    rate = engine.sample_rate
    gap = np.zeros(round(pause_s * rate), np.float32)
    phrases = _phrase(engine, plain, speed, len(gap))
    parts = [part for _, sound in phrases for part in (sound, gap)][:-1]
    recording = record("speech", Sound(rate, np.concatenate(parts)[:, None]))
    return {**recording, "sentences": _time_of(phrases, rate, len(gap))}


def _phrase(engine: Any, text: str, speed: float, gap: int) -> list[tuple[str, Any]]:
    """Yield sentences and their sound, if they have any. Raises `ToolError` if there is none, or if it is too long."""
    phrases: list[tuple[str, Any]] = []
    length = 0
    for sentence in engine.split_sentences(text):
        sound = np.concatenate([_sound(engine, breath, speed) for breath in split_at_pauses(sentence)])
        length += len(sound) + gap
        if length > MOST_SAMPLES:
            raise ToolError(_TOO_LONG)
        if sound.size:
            phrases.append((sentence, sound))
    if not phrases:
        raise ToolError(_NOTHING)
    return phrases


def _sound(engine: Any, text: str, speed: float) -> Any:
    try:
        return engine(text, speed, _NOISE)
    except (LookupError, ValueError, ArithmeticError) as error:
        raise ToolError(f"The voice cannot read: {text[:100]}. Write it in words.") from error


def _time_of(phrases: list[tuple[str, Any]], rate: int, gap: int) -> list[SpokenSentence]:
    sentences: list[SpokenSentence] = []
    start = 0
    for text, sound in phrases:
        end = start + len(sound)
        sentences.append({"text": text, "start_s": round(start / rate, 3), "end_s": round(end / rate, 3)})
        start = end + gap
    return sentences


@cache
def _engine() -> Any:
    return Hibari(voice=_VOICE, threads=1)
