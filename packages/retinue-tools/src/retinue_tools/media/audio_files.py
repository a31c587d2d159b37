"""Audio files of any format: conversion, cutting, joining, extraction from videos, and loudness."""

import math
import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.media._clips import CLIP, SILENT_CLIP
from retinue_tools.media._ffmpeg import (
    FFMPEG,
    End,
    MadeAudio,
    Start,
    Stream,
    input_arguments,
    made_audio,
    messages_of,
    span,
    with_sound,
)
from retinue_tools.media._samples import FILE, NO_IMAGE, OTHER, TONE, sine, wav

Format = Literal["mp3", "m4a", "ogg", "opus", "flac", "wav"]
_ENCODERS: dict[str, tuple[str, ...]] = {
    "mp3": ("-c:a", "libmp3lame"),
    "m4a": ("-c:a", "aac", "-movflags", "+faststart"),
    "ogg": ("-c:a", "libvorbis"),
    "opus": ("-c:a", "libopus"),
    "flac": ("-c:a", "flac"),
    "wav": ("-c:a", "pcm_s16le"),
}
_LOSSLESS = ("flac", "wav")
_COPIED = ("mp3", "m4a")
"""Formats whose blocks can be copied without re-encoding."""
_SILENT_LUFS = -70.0
"""Quieter blocks do not count (ITU-R BS.1770)."""
_READING = re.compile(r": +(-?(?:[\d.]+|inf)) (?:LUFS|LU|dBFS)")
_OWN: dict[str, Format] = {"mp3": "mp3", "aac": "m4a", "vorbis": "ogg", "opus": "opus", "flac": "flac"}
"""Format that stores each codec."""

Target = Annotated[Format | None, About("Output format; default: that of the file")]
Bitrate = Annotated[int | None, About("Bit rate in kbit/s, for mp3, m4a, ogg and opus", 128, minimum=16, maximum=320)]

_BEEPS = {
    FILE: wav(lambda time: sine(440 if time < 1 else 880)(time), 2, rate=8000),
    OTHER: wav(sine(1760), 0.5, rate=8000),
}
"""A second of A4, a second of A5; and half a second of A6."""
_LOUD = {FILE: wav(sine(1000, 0.5), 4, rate=8000)}


def look_at_tone(note: str) -> ExampleCall:
    """Return a call that checks the strongest frequency of the WAV file created by an example."""
    return ExampleCall("audio_find_frequencies", {"file": "{made}", "count": 1}, {"peaks": [{"note": note}]})


def encoding(form: Format, sound: Stream, bitrate_kbps: int | None) -> list[str]:
    """Return ffmpeg's arguments to encode only the first audio stream in a format, without cover pictures.

    By default compressed sound keeps its bit rate, and uncompressed sound gets 192 kbit/s.
    """
    chosen = ["-map", "0:a:0", "-vn", "-sn", "-dn", *_ENCODERS[form]]
    if form in _LOSSLESS:
        return chosen
    own = sound["bitrate_kbps"] if sound["codec"] in _OWN and sound["codec"] != "flac" else None
    rate = bitrate_kbps or min(320, max(32, round(own or 192)))
    # A low sample rate cannot use a high bit rate, and encoders reject it.
    most = max(32, (sound["sample_rate_hz"] or 48_000) * max(1, sound["channels"] or 1) // 200)
    return [*chosen, "-b:a", f"{min(rate, most)}k"]


@tool(
    tags="audio convert mp3 wav ogg flac opus m4a aac format transcode compress bitrate",
    use_when=(
        "Convert recording.m4a to MP3",
        "Turn this WAV into a FLAC",
        "Make an Opus of 48 kbit/s in mono from the podcast",
        "Save the sound as 16 kHz mono WAV",
        "Turn a recording into an MP3",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "target_format": "mp3", "bitrate_kbps": 64},
            {"file": "audio.mp3", "codec": "mp3", "sample_rate_hz": 8000, "channels": 1},
            source="what was asked for",
            files=TONE,
            then=(ExampleCall("audio_read_tags", {"file": "{made}"}, {"sample_rate_hz": 8000, "channels": 1}),),
        ),
        Example(
            {"file": FILE, "target_format": "wav", "sample_rate_hz": 16000, "channels": 2},
            {"codec": "pcm_s16le", "duration_s": 0.5, "sample_rate_hz": 16000, "channels": 2},
            source="what was asked for; half a second stays half a second",
            files=TONE,
            then=(look_at_tone("A4"),),
        ),
        Example({"file": FILE, "target_format": "flac"}, {"codec": "flac", "duration_s": 0.5}, "by hand", files=TONE),
        Example({"file": FILE, "target_format": "ogg"}, {"codec": "vorbis"}, "Ogg holds Vorbis", files=TONE),
        Example({"file": FILE, "target_format": "m4a"}, {"codec": "aac"}, "M4A holds AAC", files=TONE),
        Example({"file": FILE, "target_format": "opus"}, {"codec": "opus"}, "by hand", files=TONE),
        Refusal({"file": FILE, "target_format": "mp3"}, "not readable audio or video", files=NO_IMAGE),
        Refusal({"file": FILE, "target_format": "mp3"}, "no sound", files=SILENT_CLIP),
    ),
    reply="The sound in {codec}, {duration_s|second} long: {file}",
)
def audio_convert_format(
    file: File,
    target_format: Annotated[Format, About("Output format: m4a is AAC, ogg is Vorbis")],
    bitrate_kbps: Bitrate = None,
    sample_rate_hz: Annotated[
        Literal[8000, 12000, 16000, 24000, 44100, 48000] | None, About("Sample rate in Hz; default: unchanged")
    ] = None,
    channels: Annotated[Literal[1, 2] | None, About("1 for mono, 2 for stereo; default: unchanged")] = None,
) -> MadeAudio:
    """Convert audio to MP3, M4A, Ogg, Opus, FLAC or WAV, and change its bit rate, sample rate or channels.

    Use it for players that support only one format, or to make files smaller; for a video, its sound is used. Tags such
    as the title are kept. Returns the file with its duration.
    """
    _, sound = with_sound(file)
    changed: Stream = {
        **sound,
        "sample_rate_hz": sample_rate_hz or sound["sample_rate_hz"],
        "channels": channels or sound["channels"],
    }
    rate = ["-ar", str(sample_rate_hz)] if sample_rate_hz else []
    mixed = ["-ac", str(channels)] if channels else []
    return made_audio(
        f"audio.{target_format}",
        [*input_arguments(file), *encoding(target_format, changed, bitrate_kbps), *rate, *mixed],
    )


@tool(
    tags="audio cut trim clip mp3 part section seconds beginning end shorten",
    use_when=(
        "Cut the first 30 seconds off recording.mp3",
        "Keep only 1:20 to 2:05 of the song",
        "Trim the last minute of my podcast",
        "Make a ringtone out of a song",
        "Shorten a song",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "start_s": 1.2},
            {"file": "part.wav", "duration_s": 0.8, "codec": "pcm_s16le"},
            source="by hand: of 2 s the last 0.8, in which A5 sounds",
            files=_BEEPS,
            then=(look_at_tone("A5"),),
        ),
        Example(
            {"file": FILE, "end_s": 0.5, "target_format": "mp3"},
            {"file": "part.mp3", "codec": "mp3"},
            source="by hand",
            files=_BEEPS,
        ),
        Refusal(
            {"file": FILE, "start_s": 3},
            "There is nothing between 3 and 2 s; the duration of the file is 2 s",
            files=_BEEPS,
        ),
        Refusal({"file": FILE, "start_s": 1, "end_s": 0.5}, "There is nothing between", files=_BEEPS),
    ),
    reply="The cut recording lasts {duration_s|second}: {file}",
)
def audio_cut_part(file: File, start_s: Start = 0, end_s: End | None = None, target_format: Target = None) -> MadeAudio:
    """Cut a part out of an MP3 or another audio file, from one time to another.

    Use it to shorten recordings: to drop the beginning, give only `start_s`. An MP3 or M4A that keeps its format is cut
    between its blocks without loss, accurate to some hundredths of a second. Returns the part.
    """
    facts, sound = with_sound(file)
    seconds = span(facts, start_s, end_s)
    form = target_format or _form(sound)
    source = ["-ss", f"{start_s:.6f}", *input_arguments(file), "-t", f"{seconds:.6f}"]
    copied = form in _COPIED and form == _form(sound)
    how = ["-map", "0:a:0", "-c:a", "copy"] if copied else encoding(form, sound, None)
    return made_audio(f"part.{form}", [*source, *how])


@tool(
    tags="audio join concatenate merge append mp3 combine recordings intro",
    use_when=(
        "Join intro.mp3, talk.wav and outro.mp3 into one file",
        "Append the second recording to the first",
        "Merge these three voice memos to an MP3",
        "Put two songs together",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"files": [FILE, OTHER], "target_format": "wav"},
            {"file": "joined.wav", "duration_s": 2.5, "sample_rate_hz": 8000, "channels": 1},
            source="by hand: 2 s and 0.5 s, as the first is",
            files=_BEEPS,
        ),
        Example(
            {"files": [OTHER, OTHER]},
            {"file": "joined.mp3", "codec": "mp3", "channels": 1},
            source="the default format",
            files=_BEEPS,
        ),
        Refusal({"files": [FILE]}, "files", files=_BEEPS),
        Refusal({"files": [FILE, OTHER]}, "no sound", files={**_BEEPS, OTHER: SILENT_CLIP[FILE]}),
    ),
    reply="The joined recording lasts {duration_s|second}: {file}",
)
def audio_join_files(
    files: Annotated[list[File], About("Files in order", [FILE, OTHER], min_items=2, max_items=20)],
    target_format: Annotated[Format, About("Output format")] = "mp3",
) -> MadeAudio:
    """Join audio files of any formats one after the other, with the sample rate and channels of the first.

    Use it for an intro before a talk or for recordings in parts. Returns one file.
    """
    sounds = [with_sound(file)[1] for file in files]
    head = sounds[0]
    layout = "mono" if head["channels"] == 1 else "stereo"
    shaped = f"aresample={head['sample_rate_hz']},aformat=sample_fmts=fltp:channel_layouts={layout}"
    each = "".join(f"[{number}:a:0]{shaped}[p{number}];" for number in range(len(files)))
    joined = "".join(f"[p{number}]" for number in range(len(files))) + f"concat=n={len(files)}:v=0:a=1[all]"
    inputs = [argument for file in files for argument in input_arguments(file)]
    how = encoding(target_format, head, None)
    how[how.index("0:a:0")] = "[all]"
    return made_audio(f"joined.{target_format}", [*inputs, "-filter_complex", each + joined, *how])


@tool(
    tags="audio extract video sound track mp4 mp3 rip",
    use_when=(
        "Extract the audio of talk.mp4 as MP3",
        "Get only the sound from this video",
        "Save the soundtrack of the clip as WAV",
        "Get the sound out of a video",
        "MP4 to MP3",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "target_format": "wav"},
            {"file": "sound.wav", "duration_s": 2.0, "sample_rate_hz": 4000, "channels": 1},
            source="by hand: the video has 2 s of A4",
            files=CLIP,
            then=(look_at_tone("A4"),),
        ),
        Example({"file": FILE}, {"file": "sound.mp3", "codec": "mp3"}, source="the default", files=CLIP),
        Refusal({"file": FILE}, "no sound", files=SILENT_CLIP),
    ),
    reply="The sound of the video, {duration_s|second} long: {file}",
)
def audio_extract_from_video(
    file: File,
    target_format: Annotated[Format, About("Output format")] = "mp3",
    bitrate_kbps: Bitrate = None,
) -> MadeAudio:
    """Extract (take) the sound out of a video, as MP3 or in another format.

    Use it to listen to talks, or to transcribe them. Returns the audio file.
    """
    _, sound = with_sound(file)
    return made_audio(f"sound.{target_format}", [*input_arguments(file), *encoding(target_format, sound, bitrate_kbps)])


class Loudness(TypedDict):
    """Loudness of a recording, after EBU R 128."""

    integrated_lufs: Annotated[float | None, About("Integrated loudness; null for silence")]
    range_lu: Annotated[float, About("Loudness range between quiet and loud parts, in LU")]
    true_peak_dbtp: Annotated[float | None, About("True peak: highest level between samples; null for silence")]
    threshold_lufs: Annotated[float | None, About("Gate below which sound was ignored as a pause")]


class Normalized(MadeAudio):
    """Audio with normalised loudness."""

    before_lufs: Annotated[float, About("Original loudness")]
    gain_db: Annotated[float, About("Gain applied to the whole recording, negative if quieter; peaks are limited")]


@tool(
    tags="audio loudness lufs ebu r128 measure true peak podcast broadcast",
    use_when=(
        "How loud is my podcast in LUFS?",
        "Does this track meet -14 LUFS for streaming?",
        "What is the true peak of the recording?",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE},
            {"integrated_lufs": -9.03, "true_peak_dbtp": -6.02, "range_lu": 0.0},
            source="ITU-R BS.1770: a full tone of 1 kHz in one channel reads -3.01 LKFS; this one is 6.02 dB lower",
            tolerance=0.05,
            files=_LOUD,
        ),
        Refusal({"file": FILE}, "no sound", files=SILENT_CLIP),
    ),
    reply={
        "true_peak_dbtp": "The loudness is {integrated_lufs} LUFS, with a true peak of {true_peak_dbtp} dBTP.",
        "integrated_lufs": "The loudness is {integrated_lufs} LUFS.",
        "": "The recording is silent, so it has no loudness.",
    },
)
def audio_measure_loudness(file: File) -> Loudness:
    """Measure loudness after EBU R 128 and ITU-R BS.1770: integrated, its range, and the true peak.

    Use it before publishing: usual targets are -16 LUFS for podcasts, -14 for streaming and -23 for broadcast. Returns
    LUFS and dBTP.
    """
    with_sound(file)
    return _measure(file)


@tool(
    tags="audio normalize loudness volume lufs ebu r128 podcast level louder quieter",
    use_when=(
        "Normalise my podcast to -16 LUFS",
        "Make this recording as loud as others",
        "Bring the MP3 to broadcast loudness of -23 LUFS",
        "My recording is too quiet",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=1024,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "target_lufs": -23},
            {"file": "normalized.wav", "before_lufs": -9.0, "gain_db": -14.0, "duration_s": 4.0},
            source="by hand: -9 LUFS and 14 dB less are -23, and the peak goes from -6 dB to -20",
            tolerance=0.02,
            files=_LOUD,
            then=(ExampleCall("audio_inspect_wav", {"file": "{made}"}, {"clipped_samples": 0}),),
        ),
        Example({"file": FILE, "target_format": "mp3"}, {"file": "normalized.mp3"}, source="the default", files=_LOUD),
        Refusal({"file": FILE}, "silent", files={FILE: wav(lambda time: 0.0, 2)}),
    ),
    reply="The recording was at {before_lufs} LUFS and was changed by {gain_db} dB: {file}",
)
def audio_normalize_loudness(
    file: File,
    target_lufs: Annotated[float, About("Target loudness: -16 podcasts, -14 streaming", minimum=-50, maximum=-5)] = (
        -16
    ),
    peak_dbtp: Annotated[float, About("Maximum true peak", minimum=-9, maximum=0)] = -1.5,
    target_format: Target = None,
) -> Normalized:
    """Normalise (bring) a recording to a loudness after EBU R 128: it is measured, and then made louder or quieter as a
    whole.

    Use it so that episodes and tracks are equally loud. A limiter reduces peaks that would be too high. Returns the
    file with its original loudness.
    """
    _, sound = with_sound(file)
    measured = _measure(file)
    loudness, peak = measured["integrated_lufs"], measured["true_peak_dbtp"]
    if loudness is None or peak is None:
        raise ToolError("The recording is silent, so its loudness cannot be changed.")
    form = target_format or _form(sound)
    gain = target_lufs - loudness
    chain = f"volume={gain:.2f}dB"
    if peak + gain > peak_dbtp:
        # The limiter only processes samples; between them, the signal can be up to about half a decibel higher.
        chain += f",alimiter=limit={10 ** ((peak_dbtp - 0.5) / 20):.6f}:level=disabled"
    normalized = made_audio(f"normalized.{form}", [*input_arguments(file), "-af", chain, *encoding(form, sound, None)])
    return {**normalized, "before_lufs": loudness, "gain_db": round(gain, 1)}


def _measure(file: str) -> Loudness:
    """Return the final output of ffmpeg's filter ebur128."""
    chain = "ebur128=peak=true:framelog=verbose"
    messages = messages_of([*input_arguments(file), "-map", "0:a:0", "-af", chain, "-f", "null", "-"], "info")
    summary = messages[messages.rindex("Summary:") :]
    loudness, threshold, spread, _, _, _, peak = (float(number) for number in _READING.findall(summary)[:7])
    silent = loudness <= _SILENT_LUFS
    return {
        "integrated_lufs": None if silent else loudness,
        "range_lu": spread,
        "true_peak_dbtp": peak if math.isfinite(peak) else None,
        "threshold_lufs": None if silent else threshold,
    }


def _form(sound: Stream) -> Format:
    """Return the format of a file; WAV for unsupported formats."""
    return _OWN.get(sound["codec"], "wav")
