"""Transcription of recordings and videos to text and subtitles."""

from collections.abc import Sequence
from functools import partial
from textwrap import wrap
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, save, tool
from retinue.sdk.speech import Word
from retinue_tools.media._samples import FILE, TONE, wav
from retinue_tools.media._speech_cues import pieces, sentences, text_of
from retinue_tools.media._speech_samples import SAID
from retinue_tools.media._speech_transcript import Begin, Next, listen
from retinue_tools.text._subtitle_cues import Cue, Format, format_cues

_SILENCE = {FILE: wav(lambda time: 0.0, 3)}
_LONGEST_CUE_S = 7.0
_LEAST_CUE_S = 1.0


class Segment(TypedDict):
    """A transcribed sentence."""

    start_s: Annotated[float, About("Start in seconds of the recording")]
    end_s: Annotated[float, About("End in seconds")]
    text: Annotated[str, About("Text of the sentence")]
    confidence: Annotated[float, About("Mean confidence, 0 to 1; check values below 0.5 by listening")]


class Transcribed(TypedDict):
    """Transcription of a recording."""

    text: Annotated[str, About("Complete text; empty if nobody speaks")]
    segments: Annotated[list[Segment], About("Sentences with times")]
    words: Annotated[int, About("Number of words")]
    speech_s: Annotated[float, About("Duration of speech, without pauses")]
    words_per_minute: Annotated[float | None, About("Speaking rate without pauses; null without speech")]
    end_s: Annotated[float, About("Time up to which the recording was transcribed")]
    next_start_s: Next


@tool(
    tags="speech to text transcribe transcript transcription recording voice memo dictation audio said stt whisper"
    " interview meeting podcast mp3 m4a video",
    use_when=(
        "Transcribe this recording",
        "What is said in this audio?",
        "Turn my voice memo into text",
        "Write down the interview in meeting.m4a, with times",
        "Make a transcript of the video",
        "Turn a voice message into text",
        "Write down what is said in a voice memo",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    examples=(
        Example(
            {"file": FILE},
            {"text": "Call me on Friday.", "words": 4, "next_start_s": None},
            source="what was said into the file",
            files=SAID,
        ),
        Example(
            {"file": FILE}, {"text": "", "segments": [], "words": 0}, source="three seconds of silence", files=_SILENCE
        ),
        Example(
            {"file": FILE, "start_s": 0.2}, {"text": "", "speech_s": 0.0}, source="a tone is no speech", files=TONE
        ),
        Refusal({"file": FILE, "start_s": 60}, "no sound at 60 s", files=SAID),
    ),
    reply={
        "next_start_s, text": "Up to {end_s} seconds, this is said: {text}",
        "text": "This is said: {text}",
        "": "Nobody speaks in this recording.",
    },
)
def speech_transcribe_audio(file: File, start_s: Begin = 0) -> Transcribed:
    """Transcribe (write down) what is said in English in a recording or a video: sentences with times and confidence.

    Use it for voice memos, interviews, meetings and talks. A call processes as much as it can in half a minute, at most
    15 minutes of audio; if there is more, continue at `next_start_s`. Speakers are not distinguished; numbers are
    written as digits. WAV is supported directly, other formats need ffmpeg on the server. Returns the text and its
    sentences.
    """
    transcript = listen(file, start_s)
    spoken_minutes = transcript.speech_s / 60
    return {
        "text": text_of(transcript.words),
        "segments": [_segment(sentence) for sentence in sentences(transcript.words)],
        "words": len(transcript.words),
        "speech_s": transcript.speech_s,
        "words_per_minute": round(len(transcript.words) / spoken_minutes, 1) if spoken_minutes else None,
        "end_s": transcript.end_s,
        "next_start_s": transcript.next_start_s,
    }


def _segment(words: list[Word]) -> Segment:
    return {
        "start_s": round(words[0].start_s, 2),
        "end_s": round(words[-1].end_s, 2),
        "text": text_of(words),
        "confidence": round(sum(word.probability for word in words) / len(words), 3),
    }


class MadeSubtitles(TypedDict):
    """Created subtitles."""

    file: OutputFile
    subtitles: Annotated[str, About("Content of the file")]
    cues: Annotated[int, About("Number of cues")]
    end_s: Annotated[float, About("Time up to which the recording was transcribed")]
    next_start_s: Next


@tool(
    tags="speech subtitles captions srt vtt webvtt video make generate create subtitle caption transcribe film",
    use_when=(
        "Make subtitles for this video",
        "Generate an SRT file from talk.mp4",
        "Caption my recording as WebVTT",
        "Create closed captions of what is spoken",
        "Make captions for my video",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    examples=(
        Example(
            {"file": FILE},
            {"file": "subtitles.srt", "cues": 1, "next_start_s": None},
            source="one sentence was said into the file",
            files=SAID,
        ),
        Example(
            {"file": FILE, "subtitle_format": "vtt", "line_length": 20},
            {"file": "subtitles.vtt", "cues": 1},
            source="W3C, WebVTT",
            files=SAID,
        ),
        Refusal({"file": FILE}, "contains no speech", files=_SILENCE),
    ),
    reply={
        "next_start_s": "The subtitles up to {end_s} seconds, as a first part: {file}",
        "": "The file with {cues|subtitle}: {file}",
    },
)
def speech_make_subtitles(
    file: File,
    subtitle_format: Annotated[Format, About("Output format")] = "srt",
    line_length: Annotated[
        int, About("Maximum number of characters per line; a cue has up to two lines", minimum=20, maximum=80)
    ] = 42,
    start_s: Begin = 0,
) -> MadeSubtitles:
    """Make subtitles from what is said in English in a video or a recording, as SRT or WebVTT.

    Use it to caption videos. Cues have up to two lines and last at most 7 seconds. A call processes as much as it can
    in half a minute, at most 15 minutes of audio; if there is more, continue at `next_start_s`. Times are relative to
    the beginning of the file. Returns the subtitles as text and as a file.
    """
    transcript = listen(file, start_s)
    if not transcript.words:
        raise ToolError("The recording contains no speech. Send a recording with English speech.")
    cues = [
        _cue(piece, line_length)
        for sentence in sentences(transcript.words)
        for piece in pieces(sentence, partial(_fits, line_length=line_length))
    ]
    longer = [_lengthen(cue, after) for cue, after in zip(cues, [*cues[1:], None], strict=True)]
    text = format_cues(longer, subtitle_format)
    return {
        "file": save(f"subtitles.{subtitle_format}", text.encode()),
        "subtitles": text,
        "cues": len(longer),
        "end_s": transcript.end_s,
        "next_start_s": transcript.next_start_s,
    }


def _fits(words: Sequence[Word], line_length: int) -> bool:
    return len(wrap(text_of(words), line_length)) <= 2 and words[-1].end_s - words[0].start_s <= _LONGEST_CUE_S


def _cue(words: Sequence[Word], line_length: int) -> Cue:
    lines = _lines(text_of(words), line_length)
    return Cue(round(words[0].start_s * 1000), round(words[-1].end_s * 1000), "\n".join(lines))


def _lines(text: str, most: int) -> list[str]:
    """Return a text on one line if it fits, or else on two of about the same length."""
    if len(text) <= most:
        return [text]
    widths = range(len(text) // 2, most)
    return next((lines for width in widths if len(lines := wrap(text, width)) == 2), wrap(text, most))


def _lengthen(cue: Cue, after: Cue | None) -> Cue:
    """Return a cue that is shown for at least a second, if the next one allows it."""
    end = max(cue.end, cue.start + round(_LEAST_CUE_S * 1000))
    return cue.move(cue.start, end if after is None else max(cue.start + 1, min(end, after.start)))
