"""Speech search in recordings, and detection of pauses."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from rapidfuzz import fuzz
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue.sdk.speech import Word
from retinue_tools.media._samples import FILE, TONE
from retinue_tools.media._speech_cues import sentences, text_of
from retinue_tools.media._speech_samples import SAID
from retinue_tools.media._speech_sound import recording, voices
from retinue_tools.media._speech_spans import FRAME_S, Span, spans
from retinue_tools.media._speech_transcript import Begin, Next, listen

_MOST_PASSAGES = 200


class Passage(TypedDict):
    """A passage with the words."""

    start_s: Annotated[float, About("Start in seconds of the recording")]
    end_s: Annotated[float, About("End in seconds")]
    text: Annotated[str, About("Recognised words")]
    sentence: Annotated[str, About("Sentence in which they begin")]
    similarity: Annotated[float, About("Similarity to the search words, 0 to 1")]


class Found(TypedDict):
    """Passages found."""

    passages: Annotated[list[Passage], About("Passages in order, the first 200")]
    count: Annotated[int, About("Number of passages")]
    end_s: Annotated[float, About("Time up to which the recording was transcribed")]
    next_start_s: Next


@tool(
    tags="speech find search words phrase keyword spotting recording audio video when said mention time moment",
    use_when=(
        "When do they mention the budget in this recording?",
        "At which second is 'Friday' said?",
        "Find every place in the podcast where the name Miller is spoken",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    examples=(
        Example(
            {"file": FILE, "phrase": "friday"},
            {"passages": [{"text": "Friday.", "sentence": "Call me on Friday.", "similarity": 1.0}], "count": 1},
            source="what was said into the file",
            files=SAID,
        ),
        Example(
            {"file": FILE, "phrase": "coal me", "least_similarity": 0.7},
            {"passages": [{"text": "Call me"}], "count": 1},
            source="by hand: two of the nine letters of cal(l) and coal differ",
            files=SAID,
        ),
        Example({"file": FILE, "phrase": "Monday"}, {"count": 0}, source="what was said into the file", files=SAID),
        Refusal({"file": FILE, "phrase": "?!"}, "has no words", files=SAID),
    ),
    reply={
        "passages": "It is said {count|time}: {passages}",
        "next_start_s": "It is not said up to {end_s} seconds; the rest is still to be searched.",
        "": "It is not said in this recording.",
    },
)
def speech_find_passages(
    file: File,
    phrase: Annotated[str, About("English words to search for", "the budget", min_length=1, max_length=200)],
    least_similarity: Annotated[
        float, About("Minimum similarity: 1 for exact matches, less for names", minimum=0.5, maximum=1)
    ] = 0.85,
    start_s: Begin = 0,
) -> Found:
    """Find where in a recording or a video certain English words are said, with times.

    Use it to jump to a topic or to cut out a quote with audio_cut_part. Words are compared by their letters, so names
    that were recognised slightly wrong are found too. A call processes at most 15 minutes; continue at `next_start_s`.
    Returns the passages in order.
    """
    phrase_words = [plain for part in phrase.split() if (plain := _plain(part))]
    if not phrase_words:
        raise ToolError("The phrase has no words. Send spoken words, such as: the budget.")
    transcript = listen(file, start_s)
    found = [
        _passage(sentence, place, length, similarity)
        for sentence in sentences(transcript.words)
        for place, length, similarity in _places(sentence, phrase_words, least_similarity)
    ]
    return {
        "passages": found[:_MOST_PASSAGES],
        "count": len(found),
        "end_s": transcript.end_s,
        "next_start_s": transcript.next_start_s,
    }


def _plain(word: str) -> str:
    return "".join(sign for sign in word.casefold() if sign.isalnum())


def _places(sentence: list[Word], phrase_words: list[str], least: float) -> list[tuple[int, int, float]]:
    """Yield places in a sentence where as many words as requested are similar to them: index, number of words,
    similarity.
    """
    plain = [_plain(word.text) for word in sentence]
    length, target = len(phrase_words), " ".join(phrase_words)
    alike = [
        (fuzz.ratio(" ".join(plain[place : place + length]), target) / 100, place)
        for place in range(len(plain) - length + 1)
    ]
    found: list[tuple[int, int, float]] = []
    for similarity, place in sorted(((ratio, place) for ratio, place in alike if ratio >= least), reverse=True):
        if all(abs(place - other) >= length for other, _, _ in found):
            found.append((place, length, similarity))
    return sorted(found)


def _passage(sentence: list[Word], place: int, length: int, similarity: float) -> Passage:
    words = sentence[place : place + length]
    return {
        "start_s": round(words[0].start_s, 2),
        "end_s": round(words[-1].end_s, 2),
        "text": text_of(words),
        "sentence": text_of(sentence),
        "similarity": round(similarity, 3),
    }


_MOST_S = 1200.0
_MOST_SPANS = 2000
_LEAST_PAUSE_S = 0.1


class Stretch(TypedDict):
    """A section of a recording."""

    start_s: Annotated[float, About("Start in seconds of the recording")]
    end_s: Annotated[float, About("End in seconds")]
    duration_s: Annotated[float, About("Duration")]


class SpeechActivity(TypedDict):
    """Speech activity in a recording."""

    speech: Annotated[list[Stretch], About("Speech sections, the first 2,000")]
    pauses: Annotated[list[Stretch], About("Pauses between them, the first 2,000")]
    speech_s: Annotated[float, About("Total duration of speech")]
    speech_percent: Annotated[float, About("Share of the time with speech")]
    longest_pause_s: Annotated[float | None, About("Longest pause between speech; null without any")]
    end_s: Annotated[float, About("Time up to which the recording was analysed")]
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
    reply={
        "pauses": (
            "Somebody speaks {speech_percent} % of the time; the longest pause is "
            "{longest_pause_s} seconds. The pauses: {pauses}"
        ),
        "speech": "Somebody speaks {speech_percent} % of the time, without pauses: {speech}",
        "": "Nobody speaks in this recording.",
    },
)
def speech_find_pauses(
    file: File,
    least_pause_s: Annotated[
        float, About("Minimum duration of a pause, in seconds", minimum=_LEAST_PAUSE_S, maximum=60)
    ] = 0.5,
    start_s: Begin = 0,
) -> SpeechActivity:
    """Find when somebody speaks in a recording or a video and when there are pauses, in any language.

    Use it to review a talk, to find empty recordings, or to find cutting points; music and noise do not count as
    speech. Up to 20 minutes are analysed per call. Returns speech and pauses with times, and the share of speech.
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
