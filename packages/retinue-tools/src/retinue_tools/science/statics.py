"""Statics: density, pressure, springs and levers."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_KILO = 1e3
_PASCALS_IN_BAR = 1e5
_AIR_PA = 101_325.0
_MOST = 1e30


class Density(TypedDict):
    """Mass, volume and density of a body."""

    mass_kg: float
    mass_g: float
    volume_m3: float
    volume_cm3: float
    volume_l: float
    density_kg_m3: float
    density_g_cm3: float
    floats_on_water: Annotated[bool, About("Whether its density is below 1 g/cm3")]


_DENSE: tuple[Rule, ...] = (
    ("density", lambda mass, volume: mass / volume),
    ("mass", lambda density, volume: density * volume),
    ("volume", lambda mass, density: mass / density),
)


@tool(
    tags="density mass volume weight material metal g/cm3 kg/m3 floats physics",
    use_when=(
        "What is the density of a 540 g piece that takes up 200 cm3?",
        "How heavy are 0.25 m3 of oak at 700 kg/m3?",
        "Which volume have 5 kg of gold (19.3 g/cm3)?",
    ),
    examples=(
        Example(
            {"mass_kg": 0.54, "volume_m3": 0.0002},
            {"density_g_cm3": 2.7, "density_kg_m3": 2700.0, "floats_on_water": False},
            source="arithmetic: 540 g / 200 cm3",
        ),
        Example(
            {"volume_m3": 0.25, "density_kg_m3": 700},
            {"mass_kg": 175.0, "floats_on_water": True},
            source="arithmetic: 0.25 * 700",
        ),
        Refusal({"mass_kg": 1}, "Too few values"),
    ),
    reply={
        "floats_on_water": (
            "A body of {mass_kg} kg and {volume_l} litres has a density of "
            "{density_g_cm3} g/cm\u00b3, so it floats on water."
        ),
        "": (
            "A body of {mass_kg} kg and {volume_l} litres has a density of {density_g_cm3} "
            "g/cm\u00b3, so it does not float on water."
        ),
    },
)
def density_solve_mass(
    mass_kg: Annotated[float | None, About("Mass in kilograms", 0.54, minimum=1e-30, maximum=_MOST)] = None,
    volume_m3: Annotated[float | None, About("Volume in cubic metres", 0.0002, minimum=1e-30, maximum=_MOST)] = None,
    density_kg_m3: Annotated[
        float | None, About("Density in kg/m3; 1 g/cm3 is 1000", 2700, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Density:
    """Solve mass, volume and density of a body from any two of them.

    Use it for materials and liquids, and whether something floats.
    """
    found = complete({"mass": mass_kg, "volume": volume_m3, "density": density_kg_m3}, _DENSE)
    return {
        "mass_kg": tidy(found["mass"]),
        "mass_g": tidy(found["mass"] * _KILO),
        "volume_m3": tidy(found["volume"]),
        "volume_cm3": tidy(found["volume"] * 1e6),
        "volume_l": tidy(found["volume"] * _KILO),
        "density_kg_m3": tidy(found["density"]),
        "density_g_cm3": tidy(found["density"] / _KILO),
        "floats_on_water": found["density"] < _KILO,
    }


class Depth(TypedDict):
    """Pressure in a liquid."""

    pressure_pa: Annotated[float, About("Pressure of the liquid only, in pascals")]
    pressure_kpa: float
    pressure_bar: float
    absolute_kpa: Annotated[float, About("Pressure including the air above, 101.325 kPa")]
    depth_m: float


_DEEP: tuple[Rule, ...] = (
    ("pressure", lambda density, gravity, depth: density * gravity * depth),
    ("depth", lambda pressure, density, gravity: pressure / (density * gravity)),
    ("density", lambda pressure, gravity, depth: pressure / (gravity * depth)),
    ("gravity", lambda pressure, density, depth: pressure / (density * depth)),
)


@tool(
    tags="hydrostatic pressure depth water diving dam tank liquid density pascal bar physics",
    use_when=(
        "Water pressure 25 m deep in sea water of 1025 kg/m3, in kPa",
        "At what depth is the water pressure 3 bar?",
        "Pressure at the bottom of a 4 m tank of oil (870 kg/m3)",
    ),
    examples=(
        Example(
            {"depth_m": 25, "density_kg_m3": 1025, "gravity_m_s2": 9.81},
            {"pressure_kpa": 251.38125, "absolute_kpa": 352.70625},
            source="arithmetic: 1025 * 9.81 * 25; plus 101.325 kPa",
            tolerance=1e-9,
        ),
        Example({"pressure_pa": 196200}, {"depth_m": 20.0}, source="arithmetic: 196200 / 9810"),
        Refusal({}, "Too few values"),
    ),
    reply=(
        "At a depth of {depth_m} m the pressure is {pressure_kpa} kPa ({pressure_bar} bar), "
        "or {absolute_kpa} kPa with the air above."
    ),
)
def pressure_solve_depth(
    depth_m: Annotated[float | None, About("Depth in metres", 25, minimum=0, maximum=_MOST)] = None,
    pressure_pa: Annotated[
        float | None, About("Pressure of the liquid in pascals", 196200, minimum=0, maximum=_MOST)
    ] = None,
    density_kg_m3: Annotated[
        float, About("Density of the liquid; water has 1000", 1025, minimum=1e-30, maximum=_MOST)
    ] = 1000,
    gravity_m_s2: Annotated[float, About("Acceleration of gravity", minimum=1e-30, maximum=1000)] = 9.81,
) -> Depth:
    """Solve the pressure at a depth of water or another liquid (p = rho g h), or the depth of a pressure.

    Use it for diving, tanks and dams. Returns it without and with atmospheric pressure.
    """
    values = {"pressure": pressure_pa, "depth": depth_m, "density": density_kg_m3, "gravity": gravity_m_s2}
    found = complete(values, _DEEP)
    pressure = found["pressure"]
    return {
        "pressure_pa": tidy(pressure),
        "pressure_kpa": tidy(pressure / _KILO),
        "pressure_bar": tidy(pressure / _PASCALS_IN_BAR),
        "absolute_kpa": tidy((pressure + _AIR_PA) / _KILO),
        "depth_m": tidy(found["depth"]),
    }


class Spring(TypedDict):
    """A spring under load."""

    force_n: float
    constant_n_m: Annotated[float, About("Spring constant in N/m")]
    extension_m: float
    extension_cm: float
    energy_j: Annotated[float, About("Stored energy")]


_SPRUNG: tuple[Rule, ...] = (
    ("force", lambda constant, extension: constant * extension),
    ("constant", lambda force, extension: force / extension),
    ("extension", lambda force, constant: force / constant),
)


@tool(
    tags="spring hooke law force constant extension stretch stiffness energy physics",
    use_when=(
        "A spring of 200 N/m is stretched by 15 cm. Force and energy?",
        "Which spring constant has a spring that 12 N stretch by 4 cm?",
        "How far does 2 kg stretch a spring of 400 N/m?",
    ),
    examples=(
        Example(
            {"constant_n_m": 200, "extension_m": 0.15},
            {"force_n": 30.0, "energy_j": 2.25},
            source="arithmetic: 200 * 0.15 and 200 * 0.15^2 / 2",
        ),
        Example(
            {"mass_kg": 2, "constant_n_m": 400}, {"extension_cm": 4.905}, source="arithmetic: 2 * 9.81 / 400 metres"
        ),
        Refusal({"force_n": 3}, "Too few values"),
    ),
    reply=(
        "A force of {force_n} N stretches a spring of {constant_n_m} N/m by {extension_cm} cm and stores {energy_j} J."
    ),
)
def spring_solve_hooke(
    force_n: Annotated[float | None, About("Force in newtons", 12, minimum=1e-30, maximum=_MOST)] = None,
    constant_n_m: Annotated[float | None, About("Spring constant in N/m", 200, minimum=1e-30, maximum=_MOST)] = None,
    extension_m: Annotated[
        float | None, About("Stretch or compression in metres", 0.15, minimum=1e-30, maximum=_MOST)
    ] = None,
    mass_kg: Annotated[
        float | None, About("Mass hanging on it, instead of a force", 2, minimum=1e-30, maximum=_MOST)
    ] = None,
    gravity_m_s2: Annotated[float, About("Acceleration of gravity", minimum=1e-30, maximum=1000)] = 9.81,
) -> Spring:
    """Solve a spring by Hooke's law (F = k x) from two of force, or hanging mass, constant and extension.

    Use it for springs and scales within their elastic limit. Also returns the energy.
    """
    force = force_n if mass_kg is None else mass_kg * gravity_m_s2
    found = complete({"force": force, "constant": constant_n_m, "extension": extension_m}, _SPRUNG)
    return {
        "force_n": tidy(found["force"]),
        "constant_n_m": tidy(found["constant"]),
        "extension_m": tidy(found["extension"]),
        "extension_cm": tidy(found["extension"] * 100),
        "energy_j": tidy(found["force"] * found["extension"] / 2),
    }


class Lever(TypedDict):
    """A balanced lever."""

    first_load: float
    first_arm: float
    second_load: float
    second_arm: float
    torque: Annotated[float, About("Torque: load times arm, equal on both sides")]


_BALANCED: tuple[Rule, ...] = (
    ("first_load", lambda second_load, second_arm, first_arm: second_load * second_arm / first_arm),
    ("first_arm", lambda second_load, second_arm, first_load: second_load * second_arm / first_load),
    ("second_load", lambda first_load, first_arm, second_arm: first_load * first_arm / second_arm),
    ("second_arm", lambda first_load, first_arm, second_load: first_load * first_arm / second_load),
)


@tool(
    tags="lever seesaw balance torque moment arm load effort fulcrum physics",
    use_when=(
        "A 30 kg child sits 2 m from the middle of a seesaw. Where must 40 kg sit?",
        "What force on a 1.5 m arm lifts 600 N at 0.25 m?",
        "Torque of 40 N at 0.3 m, and the force that balances it at 0.1 m",
    ),
    examples=(
        Example(
            {"first_load": 30, "first_arm": 2, "second_load": 40},
            {"second_arm": 1.5, "torque": 60.0},
            source="arithmetic: 30 * 2 / 40",
        ),
        Example(
            {"first_load": 600, "first_arm": 0.25, "second_arm": 1.5},
            {"second_load": 100.0},
            source="arithmetic: 600 * 0.25 / 1.5",
        ),
        Refusal({"first_load": 3, "first_arm": 1}, "Too few values"),
    ),
    reply="{first_load} at {first_arm} balances {second_load} at {second_arm}.",
)
def lever_solve_balance(
    first_load: Annotated[float | None, About("Load on one side", 30, minimum=1e-30, maximum=_MOST)] = None,
    first_arm: Annotated[
        float | None, About("Distance of that load from the fulcrum", 2, minimum=1e-30, maximum=_MOST)
    ] = None,
    second_load: Annotated[
        float | None, About("Load on the other side, in the same unit", 40, minimum=1e-30, maximum=_MOST)
    ] = None,
    second_arm: Annotated[
        float | None, About("Distance of the other load from the fulcrum", 1.5, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Lever:
    """Solve a lever in balance from three of two loads and their two distances from the fulcrum.

    Use it for seesaws, crowbars and beams. Loads may be forces or masses, both in the same unit.
    """
    values = {
        "first_load": first_load,
        "first_arm": first_arm,
        "second_load": second_load,
        "second_arm": second_arm,
    }
    found = {name: tidy(value) for name, value in complete(values, _BALANCED).items()}
    return {
        "first_load": found["first_load"],
        "first_arm": found["first_arm"],
        "second_load": found["second_load"],
        "second_arm": found["second_arm"],
        "torque": tidy(found["first_load"] * found["first_arm"]),
    }
