"""Rotation and oscillation: circular motion, pendulums and gears."""

from math import pi, sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_MOST = 1e30
_MINUTE_S = 60.0


class Circling(TypedDict):
    """A circular motion."""

    radius_m: float
    speed_m_s: float
    period_s: Annotated[float, About("Period of one revolution in seconds")]
    turns_per_minute: float
    angular_speed_rad_s: float
    acceleration_m_s2: Annotated[float, About("Centripetal acceleration")]
    force_n: Annotated[float | None, About("Centripetal force, if a mass is given")]


_CIRCLING: tuple[Rule, ...] = (
    ("angular", lambda period: 2 * pi / period),
    ("angular", lambda speed, radius: speed / radius),
    ("angular", lambda acceleration, radius: sqrt(acceleration / radius)),
    ("angular", lambda acceleration, speed: acceleration / speed),
    ("radius", lambda speed, angular: speed / angular),
    ("radius", lambda acceleration, angular: acceleration / angular**2),
    ("period", lambda angular: 2 * pi / angular),
    ("speed", lambda angular, radius: angular * radius),
    ("acceleration", lambda angular, radius: angular**2 * radius),
)


@tool(
    tags="circular motion centripetal force acceleration radius period rotation rpm centrifuge wheel speed physics",
    use_when=(
        "Centripetal force on a 900 kg car in a curve of 50 m radius at 15 m/s",
        "How fast is the rim of a wheel with 0.3 m radius at 600 rpm?",
        "Acceleration in a centrifuge of 10 cm radius at 3000 turns a minute",
    ),
    examples=(
        Example(
            {"radius_m": 50, "speed_m_s": 15, "mass_kg": 900},
            {"acceleration_m_s2": 4.5, "force_n": 4050.0, "period_s": 20.943951024},
            source="arithmetic: 15^2 / 50, times 900; 2 pi 50 / 15",
        ),
        Example(
            {"radius_m": 0.3, "turns_per_minute": 600}, {"speed_m_s": 18.849555922}, source="arithmetic: 2 pi 10 * 0.3"
        ),
        Refusal({"radius_m": 2}, "Too few values"),
    ),
    reply={
        "force_n": "The centripetal force is {force_n} N, at {speed_m_s} m/s on a radius of {radius_m} m.",
        "": (
            "At a radius of {radius_m} m and {speed_m_s} m/s, one turn takes {period_s} s "
            "({turns_per_minute} turns per minute), and the acceleration is "
            "{acceleration_m_s2} m/s\u00b2."
        ),
    },
)
def circular_solve_motion(
    radius_m: Annotated[float | None, About("Radius in metres", 50, minimum=1e-30, maximum=_MOST)] = None,
    speed_m_s: Annotated[float | None, About("Speed along the circle in m/s", 15, minimum=1e-30, maximum=_MOST)] = None,
    period_s: Annotated[
        float | None, About("Period of one revolution in seconds", 2, minimum=1e-30, maximum=_MOST)
    ] = None,
    turns_per_minute: Annotated[
        float | None, About("Revolutions per minute (rpm)", 600, minimum=1e-30, maximum=_MOST)
    ] = None,
    acceleration_m_s2: Annotated[
        float | None, About("Centripetal acceleration", 4.5, minimum=1e-30, maximum=_MOST)
    ] = None,
    mass_kg: Annotated[float | None, About("Mass, to compute the force", 900, minimum=1e-30, maximum=_MOST)] = None,
) -> Circling:
    """Solve a steady motion around a circle from two of radius, speed, period or turns (revolutions), and acceleration.

    Use it for curves, wheels and centrifuges. With a mass, it also returns the centripetal force.
    """
    period = period_s if turns_per_minute is None else _MINUTE_S / turns_per_minute
    values = {"radius": radius_m, "speed": speed_m_s, "period": period, "acceleration": acceleration_m_s2}
    found = complete(values, _CIRCLING)
    return {
        "radius_m": tidy(found["radius"]),
        "speed_m_s": tidy(found["speed"]),
        "period_s": tidy(found["period"]),
        "turns_per_minute": tidy(_MINUTE_S / found["period"]),
        "angular_speed_rad_s": tidy(found["angular"]),
        "acceleration_m_s2": tidy(found["acceleration"]),
        "force_n": mass_kg and tidy(mass_kg * found["acceleration"]),
    }


class Swinging(TypedDict):
    """A pendulum or a mass on a spring."""

    period_s: Annotated[float, About("Period of a full oscillation in seconds")]
    frequency_hz: float
    length_m: Annotated[float | None, About("Length of the pendulum")]


@tool(
    tags="pendulum period length swing oscillation frequency spring mass clock physics harmonic",
    use_when=(
        "Period of a 1.5 m pendulum",
        "How long must a pendulum be that takes 2 seconds for a swing there and back?",
        "A mass of 0.5 kg on a spring of 200 N/m: period and frequency?",
    ),
    examples=(
        Example(
            {"length_m": 1.5, "gravity_m_s2": 9.81},
            {"period_s": 2.45691, "frequency_hz": 0.407015},
            source="2 pi sqrt(1.5 / 9.81)",
            tolerance=1e-5,
        ),
        Example({"period_s": 2}, {"length_m": 0.993961}, source="9.81 / pi^2", tolerance=1e-5),
        Example(
            {"mass_kg": 0.5, "constant_n_m": 200}, {"period_s": 0.314159265}, source="2 pi sqrt(0.0025)", tolerance=1e-8
        ),
        Refusal({}, "Too few values"),
    ),
    reply={
        "length_m": "A pendulum of {length_m} m takes {period_s} s for a full swing.",
        "": "A full swing takes {period_s} s.",
    },
)
def pendulum_solve_period(
    length_m: Annotated[
        float | None, About("Length of the pendulum in metres", 1.5, minimum=1e-30, maximum=_MOST)
    ] = None,
    period_s: Annotated[
        float | None, About("Period of a full oscillation in seconds", 2, minimum=1e-30, maximum=_MOST)
    ] = None,
    mass_kg: Annotated[float | None, About("Mass on a spring", 0.5, minimum=1e-30, maximum=_MOST)] = None,
    constant_n_m: Annotated[float | None, About("Spring constant in N/m", 200, minimum=1e-30, maximum=_MOST)] = None,
    gravity_m_s2: Annotated[float, About("Acceleration of gravity", minimum=1e-30, maximum=1000)] = 9.81,
) -> Swinging:
    """Solve the period of a pendulum, or of a mass on a spring, or the length for a period.

    Use it for clocks, swings and springs. Small amplitudes are assumed.
    """
    if mass_kg is not None and constant_n_m is not None:
        return _describe_swing(2 * pi * sqrt(mass_kg / constant_n_m), None)
    rules: tuple[Rule, ...] = (
        ("period", lambda length: 2 * pi * sqrt(length / gravity_m_s2)),
        ("length", lambda period: gravity_m_s2 * (period / (2 * pi)) ** 2),
    )
    found = complete({"length": length_m, "period": period_s}, rules)
    return _describe_swing(found["period"], found["length"])


def _describe_swing(period: float, length: float | None) -> Swinging:
    return {"period_s": tidy(period), "frequency_hz": tidy(1 / period), "length_m": length and tidy(length)}


class Gearing(TypedDict):
    """A pair of gears."""

    ratio: Annotated[float, About("Revolutions of the driving wheel per revolution of the driven wheel")]
    driving_rpm: float | None
    driven_rpm: float | None
    torque_factor: Annotated[float, About("Factor of the torque, without losses")]


@tool(
    tags="gear ratio teeth rpm pulley diameter belt sprocket transmission bicycle turns speed torque",
    use_when=(
        "A 15-tooth gear drives one with 45 teeth at 1450 rpm: speed of the big one?",
        "Gear ratio of a chainring with 48 and a sprocket with 16 teeth",
        "Pulleys of 80 and 200 mm: how fast turns the driven one at 900 rpm?",
    ),
    examples=(
        Example(
            {"driving_teeth": 15, "driven_teeth": 45, "driving_rpm": 1450},
            {"ratio": 3.0, "driven_rpm": 483.333333333},
            source="arithmetic: 45 / 15; 1450 / 3",
        ),
        Example(
            {"driving_teeth": 80, "driven_teeth": 200, "driven_rpm": 360},
            {"driving_rpm": 900.0, "torque_factor": 2.5},
            source="arithmetic: 360 * 2.5",
        ),
        Refusal({"driving_teeth": 0, "driven_teeth": 5}, "driving_teeth"),
    ),
    reply={
        "driving_rpm, driven_rpm": (
            "The ratio is {ratio}:1; at {driving_rpm} rpm of the "
            "driving wheel, the driven one turns at {driven_rpm} "
            "rpm."
        ),
        "": "The ratio is {ratio}:1.",
    },
)
def gear_compute_ratio(
    driving_teeth: Annotated[float, About("Teeth or diameter of the driving wheel", 15, minimum=1e-30, maximum=1e9)],
    driven_teeth: Annotated[float, About("Teeth or diameter of the driven wheel", 45, minimum=1e-30, maximum=1e9)],
    driving_rpm: Annotated[
        float | None, About("Revolutions per minute of the driving wheel", 1450, minimum=0, maximum=1e12)
    ] = None,
    driven_rpm: Annotated[
        float | None, About("Revolutions per minute of the driven wheel", 360, minimum=0, maximum=1e12)
    ] = None,
) -> Gearing:
    """Compute the ratio of two gears, pulleys or sprockets, and how fast one of them turns when the other does.

    Use it for machines and bicycles. Give at most one of the two speeds.
    """
    ratio = driven_teeth / driving_teeth
    driving = driving_rpm if driving_rpm is not None else driven_rpm and driven_rpm * ratio
    return {
        "ratio": tidy(ratio),
        "driving_rpm": driving and tidy(driving),
        "driven_rpm": driving and tidy(driving / ratio),
        "torque_factor": tidy(ratio),
    }
