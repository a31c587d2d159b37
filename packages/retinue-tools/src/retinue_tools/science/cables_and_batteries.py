"""Voltage drop in cables, and battery life."""

from math import log10, pi, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_RESISTIVITY = {"copper": 1.724e-8, "aluminium": 2.82e-8}
"""Ohm metres at 20 °C (IEC 60028 for copper)."""
_TEMPERATURE_COEFFICIENT = {"copper": 0.00393, "aluminium": 0.00403}


class Wire(TypedDict):
    """A cable under load."""

    area_mm2: Annotated[float, About("Cross-section of a conductor")]
    awg: Annotated[float, About("American wire gauge, negative for 2/0 and thicker")]
    diameter_mm: Annotated[float, About("Diameter of a solid conductor")]
    resistance_ohm: Annotated[float, About("Resistance of both conductors together")]
    drop_v: Annotated[float, About("Voltage lost in the cable")]
    drop_percent: Annotated[float, About("Loss in percent of the supply")]
    loss_w: Annotated[float, About("Power lost in the cable")]
    least_area_mm2: Annotated[float, About("Cross-section that keeps the loss within the allowed percentage")]


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
    reply=(
        "The cable loses {drop_v} V, or {drop_percent} %, and needs at least "
        "{least_area_mm2} mm\u00b2 to stay within the allowed loss."
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
    allowed_percent: Annotated[float, About("Allowed loss", minimum=0.01, maximum=100)] = 3,
) -> Wire:
    """Compute resistance, voltage drop and loss of a two-conductor cable, and the sufficient cross-section.

    Use it to size cables for direct current or unity power factor. Give mm² or AWG. It does not replace the ampacity
    tables of your electrical code.
    """
    if (area_mm2 is None) == (awg is None):
        raise ToolError("Give either area_mm2 or awg, not both.")
    diameter = 0.127 * 92 ** ((36 - awg) / 39) if awg is not None else sqrt(4 * (area_mm2 or 0) / pi)
    area = pi * diameter**2 / 4
    resistivity = _RESISTIVITY[material] * (1 + _TEMPERATURE_COEFFICIENT[material] * (temperature_c - 20))
    resistance = 2 * length_m * resistivity / (area * 1e-6)
    drop = resistance * current_a
    if drop > supply_v:
        raise ToolError("The voltage drop would exceed the supply voltage. Choose a thicker or shorter cable.")
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
    """Battery life."""

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
        "How long does my battery last?",
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
    reply="The battery lasts {hours} hours, or {days} days, at a mean current of {mean_ma} mA.",
)
def battery_compute_life(
    capacity_mah: Annotated[float, About("Capacity in milliampere hours", 2500, minimum=0.001, maximum=1e9)],
    active_ma: Annotated[float, About("Current while active", 80, minimum=1e-6, maximum=1e9)],
    sleep_ma: Annotated[float, About("Current while asleep", minimum=0, maximum=1e9)] = 0,
    active_s: Annotated[float, About("Active seconds in each period", minimum=0, maximum=1e9)] = 1,
    period_s: Annotated[float, About("Length of a period in seconds", minimum=0.001, maximum=1e9)] = 1,
    usable_percent: Annotated[float, About("Usable share of the capacity", minimum=1, maximum=100)] = 100,
    self_discharge_percent: Annotated[float, About("Self-discharge per month, percent", minimum=0, maximum=90)] = 0,
) -> Lasting:
    """Compute how long a battery lasts under a duty cycle of activity and sleep.

    Use it for sensors and gadgets. Self-discharge is treated as a constant current. Returns mean current and run time.
    """
    if active_s > period_s:
        raise ToolError("The active time is longer than the period. Swap them, or make the period longer.")
    share = active_s / period_s
    leak = capacity_mah * self_discharge_percent / 100 / 730.5
    mean = active_ma * share + sleep_ma * (1 - share)
    if mean + leak <= 0:
        raise ToolError("Without any current the battery lasts forever. Give a current.")
    hours = capacity_mah * usable_percent / 100 / (mean + leak)
    return {"mean_ma": mean, "hours": hours, "days": hours / 24, "years": hours / 8766}
