"""Electric circuits: currents, standard parts, filters, wires and batteries."""

from collections.abc import Callable
from math import atan2, degrees, floor, hypot, inf, log10, pi, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

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
_RESISTIVITY = {"copper": 1.724e-8, "aluminium": 2.82e-8}
"""Ohm metres at 20 °C (IEC 60028 for copper)."""
_TEMPERATURE_COEFFICIENT = {"copper": 0.00393, "aluminium": 0.00403}

Series = Literal["E6", "E12", "E24", "E48", "E96"]


class Circuit(TypedDict):
    """A resistor under voltage."""

    voltage_v: float
    current_a: float
    resistance_ohm: float
    power_w: float
    current_ma: Annotated[float, About("Current in milliamperes")]
    power_mw: Annotated[float, About("Power in milliwatts")]


_OHM: tuple[Rule, ...] = (
    ("voltage", lambda current, resistance: current * resistance),
    ("voltage", lambda power, current: power / current),
    ("voltage", lambda power, resistance: sqrt(power * resistance)),
    ("current", lambda voltage, resistance: voltage / resistance),
    ("current", lambda power, voltage: power / voltage),
    ("resistance", lambda voltage, current: voltage / current),
    ("power", lambda voltage, current: voltage * current),
)


@tool(
    tags="ohm law voltage current resistance power watt ampere volt electricity circuit",
    use_when=(
        "What current flows through 220 ohm at 5 V, and how much power is that?",
        "Which resistance has a 60 W lamp at 230 V?",
        "What voltage drops over 47 ohm at 0.2 A?",
    ),
    examples=(
        Example(
            {"voltage_v": 230, "power_w": 60},
            {
                "current_a": 0.2608695652,
                "resistance_ohm": 881.6666667,
                "power_w": 60.0,
                "current_ma": 260.869565217,
                "power_mw": 60000.0,
            },
            source="arithmetic: 60 / 230 and 230^2 / 60",
            tolerance=1e-9,
        ),
        Example(
            {"power_w": 50, "resistance_ohm": 8},
            {"voltage_v": 20.0, "current_a": 2.5},
            source="arithmetic: sqrt(50 * 8) and 20 / 8",
        ),
        Refusal({"voltage_v": 5}, "Too little"),
        Refusal({"voltage_v": 5, "current_a": 1, "resistance_ohm": 9}, "contradict"),
    ),
)
def circuit_solve_ohm(
    voltage_v: Annotated[float | None, About("Voltage in volts", 5, exclusive_minimum=0, maximum=1e12)] = None,
    current_a: Annotated[float | None, About("Current in amperes", 0.02, exclusive_minimum=0, maximum=1e12)] = None,
    resistance_ohm: Annotated[float | None, About("Resistance in ohms", 220, exclusive_minimum=0, maximum=1e15)] = None,
    power_w: Annotated[float | None, About("Power in watts", 60, exclusive_minimum=0, maximum=1e15)] = None,
) -> Circuit:
    """Find voltage, current, resistance and power of a resistor from any two of them.

    Use it for Ohm's law and power questions. More than two are checked against each other.
    """
    found = complete({"voltage": voltage_v, "current": current_a, "resistance": resistance_ohm, "power": power_w}, _OHM)
    return {
        "voltage_v": found["voltage"],
        "current_a": found["current"],
        "resistance_ohm": found["resistance"],
        "power_w": found["power"],
        "current_ma": tidy(found["current"] * 1000),
        "power_mw": tidy(found["power"] * 1000),
    }


class Resistor(TypedDict):
    """What the bands say."""

    resistance_ohm: float
    tolerance_percent: float
    least_ohm: Annotated[float, About("Least resistance within the tolerance")]
    most_ohm: Annotated[float, About("Greatest resistance within the tolerance")]
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
        Refusal({"bands": ["pink", "red", "red"]}, "pink is no colour"),
        Refusal({}, "either"),
    ),
)
def resistor_convert_colors(
    bands: Annotated[
        list[Annotated[str, About("Colour", "yellow", max_length=10)]] | None,
        About("3, 4 or 5 colours, the tolerance last", ["yellow", "violet", "red", "gold"], min_items=3, max_items=5),
    ] = None,
    resistance_ohm: Annotated[float | None, About("Resistance to encode", 4700, minimum=0.01, maximum=1e11)] = None,
    tolerance_percent: Annotated[float, About("Tolerance to encode", minimum=0.01, maximum=20)] = 5,
) -> Resistor:
    """Read the colour bands of a resistor (3, 4 or 5 bands), or say which bands a resistance has.

    Use it to identify or pick resistors. Tolerances of 2 % or better get five bands.
    """
    if (bands is None) == (resistance_ohm is None):
        raise ToolError("Give either bands or resistance_ohm, and not both.")
    colours = _bands(resistance_ohm, tolerance_percent) if bands is None else [_colour(band) for band in bands]
    digits = 3 if len(colours) == 5 else 2
    number = int("".join(str(_digit(colour)) for colour in colours[:digits]))
    value = number * 10.0 ** _exponent(colours[digits])
    tolerance = _TOLERANCES.get(colours[-1]) if len(colours) > 3 else 20.0
    if tolerance is None:
        raise ToolError(f"{colours[-1]} stands for no tolerance. Turn the resistor round and read it again.")
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
        raise ToolError(f"{name} is no colour of a resistor. They are {', '.join(_COLOURS)}, gold and silver.")
    return plain


def _digit(colour: str) -> int:
    if colour not in _COLOURS:
        raise ToolError(f"{colour} stands for no digit. Turn the resistor round and read it again.")
    return _COLOURS.index(colour)


def _exponent(colour: str) -> int:
    return {"gold": -1, "silver": -2}[colour] if colour not in _COLOURS else _COLOURS.index(colour)


def _bands(ohms: float | None, tolerance: float) -> list[str]:
    by_tolerance = {value: colour for colour, value in _TOLERANCES.items()}
    if tolerance not in by_tolerance:
        raise ToolError(f"No band stands for {tolerance} %. Choose of {', '.join(map(str, sorted(by_tolerance)))}.")
    digits = 3 if tolerance <= 2 else 2
    mantissa, power = f"{ohms:.{digits - 1}e}".split("e")
    exponent = int(power) - digits + 1
    if not -2 <= exponent <= 9 or abs(float(f"{mantissa}e{power}") - (ohms or 0)) > 1e-9 * (ohms or 0):
        raise ToolError(f"{digits} digit bands cannot say {ohms} ohm. Choose a standard value or another tolerance.")
    multiplier = {-1: "gold", -2: "silver"}.get(exponent) or _COLOURS[exponent]
    return [*(_COLOURS[int(digit)] for digit in mantissa if digit != "."), multiplier, by_tolerance[tolerance]]


class Standard(TypedDict):
    """Standard values near a value."""

    nearest: float
    error_percent: Annotated[float, About("How far the nearest lies from the value asked for")]
    below: Annotated[float, About("Greatest standard value not above it")]
    above: Annotated[float, About("Least standard value not below it")]
    pair_in_series: Annotated[list[float], About("Two standard values whose sum comes nearest")]
    pair_in_parallel: Annotated[list[float], About("Two standard values that in parallel come nearest")]


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
)
def component_find_standard(
    value: Annotated[float, About("Value wanted, in any unit", 5123.4, minimum=1e-12, maximum=1e12)],
    series: Annotated[Series, About("Series of preferred values")] = "E24",
) -> Standard:
    """Find the nearest standard values (IEC 60063 E-series) to a resistance or capacitance, and pairs that come closer.

    Use it to choose real parts. Returns the neighbours and the best pairs whose values add up, or halve in parallel.
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


def _nearest(choices: list[float], wanted: float) -> float:
    return min(choices, key=lambda choice: abs(choice - wanted))


class Divided(TypedDict):
    """A voltage divider."""

    upper_ohm: Annotated[float, About("Resistor between input and output")]
    lower_ohm: Annotated[float, About("Resistor between output and ground")]
    output_v: Annotated[float, About("Output without a load")]
    loaded_v: Annotated[float, About("Output with the load")]
    error_percent: Annotated[float, About("How far the output without load is from the wanted")]
    current_a: Annotated[float, About("Current through the divider without load")]
    power_w: Annotated[float, About("Power lost in it without load")]


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
        Refusal({"input_v": 3, "output_v": 5}, "below the input"),
    ),
)
def circuit_design_divider(
    input_v: Annotated[float, About("Input voltage", 12, exclusive_minimum=0, maximum=1e6)],
    output_v: Annotated[float, About("Output voltage wanted", 3.3, exclusive_minimum=0, maximum=1e6)],
    total_ohm: Annotated[float, About("About how much resistance in all", minimum=1, maximum=1e9)] = 20_000,
    load_ohm: Annotated[float | None, About("Resistance of the load", 10_000, minimum=0.001, maximum=1e12)] = None,
    series: Annotated[Series, About("Series of preferred values")] = "E24",
) -> Divided:
    """Design a voltage divider from standard resistors for an input and an output voltage.

    Use it to scale a voltage, as for an ADC. Returns both resistors, the real output, the loss and the sag under load.
    """
    ratio = output_v / input_v
    if not 1e-9 < ratio < 1:
        raise ToolError("The output must lie below the input of a divider, and above a billionth of it.")
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
    made = input_v * lower / (upper + lower)
    under_load = lower if load_ohm is None else 1 / (1 / lower + 1 / load_ohm)
    return {
        "upper_ohm": upper,
        "lower_ohm": lower,
        "output_v": made,
        "loaded_v": input_v * under_load / (upper + under_load),
        "error_percent": (made / output_v - 1) * 100,
        "current_a": input_v / (upper + lower),
        "power_w": input_v**2 / (upper + lower),
    }


class Filtered(TypedDict):
    """A circuit at a frequency."""

    impedance_ohm: Annotated[float, About("Magnitude of R, L and C in series")]
    phase_degrees: Annotated[float, About("Voltage ahead of current")]
    inductive_ohm: Annotated[float, About("Reactance of the inductor")]
    capacitive_ohm: Annotated[float, About("Reactance of the capacitor")]
    corner_hz: Annotated[float | None, About("Cut-off frequency of RC or RL")]
    resonance_hz: Annotated[float | None, About("Resonance of L and C")]
    quality: Annotated[float | None, About("Quality factor of RLC in series")]
    bandwidth_hz: Annotated[float | None, About("Bandwidth of the resonance")]
    gain_db: Annotated[float, About("Voltage over R against the whole: high-pass for RC, low-pass for RL")]
    complement_db: Annotated[float, About("Voltage over the rest against the whole")]


@tool(
    tags="rc rl rlc filter cutoff frequency resonance impedance reactance phase low-pass high-pass bandwidth quality",
    use_when=(
        "Cut-off frequency of 10 kOhm and 100 nF?",
        "What is the resonance of 10 uH and 100 pF?",
        "Impedance and phase of 50 ohm, 1 mH and 1 uF in series at 5 kHz",
    ),
    examples=(
        Example(
            {"resistance_ohm": 1000, "capacitance_f": 1e-6, "frequency_hz": 159.15494309189535},
            {"corner_hz": 159.15494309189535, "gain_db": -3.010299956639812, "phase_degrees": -45.0},
            source="f = 1 / (2 pi R C); at the corner half of the power passes",
        ),
        Example(
            {"resistance_ohm": 10, "inductance_h": 1e-3, "capacitance_f": 1e-9, "frequency_hz": 159154.94309189535},
            {"resonance_hz": 159154.94309189535, "quality": 100.0, "impedance_ohm": 10.0},
            source="f = 1 / (2 pi sqrt(L C)), Q = sqrt(L / C) / R",
            tolerance=1e-6,
        ),
        Refusal({"resistance_ohm": 1000, "frequency_hz": 50}, "inductance_h or capacitance_f"),
    ),
)
def circuit_analyze_filter(
    resistance_ohm: Annotated[float, About("Resistance", 10_000, minimum=1e-6, maximum=1e12)],
    frequency_hz: Annotated[float, About("Frequency to look at", 1000, minimum=1e-6, maximum=1e15)],
    inductance_h: Annotated[float | None, About("Inductance in henries", 0.001, minimum=1e-15, maximum=1e6)] = None,
    capacitance_f: Annotated[float | None, About("Capacitance in farads", 1e-7, minimum=1e-18, maximum=1e6)] = None,
) -> Filtered:
    """Analyse a series RC, RL or RLC circuit: cut-off or resonance, impedance, phase and gain at a frequency.

    Use it for passive filters and AC circuits. Without an inductor it is an RC, without a capacitor an RL circuit.
    """
    if inductance_h is None and capacitance_f is None:
        raise ToolError("Give inductance_h or capacitance_f, or both.")
    angular = 2 * pi * frequency_hz
    inductive = angular * (inductance_h or 0.0)
    capacitive = 1 / (angular * capacitance_f) if capacitance_f else 0.0
    reactance = inductive - capacitive
    impedance = hypot(resistance_ohm, reactance)
    resonance = 1 / (2 * pi * sqrt(inductance_h * capacitance_f)) if inductance_h and capacitance_f else None
    quality = sqrt(inductance_h / capacitance_f) / resistance_ohm if inductance_h and capacitance_f else None
    return {
        "impedance_ohm": impedance,
        "phase_degrees": degrees(atan2(reactance, resistance_ohm)),
        "inductive_ohm": inductive,
        "capacitive_ohm": capacitive,
        "corner_hz": None if resonance else _corner(resistance_ohm, inductance_h, capacitance_f),
        "resonance_hz": resonance,
        "quality": quality,
        "bandwidth_hz": resonance / quality if resonance and quality else None,
        "gain_db": 20 * log10(resistance_ohm / impedance),
        "complement_db": 20 * log10(max(abs(reactance) / impedance, 1e-15)),
    }


def _corner(resistance: float, inductance: float | None, capacitance: float | None) -> float | None:
    if capacitance:
        return 1 / (2 * pi * resistance * capacitance)
    return resistance / (2 * pi * inductance) if inductance else None


class Wire(TypedDict):
    """A cable under load."""

    area_mm2: Annotated[float, About("Cross-section of a conductor")]
    awg: Annotated[float, About("American wire gauge, negative for 0/2 and thicker")]
    diameter_mm: Annotated[float, About("Diameter of a solid conductor")]
    resistance_ohm: Annotated[float, About("Resistance of both conductors together")]
    drop_v: Annotated[float, About("Voltage lost in the cable")]
    drop_percent: Annotated[float, About("Loss in percent of the supply")]
    loss_w: Annotated[float, About("Power lost in the cable")]
    least_area_mm2: Annotated[float, About("Cross-section that keeps the loss within the allowed percent")]


@tool(
    tags="wire gauge awg mm2 cable cross-section voltage drop resistance length current solar 12v",
    use_when=(
        "How much voltage drops over 20 m of 2.5 mm2 cable at 16 A and 230 V?",
        "Which cable cross-section for 12 V, 10 A over 5 m?",
        "How many mm2 has AWG 12?",
    ),
    examples=(
        Example(
            {"length_m": 20, "current_a": 16, "supply_v": 230, "area_mm2": 2.5},
            {
                "drop_v": 4.41344,
                "resistance_ohm": 0.27584,
                "awg": 13.208722988327992,
                "drop_percent": 1.9188869565217395,
                "loss_w": 70.61504000000001,
                "least_area_mm2": 1.599072463768116,
            },
            source="arithmetic: 2 * 20 * 1.724e-8 / 2.5e-6 ohm at 20 °C",
        ),
        Example(
            {"length_m": 1, "current_a": 1, "supply_v": 12, "awg": 12, "material": "aluminium"},
            {"diameter_mm": 2.0525, "area_mm2": 3.3088},
            source="ASTM B258: AWG 12",
            tolerance=1e-4,
        ),
        Refusal({"length_m": 1, "current_a": 1, "supply_v": 12}, "either area_mm2 or awg"),
    ),
)
def cable_compute_drop(
    length_m: Annotated[float, About("Length of the cable, one way", 20, minimum=0.001, maximum=1e6)],
    current_a: Annotated[float, About("Current", 16, minimum=1e-9, maximum=1e6)],
    supply_v: Annotated[float, About("Voltage of the supply", 230, minimum=0.001, maximum=1e7)],
    area_mm2: Annotated[float | None, About("Cross-section of a conductor", 2.5, minimum=1e-4, maximum=1e5)] = None,
    awg: Annotated[int | None, About("American wire gauge; -1 for 2/0, -3 for 4/0", 12, minimum=-3, maximum=40)] = None,
    material: Annotated[Literal["copper", "aluminium"], About("Material of the conductors")] = "copper",
    temperature_c: Annotated[float, About("Temperature of the conductors", minimum=-100, maximum=250)] = 20,
    allowed_percent: Annotated[float, About("Loss that is allowed", minimum=0.01, maximum=100)] = 3,
) -> Wire:
    """Compute resistance, voltage drop and loss of a two-conductor cable, and the cross-section that would do.

    Use it to size cables for direct current or unity power factor. Takes mm² or AWG. It does not replace the tables
    of ampacity of your electrical code.
    """
    if (area_mm2 is None) == (awg is None):
        raise ToolError("Give either area_mm2 or awg, and not both.")
    diameter = 0.127 * 92 ** ((36 - awg) / 39) if awg is not None else sqrt(4 * (area_mm2 or 0) / pi)
    area = pi * diameter**2 / 4
    resistivity = _RESISTIVITY[material] * (1 + _TEMPERATURE_COEFFICIENT[material] * (temperature_c - 20))
    resistance = 2 * length_m * resistivity / (area * 1e-6)
    drop = resistance * current_a
    if drop > supply_v:
        raise ToolError("The cable would take more than the whole supply voltage. Choose a thicker or shorter one.")
    return {
        "area_mm2": area,
        "awg": 36 - 39 * log10(diameter / 0.127) / log10(92),
        "diameter_mm": diameter,
        "resistance_ohm": resistance,
        "drop_v": drop,
        "drop_percent": 100 * drop / supply_v,
        "loss_w": drop * current_a,
        "least_area_mm2": 2 * length_m * resistivity * current_a / (supply_v * allowed_percent / 100) * 1e6,
    }


class Lasting(TypedDict):
    """How long a battery lasts."""

    mean_ma: Annotated[float, About("Mean current")]
    hours: float
    days: float
    years: float


@tool(
    tags="battery life run time mah duty cycle sleep current iot sensor consumption",
    use_when=(
        "How long does a 2500 mAh battery last at 40 mA?",
        "Battery life of a sensor that wakes 2 s every 10 minutes at 80 mA and sleeps at 15 uA",
        "Will a CR2032 last a year?",
    ),
    examples=(
        Example(
            {"capacity_mah": 2000, "active_ma": 100},
            {"hours": 20.0, "mean_ma": 100.0, "days": 0.8333333333333334, "years": 0.0022815423226100846},
            source="arithmetic",
        ),
        Example(
            {"capacity_mah": 1000, "active_ma": 10, "sleep_ma": 0, "active_s": 1, "period_s": 10, "usable_percent": 50},
            {"mean_ma": 1.0, "hours": 500.0},
            source="arithmetic: a tenth of the time 10 mA, half of the capacity",
        ),
        Refusal({"capacity_mah": 100, "active_ma": 1, "active_s": 20, "period_s": 10}, "longer than the period"),
    ),
)
def battery_compute_life(
    capacity_mah: Annotated[float, About("Capacity in milliampere hours", 2500, minimum=0.001, maximum=1e9)],
    active_ma: Annotated[float, About("Current while active", 80, minimum=1e-6, maximum=1e9)],
    sleep_ma: Annotated[float, About("Current while asleep", minimum=0, maximum=1e9)] = 0,
    active_s: Annotated[float, About("Seconds of activity in each period", minimum=0, maximum=1e9)] = 1,
    period_s: Annotated[float, About("Length of a period in seconds", minimum=0.001, maximum=1e9)] = 1,
    usable_percent: Annotated[float, About("Share of the capacity that can be used", minimum=1, maximum=100)] = 100,
    self_discharge_percent: Annotated[float, About("Self-discharge in a month, percent", minimum=0, maximum=90)] = 0,
) -> Lasting:
    """Compute how long a battery lasts under a duty cycle of activity and sleep.

    Use it for sensors and gadgets. Self-discharge is taken as a constant current. Returns mean current and run time.
    """
    if active_s > period_s:
        raise ToolError("The active time is longer than the period. Exchange them, or make the period longer.")
    share = active_s / period_s
    leak = capacity_mah * self_discharge_percent / 100 / 730.5
    mean = active_ma * share + sleep_ma * (1 - share)
    if mean + leak <= 0:
        raise ToolError("Without any current the battery lasts for ever. Give a current.")
    hours = capacity_mah * usable_percent / 100 / (mean + leak)
    return {"mean_ma": mean, "hours": hours, "days": hours / 24, "years": hours / 8766}
