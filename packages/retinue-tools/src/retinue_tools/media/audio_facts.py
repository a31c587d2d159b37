"""Audio analysis: format, levels, tags, silences, frequencies, tempo."""

import base64
import math
import struct
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tinytag import TinyTag, TinyTagException
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._samples import FILE, NO_IMAGE, SPEECH, TONE, sine, wav
from retinue_tools.media._sounds import Decibels, Sound, decibels, read_wav, silences


class SoundFacts(TypedDict):
    """Format and levels of a sound."""

    duration_s: Annotated[float, About("Duration in seconds")]
    sample_rate_hz: Annotated[int, About("Sample rate in Hz")]
    channels: Annotated[int, About("1 for mono, 2 for stereo")]
    peak_dbfs: Annotated[float, About("Peak level; 0 is full scale, -120 silence")]
    rms_dbfs: Annotated[float, About("Mean level")]
    crest_factor_db: Annotated[float, About("Peak above mean level: 3 for a sine, more for dynamic sound")]
    clipped_samples: Annotated[int, About("Number of samples at full scale")]
    dc_offset: Annotated[float, About("DC offset: mean of the samples; should be 0")]


@tool(
    tags="audio wav info duration sample rate channels peak rms level loudness clipping",
    use_when=(
        "How long is this WAV file and what is its sample rate?",
        "Is my recording clipped or too quiet?",
        "What is the peak level of this sound in dBFS?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "duration_s": 0.5,
                "sample_rate_hz": 8000,
                "channels": 1,
                "peak_dbfs": -6.02,
                "rms_dbfs": -9.03,
                "crest_factor_db": 3.01,
                "clipped_samples": 0,
            },
            source="by hand: a sine of half amplitude has its peak at -6.02 dB and its mean level 3.01 dB below",
            files=TONE,
            tolerance=1e-3,
        ),
        Refusal({"file": FILE}, "not a WAV", files=NO_IMAGE),
    ),
    reply={
        "clipped_samples": (
            "The WAV lasts {duration_s|second} at {sample_rate_hz} Hz, and "
            "its peak is {peak_dbfs} dBFS; it is clipped at "
            "{clipped_samples|sample}."
        ),
        "": (
            "The WAV lasts {duration_s|second} at {sample_rate_hz} Hz. Its peak is "
            "{peak_dbfs} dBFS and its mean level {rms_dbfs} dBFS; it is not clipped."
        ),
    },
    memory_mb=1024,
    pace="normal",
)
def audio_inspect_wav(file: File) -> SoundFacts:
    """Return format, length and levels of a WAV sound: peak, mean level, clipping and DC offset.

    Use it before editing, or to check a recording; for tags of music files use audio_read_tags. Returns levels in dB
    below full scale.
    """
    sound = read_wav(file)
    peak, rms = float(np.abs(sound.samples).max()), float(np.sqrt(np.mean(np.square(sound.samples, dtype=np.float64))))
    return {
        "duration_s": sound.seconds,
        "sample_rate_hz": sound.rate,
        "channels": int(sound.samples.shape[1]),
        "peak_dbfs": round(decibels(peak), 2),
        "rms_dbfs": round(decibels(rms), 2),
        "crest_factor_db": round(decibels(peak) - decibels(rms), 2),
        "clipped_samples": int(np.count_nonzero(np.abs(sound.samples) >= 0.9999)),
        "dc_offset": round(float(sound.samples.mean(dtype=np.float64)), 6),
    }


def _flac() -> str:
    """Return the header of a FLAC file (RFC 9639) in Base64: 2 s at 44.1 kHz in stereo with two comments."""
    bits = 44_100 << 44 | 1 << 41 | 15 << 36 | 88_200
    stream = struct.pack(">HH", 4096, 4096) + bytes(6) + bits.to_bytes(8, "big") + bytes(16)
    comments = [b"TITLE=Tides", b"ARTIST=Harbour Trio"]
    listed = b"".join(struct.pack("<I", len(comment)) + comment for comment in comments)
    tags = struct.pack("<I", 0) + struct.pack("<I", len(comments)) + listed
    head = b"fLaC\0" + len(stream).to_bytes(3, "big") + stream + b"\x84" + len(tags).to_bytes(3, "big") + tags
    return base64.b64encode(head).decode()


class AudioTags(TypedDict):
    """Tags and stream properties of an audio file; null for missing values."""

    title: Annotated[str | None, About("Title")]
    artist: Annotated[str | None, About("Artist")]
    album: Annotated[str | None, About("Album")]
    track: Annotated[int | None, About("Track number")]
    year: Annotated[str | None, About("Year or date")]
    genre: Annotated[str | None, About("Genre")]
    comment: Annotated[str | None, About("Comment, truncated after 2,000 characters")]
    duration_s: Annotated[float | None, About("Duration in seconds")]
    bitrate_kbps: Annotated[float | None, About("Bit rate in kbit/s")]
    sample_rate_hz: Annotated[int | None, About("Sample rate in Hz")]
    channels: Annotated[int | None, About("Number of channels")]


@tool(
    tags="audio tags id3 mp3 flac ogg m4a metadata title artist album duration",
    use_when=(
        "Who is the artist of this MP3, and how long is it?",
        "Read the ID3 tags of the song.",
        "What bit rate has this FLAC file?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "title": "Tides",
                "artist": "Harbour Trio",
                "album": None,
                "duration_s": 2.0,
                "sample_rate_hz": 44100,
                "channels": 2,
            },
            source="RFC 9639: the stream information and comments that the sample was written with",
            files={FILE: _flac()},
        ),
        Example(
            {"file": FILE},
            {"title": None, "duration_s": 0.5, "sample_rate_hz": 8000},
            source="the WAV sample has no tags",
            files=TONE,
        ),
        Refusal({"file": FILE}, "not a readable audio file", files=NO_IMAGE),
    ),
    reply={
        "title, artist, album": (
            "\u201c{title}\u201d by {artist}, from the album \u201c{album}\u201d, lasts {duration_s|second}."
        ),
        "title, artist": "\u201c{title}\u201d by {artist} lasts {duration_s|second}.",
        "title": "\u201c{title}\u201d lasts {duration_s|second}.",
        "artist": "The music is by {artist} and lasts {duration_s|second}.",
        "not title, not artist": "The file names neither title nor artist; it lasts {duration_s|second}.",
    },
)
def audio_read_tags(file: File) -> AudioTags:
    """Read the tags of a music file (MP3, FLAC, OGG, Opus, M4A, WMA, WAV, AIFF), and its duration (length) and bit
    rate.

    Use it to sort or name music. Returns title, artist, album and the properties of the stream.
    """
    if Path(file).stat().st_size == 0:
        raise ToolError("The file is empty.")
    try:
        with Path(file).open("rb") as stream:
            tag = TinyTag.get(filename=None, file_obj=stream)
    except (TinyTagException, *_DAMAGED) as error:
        raise ToolError("The file is not a readable audio file. Send MP3, FLAC, OGG, M4A or WAV.") from error
    return {
        "title": _text(tag.title),
        "artist": _text(tag.artist),
        "album": _text(tag.album),
        "track": tag.track if isinstance(tag.track, int) else None,
        "year": _text(tag.year),
        "genre": _text(tag.genre),
        "comment": _text(tag.comment),
        "duration_s": _number(tag.duration),
        "bitrate_kbps": _number(tag.bitrate),
        "sample_rate_hz": int(tag.samplerate) if tag.samplerate else None,
        "channels": int(tag.channels) if tag.channels else None,
    }


_DAMAGED = (ValueError, OSError, EOFError, IndexError, KeyError, TypeError, ArithmeticError, struct.error)


def _text(value: object) -> str | None:
    return str(value)[:2000] if value else None


def _number(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


class Span(TypedDict):
    """A stretch of time."""

    start_s: Annotated[float, About("Start in seconds")]
    end_s: Annotated[float, About("End in seconds")]
    duration_s: Annotated[float, About("Duration in seconds")]


class Silences(TypedDict):
    """Silent parts."""

    silences: Annotated[list[Span], About("Silences in order, at most 2,000")]
    silent_percent: Annotated[float, About("Share of the total duration")]


@tool(
    tags="audio silence detect pauses gaps quiet wav",
    use_when=(
        "Where are the pauses in this recording?",
        "How much of the WAV file is silence?",
        "Find gaps longer than half a second in the sound.",
    ),
    examples=(
        Example(
            {"file": FILE, "least_s": 0.3},
            {"silences": [{"start_s": 0.4, "end_s": 0.8, "duration_s": 0.4}], "silent_percent": 33.333},
            source="the sample is silent from 0.4 to 0.8 s of 1.2 s",
            files=SPEECH,
            tolerance=1e-3,
        ),
        Example({"file": FILE}, {"silences": [], "silent_percent": 0.0}, source="the tone has no pause", files=TONE),
        Refusal({"file": FILE, "threshold_dbfs": 3}, "threshold", files=TONE),
    ),
    reply={
        "silences": "{silent_percent} % of the recording is silent, in these parts: {silences}",
        "": "There is no silence in the recording.",
    },
    memory_mb=1024,
    pace="normal",
)
def audio_detect_silence(
    file: File,
    threshold_dbfs: Decibels = -40,
    least_s: Annotated[float, About("Minimum duration of a silence, in seconds", minimum=0.02, maximum=3600)] = 0.3,
) -> Silences:
    """Find the silent parts of a WAV sound, with a precision of 10 ms.

    Use it for pauses in speech and gaps between songs. Returns start, end and duration of each silence, and their
    share.
    """
    sound = read_wav(file)
    found = silences(sound, threshold_dbfs, least_s)
    total = sum(end - start for start, end in found)
    spans: list[Span] = [
        {
            "start_s": round(start / sound.rate, 4),
            "end_s": round(end / sound.rate, 4),
            "duration_s": round((end - start) / sound.rate, 4),
        }
        for start, end in found[:2000]
    ]
    return {"silences": spans, "silent_percent": round(100 * total / len(sound.samples), 3)}


class Partial(TypedDict):
    """A frequency in a sound."""

    frequency_hz: Annotated[float, About("Frequency in hertz")]
    level_db: Annotated[float, About("Level relative to the strongest")]
    note: Annotated[str, About("Nearest note in scientific pitch notation, A4 at 440 Hz")]
    cents_off: Annotated[float, About("Deviation from that note in cents")]


class Spectrum(TypedDict):
    """Strongest frequencies of a sound."""

    peaks: Annotated[list[Partial], About("Strongest first")]
    centroid_hz: Annotated[float, About("Spectral centroid: how bright it sounds")]


_NOTES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


@tool(
    tags="audio frequency spectrum fft pitch peak note tuner hertz",
    use_when=(
        "What frequency is this tone?",
        "Which note is played in the recording?",
        "Find the strongest frequencies of this hum.",
    ),
    examples=(
        Example(
            {"file": FILE, "count": 1},
            {"peaks": [{"frequency_hz": 440.0, "level_db": 0.0, "note": "A4"}]},
            source="the sample is a sine of 440 Hz",
            files=TONE,
            tolerance=1e-3,
        ),
        Example(
            {"file": FILE, "count": 2, "start_s": 0.1, "duration_s": 0.5},
            {"peaks": [{"frequency_hz": 500.0, "note": "B4"}, {"frequency_hz": 1500.0, "level_db": -6.02}]},
            source="the sample adds 1,500 Hz at half the amplitude of 500 Hz",
            files={FILE: wav(lambda time: sine(500)(time) + sine(1500, 0.25)(time), 1)},
            tolerance=2e-3,
        ),
        Refusal({"file": FILE, "start_s": 9}, "is after", files=TONE),
    ),
    reply="The strongest frequency is {peaks.0.frequency_hz} Hz, near the note {peaks.0.note}.",
    memory_mb=1024,
    pace="normal",
)
def audio_find_frequencies(
    file: File,
    count: Annotated[int, About("Number of peaks", minimum=1, maximum=50)] = 5,
    start_s: Annotated[float, About("Start in seconds", minimum=0, maximum=100_000)] = 0,
    duration_s: Annotated[float, About("Duration to analyse, in seconds", minimum=0.02, maximum=30)] = 5,
) -> Spectrum:
    """Find the strongest frequencies of a WAV sound by a windowed Fourier transform.

    Use it to tune, to name a tone, or to find a hum. Returns frequencies with levels and
    nearest notes, strongest first.
    """
    sound = read_wav(file)
    part = sound.mono[round(start_s * sound.rate) : round((start_s + duration_s) * sound.rate)].astype(np.float64)
    if len(part) < 64:
        raise ToolError("The part is after the end of the sound or is too short. Choose an earlier start.")
    power = np.abs(np.fft.rfft((part - part.mean()) * np.hanning(len(part)), 4 * len(part)))
    if power.max() < 1e-9:
        raise ToolError("The part is silent, so it has no frequencies.")
    step = sound.rate / (4 * len(part))
    middle = power[1:-1]
    above = np.flatnonzero((middle > power[:-2]) & (middle >= power[2:]) & (middle > power.max() / 300)) + 1
    peaks = _apart(above[np.argsort(power[above])[::-1]], 8, count)
    centroid = float((power * np.arange(len(power))).sum() / power.sum() * step)
    return {"peaks": [_partial(power, place, step) for place in peaks], "centroid_hz": round(centroid, 2)}


def _apart(places: Any, least: int, count: int) -> list[int]:
    """Return the first peaks that are not side lobes of earlier ones."""
    taken: list[int] = []
    for place in places[:5000]:
        if all(abs(int(place) - other) >= least for other in taken):
            taken.append(int(place))
        if len(taken) == count:
            break
    return taken


def _partial(power: Any, place: int, step: float) -> Partial:
    """Return a peak whose position is refined by a parabola through the logarithms of three bins."""
    left, middle, right = (math.log(max(float(power[place + shift]), 1e-300)) for shift in (-1, 0, 1))
    curve = left - 2 * middle + right
    frequency = (place + ((left - right) / (2 * curve) if curve < 0 else 0)) * step
    exact = 69 + 12 * math.log2(frequency / 440)
    midi = math.floor(exact + 0.5)
    return {
        "frequency_hz": round(frequency, 2),
        "level_db": round(20 * math.log10(float(power[place] / power.max())), 2) + 0.0,
        "note": f"{_NOTES[midi % 12]}{midi // 12 - 1}",
        "cents_off": round(100 * (exact - midi), 1),
    }


class Tempo(TypedDict):
    """Tempo of a piece."""

    bpm: Annotated[float, About("Beats per minute")]
    confidence: Annotated[float, About("0 to 1: how strongly the sound repeats at this tempo")]


@tool(
    tags="audio tempo bpm beat detect rhythm music",
    use_when=(
        "What is the tempo of this track?",
        "How many BPM has the drum loop?",
        "Estimate the beat of the recording.",
        "How fast is this song?",
        "Beats per minute of a song",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"bpm": 120.0},
            source="the sample clicks every half second",
            files={FILE: wav(lambda time: sine(800)(time) if time % 0.5 < 0.03 else 0.0, 5, 2000)},
            tolerance=0.01,
        ),
        Example(
            {"file": FILE, "lowest_bpm": 60, "highest_bpm": 100},
            {"bpm": 75.0},
            source="the sample clicks every 0.8 s",
            files={FILE: wav(lambda time: sine(800)(time) if time % 0.8 < 0.03 else 0.0, 6, 2000)},
            tolerance=0.01,
        ),
        Refusal({"file": FILE}, "at least 3 seconds", files=TONE),
    ),
    reply="The tempo is about {bpm} beats per minute (BPM).",
    memory_mb=1024,
    pace="normal",
)
def audio_estimate_tempo(
    file: File,
    lowest_bpm: Annotated[float, About("Slowest tempo to consider", minimum=30, maximum=200)] = 70,
    highest_bpm: Annotated[float, About("Fastest tempo to consider", minimum=40, maximum=300)] = 180,
) -> Tempo:
    """Estimate the tempo of a WAV sound from the repetition of its onsets (autocorrelation of energy increases).

    Use it for loops and dance music with a steady beat; the result may be half or double the tempo, so narrow the
    bounds if you know them. Returns beats per minute with a confidence.
    """
    sound = read_wav(file)
    if sound.seconds < 3 or lowest_bpm >= highest_bpm:
        raise ToolError("The sound must be at least 3 seconds long, and the lowest tempo must be below the highest.")
    onsets, rate = _onsets(sound)
    correlation = np.fft.irfft(np.abs(np.fft.rfft(onsets, 2 * len(onsets))) ** 2)[: len(onsets)]
    first, last = math.ceil(60 * rate / highest_bpm), min(math.floor(60 * rate / lowest_bpm), len(correlation) - 2)
    if correlation[0] < 1e-12 or first >= last:
        raise ToolError("The sound has no onsets from which a tempo can be estimated.")
    place = first + int(np.argmax(correlation[first : last + 1]))
    left, middle, right = (float(correlation[place + shift]) for shift in (-1, 0, 1))
    curve = left - 2 * middle + right
    lag = place + ((left - right) / (2 * curve) if curve < 0 else 0)
    confidence = min(1.0, max(0.0, middle / float(correlation[0])))
    return {"bpm": round(60 * rate / lag, 1), "confidence": round(confidence, 3)}


def _onsets(sound: Sound) -> tuple[Any, float]:
    """Return increases of energy, about 200 times per second, for at most a minute."""
    hop = max(1, sound.rate // 200)
    mono = sound.mono[: 60 * sound.rate].astype(np.float64)
    energy = np.square(mono[: len(mono) // hop * hop]).reshape(-1, hop).sum(axis=1)
    growth = np.maximum(np.diff(np.log1p(100 * energy)), 0)
    return growth - growth.mean(), sound.rate / hop
