"""How much room recordings take."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.datetime.durations import DurationText, seconds_of
from retinue_tools.tidy import tidy

_KILO, _MEGA, _GIGA, _MEBI, _BITS = 1e3, 1e6, 1e9, 2.0**20, 8


class RecordingSize(TypedDict):
    """The size of a recording."""

    bytes: float
    megabytes: Annotated[float, About("In megabytes of 1,000,000 bytes")]
    gigabytes: Annotated[float, About("In gigabytes of 1,000,000,000 bytes")]
    mebibytes: Annotated[float, About("In MiB of 1,048,576 bytes")]
    seconds: Annotated[float, About("How long it is")]


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
)
def media_estimate_size(
    duration: DurationText,
    rate_mbit_s: Annotated[
        float | None, About("Data rate in megabits (1,000,000 bits) a second", 8, exclusive_minimum=0, maximum=1e9)
    ] = None,
    rate_kbit_s: Annotated[
        float | None, About("Data rate in kilobits (1,000 bits) a second", 320, exclusive_minimum=0, maximum=1e9)
    ] = None,
    sample_rate_hz: Annotated[
        float | None, About("Samples a second of uncompressed audio", 44100, exclusive_minimum=0, maximum=1e9)
    ] = None,
    bits: Annotated[int, About("Bits of a sample of uncompressed audio", 16, minimum=1, maximum=64)] = 16,
    channels: Annotated[int, About("Channels of uncompressed audio: 1 mono, 2 stereo", minimum=1, maximum=64)] = 2,
) -> RecordingSize:
    """Estimate the size of a video or audio recording from its length and its data rate.

    Use it for storage and uploads. Give a data rate, or for uncompressed audio the sample rate; those of picture and
    sound add up. Headers are not counted.
    """
    rates = [rate_mbit_s and rate_mbit_s * _MEGA, rate_kbit_s and rate_kbit_s * _KILO]
    rates.append(sample_rate_hz and sample_rate_hz * bits * channels)
    told = [rate for rate in rates if rate]
    if not told:
        raise ToolError("Give one of rate_mbit_s, rate_kbit_s and sample_rate_hz, or those that add up.")
    seconds = float(seconds_of(duration))
    if seconds < 0:
        raise ToolError("The duration must not be negative.")
    size = seconds * sum(told) / _BITS
    return {
        "bytes": tidy(size),
        "megabytes": tidy(size / _MEGA),
        "gigabytes": tidy(size / _GIGA),
        "mebibytes": tidy(size / _MEBI),
        "seconds": seconds,
    }
