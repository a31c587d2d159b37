"""When somebody speaks in a recording, and when there are pauses."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, tool
from retinue_tools.media._samples import FILE, TONE
from retinue_tools.media._speech_samples import SAID
from retinue_tools.media._speech_sound import recording, voices
from retinue_tools.media._speech_spans import FRAME_S, Span, spans
from retinue_tools.media._speech_transcript import Begin, Next

_MOST_S = 1200.0
_MOST_SPANS = 2000
_LEAST_PAUSE_S = 0.1


class Stretch(TypedDict):
    """A stretch of a recording."""

    start_s: Annotated[float, About("When it begins, in seconds of the recording")]
    end_s: Annotated[float, About("When it ends")]
    duration_s: Annotated[float, About("How long it is")]


class SpeechActivity(TypedDict):
    """When somebody speaks."""

    speech: Annotated[list[Stretch], About("When somebody speaks, the first 2,000")]
    pauses: Annotated[list[Stretch], About("Pauses between them, the first 2,000")]
    speech_s: Annotated[float, About("How long somebody speaks altogether")]
    speech_percent: Annotated[float, About("Share of the time in which somebody speaks")]
    longest_pause_s: Annotated[float | None, About("The longest pause between speech; null without any")]
    end_s: Annotated[float, About("Up to where the recording was looked at")]
    next_start_s: Next


@tool(
    tags="speech voice activity detection vad pauses silence talking share speaking recording audio video",
    use_when=(
        "Where are the pauses in this talk?",
        "Does anybody speak in this recording, and when?",
        "What share of the recording is speech?",
        "How long is the longest pause of the speaker?",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    examples=(
        Example(
            {"file": FILE},
            {"pauses": [], "longest_pause_s": None, "next_start_s": None},
            source="four words were said into the file without a pause",
            files=SAID,
        ),
        Example(
            {"file": FILE, "least_pause_s": 0.5},
            {"speech": [], "speech_s": 0.0, "speech_percent": 0.0, "end_s": 0.5},
            source="a tone is no speech",
            files=TONE,
        ),
        Refusal({"file": FILE, "start_s": 60}, "no sound at 60 s", files=SAID),
    ),
)
def speech_find_pauses(
    file: File,
    least_pause_s: Annotated[
        float, About("How long a pause is at least, in seconds", minimum=_LEAST_PAUSE_S, maximum=60)
    ] = 0.5,
    start_s: Begin = 0,
) -> SpeechActivity:
    """Find when somebody speaks in a recording or a video and when there are pauses, in any language.

    Use it to judge a talk, to find empty recordings, or to know where to cut; music and noise are no speech. Up to 20
    minutes are looked at in a call. Returns speech and pauses with times, and the share of speech.
    """
    sound = recording(file, start_s, _MOST_S)
    spoken = spans(voices(sound.samples), least_pause_s)
    between = [(before[1], after[0]) for before, after in pairwise(spoken)]
    speech_s = sum(min(end * FRAME_S, sound.seconds) - start * FRAME_S for start, end in spoken)
    return {
        "speech": _stretches(spoken, start_s),
        "pauses": _stretches(between, start_s),
        "speech_s": round(speech_s, 2),
        "speech_percent": round(100 * speech_s / sound.seconds, 1),
        "longest_pause_s": max((round((end - start) * FRAME_S, 2) for start, end in between), default=None),
        "end_s": round(start_s + sound.seconds, 2),
        "next_start_s": round(start_s + sound.seconds, 2) if sound.more else None,
    }


def _stretches(found: Sequence[Span], start_s: float) -> list[Stretch]:
    return [
        {
            "start_s": round(start_s + start * FRAME_S, 2),
            "end_s": round(start_s + end * FRAME_S, 2),
            "duration_s": round((end - start) * FRAME_S, 2),
        }
        for start, end in found[:_MOST_SPANS]
    ]
