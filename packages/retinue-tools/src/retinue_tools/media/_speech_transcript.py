"""Transcription of recordings to timed words, within a time limit, for the speech recognition tools."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from retinue.sdk import About
from retinue.sdk.speech import SAMPLE_RATE, Word
from retinue.sdk.transcription import LONGEST_S, transcribe_words
from retinue_tools.media._speech_sound import recording, voices
from retinue_tools.media._speech_spans import FRAME_S, Span, spans, windows

MOST_S = 900.0
"""Maximum duration of a recording in one call."""
_WORK_S = 35.0
"""After this time no further section is started; the words recognised by then are the result, within the time limit."""
_PAUSE_S, _LONG_PAUSE_S = 0.3, 2.0
_MARGIN_S = 0.2
"""Margin around speech, because voices begin and end softly."""

Begin = Annotated[float, About("Start in seconds: next_start_s of the previous call", minimum=0, maximum=360_000)]
Next = Annotated[float | None, About("Start of the next call; null if the recording is finished")]


@dataclass(frozen=True)
class Heard:
    """Words recognised up to `end_s`; `more` is true if the recording continues. `speech_s` is the time of speech."""

    words: list[Word]
    end_s: float
    speech_s: float
    more: bool

    @property
    def next_start_s(self) -> float | None:
        """Return the start of the next call."""
        return self.end_s if self.more else None


def listen(file: str, start_s: float) -> Heard:
    """Transcribe up to 15 minutes of a file, or as much as the time limit allows. Raises `ToolError`,
    `ToolUnavailable`.
    """
    begun = time.monotonic()
    sound = recording(file, start_s, MOST_S)
    probabilities = voices(sound.samples)
    frames = spans(probabilities, _PAUSE_S)
    spoken = [(first * FRAME_S, last * FRAME_S) for first, last in frames]
    stretches = _with_margins(windows(frames, probabilities, LONGEST_S - 2 * _MARGIN_S, _LONG_PAUSE_S), sound.seconds)
    found: list[Word] = []
    for number, (start, end) in enumerate(stretches):
        # Words that are cut off by the end of the section are left to the next call, which contains them completely.
        cut = sound.more and number == len(stretches) - 1
        if number and (cut or time.monotonic() - begun > _WORK_S):
            return Heard(found, _round(start_s + start), _length(spoken, start), more=True)
        heard = transcribe_words(sound.samples[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)])
        found += _place(heard, spoken, start, start_s)
    return Heard(found, _round(start_s + sound.seconds), _length(spoken, sound.seconds), sound.more)


def _with_margins(stretches: Sequence[Span], seconds: float) -> list[tuple[float, float]]:
    """Return start and end times in seconds, with margins that extend at most halfway to the neighbouring sections."""
    bounds = [0.0, *(frame * FRAME_S for stretch in stretches for frame in stretch), seconds]
    found = []
    for place in range(1, len(bounds) - 1, 2):
        before, start, end, after = bounds[place - 1 : place + 3]
        found.append((max(start - _MARGIN_S, (before + start) / 2), min(end + _MARGIN_S, (end + after) / 2)))
    return found


def _place(
    heard: Sequence[Word], spoken: Sequence[tuple[float, float]], start: float, start_s: float
) -> Iterator[Word]:
    """Return words with their times in the file. The model extends the last word before a pause to the pause's end: it
    is shortened.
    """
    for word in heard:
        first, last = start + word.start_s, start + word.end_s
        stop = next((end for _, end in spoken if end + _MARGIN_S > first), last) + _MARGIN_S
        yield replace(word, start_s=start_s + first, end_s=start_s + max(first, min(last, stop)))


def _length(spoken: Sequence[tuple[float, float]], end: float) -> float:
    """Return the seconds of speech before a time."""
    return _round(sum(min(last, end) - first for first, last in spoken if first < end))


def _round(seconds: float) -> float:
    return round(seconds, 2)
