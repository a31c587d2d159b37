"""The energy of what moves or was lifted."""

from math import sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_KILO = 1e3
_JOULES_IN_KWH = 3.6e6
_MOST = 1e30

Mass = Annotated[float | None, About("Mass in kilograms", 1200, minimum=1e-30, maximum=_MOST)]
Energy = Annotated[float | None, About("Energy in joules", 240000, minimum=0, maximum=_MOST)]


class KineticEnergy(TypedDict):
    """A body in motion."""

    mass_kg: float
    speed_m_s: float
    energy_j: Annotated[float, About("Kinetic energy in joules")]
    energy_kj: Annotated[float, About("Kinetic energy in kilojoules")]
    energy_kwh: Annotated[float, About("Kinetic energy in kilowatt-hours")]
    momentum_kg_m_s: Annotated[float, About("Mass times speed")]


_MOVING: tuple[Rule, ...] = (
    ("energy", lambda mass, speed: mass * speed**2 / 2),
    ("mass", lambda energy, speed: 2 * energy / speed**2),
    ("speed", lambda energy, mass: sqrt(2 * energy / mass)),
)


@tool(
    tags="kinetic energy momentum mass speed velocity joule kilojoule motion bullet car physics",
    use_when=(
        "Kinetic energy of a 1,200 kg car at 90 km/h in kJ",
        "How fast is a 0.145 kg ball with 130 J of kinetic energy?",
        "What momentum and energy has a 70 kg runner at 8 m/s?",
    ),
    examples=(
        Example(
            {"mass_kg": 1200, "speed_m_s": 25},
            {"energy_j": 375000.0, "energy_kj": 375.0, "momentum_kg_m_s": 30000.0},
            source="arithmetic: 1200 * 25^2 / 2 and 1200 * 25",
        ),
        Example({"mass_kg": 4, "energy_j": 50}, {"speed_m_s": 5.0}, source="arithmetic: sqrt(2 * 50 / 4)"),
        Refusal({"mass_kg": 5}, "Too little"),
    ),
)
def energy_solve_kinetic(
    mass_kg: Mass = None,
    speed_m_s: Annotated[float | None, About("Speed in m/s", 25, minimum=0, maximum=_MOST)] = None,
    energy_j: Energy = None,
) -> KineticEnergy:
    """Solve the kinetic energy of a moving body (E = m v^2 / 2) from any two of mass, speed and energy.

    Use it for cars, balls and bullets far below the speed of light. Returns the momentum too.
    """
    found = complete({"mass": mass_kg, "speed": speed_m_s, "energy": energy_j}, _MOVING)
    return {
        "mass_kg": tidy(found["mass"]),
        "speed_m_s": tidy(found["speed"]),
        "energy_j": tidy(found["energy"]),
        "energy_kj": tidy(found["energy"] / _KILO),
        "energy_kwh": tidy(found["energy"] / _JOULES_IN_KWH),
        "momentum_kg_m_s": tidy(found["mass"] * found["speed"]),
    }


class PotentialEnergy(TypedDict):
    """A body that was lifted."""

    mass_kg: float
    height_m: float
    energy_j: Annotated[float, About("Potential energy, which is the work of lifting, in joules")]
    energy_kj: Annotated[float, About("The same in kilojoules")]
    energy_kwh: Annotated[float, About("The same in kilowatt-hours")]
    power_w: Annotated[float | None, About("Power in watts, where a time was given")]


_LIFTED: tuple[Rule, ...] = (
    ("energy", lambda mass, gravity, height: mass * gravity * height),
    ("mass", lambda energy, gravity, height: energy / (gravity * height)),
    ("height", lambda energy, mass, gravity: energy / (mass * gravity)),
    ("gravity", lambda energy, mass, height: energy / (mass * height)),
)


@tool(
    tags="potential energy height lifting work gravity power climb hoist joule physics mgh",
    use_when=(
        "Potential energy of 5 kg at 12 m height",
        "How much work is it to lift 80 kg by 3 m, and how much power in 4 seconds?",
        "How high does 1000 J lift 20 kg?",
    ),
    examples=(
        Example(
            {"mass_kg": 80, "height_m": 3, "time_s": 4, "gravity_m_s2": 9.81},
            {"energy_j": 2354.4, "power_w": 588.6},
            source="arithmetic: 80 * 9.81 * 3, divided by 4",
        ),
        Example(
            {"energy_j": 1000, "mass_kg": 20, "gravity_m_s2": 10}, {"height_m": 5.0}, source="arithmetic: 1000 / 200"
        ),
        Refusal({"mass_kg": 5}, "Too little"),
    ),
)
def energy_solve_height(
    mass_kg: Mass = None,
    height_m: Annotated[float | None, About("Height in metres", 12, minimum=0, maximum=_MOST)] = None,
    energy_j: Energy = None,
    time_s: Annotated[
        float | None, About("Seconds that the lifting takes, for the power", 4, minimum=1e-30, maximum=_MOST)
    ] = None,
    gravity_m_s2: Annotated[float, About("Acceleration of gravity", minimum=1e-30, maximum=1000)] = 9.81,
) -> PotentialEnergy:
    """Solve the potential energy of a lifted body (E = m g h) from any two of mass, height and energy.

    Use it for climbs, lifts and dams. With a time it returns the power as well.
    """
    given = {"mass": mass_kg, "height": height_m, "energy": energy_j, "gravity": gravity_m_s2}
    found = complete(given, _LIFTED)
    return {
        "mass_kg": tidy(found["mass"]),
        "height_m": tidy(found["height"]),
        "energy_j": tidy(found["energy"]),
        "energy_kj": tidy(found["energy"] / _KILO),
        "energy_kwh": tidy(found["energy"] / _JOULES_IN_KWH),
        "power_w": time_s and tidy(found["energy"] / time_s),
    }
