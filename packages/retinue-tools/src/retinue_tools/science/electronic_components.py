"""Resistor colour codes, standard values, and components for a voltage divider."""

from collections.abc import Callable
from math import floor, inf, log10
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_COLOURS = ("black", "brown", "red", "orange", "yellow", "green", "blue", "violet", "grey", "white")
_TOLERANCES = {
    "brown": 1.0,
    "red": 2.0,
    "orange": 0.05,
    "yellow": 0.02,
    "green": 0.5,
    "blue": 0.25,
    "violet": 0.1,
    "grey": 0.01,
    "gold": 5.0,
    "silver": 10.0,
}
_E24 = (10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91)

Series = Literal["E6", "E12", "E24", "E48", "E96"]


class Resistor(TypedDict):
    """Values of a resistor's bands."""

    resistance_ohm: float
    tolerance_percent: float
    least_ohm: Annotated[float, About("Minimum resistance within the tolerance")]
    most_ohm: Annotated[float, About("Maximum resistance within the tolerance")]
    bands: Annotated[list[str], About("Colours of the bands")]


@tool(
    tags="resistor colour color code bands decode encode ohm tolerance",
    use_when=(
        "What resistor is yellow violet red gold?",
        "Which colour bands has a 4.7 kOhm 1% resistor?",
        "Decode brown black black red brown",
    ),
    examples=(
        Example(
            {"bands": ["yellow", "violet", "red", "gold"]},
            {"resistance_ohm": 4700.0, "tolerance_percent": 5.0, "least_ohm": 4465.0, "most_ohm": 4935.0},
            source="IEC 60062",
        ),
        Example(
            {"resistance_ohm": 4700, "tolerance_percent": 1},
            {"bands": ["yellow", "violet", "black", "brown", "brown"]},
            source="IEC 60062: 470 * 10, 1 %",
        ),
        Refusal({"bands": ["pink", "red", "red"]}, "is not a resistor colour"),
        Refusal({}, "either"),
    ),
    reply={
        "args.bands": (
            "The resistor has {resistance_ohm} ohm with {tolerance_percent} % "
            "tolerance, from {least_ohm} to {most_ohm} ohm."
        ),
        "": "The bands of {resistance_ohm} ohm are {bands}.",
    },
)
def resistor_convert_colors(
    bands: Annotated[
        list[Annotated[str, About("Colour", "yellow", max_length=10)]] | None,
        About("3, 4 or 5 colours, the tolerance last", ["yellow", "violet", "red", "gold"], min_items=3, max_items=5),
    ] = None,
    resistance_ohm: Annotated[float | None, About("Resistance to encode", 4700, minimum=0.01, maximum=1e11)] = None,
    tolerance_percent: Annotated[float, About("Tolerance to encode", minimum=0.01, maximum=20)] = 5,
) -> Resistor:
    """Read the colour bands of a resistor (3, 4 or 5 bands), or find the bands of a resistance.

    Use it to identify or pick resistors. Tolerances of 2 % or better use five bands.
    """
    if (bands is None) == (resistance_ohm is None):
        raise ToolError("Give either bands or resistance_ohm, not both.")
    colours = _bands(resistance_ohm, tolerance_percent) if bands is None else [_colour(band) for band in bands]
    digits = 3 if len(colours) == 5 else 2
    number = int("".join(str(_digit(colour)) for colour in colours[:digits]))
    value = number * 10.0 ** _exponent(colours[digits])
    tolerance = _TOLERANCES.get(colours[-1]) if len(colours) > 3 else 20.0
    if tolerance is None:
        raise ToolError(f"{colours[-1]} is not a tolerance colour. Reverse the resistor and read it again.")
    return {
        "resistance_ohm": float(f"{value:.6g}"),
        "tolerance_percent": tolerance,
        "least_ohm": float(f"{value * (1 - tolerance / 100):.9g}"),
        "most_ohm": float(f"{value * (1 + tolerance / 100):.9g}"),
        "bands": colours,
    }


def _colour(name: str) -> str:
    plain = {"gray": "grey", "purple": "violet"}.get(name.strip().lower(), name.strip().lower())
    if plain not in (*_COLOURS, "gold", "silver"):
        raise ToolError(f"{name} is not a resistor colour. The colours are {', '.join(_COLOURS)}, gold and silver.")
    return plain


def _digit(colour: str) -> int:
    if colour not in _COLOURS:
        raise ToolError(f"{colour} is not a digit colour. Reverse the resistor and read it again.")
    return _COLOURS.index(colour)


def _exponent(colour: str) -> int:
    return {"gold": -1, "silver": -2}[colour] if colour not in _COLOURS else _COLOURS.index(colour)


def _bands(ohms: float | None, tolerance: float) -> list[str]:
    by_tolerance = {value: colour for colour, value in _TOLERANCES.items()}
    if tolerance not in by_tolerance:
        raise ToolError(
            f"There is no band for {tolerance} %. Choose one of {', '.join(map(str, sorted(by_tolerance)))}."
        )
    digits = 3 if tolerance <= 2 else 2
    mantissa, power = f"{ohms:.{digits - 1}e}".split("e")
    exponent = int(power) - digits + 1
    if not -2 <= exponent <= 9 or abs(float(f"{mantissa}e{power}") - (ohms or 0)) > 1e-9 * (ohms or 0):
        raise ToolError(
            f"{digits} digit bands cannot represent {ohms} ohm. Choose a standard value or another tolerance."
        )
    multiplier = {-1: "gold", -2: "silver"}.get(exponent) or _COLOURS[exponent]
    return [*(_COLOURS[int(digit)] for digit in mantissa if digit != "."), multiplier, by_tolerance[tolerance]]


class Standard(TypedDict):
    """Standard values near a value."""

    nearest: float
    error_percent: Annotated[float, About("Deviation of the nearest value from the target")]
    below: Annotated[float, About("Largest standard value not above it")]
    above: Annotated[float, About("Smallest standard value not below it")]
    pair_in_series: Annotated[list[float], About("Two standard values with the nearest sum")]
    pair_in_parallel: Annotated[list[float], About("Two standard values with the nearest parallel value")]


@tool(
    tags="e-series standard resistor capacitor value nearest preferred e12 e24 e96 parallel combination",
    use_when=(
        "What is the nearest E24 resistor to 5.1234 kOhm?",
        "Which two standard resistors in parallel make 137 ohm?",
        "Closest E12 value to 500",
    ),
    examples=(
        Example(
            {"value": 500, "series": "E12"},
            {"nearest": 470.0, "below": 470.0, "above": 560.0, "error_percent": -6.0},
            source="IEC 60063: E12 has 470 and 560",
        ),
        Example(
            {"value": 1000, "series": "E96"},
            {"nearest": 1000.0, "below": 1000.0, "above": 1000.0},
            source="IEC 60063: every series has 1.00",
        ),
        Example({"value": 50, "series": "E6"}, {"pair_in_parallel": [100.0, 100.0]}, source="by hand"),
        Refusal({"value": 0}, "value must be"),
    ),
    reply=(
        "The nearest standard value is {nearest}, {error_percent} % off; the nearest pairs "
        "are {pair_in_series} in series or {pair_in_parallel} in parallel."
    ),
)
def component_find_standard(
    value: Annotated[float, About("Target value, in any unit", 5123.4, minimum=1e-12, maximum=1e12)],
    series: Annotated[Series, About("Series of preferred values")] = "E24",
) -> Standard:
    """Find the nearest standard values (IEC 60063 E-series) to a resistance or capacitance, and pairs that come closer.

    Use it to choose real components. Returns the neighbouring values and the best pairs in series and in parallel.
    """
    choices = _standard_values(value, series)
    below, above = (
        max(v for v in choices if v <= value * (1 + 1e-9)),
        min(v for v in choices if v >= value * (1 - 1e-9)),
    )
    nearest = min((below, above), key=lambda choice: abs(choice - value))
    return {
        "nearest": nearest,
        "error_percent": round((nearest / value - 1) * 100, 9),
        "below": below,
        "above": above,
        "pair_in_series": _pair(choices, value, lambda one: value - one, lambda one, other: one + other),
        "pair_in_parallel": _pair(
            choices,
            value,
            lambda one: 1 / (1 / value - 1 / one) if one > value * (1 + 1e-9) else inf,
            lambda one, other: 1 / (1 / one + 1 / other),
        ),
    }


def _mantissas(series: Series) -> list[float]:
    count = int(series[1:])
    if count <= 24:
        return [float(value) / 10 for value in _E24[:: 24 // count]]
    return [round(10 ** (step / count), 2) for step in range(count)]


def _standard_values(value: float, series: Series) -> list[float]:
    decade = floor(log10(value))
    return [
        float(f"{mantissa * 10.0**power:.6g}")
        for power in range(decade - 2, decade + 4)
        for mantissa in _mantissas(series)
    ]


def _pair(
    choices: list[float], value: float, partner: Callable[[float], float], total: Callable[[float, float], float]
) -> list[float]:
    pairs = [(one, _nearest(choices, partner(one))) for one in choices if 0 < partner(one) < inf]
    best = min(pairs, key=lambda pair: (round(abs(total(*pair) / value - 1), 9), abs(log10(pair[0] / pair[1]))))
    return sorted(best, reverse=True)


def _nearest(choices: list[float], value: float) -> float:
    return min(choices, key=lambda choice: abs(choice - value))


class Divided(TypedDict):
    """A voltage divider."""

    upper_ohm: Annotated[float, About("Resistor between input and output")]
    lower_ohm: Annotated[float, About("Resistor between output and ground")]
    output_v: Annotated[float, About("Output voltage without load")]
    loaded_v: Annotated[float, About("Output voltage with the load")]
    error_percent: Annotated[float, About("Deviation of the output without load from the target")]
    current_a: Annotated[float, About("Current through the divider without load")]
    power_w: Annotated[float, About("Power lost in the divider without load")]


@tool(
    tags="voltage divider resistors design level shift standard values load adc",
    use_when=(
        "Which resistors divide 12 V down to 3.3 V?",
        "Design a voltage divider from 5 V to 1.8 V with E24 values",
        "How far does the divider sag under a 10 kOhm load?",
    ),
    examples=(
        Example(
            {"input_v": 10, "output_v": 5, "total_ohm": 20000},
            {"upper_ohm": 10000.0, "lower_ohm": 10000.0, "output_v": 5.0, "current_a": 0.0005},
            source="by hand: two equal resistors halve",
        ),
        Example(
            {"input_v": 10, "output_v": 5, "total_ohm": 20000, "load_ohm": 10000, "series": "E12"},
            {"loaded_v": 3.3333333333},
            source="by hand: 10k over the 5k of two 10k in parallel",
            tolerance=1e-9,
        ),
        Refusal({"input_v": 3, "output_v": 5}, "below its input"),
    ),
    reply={
        "args.load_ohm": (
            "Take {upper_ohm} ohm above and {lower_ohm} ohm below; that gives "
            "{output_v} V, or {loaded_v} V with the load."
        ),
        "": "Take {upper_ohm} ohm above and {lower_ohm} ohm below; that gives {output_v} V.",
    },
)
def circuit_design_divider(
    input_v: Annotated[float, About("Input voltage", 12, exclusive_minimum=0, maximum=1e6)],
    output_v: Annotated[float, About("Target output voltage", 3.3, exclusive_minimum=0, maximum=1e6)],
    total_ohm: Annotated[float, About("Approximate total resistance", minimum=1, maximum=1e9)] = 20_000,
    load_ohm: Annotated[float | None, About("Load resistance", 10_000, minimum=0.001, maximum=1e12)] = None,
    series: Annotated[Series, About("Series of preferred values")] = "E24",
) -> Divided:
    """Design a voltage divider from standard resistors for an input and an output voltage.

    Use it to scale a voltage, for example for an ADC. Returns both resistors, the actual output, the loss and the
    output under load.
    """
    ratio = output_v / input_v
    if not 1e-9 < ratio < 1:
        raise ToolError("The output of a divider must be below its input, and above a billionth of it.")
    candidates = [one for one in _standard_values(total_ohm * ratio, series) if 0.2 < one / (total_ohm * ratio) < 5]
    pairs = [
        (upper, lower)
        for lower in candidates
        for upper in _standard_values(max(lower * (1 / ratio - 1), 1e-9), series)
        if 0.5 < upper / max(lower * (1 / ratio - 1), 1e-9) < 2
    ]
    upper, lower = min(
        pairs, key=lambda pair: (round(abs(pair[1] / sum(pair) / ratio - 1), 9), abs(log10(sum(pair) / total_ohm)))
    )
    actual = input_v * lower / (upper + lower)
    under_load = lower if load_ohm is None else 1 / (1 / lower + 1 / load_ohm)
    return {
        "upper_ohm": upper,
        "lower_ohm": lower,
        "output_v": actual,
        "loaded_v": input_v * under_load / (upper + under_load),
        "error_percent": (actual / output_v - 1) * 100,
        "current_a": input_v / (upper + lower),
        "power_w": input_v**2 / (upper + lower),
    }
