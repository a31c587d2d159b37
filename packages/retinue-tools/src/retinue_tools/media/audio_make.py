"""Generation of sounds, and pictures of sounds."""

from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from PIL import Image, ImageDraw
from scipy import signal

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import Color, Picture, keep, rgba
from retinue_tools.media._samples import FILE, NO_IMAGE, SPEECH, TONE, look_at_pixel, sine, wav
from retinue_tools.media._sounds import Decibels, MadeSound, Sound, read_wav, record

_RATE = 44_100


@tool(
    tags="audio tone generate sine square sweep noise beep test signal wav",
    use_when=(
        "Generate a 440 Hz sine tone of 2 seconds.",
        "Make a sweep from 20 Hz to 20 kHz.",
        "I need ten seconds of white noise.",
    ),
    examples=(
        Example(
            {"frequency_hz": 440, "duration_s": 1},
            {"duration_s": 1.0, "peak_dbfs": -6.0, "channels": 1, "sample_rate_hz": 44100},
            source="the level and length that were asked",
            tolerance=1e-2,
            then=(ExampleCall("audio_find_frequencies", {"file": "{made}", "count": 1}, {"peaks": [{"note": "A4"}]}),),
        ),
        Example(
            {"kind": "noise", "duration_s": 0.5, "level_dbfs": -20},
            {"duration_s": 0.5, "peak_dbfs": -20.0},
            source="uniform noise comes within a hundredth of its bound in 22,050 samples",
            tolerance=1e-2,
        ),
        Refusal({"frequency_hz": 440, "duration_s": 0}, "duration_s"),
    ),
    reply="The sound, {duration_s|second} long: {file}",
)
def audio_generate_tone(
    duration_s: Annotated[float, About("Duration in seconds", 2, minimum=0.01, maximum=120)],
    kind: Annotated[Literal["sine", "square", "sawtooth", "triangle", "sweep", "noise"], About("Waveform")] = "sine",
    frequency_hz: Annotated[float, About("Frequency; start of a sweep", minimum=1, maximum=22_000)] = 440,
    end_frequency_hz: Annotated[float, About("End of a sweep", minimum=1, maximum=22_000)] = 8000,
    level_dbfs: Annotated[Decibels, About("Peak level in dBFS, below full scale")] = -6,
) -> MadeSound:
    """Generate a tone, a logarithmic sweep or white noise as a mono WAV at 44.1 kHz.

    Use it for test signals, beeps and tuning. The noise is the same each time. Returns the file with its level.
    """
    if kind == "sweep" and frequency_hz == end_frequency_hz:
        raise ToolError("The end frequency of a sweep must differ from its start.")
    times = np.arange(round(duration_s * _RATE)) / _RATE
    turns = times * frequency_hz % 1
    waves: dict[str, Any] = {
        "sine": lambda: np.sin(2 * np.pi * turns),
        "square": lambda: np.where(turns < 0.5, 1.0, -1.0),
        "sawtooth": lambda: 2 * turns - 1,
        "triangle": lambda: 1 - 4 * np.abs(turns - 0.5),
        "sweep": lambda: signal.chirp(times, frequency_hz, duration_s, end_frequency_hz, "logarithmic", -90),
        "noise": lambda: np.random.default_rng(1).uniform(-1, 1, len(times)),
    }
    samples = waves[kind]() * 10 ** (level_dbfs / 20)
    return record(kind, Sound(_RATE, samples.astype(np.float32)[:, None]))


@tool(
    tags="audio filter equalize low pass high pass band rumble hiss hum",
    use_when=(
        "Remove the rumble below 80 Hz from this recording.",
        "Cut everything above 3 kHz.",
        "Keep only the telephone band of 300 to 3400 Hz.",
    ),
    examples=(
        Example(
            {"file": FILE, "kind": "low-pass", "frequency_hz": 1000},
            {"duration_s": 1.0},
            source="of 500 and 3,000 Hz only the lower stays",
            files={FILE: wav(lambda time: sine(500, 0.4)(time) + sine(3000, 0.4)(time), 1)},
            then=(ExampleCall("audio_find_frequencies", {"file": "{made}", "count": 1}, {"peaks": [{"note": "B4"}]}),),
        ),
        Example(
            {"file": FILE, "kind": "band-pass", "frequency_hz": 1500, "upper_frequency_hz": 3500},
            {"duration_s": 1.0},
            source="of 500 and 2,093 Hz only the upper, C7, stays",
            files={FILE: wav(lambda time: sine(500, 0.4)(time) + sine(2093, 0.4)(time), 1)},
            then=(ExampleCall("audio_find_frequencies", {"file": "{made}", "count": 1}, {"peaks": [{"note": "C7"}]}),),
        ),
        Refusal({"file": FILE, "kind": "low-pass", "frequency_hz": 5000}, "half of the sample rate", files=TONE),
    ),
    reply={
        "clipped": "The filtered sound is clipped: {file}",
        "": "The filtered sound: {file}",
    },
    memory_mb=2048,
    pace="normal",
)
def audio_filter_band(
    file: File,
    kind: Annotated[Literal["low-pass", "high-pass", "band-pass", "band-stop"], About("Frequencies to pass")],
    frequency_hz: Annotated[float, About("Cut-off frequency, lower one for a band", 80, minimum=1, maximum=100_000)],
    upper_frequency_hz: Annotated[
        float | None, About("Upper cut-off frequency of a band", 3400, minimum=1, maximum=100_000)
    ] = None,
) -> MadeSound:
    """Filter a WAV sound by a Butterworth filter of fourth order, run in both directions so that there is no phase
    shift.

    Use it against rumble, hiss and hum, or for a telephone sound. Returns a 16-bit WAV.
    """
    sound = read_wav(file)
    edges = [frequency_hz] if kind in ("low-pass", "high-pass") else [frequency_hz, upper_frequency_hz or 0]
    if max(edges) >= sound.rate / 2 or (len(edges) == 2 and edges[0] >= edges[1]):
        raise ToolError("Cut-off frequencies must be below half of the sample rate, and the upper one above the lower.")
    sections = signal.butter(
        4, edges if len(edges) == 2 else edges[0], kind.replace("-", ""), fs=sound.rate, output="sos"
    )
    if len(sound.samples) < 100:
        raise ToolError("The sound is too short to be filtered. It needs at least 100 samples.")
    samples = np.nan_to_num(signal.sosfiltfilt(sections, sound.samples, axis=0, padlen=50)).astype(np.float32)
    return record("filtered", Sound(sound.rate, samples))


@tool(
    tags="audio waveform draw picture image visualise amplitude",
    use_when=(
        "Draw the waveform of this recording.",
        "Make a waveform picture of 1200 x 200 for my podcast.",
        "Show me where the sound is loud.",
    ),
    examples=(
        Example(
            {"file": FILE, "width": 120, "height": 60, "color": "#ff0000", "background": "white"},
            {"width": 120, "height": 60, "format": "png"},
            source="by hand: half of full scale reaches half way up, silence only the middle line",
            files=SPEECH,
            then=(
                look_at_pixel(10, 30, "#ff0000"),
                look_at_pixel(10, 20, "#ff0000"),
                look_at_pixel(10, 3, "#ffffff"),
                look_at_pixel(60, 20, "#ffffff"),
            ),
        ),
        Example({"file": FILE}, {"width": 1200, "height": 240}, source="the default size", files=TONE),
        Refusal({"file": FILE}, "not a WAV", files=NO_IMAGE),
    ),
    reply="The waveform: {file}",
    memory_mb=1024,
    pace="normal",
)
def audio_draw_waveform(
    file: File,
    width: Annotated[int, About("Width in pixels", minimum=50, maximum=8000)] = 1200,
    height: Annotated[int, About("Height in pixels", minimum=20, maximum=2000)] = 240,
    color: Color = "#1f77b4",
    background: Color = "#ffffff",
) -> Picture:
    """Draw the waveform of a WAV sound: for each column, the lowest and highest sample of all channels.

    Use it for players, reports and to see pauses. Returns a PNG.
    """
    sound, ink, ground = read_wav(file), rgba(color), rgba(background)
    image = Image.new("RGBA", (width, height), ground)
    pen, middle = ImageDraw.Draw(image), (height - 1) / 2
    edges = np.linspace(0, len(sound.samples), width + 1).astype(int)
    for column, (start, end) in enumerate(pairwise(edges)):
        part = np.clip(sound.samples[start : max(end, start + 1)], -1, 1)
        pen.line((column, middle * (1 - float(part.max())), column, middle * (1 - float(part.min()))), ink)
    return keep("waveform", image if ground[3] < 255 else image.convert("RGB"), "png")


@tool(
    tags="audio spectrogram draw frequency time picture analyse birdsong",
    use_when=(
        "Draw a spectrogram of this recording.",
        "Show the frequencies of the sound over time up to 4 kHz.",
        "Make a picture of the birdsong.",
    ),
    examples=(
        Example(
            {"file": FILE, "width": 100, "height": 80},
            {"width": 100, "height": 80, "format": "png"},
            source="by hand: 500 of 4,000 Hz is an eighth up; the silence at 0.6 s is black",
            files=SPEECH,
            then=(look_at_pixel(50, 40, "#000000"),),
        ),
        Example(
            {"file": FILE, "highest_hz": 2000}, {"width": 1000, "height": 400}, source="the default size", files=TONE
        ),
        Refusal({"file": FILE}, "not a WAV", files=NO_IMAGE),
    ),
    reply="The spectrogram: {file}",
    tier="starter",
    credits=2,
    memory_mb=2048,
    pace="normal",
)
def audio_draw_spectrogram(
    file: File,
    width: Annotated[int, About("Width in pixels", minimum=50, maximum=4000)] = 1000,
    height: Annotated[int, About("Height in pixels", minimum=50, maximum=2000)] = 400,
    highest_hz: Annotated[
        float | None, About("Upper frequency limit of the picture", 4000, minimum=50, maximum=200_000)
    ] = None,
) -> Picture:
    """Draw the spectrogram of a WAV sound: time to the right, frequency upwards, brightness over 80 decibels.

    Use it to see speech, birdsong or hum; at most two minutes are shown. Returns a PNG.
    """
    sound = read_wav(file)
    mono = sound.mono[: 120 * sound.rate]
    if len(mono) < 64:
        raise ToolError("The sound is too short for a spectrogram. It needs at least 64 samples.")
    length = min(2048, len(mono))
    frequencies, _, power = signal.spectrogram(mono, sound.rate, "hann", length, length * 3 // 4)
    visible = power[frequencies <= (highest_hz or sound.rate / 2)]
    levels = 10 * np.log10(visible / max(float(visible.max()), 1e-20) + 1e-8)
    bright = np.rint(255 * (levels + 80) / 80).clip(0, 255).astype(np.uint8)[::-1]
    grey = Image.fromarray(bright).resize((width, height), Image.Resampling.BILINEAR)
    bands = [grey.point(_ramp(stops)) for stops in ((0, 80, 230, 255), (0, 20, 110, 250), (0, 110, 40, 190))]
    return keep("spectrogram", Image.merge("RGB", bands), "png")


def _ramp(stops: tuple[int, ...]) -> list[int]:
    places = np.linspace(0, 255, len(stops))
    return [round(float(value)) for value in np.interp(np.arange(256), places, stops)]
