"""Motion, projectiles, and kinetic and potential energy."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from math import atan2, cos, degrees, hypot, radians, sin, sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_FAR = 1e12


class Motion(TypedDict):
    """A motion with constant acceleration."""

    distance_m: float
    initial_m_s: Annotated[float, About("Velocity at the start")]
    final_m_s: Annotated[float, About("Velocity at the end")]
    acceleration_m_s2: float
    time_s: float


def _motion(root: Callable[[float], float]) -> tuple[Rule, ...]:
    """Return the rules of a motion, with the positive or the negative square root for a velocity."""
    return (
        ("final", lambda initial, acceleration, time: initial + acceleration * time),
        ("final", lambda distance, initial, time: 2 * distance / time - initial),
        ("final", lambda distance, acceleration, time: distance / time + acceleration * time / 2),
        ("final", lambda initial, acceleration, distance: root(initial**2 + 2 * acceleration * distance)),
        ("initial", lambda final, acceleration, time: final - acceleration * time),
        ("initial", lambda distance, final, time: 2 * distance / time - final),
        ("initial", lambda final, acceleration, distance: root(final**2 - 2 * acceleration * distance)),
        ("time", lambda distance, initial, final: 2 * distance / (initial + final)),
        ("time", lambda initial, final, acceleration: (final - initial) / acceleration),
        ("acceleration", lambda initial, final, time: (final - initial) / time),
        ("distance", lambda initial, final, time: (initial + final) / 2 * time),
    )


_MOTION_LAWS: tuple[Rule, ...] = (
    ("final", lambda initial, acceleration, time: initial + acceleration * time),
    ("distance", lambda initial, final, time: (initial + final) / 2 * time),
)
"""Rules without a root or a quotient, which also hold for motions that reverse."""


def _solve(values: Mapping[str, float | None]) -> dict[str, float]:
    """Return the motion in the future that takes the shorter time. Raises `ToolError` if there is none."""
    motions = [complete(values, _motion(sqrt), laws=_MOTION_LAWS)]
    with suppress(ToolError):
        motions.append(complete(values, _motion(lambda square: -sqrt(square)), laws=_MOTION_LAWS))
    future = [motion for motion in motions if motion["time"] >= 0]
    if not future:
        raise ToolError("The motion would be in the past: the time is negative. Check the signs.")
    return min(future, key=lambda motion: motion["time"])


@tool(
    tags="kinematics suvat acceleration velocity distance time motion braking free fall physics",
    use_when=(
        "How far does a car go that brakes from 27.8 m/s at 8 m/s2?",
        "What speed has a stone after falling 20 m?",
        "Which acceleration brings 0 to 100 km/h in 5 s, over what distance?",
        "How long does something fall, and how fast is it when it lands?",
        "Time of a free fall from a height",
    ),
    examples=(
        Example(
            {"initial_m_s": 0, "acceleration_m_s2": 9.81, "distance_m": 20},
            {"final_m_s": 19.8091, "time_s": 2.01927},
            source="free fall: v = sqrt(2 g h), t = sqrt(2 h / g)",
            tolerance=1e-5,
        ),
        Example(
            {"initial_m_s": 20, "final_m_s": 0, "time_s": 4},
            {"acceleration_m_s2": -5.0, "distance_m": 40.0, "initial_m_s": 20.0},
            source="by hand",
        ),
        Refusal({"initial_m_s": 5, "time_s": 2}, "Too few values"),
        Refusal({"initial_m_s": 1, "acceleration_m_s2": -5, "distance_m": 20}, "consistent with the other values"),
    ),
    reply=(
        "Over {distance_m} m the speed goes from {initial_m_s} to {final_m_s} m/s in "
        "{time_s} s, at {acceleration_m_s2} m/s\u00b2."
    ),
)
def motion_solve_kinematics(
    distance_m: Annotated[float | None, About("Displacement", 20, minimum=-_FAR, maximum=_FAR)] = None,
    initial_m_s: Annotated[float | None, About("Velocity at the start", 0, minimum=-_FAR, maximum=_FAR)] = None,
    final_m_s: Annotated[float | None, About("Velocity at the end", 27.8, minimum=-_FAR, maximum=_FAR)] = None,
    acceleration_m_s2: Annotated[float | None, About("Acceleration", 9.81, minimum=-_FAR, maximum=_FAR)] = None,
    time_s: Annotated[float | None, About("Duration", 4, exclusive_minimum=0, maximum=_FAR)] = None,
) -> Motion:
    """Solve a motion with constant acceleration: any three of distance, both velocities, acceleration and time.

    Use it for falling, braking and accelerating. If two motions are possible, it uses the one that does not reverse.
    """
    found = _solve(
        {
            "distance": distance_m,
            "initial": initial_m_s,
            "final": final_m_s,
            "acceleration": acceleration_m_s2,
            "time": time_s,
        }
    )
    return {
        "distance_m": found["distance"],
        "initial_m_s": found["initial"],
        "final_m_s": found["final"],
        "acceleration_m_s2": found["acceleration"],
        "time_s": found["time"],
    }


class Flight(TypedDict):
    """Trajectory of a projectile without drag."""

    range_m: Annotated[float, About("Horizontal distance to the landing")]
    apex_m: Annotated[float, About("Greatest height above the ground")]
    time_s: Annotated[float, About("Duration of the flight")]
    impact_m_s: Annotated[float, About("Speed at the landing")]
    impact_degrees: Annotated[float, About("Angle below the horizontal at the landing")]
    best_angle_degrees: Annotated[float, About("Launch angle with the maximum range")]


@tool(
    tags="projectile trajectory throw range height ballistic angle flight time physics",
    use_when=(
        "How far flies a ball thrown at 25 m/s and 40 degrees from 1.8 m height?",
        "What is the maximum height of a projectile?",
        "Which angle gives the greatest range from a 10 m cliff?",
    ),
    examples=(
        Example(
            {"speed_m_s": 20, "angle_degrees": 45, "gravity_m_s2": 10},
            {
                "range_m": 40.0,
                "apex_m": 10.0,
                "time_s": 2.8284271247,
                "best_angle_degrees": 45.0,
                "impact_degrees": 45.0,
            },
            source="v^2 sin(2a) / g, v^2 sin^2(a) / 2g, 2 v sin(a) / g",
            tolerance=1e-9,
        ),
        Example(
            {"speed_m_s": 10, "angle_degrees": 0, "height_m": 20, "gravity_m_s2": 10},
            {"range_m": 20.0, "time_s": 2.0, "impact_m_s": 22.360679775},
            source="by hand: two seconds of fall; sqrt(100 + 400)",
            tolerance=1e-9,
        ),
        Refusal({"speed_m_s": -1, "angle_degrees": 45}, "speed_m_s must be"),
    ),
    reply="It flies {range_m} m far and up to {apex_m} m high, in {time_s} s.",
)
def motion_trace_projectile(
    speed_m_s: Annotated[float, About("Launch speed", 25, exclusive_minimum=0, maximum=1e6)],
    angle_degrees: Annotated[float, About("Launch angle above the horizontal", 40, minimum=-90, maximum=90)],
    height_m: Annotated[float, About("Launch height above the ground", minimum=0, maximum=1e6)] = 0,
    gravity_m_s2: Annotated[float, About("Acceleration of gravity", minimum=0.001, maximum=1000)] = 9.80665,
) -> Flight:
    """Trace a projectile without air drag: range, greatest height, flight time, impact and the best angle.

    Use it for throws, jets and jumps over level ground.
    """
    along, up = speed_m_s * cos(radians(angle_degrees)), speed_m_s * sin(radians(angle_degrees))
    down = sqrt(up**2 + 2 * gravity_m_s2 * height_m)
    time = (up + down) / gravity_m_s2
    return {
        "range_m": along * time,
        "apex_m": height_m + (max(up, 0.0) ** 2) / (2 * gravity_m_s2),
        "time_s": time,
        "impact_m_s": hypot(along, down),
        "impact_degrees": degrees(atan2(down, along)),
        "best_angle_degrees": degrees(atan2(speed_m_s, sqrt(speed_m_s**2 + 2 * gravity_m_s2 * height_m))),
    }


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
    momentum_kg_m_s: Annotated[float, About("Momentum: mass times speed")]


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
        Refusal({"mass_kg": 5}, "Too few values"),
    ),
    reply="{mass_kg} kg at {speed_m_s} m/s has a kinetic energy of {energy_j} J ({energy_kj} kJ).",
)
def energy_solve_kinetic(
    mass_kg: Mass = None,
    speed_m_s: Annotated[float | None, About("Speed in m/s", 25, minimum=0, maximum=_MOST)] = None,
    energy_j: Energy = None,
) -> KineticEnergy:
    """Solve the kinetic energy of a moving body (E = m v^2 / 2) from any two of mass, speed and energy.

    Use it for cars, balls and bullets far below the speed of light. Also returns the momentum.
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
    """A lifted body."""

    mass_kg: float
    height_m: float
    energy_j: Annotated[float, About("Potential energy, equal to the work of lifting, in joules")]
    energy_kj: Annotated[float, About("Potential energy in kilojoules")]
    energy_kwh: Annotated[float, About("Potential energy in kilowatt-hours")]
    power_w: Annotated[float | None, About("Power in watts, if a time is given")]


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
        Refusal({"mass_kg": 5}, "Too few values"),
    ),
    reply={
        "power_w": "Lifting {mass_kg} kg by {height_m} m takes {energy_j} J, and {power_w} W in that time.",
        "": "{mass_kg} kg at a height of {height_m} m has a potential energy of {energy_j} J.",
    },
)
def energy_solve_height(
    mass_kg: Mass = None,
    height_m: Annotated[float | None, About("Height in metres", 12, minimum=0, maximum=_MOST)] = None,
    energy_j: Energy = None,
    time_s: Annotated[
        float | None, About("Lifting time in seconds, to compute the power", 4, minimum=1e-30, maximum=_MOST)
    ] = None,
    gravity_m_s2: Annotated[float, About("Acceleration of gravity", minimum=1e-30, maximum=1000)] = 9.81,
) -> PotentialEnergy:
    """Solve the potential energy of a lifted body (E = m g h) from any two of mass, height and energy.

    Use it for climbs, lifts and dams. With a time, it also returns the power.
    """
    values = {"mass": mass_kg, "height": height_m, "energy": energy_j, "gravity": gravity_m_s2}
    found = complete(values, _LIFTED)
    return {
        "mass_kg": tidy(found["mass"]),
        "height_m": tidy(found["height"]),
        "energy_j": tidy(found["energy"]),
        "energy_kj": tidy(found["energy"] / _KILO),
        "energy_kwh": tidy(found["energy"] / _JOULES_IN_KWH),
        "power_w": time_s and tidy(found["energy"] / time_s),
    }
