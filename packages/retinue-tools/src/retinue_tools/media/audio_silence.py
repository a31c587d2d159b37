"""Silence in WAV sounds: removal, and splitting."""

from typing import Annotated

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.media._samples import FILE, SPEECH, TONE, wav
from retinue_tools.media._sounds import Decibels, MadeSound, Sound, read_wav, record, silences


class Shortened(MadeSound):
    """A sound without its pauses."""

    removed_s: Annotated[float, About("Removed seconds")]


@tool(
    tags="audio remove silence pauses shorten tighten podcast jump cut",
    use_when=(
        "Remove the pauses from this recording.",
        "Cut all silences longer than half a second.",
        "Tighten up my podcast WAV.",
        "Cut out the pauses in my recording",
    ),
    examples=(
        Example(
            {"file": FILE, "keep_s": 0},
            {"duration_s": 0.8, "removed_s": 0.4},
            source="the sample is silent for 0.4 of 1.2 s",
            files=SPEECH,
        ),
        Example(
            {"file": FILE, "keep_s": 0.1},
            {"duration_s": 0.9, "removed_s": 0.3},
            source="by hand: 0.1 s of each pause stays",
            files=SPEECH,
        ),
        Refusal({"file": FILE}, "all of the sound is silent", files={FILE: wav(lambda time: 0.0, 0.5)}),
    ),
    reply={
        "removed_s": "I removed {removed_s|second} of silence; {duration_s|second} are left: {file}",
        "": "There was no silence to remove: {file}",
    },
    memory_mb=1024,
    pace="normal",
)
def audio_remove_silence(
    file: File,
    threshold_dbfs: Decibels = -40,
    least_s: Annotated[
        float, About("Minimum duration of a silence to shorten, in seconds", minimum=0.02, maximum=3600)
    ] = 0.3,
    keep_s: Annotated[float, About("Remaining duration of each silence, in seconds", minimum=0, maximum=10)] = 0.1,
) -> Shortened:
    """Cut the silent parts out of a WAV sound, leaving a short pause of each.

    Use it to tighten speech. Returns the shorter sound as 16-bit WAV and the removed seconds.
    """
    sound = read_wav(file)
    keep = np.ones(len(sound.samples), dtype=bool)
    for start, end in silences(sound, threshold_dbfs, least_s):
        keep[min(end, start + round(keep_s * sound.rate)) : end] = False
        if (start, end) == (0, len(sound.samples)):
            raise ToolError("Nothing is left: all of the sound is silent at this threshold. Lower the threshold.")
    audio = record("tightened", Sound(sound.rate, sound.samples[keep]))
    return {**audio, "removed_s": round(float(np.count_nonzero(~keep)) / sound.rate, 4)}


class Piece(TypedDict):
    """A part of a sound."""

    file: OutputFile
    start_s: Annotated[float, About("Start in the original, in seconds")]
    duration_s: Annotated[float, About("Duration in seconds")]


class Pieces(TypedDict):
    """Parts of a sound."""

    pieces: Annotated[list[Piece], About("Parts in order")]


@tool(
    tags="audio split silence chapters songs sentences segments",
    use_when=(
        "Split this recording at its pauses.",
        "Cut the digitised record into songs.",
        "Make one WAV per sentence.",
    ),
    examples=(
        Example(
            {"file": FILE, "threshold_dbfs": -40},
            {"pieces": [{"start_s": 0.0, "duration_s": 0.4}, {"start_s": 0.8, "duration_s": 0.4}]},
            source="the sample sounds from 0 to 0.4 and from 0.8 to 1.2 s",
            files=SPEECH,
        ),
        Example(
            {"file": FILE},
            {"pieces": [{"start_s": 0.0, "duration_s": 0.5}]},
            source="the tone has no pause",
            files=TONE,
        ),
        Refusal({"file": FILE}, "is silent at this threshold", files={FILE: wav(lambda time: 0.0, 0.5)}),
    ),
    reply="The parts of the recording: {pieces}",
    memory_mb=1024,
    pace="normal",
)
def audio_split_on_silence(
    file: File,
    threshold_dbfs: Decibels = -40,
    least_s: Annotated[
        float, About("Minimum duration of a silence to split at, in seconds", minimum=0.02, maximum=3600)
    ] = 0.3,
) -> Pieces:
    """Split a WAV sound at its silences in one file per part, at most 50.

    Use it for songs of a record or sentences of a dictation. Returns 16-bit WAV files with their position in the
    original.
    """
    sound = read_wav(file)
    gaps = silences(sound, threshold_dbfs, least_s)
    edges = [0, *(edge for gap in gaps for edge in gap), len(sound.samples)]
    parts = [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]
    if not parts:
        raise ToolError("The whole sound is silent at this threshold. Lower the threshold.")
    if len(parts) > 50:
        raise ToolError(f"There would be {len(parts)} parts; the maximum is 50. Increase the duration of silences.")
    pieces: list[Piece] = []
    for number, (start, end) in enumerate(parts, 1):
        part = record(f"part-{number:02d}", Sound(sound.rate, sound.samples[start:end]))
        pieces.append(
            {"file": part["file"], "start_s": round(start / sound.rate, 4), "duration_s": round(part["duration_s"], 4)}
        )
    return {"pieces": pieces}
