"""Heating, mixing temperatures, and heat loss through walls."""

from collections.abc import Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, PositiveNumber, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy


class Heat(TypedDict):
    """Heat flow."""

    watts: Annotated[float, About("Heat flow from warm to cold")]
    watts_m2: Annotated[float, About("Heat flow per square metre")]
    u_value: Annotated[float, About("Overall coefficient, W/(m2 K)")]
    kwh_day: Annotated[float, About("Energy per day")]
    layer_temperatures_c: Annotated[list[float], About("Temperatures of the surfaces and between layers, inside first")]


class Layer(TypedDict):
    """A layer of a wall."""

    thickness_m: Annotated[float, About("Thickness", 0.2, minimum=1e-6, maximum=100)]
    conductivity_w_mk: Annotated[
        float, About("Thermal conductivity; brick 0.6, mineral wool 0.035", 0.035, minimum=1e-4, maximum=5000)
    ]


@tool(
    tags="heat transfer u-value insulation wall conduction thermal resistance heat loss building",
    use_when=(
        "What is the U-value of 24 cm brick with 14 cm mineral wool?",
        "Heat loss through 50 m2 of wall at -5 outside and 20 inside",
        "What temperature is between insulation and brick?",
    ),
    examples=(
        Example(
            {
                "layers": [{"thickness_m": 0.24, "conductivity_w_mk": 0.6}],
                "inside_c": 20,
                "outside_c": 0,
                "area_m2": 10,
            },
            {"u_value": 1.754386, "watts": 350.8772, "kwh_day": 8.421053},
            source="ISO 6946: 1 / (0.13 + 0.4 + 0.04) W/(m2 K)",
            tolerance=1e-6,
        ),
        Example(
            {
                "layers": [
                    {"thickness_m": 1, "conductivity_w_mk": 1},
                    {"thickness_m": 3, "conductivity_w_mk": 1},
                ],
                "inside_c": 40,
                "outside_c": 0,
                "surface_resistance": "none",
            },
            {"watts": 10.0, "layer_temperatures_c": [40.0, 30.0, 0.0]},
            source="by hand: resistances 1 and 3",
        ),
        Refusal({"layers": [], "inside_c": 20, "outside_c": 0}, "at least 1"),
    ),
    reply=("The wall has a U-value of {u_value} W/(m\u00b2K) and loses {watts} W, that is {kwh_day} kWh a day."),
)
def heat_compute_wall_loss(
    layers: Annotated[
        list[Layer],
        About(
            "Layers from inside to outside",
            [{"thickness_m": 0.24, "conductivity_w_mk": 0.6}],
            min_items=1,
            max_items=30,
        ),
    ],
    inside_c: Annotated[float, About("Temperature inside, °C", 20, minimum=-273, maximum=5000)],
    outside_c: Annotated[float, About("Temperature outside, °C", -5, minimum=-273, maximum=5000)],
    area_m2: Annotated[float, About("Area", minimum=1e-6, maximum=1e9)] = 1,
    surface_resistance: Annotated[
        Literal["wall", "roof", "floor", "none"], About("Surface resistances of ISO 6946 by the direction of the heat")
    ] = "wall",
) -> Heat:
    """Compute the U-value and heat loss of a layered wall, and the temperatures between them.

    Use it for insulation questions. The calculation is steady-state and one-dimensional, after ISO 6946.
    """
    inner, outer = {"wall": (0.13, 0.04), "roof": (0.10, 0.04), "floor": (0.17, 0.04), "none": (0.0, 0.0)}[
        surface_resistance
    ]
    resistances = [layer["thickness_m"] / layer["conductivity_w_mk"] for layer in layers]
    coefficient = 1 / (inner + sum(resistances) + outer)
    flow = coefficient * (inside_c - outside_c)
    temperatures = [inside_c - flow * inner]
    for resistance in resistances:
        temperatures.append(temperatures[-1] - flow * resistance)
    return {
        "watts": flow * area_m2,
        "watts_m2": flow,
        "u_value": coefficient,
        "kwh_day": flow * area_m2 * 24 / 1000,
        "layer_temperatures_c": [round(value, 9) for value in temperatures],
    }


_KILO = 1e3
_JOULES_IN_KWH = 3.6e6

_WATER_J_G_K = 4.186
_FAR, _MOST = 1e9, 1e30


class Heating(TypedDict):
    """A heated or cooled body."""

    heat_j: Annotated[float, About("Absorbed heat in joules, negative for cooling")]
    heat_kj: Annotated[float, About("Heat in kilojoules")]
    heat_kwh: Annotated[float, About("Heat in kilowatt-hours")]
    mass_kg: float
    change_c: Annotated[float, About("Change of temperature in degrees Celsius or kelvin")]
    specific_heat_j_g_k: Annotated[float, About("Specific heat in J/(g K), which is kJ/(kg K)")]
    time_s: Annotated[float | None, About("Time in seconds with a heater of the given power")]


_WARMED: tuple[Rule, ...] = (
    ("heat", lambda mass, capacity, change: mass * capacity * change),
    ("mass", lambda heat, capacity, change: heat / (capacity * change)),
    ("change", lambda heat, mass, capacity: heat / (mass * capacity)),
    ("capacity", lambda heat, mass, change: heat / (mass * change)),
)


@tool(
    tags="heat specific heat capacity temperature warm boil kettle water joule calorimetry energy physics",
    use_when=(
        "How much heat raises 2 kg of water from 20 to 80 degrees?",
        "Energy to heat 500 g of aluminium (0.9 J/gK) by 60 K",
        "How long does a 2000 W kettle need for 1.5 litres from 15 to 100 °C?",
    ),
    examples=(
        Example(
            {"mass_kg": 2, "from_c": 20, "to_c": 80, "specific_heat_j_kg_k": 4186, "power_w": 2000},
            {"heat_j": 502320.0, "heat_kj": 502.32, "time_s": 251.16},
            source="arithmetic: 2 * 4186 * 60, divided by 2000",
        ),
        Example(
            {"heat_j": 9000, "mass_kg": 0.5, "change_c": 20},
            {"specific_heat_j_g_k": 0.9},
            source="arithmetic: 9000 / (0.5 * 20) = 900 J/(kg K)",
        ),
        Example(
            {"mass_kg": 0.25, "change_c": 10, "specific_heat_j_g_k": 0.385},
            {"heat_j": 962.5},
            source="arithmetic: 250 g * 0.385 * 10",
        ),
        Refusal({"mass_kg": 2}, "Too few values"),
        Refusal({"mass_kg": 2, "from_c": 20, "specific_heat_j_kg_k": 4186}, "both from_c and to_c"),
    ),
    reply={
        "time_s": (
            "It takes {heat_kj} kJ ({heat_kwh} kWh) to change {mass_kg} kg by "
            "{change_c} \u00b0C, and {time_s} seconds with this heater."
        ),
        "": "It takes {heat_kj} kJ ({heat_kwh} kWh) to change {mass_kg} kg by {change_c} \u00b0C.",
    },
)
def heat_solve_capacity(
    mass_kg: Annotated[
        float | None, About("Mass in kilograms; a litre of water has one", 2, minimum=1e-30, maximum=_MOST)
    ] = None,
    from_c: Annotated[float | None, About("Initial temperature in °C", 20, minimum=-273.15, maximum=_FAR)] = None,
    to_c: Annotated[float | None, About("Final temperature in °C", 80, minimum=-273.15, maximum=_FAR)] = None,
    change_c: Annotated[
        float | None, About("Temperature change, instead of both temperatures", 60, minimum=-_FAR, maximum=_FAR)
    ] = None,
    heat_j: Annotated[float | None, About("Heat in joules", 502320, minimum=-_MOST, maximum=_MOST)] = None,
    specific_heat_j_kg_k: Annotated[
        float | None, About("Specific heat in J/(kg K), such as 4186", 4186, minimum=1e-30, maximum=_FAR)
    ] = None,
    specific_heat_j_g_k: Annotated[
        float | None, About("Specific heat in J/(g K) or kJ/(kg K), such as 4.186", 0.9, minimum=1e-30, maximum=_FAR)
    ] = None,
    power_w: Annotated[
        float | None, About("Power of a heater in watts, to compute the time", 2000, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Heating:
    """Solve the heat that warms something (Q = m c dT) from the other quantities; by default for water.

    Use it for kettles, boilers and calorimeters. With a power it returns the time, without losses. Melting and boiling
    are not included.
    """
    capacity = specific_heat_j_kg_k or (specific_heat_j_g_k and specific_heat_j_g_k * _KILO)
    change = _change(from_c, to_c, change_c)
    if capacity is None and None in {mass_kg, heat_j, change}:
        capacity = _WATER_J_G_K * _KILO
    found = complete({"heat": heat_j, "mass": mass_kg, "change": change, "capacity": capacity}, _WARMED)
    heat = found["heat"]
    return {
        "heat_j": tidy(heat),
        "heat_kj": tidy(heat / _KILO),
        "heat_kwh": tidy(heat / _JOULES_IN_KWH),
        "mass_kg": tidy(found["mass"]),
        "change_c": tidy(found["change"]),
        "specific_heat_j_g_k": tidy(found["capacity"] / _KILO),
        "time_s": power_w and tidy(abs(heat) / power_w),
    }


def _change(start: float | None, end: float | None, change: float | None) -> float | None:
    if (start is None) != (end is None):
        raise ToolError("Give both from_c and to_c, or only change_c.")
    return change if start is None or end is None else end - start


class Mixed(TypedDict):
    """Result of mixing temperatures."""

    temperature_c: Annotated[float, About("Final temperature in °C")]
    heats: Annotated[
        list[BoundedNumber], About("Heat absorbed by each, as mass times change, times its specific heat if given")
    ]


@tool(
    tags="mix water temperature calorimetry equilibrium final temperature hot cold blend bath physics",
    use_when=(
        "300 g of water at 80 °C is mixed with 200 g at 15 °C. Final temperature?",
        "A 0.5 kg piece of iron at 200 °C is put into 2 kg of water at 20 °C",
        "What temperature have 40 l at 60 degrees and 60 l at 10 degrees together?",
    ),
    examples=(
        Example(
            {"masses": [300, 200], "temperatures_c": [80, 15]},
            {"temperature_c": 54.0},
            source="arithmetic: (300 * 80 + 200 * 15) / 500",
        ),
        Example(
            {"masses": [0.5, 2], "temperatures_c": [200, 20], "specific_heats": [450, 4186]},
            {"temperature_c": 24.7109457},
            source="arithmetic: (0.5 * 450 * 200 + 2 * 4186 * 20) / (225 + 8372)",
            tolerance=1e-6,
        ),
        Refusal({"masses": [1, 2, 3], "temperatures_c": [10, 20]}, "the same number"),
    ),
    reply="The mixture has a temperature of {temperature_c} \u00b0C.",
)
def heat_mix_temperatures(
    masses: Annotated[
        list[PositiveNumber], About("Masses or volumes, in the same unit", [300, 200], min_items=2, max_items=50)
    ],
    temperatures_c: Annotated[
        list[BoundedNumber], About("Temperature of each in °C, in the same order", [80, 15], min_items=2, max_items=50)
    ],
    specific_heats: Annotated[
        list[PositiveNumber] | None,
        About("Specific heat of each, if they differ", [450, 4186], min_items=2, max_items=50),
    ] = None,
) -> Mixed:
    """Compute the temperature of things of different temperatures after they were mixed, without losses.

    Use it for baths, drinks and calorimeters. Without specific heats, a single substance is assumed.
    """
    weights = _weights(masses, temperatures_c, specific_heats)
    end = sum(weight * one for weight, one in zip(weights, temperatures_c, strict=True)) / sum(weights)
    heats = [tidy(weight * (end - one)) for weight, one in zip(weights, temperatures_c, strict=True)]
    return {"temperature_c": tidy(end), "heats": heats}


def _weights(masses: Sequence[float], temperatures: Sequence[float], heats: Sequence[float] | None) -> list[float]:
    capacities = heats or [1.0] * len(masses)
    if not len(masses) == len(temperatures) == len(capacities):
        raise ToolError("Give the same number of temperatures, and specific heats if any, as masses.")
    return [mass * heat for mass, heat in zip(masses, capacities, strict=True)]
