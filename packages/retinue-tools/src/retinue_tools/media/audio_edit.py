"""WAV editing: cutting, joining, mixing, conversion, volume and speed."""

from typing import Annotated, Any, Literal

import numpy as np
from scipy import signal

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.media._samples import FILE, NO_IMAGE, OTHER, SPEECH, TONE, sine, wav
from retinue_tools.media._sounds import MOST_SAMPLES, MadeSound, Sound, decibels, read_wav, record

_STEREO = {FILE: wav(sine(440), 0.5, 8000, 2)}
_TWO = {FILE: TONE[FILE], OTHER: wav(sine(440, 0.25), 0.25)}
Sounds = Annotated[list[File], About("WAV sounds in order", [FILE, OTHER], min_items=2, max_items=20)]


@tool(
    tags="audio trim cut clip part start end wav",
    use_when=(
        "Cut the first 10 seconds of this WAV.",
        "Keep only 0:30 to 1:15 of the recording.",
        "Trim the end of the sound.",
    ),
    examples=(
        Example(
            {"file": FILE, "start_s": 0.1, "end_s": 0.3},
            {"file": "trimmed.wav", "duration_s": 0.2, "sample_rate_hz": 8000, "peak_dbfs": -6.02},
            source="by hand",
            files=TONE,
            tolerance=1e-3,
        ),
        Example({"file": FILE, "start_s": 0.5}, {"duration_s": 0.7}, source="by hand: 1.2 - 0.5", files=SPEECH),
        Refusal({"file": FILE, "start_s": 2}, "before its end", files=TONE),
    ),
    reply="The part of the sound lasts {duration_s|second}: {file}",
    memory_mb=1024,
    pace="normal",
)
def audio_trim_wav(
    file: File,
    start_s: Annotated[float, About("Start in seconds", minimum=0, maximum=100_000)] = 0,
    end_s: Annotated[float | None, About("End in seconds; default: the end", 30, minimum=0, maximum=100_000)] = None,
) -> MadeSound:
    """Cut a part out of a WAV sound by its start and end in seconds.

    Use it to shorten recordings. Returns the part as 16-bit WAV with its duration.
    """
    sound = read_wav(file)
    start, end = round(start_s * sound.rate), round((sound.seconds if end_s is None else end_s) * sound.rate)
    if start >= min(end, len(sound.samples)):
        raise ToolError(
            f"The part must start before its end. The duration of the sound is {sound.seconds:.3f} seconds."
        )
    return record("trimmed", Sound(sound.rate, sound.samples[start:end]))


def _resample(sound: Sound, rate: int) -> Sound:
    """Resample a sound with a polyphase filter."""
    if rate == sound.rate:
        return sound
    length = max(1, round(len(sound.samples) * rate / sound.rate))
    if length * sound.samples.shape[1] > MOST_SAMPLES:
        raise ToolError("The sound would have more than 20 million samples. Choose a lower rate or a part of it.")
    divisor = np.gcd(rate, sound.rate)
    samples = signal.resample_poly(sound.samples, rate // divisor, sound.rate // divisor, axis=0)
    return Sound(rate, samples[:length].astype(np.float32))


def _widen(samples: Any, channels: int) -> Any:
    if samples.shape[1] == channels:
        return samples
    return np.repeat(samples.mean(axis=1, keepdims=True), channels, axis=1)


def _alike(files: list[str]) -> list[Sound]:
    """Convert sounds to the sample rate and channels of the first."""
    first = read_wav(files[0])
    rest = [_resample(read_wav(file), first.rate) for file in files[1:]]
    channels = first.samples.shape[1]
    return [Sound(first.rate, _widen(sound.samples, channels)) for sound in (first, *rest)]


@tool(
    tags="audio join concatenate append merge crossfade gap wav",
    use_when=(
        "Join these two recordings one after the other.",
        "Append the outro to my WAV with a second of silence between.",
        "Concatenate the clips with a short crossfade.",
    ),
    examples=(
        Example(
            {"files": [FILE, OTHER]},
            {"duration_s": 0.75, "file": "joined.wav"},
            source="by hand: 0.5 + 0.25",
            files=_TWO,
        ),
        Example({"files": [FILE, OTHER], "gap_s": 0.25}, {"duration_s": 1.0}, source="by hand: with a gap", files=_TWO),
        Example(
            {"files": [FILE, OTHER], "gap_s": -0.05}, {"duration_s": 0.7}, source="by hand: overlapped", files=_TWO
        ),
        Refusal({"files": [FILE, OTHER], "gap_s": -1}, "longer than", files=_TWO),
    ),
    reply="The joined recording lasts {duration_s|second}: {file}",
    memory_mb=1024,
    pace="normal",
)
def audio_join_wavs(
    files: Sounds,
    gap_s: Annotated[
        float, About("Silence between them in seconds; negative for a crossfade", minimum=-30, maximum=60)
    ] = 0,
) -> MadeSound:
    """Join WAV sounds one after the other, with gaps or crossfades, at the rate and channels of the first.

    Use it to put recordings together. Returns one 16-bit WAV.
    """
    sounds = _alike(files)
    rate, joined = sounds[0].rate, sounds[0].samples
    shift = round(gap_s * rate)
    for sound in sounds[1:]:
        if -shift > min(len(joined), len(sound.samples)):
            raise ToolError("The crossfade is longer than one of the sounds. Make it shorter.")
        joined = _append(joined, sound.samples, shift)
        if joined.size > MOST_SAMPLES:
            raise ToolError("The joined sound would have more than 20 million samples. Join fewer.")
    return record("joined", Sound(rate, joined))


def _append(first: Any, second: Any, shift: int) -> Any:
    if shift >= 0:
        return np.concatenate((first, np.zeros((shift, first.shape[1]), np.float32), second))
    ramp = np.linspace(0, 1, -shift, dtype=np.float32)[:, None]
    middle = first[shift:] * (1 - ramp) + second[:-shift] * ramp
    return np.concatenate((first[:shift], middle, second[-shift:]))


@tool(
    tags="audio mix overlay layer combine music voice background",
    use_when=(
        "Mix the music under my voice recording at -12 dB.",
        "Lay these two WAV tracks over each other.",
        "Combine drums and bass into one file.",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE]},
            {"duration_s": 0.5, "peak_dbfs": 0.0},
            source="by hand: half of full scale twice is full scale",
            files=TONE,
            tolerance=0.01,
        ),
        Example(
            {"files": [FILE, OTHER], "gains_db": [0, -100]},
            {"duration_s": 0.5, "peak_dbfs": -6.02, "clipped": False},
            source="by hand: the second is not to be heard",
            files=_TWO,
            tolerance=1e-3,
        ),
        Refusal({"files": [FILE, OTHER], "gains_db": [0]}, "the same number of gains", files=_TWO),
    ),
    reply={
        "clipped": "The mix is clipped, so make the tracks quieter: {file}",
        "": "The mix lasts {duration_s|second} and is not clipped: {file}",
    },
    memory_mb=1024,
    pace="normal",
)
def audio_mix_tracks(
    files: Sounds,
    gains_db: Annotated[
        list[Annotated[float, About("Gain in decibels", 0, minimum=-100, maximum=40)]] | None,
        About("Gain of each sound in decibels; default: 0", [0, -12], max_items=20),
    ] = None,
) -> MadeSound:
    """Mix WAV sounds over each other from the same start, each with a gain, at the rate and channels of the first.

    Use it to lay music under speech or to combine tracks; the result shows whether it was clipped. Returns a 16-bit WAV
    as long as the longest.
    """
    gains = gains_db if gains_db is not None else [0.0] * len(files)
    if len(gains) != len(files):
        raise ToolError("Give the same number of gains and sounds.")
    sounds = _alike(files)
    mixed = np.zeros((max(len(sound.samples) for sound in sounds), sounds[0].samples.shape[1]), np.float32)
    for sound, gain in zip(sounds, gains, strict=True):
        mixed[: len(sound.samples)] += sound.samples * 10 ** (gain / 20)
    return record("mixed", Sound(sounds[0].rate, mixed))


@tool(
    tags="audio convert mono stereo sample rate resample 16 bit wav",
    use_when=(
        "Convert this stereo WAV to mono.",
        "Resample the recording to 16 kHz for speech recognition.",
        "Make the sound 16-bit at 44.1 kHz.",
    ),
    examples=(
        Example(
            {"file": FILE, "channels": "mono"},
            {"channels": 1, "duration_s": 0.5, "peak_dbfs": -6.02},
            source="both channels of the sample are alike, so their mean is the same",
            files=_STEREO,
            tolerance=1e-3,
        ),
        Example(
            {"file": FILE, "sample_rate_hz": 16000},
            {"sample_rate_hz": 16000, "duration_s": 0.5, "channels": 1},
            source="the length stays",
            files=TONE,
            then=(
                ExampleCall("audio_find_frequencies", {"file": "{made}", "count": 1}, {"peaks": [{"note": "A4"}]}),
                ExampleCall("audio_inspect_wav", {"file": "{made}"}, {"sample_rate_hz": 16000}),
            ),
        ),
        Refusal({"file": FILE, "channels": "mono"}, "not a WAV", files=NO_IMAGE),
    ),
    reply="The sound with {channels|channel} at {sample_rate_hz} Hz: {file}",
    memory_mb=2048,
    pace="normal",
)
def audio_convert_wav(
    file: File,
    channels: Annotated[Literal["keep", "mono", "stereo"], About("Mono is the mean of the channels")] = "keep",
    sample_rate_hz: Annotated[int | None, About("New sample rate in Hz", 16000, minimum=4000, maximum=192_000)] = None,
) -> MadeSound:
    """Convert a WAV sound to mono or stereo, to another sample rate, and to 16 bits.

    Use it before speech recognition or for players that require a certain format. Resampling is band-limited. Returns a
    16-bit WAV.
    """
    sound = read_wav(file)
    if channels != "keep":
        sound = Sound(sound.rate, _widen(sound.samples, 1 if channels == "mono" else 2))
    return record("converted", _resample(sound, sample_rate_hz or sound.rate))


@tool(
    tags="audio volume gain normalize normalise fade loud quiet level",
    use_when=(
        "Make this recording 6 dB louder.",
        "Normalise the WAV to -1 dBFS.",
        "Fade the music in over 2 seconds and out over 3.",
        "Make a recording louder",
    ),
    examples=(
        Example(
            {"file": FILE, "peak_dbfs": -1},
            {"peak_dbfs": -1.0, "duration_s": 0.5, "clipped": False},
            source="the level that was asked",
            files=TONE,
            tolerance=1e-2,
        ),
        Example(
            {"file": FILE, "gain_db": -20},
            {"peak_dbfs": -26.02},
            source="by hand: -6.02 - 20",
            files=TONE,
            tolerance=1e-2,
        ),
        Example(
            {"file": FILE, "fade_out_s": 0.5, "fade_in_s": 0},
            {"duration_s": 0.5, "peak_dbfs": -6.11},
            source="by hand: sample 23 is 0.5 sin(7.948) 0.9943, the highest under the fade",
            files=TONE,
            tolerance=0.01,
        ),
        Refusal({"file": FILE, "gain_db": 6, "peak_dbfs": -1}, "not both", files=TONE),
    ),
    reply={
        "clipped": "The peak is now {peak_dbfs} dBFS, but the sound is clipped: {file}",
        "": "The peak is now at {peak_dbfs} dBFS: {file}",
    },
    memory_mb=1024,
    pace="normal",
)
def audio_change_volume(
    file: File,
    gain_db: Annotated[float, About("Decibels to add; 6 is about twice the amplitude", minimum=-100, maximum=60)] = 0,
    peak_dbfs: Annotated[float | None, About("Normalise: peak level of the result", -1, minimum=-60, maximum=0)] = None,
    fade_in_s: Annotated[float, About("Fade-in in seconds", minimum=0, maximum=600)] = 0,
    fade_out_s: Annotated[float, About("Fade-out in seconds", minimum=0, maximum=600)] = 0,
) -> MadeSound:
    """Change the volume of a WAV sound: by a gain, or normalised to a peak, with fades at start and end.

    Use it for quiet recordings and soft beginnings. Returns a 16-bit WAV, its peak, and whether it was clipped at full
    scale.
    """
    sound = read_wav(file)
    peak = float(np.abs(sound.samples).max())
    if peak_dbfs is not None and gain_db:
        raise ToolError("Give a gain or a peak, not both.")
    if peak_dbfs is not None and peak == 0:
        raise ToolError("The sound is silent: it cannot be normalised.")
    gain = gain_db if peak_dbfs is None else peak_dbfs - decibels(peak)
    samples, length = sound.samples * np.float32(10 ** (gain / 20)), len(sound.samples)
    rising, falling = (min(length, round(seconds * sound.rate)) for seconds in (fade_in_s, fade_out_s))
    if rising:
        samples[:rising] *= np.linspace(0, 1, rising, dtype=np.float32)[:, None]
    if falling:
        samples[length - falling :] *= np.linspace(1, 0, falling, dtype=np.float32)[:, None]
    return record("volume", Sound(sound.rate, samples))


@tool(
    tags="audio speed tempo faster slower pitch reverse backwards",
    use_when=(
        "Play this sound at 1.5 times its speed.",
        "Slow the recording down to half speed.",
        "Reverse the WAV file.",
    ),
    examples=(
        Example(
            {"file": FILE, "factor": 2},
            {"duration_s": 0.25, "sample_rate_hz": 8000},
            source="by hand: twice as fast lasts half as long, an octave higher",
            files=TONE,
            then=(ExampleCall("audio_find_frequencies", {"file": "{made}", "count": 1}, {"peaks": [{"note": "A5"}]}),),
        ),
        Example(
            {"file": FILE, "reverse": True},
            {"duration_s": 0.6},
            source="silence at the begin comes to the end",
            files={FILE: wav(lambda time: sine(500)(time) if time >= 0.4 else 0.0, 0.6)},
            then=(
                ExampleCall("audio_detect_silence", {"file": "{made}"}, {"silences": [{"start_s": 0.2, "end_s": 0.6}]}),
            ),
        ),
        Refusal({"file": FILE, "factor": 0}, "factor", files=TONE),
    ),
    reply={
        "args.reverse, not args.factor": "The sound backwards, {duration_s|second} long: {file}",
        "": "The sound is now {duration_s|second} long: {file}",
    },
    memory_mb=2048,
    pace="normal",
)
def audio_change_speed(
    file: File,
    factor: Annotated[float, About("2 is twice as fast", minimum=0.1, maximum=10)] = 1,
    reverse: Annotated[bool, About("Whether to play it backwards")] = False,
) -> MadeSound:
    """Play a WAV sound faster or slower like a tape, so that its pitch changes too, or backwards.

    Use it for effects and for transcribing. Returns a 16-bit WAV at the original sample rate.
    """
    sound = read_wav(file)
    length = max(1, round(len(sound.samples) / factor))
    if length * sound.samples.shape[1] > MOST_SAMPLES:
        raise ToolError("The slowed sound would have more than 20 million samples. Use a part of it.")
    samples = sound.samples
    if length != len(samples):
        places, old = np.arange(length) * (len(samples) / length), np.arange(len(samples))
        samples = np.stack([np.interp(places, old, channel) for channel in samples.T], axis=1).astype(np.float32)
    return record("speed", Sound(sound.rate, samples[::-1] if reverse else samples))
