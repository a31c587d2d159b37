"""Sizes of pictures in print and on screens, and of audio and video recordings in bytes."""

from fractions import Fraction
from math import hypot
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.datetime.durations import DurationText, seconds_of
from retinue_tools.tidy import tidy

_INCH_CM = 2.54
_MOST = 1e9


class PrintSize(TypedDict):
    """Size of a picture in pixels and on paper."""

    width_px: int
    height_px: int | None
    width_cm: float
    height_cm: float | None
    width_inches: float
    height_inches: float | None
    dpi: float
    megapixels: float | None


@tool(
    tags="dpi pixels print size cm inches resolution photo paper megapixels poster scan ppi",
    use_when=(
        "How many pixels do I need to print 10 x 15 cm at 300 dpi?",
        "How large can I print 6000 x 4000 pixels at 240 dpi?",
        "What dpi has a 2700 px wide picture on a 30 cm wide page?",
    ),
    examples=(
        Example(
            {"width_cm": 15, "height_cm": 10, "dpi": 300},
            {"width_px": 1772, "height_px": 1181},
            source="15 / 2.54 * 300 = 1771.65",
        ),
        Example(
            {"width_px": 6000, "height_px": 4000, "dpi": 240},
            {"width_inches": 25.0, "width_cm": 63.5, "megapixels": 24.0},
            source="6000 / 240",
        ),
        Example({"width_px": 2700, "width_cm": 30}, {"dpi": 228.6}, source="2700 / (30 / 2.54)"),
        Refusal({"dpi": 300}, "Give"),
    ),
    reply={
        "height_px": "{width_px} x {height_px} pixels are {width_cm} x {height_cm} cm at {dpi} dpi.",
        "": "{width_px} pixels are {width_cm} cm at {dpi} dpi.",
    },
)
def print_convert_pixels(
    width_px: Annotated[float | None, About("Width in pixels", 6000, minimum=1e-30, maximum=_MOST)] = None,
    height_px: Annotated[float | None, About("Height in pixels", 4000, minimum=1e-30, maximum=_MOST)] = None,
    width_cm: Annotated[float | None, About("Width on paper in cm", 15, minimum=1e-30, maximum=_MOST)] = None,
    height_cm: Annotated[float | None, About("Height on paper in cm", 10, minimum=1e-30, maximum=_MOST)] = None,
    dpi: Annotated[float | None, About("Dots per inch", 300, minimum=1e-30, maximum=1e6)] = None,
) -> PrintSize:
    """Convert between pixels, size on paper and resolution (dpi): give two of them.

    Use it for prints, scans and posters.
    """
    if width_cm and width_px and dpi is None:
        dpi = width_px / (width_cm / _INCH_CM)
    if dpi is None or (width_px is None and width_cm is None):
        raise ToolError("Give two of pixels, centimetres and dpi, including at least the width.")
    width = width_px or (width_cm or 0.0) / _INCH_CM * dpi
    height = height_px or (height_cm and height_cm / _INCH_CM * dpi)
    return {
        "width_px": round(width),
        "height_px": round(height) if height else None,
        "width_cm": tidy(width / dpi * _INCH_CM),
        "height_cm": height and tidy(height / dpi * _INCH_CM),
        "width_inches": tidy(width / dpi),
        "height_inches": height and tidy(height / dpi),
        "dpi": tidy(dpi),
        "megapixels": height and tidy(round(width) * round(height) / 1e6),
    }


class Screen(TypedDict):
    """A screen."""

    width_inches: float
    height_inches: float
    width_cm: float
    height_cm: float
    area_cm2: float
    ppi: Annotated[float | None, About("Pixels per inch, if its pixels are given")]
    pixel_mm: Annotated[float | None, About("Pixel pitch")]


@tool(
    tags="screen monitor tv diagonal inches width height aspect ratio 16:9 ppi pixel density display size",
    use_when=(
        "A 55 inch TV is 16:9. How wide is it?",
        "ppi of a 27 inch 2560x1440 monitor",
        "Width and height in cm of a 24 inch screen with 16:10",
        "How wide is a 55 inch TV?",
    ),
    examples=(
        Example(
            {"diagonal_inches": 55, "width": 16, "height": 9},
            {"width_inches": 47.9366545, "height_inches": 26.9643682},
            source="55 * 16 / sqrt(16^2 + 9^2)",
            tolerance=1e-7,
        ),
        Example(
            {"diagonal_inches": 27, "width": 2560, "height": 1440},
            {"ppi": 108.785539},
            source="sqrt(2560^2 + 1440^2) / 27",
            tolerance=1e-7,
        ),
        Refusal({"diagonal_inches": 0, "width": 16, "height": 9}, "diagonal_inches"),
    ),
    reply={
        "ppi": (
            "The screen is {width_cm} x {height_cm} cm ({width_inches} x {height_inches} "
            "inches), with {ppi} pixels per inch."
        ),
        "": "The screen is {width_cm} cm wide and {height_cm} cm high ({width_inches} x {height_inches} inches).",
    },
)
def screen_measure_size(
    diagonal_inches: Annotated[float, About("Diagonal in inches", 55, minimum=1e-30, maximum=1e6)],
    width: Annotated[float, About("Width in pixels, or of the ratio 16:9", 16, minimum=1e-30, maximum=1e9)],
    height: Annotated[float, About("Height in pixels, or of the ratio", 9, minimum=1e-30, maximum=1e9)],
) -> Screen:
    """Measure a screen from its diagonal and its ratio or pixels: width, height, area and pixels per inch."""
    part = diagonal_inches / hypot(width, height)
    is_in_pixels = max(width, height) > 100
    return {
        "width_inches": tidy(width * part),
        "height_inches": tidy(height * part),
        "width_cm": tidy(width * part * _INCH_CM),
        "height_cm": tidy(height * part * _INCH_CM),
        "area_cm2": tidy(width * height * (part * _INCH_CM) ** 2),
        "ppi": tidy(1 / part) if is_in_pixels else None,
        "pixel_mm": tidy(part * _INCH_CM * 10) if is_in_pixels else None,
    }


class FittedSize(TypedDict):
    """A scaled size."""

    width: float
    height: float
    width_rounded: int
    height_rounded: int
    ratio: Annotated[str, About("Width to height in lowest terms")]
    scale: Annotated[float, About("New size divided by the original one")]


@tool(
    tags="aspect ratio resize proportions scale width height keep picture video dimensions fit crop",
    use_when=(
        "Resize 4000x3000 to a width of 1200: what height keeps the proportions?",
        "A 16:9 video is 720 pixels high. How wide is it?",
        "Fit 1920 x 1080 into a box of 800 x 800",
    ),
    examples=(
        Example({"width": 4000, "height": 3000, "new_width": 1200}, {"height": 900.0, "ratio": "4:3"}, "1200 * 3 / 4"),
        Example({"width": 16, "height": 9, "new_height": 720}, {"width": 1280.0}, source="720 * 16 / 9"),
        Example(
            {"width": 1920, "height": 1080, "new_width": 800, "new_height": 800},
            {"width": 800.0, "height": 450.0},
            source="the smaller scale",
        ),
        Refusal({"width": 4, "height": 3}, "Give"),
    ),
    reply="The new size is {width_rounded} x {height_rounded}, in the ratio {ratio}.",
)
def aspect_fit_size(
    width: Annotated[float, About("Current width, or that of the ratio", 4000, minimum=1e-30, maximum=_MOST)],
    height: Annotated[float, About("Current height, or that of the ratio", 3000, minimum=1e-30, maximum=_MOST)],
    new_width: Annotated[
        float | None, About("Target width, or that of a box", 1200, minimum=1e-30, maximum=_MOST)
    ] = None,
    new_height: Annotated[
        float | None, About("Target height, or that of a box", 720, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> FittedSize:
    """Scale a width and height to a new width or height, or into a box, in the same proportions.

    Use it for pictures and videos; 16 and 9 stand for a ratio of 16:9.
    """
    scales = [new_width and new_width / width, new_height and new_height / height]
    known = [scale for scale in scales if scale]
    if not known:
        raise ToolError("Give new_width or new_height.")
    scale = min(known)
    ratio = Fraction(str(width)) / Fraction(str(height))
    return {
        "width": tidy(width * scale),
        "height": tidy(height * scale),
        "width_rounded": round(width * scale),
        "height_rounded": round(height * scale),
        "ratio": f"{ratio.numerator}:{ratio.denominator}",
        "scale": tidy(scale),
    }


_KILO, _MEGA, _GIGA, _MEBI, _BITS = 1e3, 1e6, 1e9, 2.0**20, 8


class RecordingSize(TypedDict):
    """The size of a recording."""

    bytes: float
    megabytes: Annotated[float, About("Size in megabytes of 1,000,000 bytes")]
    gigabytes: Annotated[float, About("Size in gigabytes of 1,000,000,000 bytes")]
    mebibytes: Annotated[float, About("Size in MiB of 1,048,576 bytes")]
    seconds: Annotated[float, About("Duration")]


@tool(
    tags="file size recording video audio bitrate megabit kilobit wav pcm storage megabytes gigabytes minutes",
    use_when=(
        "How big is a 5 minute video at 8 megabits per second?",
        "A song of 3 min 45 s as mp3 with 320 kbit/s: how many MB?",
        "How many megabytes are 10 minutes of uncompressed CD audio, 44.1 kHz, 16 bit, stereo?",
    ),
    examples=(
        Example(
            {"duration": "5 minutes", "rate_mbit_s": 8},
            {"megabytes": 300.0, "gigabytes": 0.3, "seconds": 300.0, "mebibytes": 286.102294922},
            source="arithmetic: 300 s * 1 MB/s",
        ),
        Example({"duration": "PT1M", "rate_kbit_s": 320}, {"bytes": 2400000.0}, source="arithmetic: 60 * 320,000 / 8"),
        Example(
            {"duration": "10 minutes", "sample_rate_hz": 44100},
            {"bytes": 105840000.0},
            source="arithmetic: 600 * 44,100 * 2 bytes * 2 channels",
        ),
        Refusal({"duration": "5 minutes"}, "one of"),
        Example(
            {"duration": "10 s", "rate_mbit_s": 8, "rate_kbit_s": 192},
            {"bytes": 10240000.0},
            source="arithmetic: 10 * (8,000,000 + 192,000) / 8",
        ),
        Refusal({"duration": "-5 minutes", "rate_mbit_s": 8}, "negative"),
    ),
    reply="It takes {megabytes} MB, or {gigabytes} GB.",
)
def media_estimate_size(
    duration: DurationText,
    rate_mbit_s: Annotated[
        float | None, About("Data rate in megabits (1,000,000 bits) per second", 8, exclusive_minimum=0, maximum=1e9)
    ] = None,
    rate_kbit_s: Annotated[
        float | None, About("Data rate in kilobits (1,000 bits) per second", 320, exclusive_minimum=0, maximum=1e9)
    ] = None,
    sample_rate_hz: Annotated[
        float | None, About("Sample rate of uncompressed audio in Hz", 44100, exclusive_minimum=0, maximum=1e9)
    ] = None,
    bits: Annotated[int, About("Bits per sample of uncompressed audio", 16, minimum=1, maximum=64)] = 16,
    channels: Annotated[int, About("Channels of uncompressed audio: 1 mono, 2 stereo", minimum=1, maximum=64)] = 2,
) -> RecordingSize:
    """Estimate the size of a video or audio recording from its length and its data rate.

    Use it for storage and uploads. Give a data rate, or for uncompressed audio the sample rate; the rates of picture
    and sound are added. Headers are not included.
    """
    rates = [rate_mbit_s and rate_mbit_s * _MEGA, rate_kbit_s and rate_kbit_s * _KILO]
    rates.append(sample_rate_hz and sample_rate_hz * bits * channels)
    known = [rate for rate in rates if rate]
    if not known:
        raise ToolError("Give one of rate_mbit_s, rate_kbit_s and sample_rate_hz, or several to be added.")
    seconds = float(seconds_of(duration))
    if seconds < 0:
        raise ToolError("The duration must not be negative.")
    size = seconds * sum(known) / _BITS
    return {
        "bytes": tidy(size),
        "megabytes": tidy(size / _MEGA),
        "gigabytes": tidy(size / _GIGA),
        "mebibytes": tidy(size / _MEBI),
        "seconds": seconds,
    }
