"""Circuits that charge, and voltages between resistors."""

from math import exp, log
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e15


class Charging(TypedDict):
    """A capacitor that is charged or discharged through a resistor."""

    time_constant_s: Annotated[float, About("R times C")]
    voltage_v: Annotated[float | None, About("After the given time")]
    time_s: Annotated[float | None, About("Until the given voltage")]
    energy_j: Annotated[float | None, About("In the capacitor at the supply's voltage")]
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
)
def capacitor_charge_resistor(
    resistance_ohm: Annotated[float, About("Resistance in ohms", 10_000, minimum=1e-30, maximum=_MOST)],
    capacitance_uf: Annotated[float, About("Capacitance in microfarads", 100, minimum=1e-30, maximum=_MOST)],
    supply_v: Annotated[
        float | None, About("Voltage it is charged to, or discharged from", 9, minimum=1e-30, maximum=1e9)
    ] = None,
    time_s: Annotated[
        float | None, About("Seconds after which the voltage is asked", 1, minimum=0, maximum=_MOST)
    ] = None,
    voltage_v: Annotated[float | None, About("Voltage whose time is asked", 3, minimum=1e-30, maximum=1e9)] = None,
    direction: Annotated[Literal["charge", "discharge"], About("What happens")] = "charge",
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
        raise ToolError("The voltage must lie below that of the supply.")
    left = voltage / supply if direction == "discharge" else 1 - voltage / supply
    return tidy(-constant * log(left))


class DividedVoltage(TypedDict):
    """The voltage between two resistors."""

    output_v: float
    current_a: float
    ratio: Annotated[float, About("Output to input")]
    power_w: Annotated[float, About("Lost in both resistors, and the load if any")]


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
)
def circuit_analyze_divider(
    input_v: Annotated[float, About("Voltage over both", 12, minimum=1e-30, maximum=1e9)],
    upper_ohm: Annotated[float, About("R1, between input and output", 10_000, minimum=1e-30, maximum=_MOST)],
    lower_ohm: Annotated[float, About("R2, between output and ground", 4700, minimum=1e-30, maximum=_MOST)],
    load_ohm: Annotated[float | None, About("Load beside R2", 10_000, minimum=1e-30, maximum=_MOST)] = None,
) -> DividedVoltage:
    """Compute the output of a voltage divider of two given resistors, with a load or without.

    To choose the resistors for a voltage use circuit_design_divider.
    """
    lower = lower_ohm if load_ohm is None else 1 / (1 / lower_ohm + 1 / load_ohm)
    whole = upper_ohm + lower
    return {
        "output_v": tidy(input_v * lower / whole),
        "current_a": tidy(input_v / whole),
        "ratio": tidy(lower / whole),
        "power_w": tidy(input_v**2 / whole),
    }
