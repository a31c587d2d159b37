"""Levels in decibels."""

from collections.abc import Sequence
from math import log10
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_FACTORS = {"power": 10.0, "amplitude": 20.0}


class Gain(TypedDict):
    """A ratio and its level."""

    decibels: float
    ratio: float
    kind: str


@tool(
    tags="decibel db ratio gain loss amplifier attenuation power voltage amplitude level",
    use_when=(
        "How many decibels is a power ratio of 200?",
        "What voltage ratio is a gain of 26 dB?",
        "An amplifier makes 20 W of 0.5 W: gain in dB?",
    ),
    examples=(
        Example({"ratio": 1000}, {"decibels": 30.0}, source="10 log10(1000)"),
        Example({"decibels": 26, "kind": "amplitude"}, {"ratio": 19.9526231497}, source="10^(26 / 20)", tolerance=1e-9),
        Example({"leaving": 20, "entering": 0.5}, {"decibels": 16.0205999}, source="10 log10(40)", tolerance=1e-8),
        Refusal({}, "Give"),
        Refusal({"ratio": 5, "decibels": 3}, "Give"),
    ),
    reply="A {kind} ratio of {ratio} is {decibels} dB.",
)
def decibel_convert_ratio(
    ratio: Annotated[float | None, About("Ratio of output to input", 200, minimum=1e-30, maximum=1e30)] = None,
    decibels: Annotated[float | None, About("Level in dB", 26, minimum=-300, maximum=300)] = None,
    leaving: Annotated[
        float | None, About("Output, with entering instead of a ratio", 20, minimum=1e-30, maximum=1e30)
    ] = None,
    entering: Annotated[float | None, About("Input, in the same unit", 0.5, minimum=1e-30, maximum=1e30)] = None,
    kind: Annotated[Literal["power", "amplitude"], About("amplitude for voltages, currents and pressures")] = "power",
) -> Gain:
    """Convert a ratio of powers or amplitudes to decibels, or decibels to the ratio.

    Use it for amplifiers, cables and sound. Give a ratio, or leaving and entering, or decibels.
    """
    known_ratio = leaving / entering if leaving is not None and entering is not None else ratio
    if (known_ratio is None) == (decibels is None):
        raise ToolError("Give either a ratio, or leaving and entering, or decibels.")
    level = decibels if decibels is not None else _FACTORS[kind] * log10(known_ratio or 1.0)
    found = known_ratio if known_ratio is not None else 10 ** (level / _FACTORS[kind])
    return {"decibels": tidy(level), "ratio": tidy(found), "kind": kind}


class SoundLevel(TypedDict):
    """Total level of several sources."""

    decibels: Annotated[float, About("Total level")]
    above_loudest: Annotated[float, About("Difference from the loudest single level")]


@tool(
    tags="decibel add sound noise levels machines together sum db loudness",
    use_when=(
        "Two machines of 85 dB each: how loud together?",
        "Add the sound levels 70, 75 and 78 dB",
        "How loud are 4 fans of 52 dB?",
    ),
    examples=(
        Example(
            {"levels": [85, 85]}, {"decibels": 88.010299957, "above_loudest": 3.010299957}, "85 + 10 log10(2)", 1e-8
        ),
        Example({"levels": [52], "count": 4}, {"decibels": 58.020599913}, "52 + 10 log10(4)", 1e-8),
        Refusal({"levels": []}, "levels"),
    ),
    reply="Together they are {decibels} dB.",
)
def decibel_add_levels(
    levels: Annotated[
        list[Annotated[float, About("Level in dB", 85, minimum=-300, maximum=300)]],
        About("Levels in dB", [85, 85], min_items=1, max_items=1000),
    ],
    count: Annotated[int, About("Number of sources with each level", 4, minimum=1, maximum=1_000_000)] = 1,
) -> SoundLevel:
    """Add sound levels in decibels of independent (incoherent) sources.

    Use it for machines, speakers and traffic. Returns the total level.
    """
    total = _sum_of(levels, count)
    return {"decibels": tidy(total), "above_loudest": tidy(total - max(levels))}


def _sum_of(levels: Sequence[float], count: int) -> float:
    return 10 * log10(count * sum(10 ** (level / 10) for level in levels))


class SignalPower(TypedDict):
    """Power of a signal."""

    dbm: float
    milliwatts: float
    watts: float
    dbw: float


@tool(
    tags="dbm milliwatt watt signal power radio wifi transmitter antenna convert dbw",
    use_when=("Convert 23 dBm to milliwatts", "How many dBm are 100 mW?", "-70 dBm in watts"),
    examples=(
        Example({"dbm": 20}, {"milliwatts": 100.0, "watts": 0.1, "dbw": -10.0}, source="10^(20 / 10) mW"),
        Example({"milliwatts": 2}, {"dbm": 3.0102999566}, source="10 log10(2)", tolerance=1e-9),
        Refusal({}, "Give one"),
    ),
    reply="{dbm} dBm is {milliwatts} mW, or {watts} W.",
)
def power_convert_dbm(
    dbm: Annotated[float | None, About("Level relative to one milliwatt in dBm", 23, minimum=-300, maximum=300)] = None,
    milliwatts: Annotated[float | None, About("Power in milliwatts", 100, minimum=1e-30, maximum=1e30)] = None,
    watts: Annotated[float | None, About("Power in watts", 0.1, minimum=1e-30, maximum=1e30)] = None,
) -> SignalPower:
    """Convert the power of a signal between dBm, milliwatts and watts.

    Use it for radio, Wi-Fi and fibre. Give one of them.
    """
    if [dbm, milliwatts, watts].count(None) != 2:
        raise ToolError("Give one of dbm, milliwatts and watts.")
    power = milliwatts or (watts or 0.0) * 1e3
    level = dbm if dbm is not None else 10 * log10(power)
    found = 10 ** (level / 10)
    return {"dbm": tidy(level), "milliwatts": tidy(found), "watts": tidy(found / 1e3), "dbw": tidy(level - 30)}
