"""Electric circuits: Ohm's law, series and parallel components, voltage dividers, charging and filters."""

from math import atan2, degrees, exp, hypot, log, log10, pi, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy


class Circuit(TypedDict):
    """A resistor with a voltage."""

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
        Refusal({"voltage_v": 5}, "Too few values"),
        Refusal({"voltage_v": 5, "current_a": 1, "resistance_ohm": 9}, "contradict"),
    ),
    reply=(
        "At {voltage_v} V, a current of {current_a} A flows through {resistance_ohm} ohm; the power is {power_w} W."
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


class Filtered(TypedDict):
    """A circuit at a frequency."""

    impedance_ohm: Annotated[float, About("Impedance: magnitude of R, L and C in series")]
    phase_degrees: Annotated[float, About("Phase by which the voltage leads the current")]
    inductive_ohm: Annotated[float, About("Reactance of the inductor")]
    capacitive_ohm: Annotated[float, About("Reactance of the capacitor")]
    corner_hz: Annotated[float | None, About("Cut-off frequency of RC or RL")]
    resonance_hz: Annotated[float | None, About("Resonance of L and C")]
    quality: Annotated[float | None, About("Quality factor of RLC in series")]
    bandwidth_hz: Annotated[float | None, About("Bandwidth of the resonance")]
    gain_db: Annotated[float, About("Gain over R: high-pass for RC, low-pass for RL")]
    complement_db: Annotated[float, About("Gain over the remaining components")]


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
    reply={
        "quality": (
            "The resonance is at {resonance_hz} Hz, with a quality factor of "
            "{quality}; the impedance is {impedance_ohm} ohm."
        ),
        "resonance_hz": "The resonance is at {resonance_hz} Hz; the impedance is {impedance_ohm} ohm.",
        "corner_hz": "The cut-off frequency is {corner_hz} Hz; the impedance is {impedance_ohm} ohm.",
        "": "The impedance is {impedance_ohm} ohm, with a phase of {phase_degrees}\u00b0.",
    },
)
def circuit_analyze_filter(
    resistance_ohm: Annotated[float, About("Resistance", 10_000, minimum=1e-6, maximum=1e12)],
    frequency_hz: Annotated[float, About("Frequency to analyse", 1000, minimum=1e-6, maximum=1e15)],
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


_MOST = 1e15


class Charging(TypedDict):
    """Charging or discharging of a capacitor through a resistor."""

    time_constant_s: Annotated[float, About("Time constant R times C")]
    voltage_v: Annotated[float | None, About("Voltage after the given time")]
    time_s: Annotated[float | None, About("Time until the given voltage")]
    energy_j: Annotated[float | None, About("Energy in the capacitor at the supply voltage")]
    charge_c: float | None


@tool(
    tags="rc circuit time constant capacitor charge discharge voltage resistor energy tau electronics",
    use_when=(
        "Time constant of 10 kOhm and 100 uF",
        "A 470 uF capacitor charges through 2.2 kOhm to 9 V: voltage after 1 second?",
        "How long until a 1000 uF capacitor on 12 V has fallen to 3 V through 4.7 kOhm?",
    ),
    examples=(
        Example({"resistance_ohm": 10000, "capacitance_uf": 100}, {"time_constant_s": 1.0}, source="1e4 * 1e-4"),
        Example(
            {"resistance_ohm": 1000, "capacitance_uf": 1000, "supply_v": 10, "time_s": 1},
            {"voltage_v": 6.32120558829, "energy_j": 0.05, "charge_c": 0.01},
            source="10 (1 - 1/e); 1e-3 * 100 / 2",
        ),
        Example(
            {"resistance_ohm": 1000, "capacitance_uf": 1000, "supply_v": 8, "voltage_v": 2, "direction": "discharge"},
            {"time_s": 1.38629436112},
            source="ln 4",
        ),
        Refusal({"resistance_ohm": 1, "capacitance_uf": 1, "supply_v": 5, "voltage_v": 6}, "below"),
    ),
    reply={
        "voltage_v": "The voltage after that time is {voltage_v} V; the time constant is {time_constant_s} s.",
        "time_s": "It takes {time_s} s to reach that voltage; the time constant is {time_constant_s} s.",
        "": "The time constant is {time_constant_s} s.",
    },
)
def capacitor_charge_resistor(
    resistance_ohm: Annotated[float, About("Resistance in ohms", 10_000, minimum=1e-30, maximum=_MOST)],
    capacitance_uf: Annotated[float, About("Capacitance in microfarads", 100, minimum=1e-30, maximum=_MOST)],
    supply_v: Annotated[
        float | None,
        About("Supply voltage for charging, or initial voltage for discharging", 9, minimum=1e-30, maximum=1e9),
    ] = None,
    time_s: Annotated[
        float | None, About("Time after which to compute the voltage", 1, minimum=0, maximum=_MOST)
    ] = None,
    voltage_v: Annotated[
        float | None, About("Voltage for which to compute the time", 3, minimum=1e-30, maximum=1e9)
    ] = None,
    direction: Annotated[Literal["charge", "discharge"], About("Charging or discharging")] = "charge",
) -> Charging:
    """Compute the time constant of resistor and capacitor, the voltage after a time, or the time until a voltage."""
    constant = resistance_ohm * capacitance_uf * 1e-6
    farads = capacitance_uf * 1e-6
    return {
        "time_constant_s": tidy(constant),
        "voltage_v": _voltage(supply_v, time_s, constant, direction),
        "time_s": _time(supply_v, voltage_v, constant, direction),
        "energy_j": supply_v and tidy(farads * supply_v**2 / 2),
        "charge_c": supply_v and tidy(farads * supply_v),
    }


def _voltage(supply: float | None, time: float | None, constant: float, direction: str) -> float | None:
    if supply is None or time is None:
        return None
    left = exp(-time / constant)
    return tidy(supply * (left if direction == "discharge" else 1 - left))


def _time(supply: float | None, voltage: float | None, constant: float, direction: str) -> float | None:
    if supply is None or voltage is None:
        return None
    if voltage >= supply:
        raise ToolError("The voltage must be below that of the supply.")
    left = voltage / supply if direction == "discharge" else 1 - voltage / supply
    return tidy(-constant * log(left))


class DividedVoltage(TypedDict):
    """Output of a voltage divider."""

    output_v: float
    current_a: float
    ratio: Annotated[float, About("Ratio of output to input")]
    power_w: Annotated[float, About("Power lost in both resistors, and the load if any")]


@tool(
    tags="voltage divider two resistors output middle series r1 r2 load current electronics",
    use_when=(
        "Voltage in the middle of 10k and 4.7k on 12 V",
        "What comes out of a divider with R1 = 1 kOhm, R2 = 2.2 kOhm at 5 V?",
    ),
    examples=(
        Example(
            {"input_v": 12, "upper_ohm": 1000, "lower_ohm": 2000},
            {"output_v": 8.0, "current_a": 0.004, "ratio": 0.666666666667},
            source="12 * 2 / 3",
        ),
        Example(
            {"input_v": 12, "upper_ohm": 1000, "lower_ohm": 2000, "load_ohm": 2000},
            {"output_v": 6.0},
            source="two kilohms in parallel are one",
        ),
        Refusal({"input_v": 12, "upper_ohm": 0, "lower_ohm": 5}, "upper_ohm"),
    ),
    reply="The output of the divider is {output_v} V, with a current of {current_a} A.",
)
def circuit_analyze_divider(
    input_v: Annotated[float, About("Input voltage", 12, minimum=1e-30, maximum=1e9)],
    upper_ohm: Annotated[float, About("R1, between input and output", 10_000, minimum=1e-30, maximum=_MOST)],
    lower_ohm: Annotated[float, About("R2, between output and ground", 4700, minimum=1e-30, maximum=_MOST)],
    load_ohm: Annotated[
        float | None, About("Load resistance parallel to R2", 10_000, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> DividedVoltage:
    """Compute the output of a voltage divider of two given resistors, with or without a load.

    To choose the resistors for a voltage, use circuit_design_divider.
    """
    lower = lower_ohm if load_ohm is None else 1 / (1 / lower_ohm + 1 / load_ohm)
    whole = upper_ohm + lower
    return {
        "output_v": tidy(input_v * lower / whole),
        "current_a": tidy(input_v / whole),
        "ratio": tidy(lower / whole),
        "power_w": tidy(input_v**2 / whole),
    }


class Combination(TypedDict):
    """Equivalent of combined components."""

    total: Annotated[float, About("Equivalent value, in the unit of the inputs")]
    count: Annotated[int, About("Number of components")]
    adds_up: Annotated[bool, About("Whether the values or their reciprocals are added")]


@tool(
    tags="resistors parallel series total equivalent resistance capacitors inductors combine ohm farad henry circuit",
    use_when=(
        "What is the total resistance of 100, 150 and 300 ohm in parallel?",
        "Two capacitors of 10 and 22 uF in series: what capacitance is that?",
        "Equivalent resistance of 47, 100 and 220 ohm one after the other",
    ),
    examples=(
        Example(
            {"values": [6, 3, 2], "arrangement": "parallel"},
            {"total": 1.0, "count": 3, "adds_up": False},
            source="arithmetic: 1/6 + 1/3 + 1/2 = 1",
        ),
        Example(
            {"values": [47, 100, 220], "arrangement": "series"},
            {"total": 367.0, "adds_up": True},
            source="arithmetic: 47 + 100 + 220",
        ),
        Example(
            {"values": [10, 15], "arrangement": "series", "kind": "capacitors"},
            {"total": 6.0, "adds_up": False},
            source="arithmetic: 10 * 15 / 25",
        ),
        Example(
            {"values": [10, 15], "arrangement": "parallel", "kind": "capacitors"},
            {"total": 25.0},
            source="arithmetic: 10 + 15",
        ),
        Refusal({"values": [100, 0], "arrangement": "parallel"}, "more than 0"),
        Refusal({"values": [100], "arrangement": "parallel"}, "at least 2"),
    ),
    reply={
        "args.arrangement": "The total of the {count|part} in {args.arrangement} is {total}.",
        "": "The total of the {count|part} is {total}.",
    },
)
def circuit_combine_parts(
    values: Annotated[
        list[Annotated[float, About("Value of a component", 220, exclusive_minimum=0, maximum=1e15)]],
        About("Values of the components, all in the same unit", [220, 330], min_items=2, max_items=100),
    ],
    arrangement: Annotated[Literal["series", "parallel"], About("In series, or in parallel")],
    kind: Annotated[Literal["resistors", "capacitors", "inductors"], About("Kind of components")] = "resistors",
) -> Combination:
    """Combine resistors, capacitors or inductors in series or in parallel into their total.

    Use it for equivalent resistances. Resistances and inductances add up in series, capacitances in parallel; otherwise
    the reciprocals do. The total is in the unit of the values.
    """
    adds_up = (arrangement == "series") != (kind == "capacitors")
    total = sum(values) if adds_up else 1 / sum(1 / value for value in values)
    return {"total": float(f"{total:.12g}"), "count": len(values), "adds_up": adds_up}
