"""Motion, light, heat and decay: from the quantities that are known, the others."""

from math import atan2, cos, degrees, hypot, inf, log, radians, sin, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete

_LIGHT_M_S = 299_792_458.0
_PLANCK_J_S = 6.62607015e-34
_EV_J = 1.602176634e-19

_FAR = 1e12


class Motion(TypedDict):
    """A motion with constant acceleration."""

    distance_m: float
    initial_m_s: Annotated[float, About("Velocity at the start")]
    final_m_s: Annotated[float, About("Velocity at the end")]
    acceleration_m_s2: float
    time_s: float


_MOTION: tuple[Rule, ...] = (
    ("final", lambda initial, acceleration, time: initial + acceleration * time),
    ("final", lambda distance, initial, time: 2 * distance / time - initial),
    ("final", lambda distance, acceleration, time: distance / time + acceleration * time / 2),
    ("final", lambda initial, acceleration, distance: sqrt(initial**2 + 2 * acceleration * distance)),
    ("initial", lambda final, acceleration, time: final - acceleration * time),
    ("initial", lambda distance, final, time: 2 * distance / time - final),
    ("initial", lambda final, acceleration, distance: sqrt(final**2 - 2 * acceleration * distance)),
    ("time", lambda distance, initial, final: 2 * distance / (initial + final)),
    ("time", lambda initial, final, acceleration: (final - initial) / acceleration),
    ("acceleration", lambda initial, final, time: (final - initial) / time),
    ("distance", lambda initial, final, time: (initial + final) / 2 * time),
)

_MOTION_LAWS: tuple[Rule, ...] = (
    ("final", lambda initial, acceleration, time: initial + acceleration * time),
    ("distance", lambda initial, final, time: (initial + final) / 2 * time),
)
"""The rules without a root or a quotient: they hold for motions that turn back, too."""


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
        Refusal({"initial_m_s": 5, "time_s": 2}, "Too little"),
        Refusal({"initial_m_s": 1, "acceleration_m_s2": -5, "distance_m": 20}, "fits the other values"),
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

    Use it for falling, braking and speeding up. Where two motions fit, it takes the one that does not turn back.
    """
    found = complete(
        {
            "distance": distance_m,
            "initial": initial_m_s,
            "final": final_m_s,
            "acceleration": acceleration_m_s2,
            "time": time_s,
        },
        _MOTION,
        laws=_MOTION_LAWS,
    )
    if found["time"] < 0:
        raise ToolError("The motion would lie in the past: the time is negative. Look at the signs.")
    return {
        "distance_m": found["distance"],
        "initial_m_s": found["initial"],
        "final_m_s": found["final"],
        "acceleration_m_s2": found["acceleration"],
        "time_s": found["time"],
    }


class Flight(TypedDict):
    """The flight of a projectile without drag."""

    range_m: Annotated[float, About("Horizontal distance to the landing")]
    apex_m: Annotated[float, About("Greatest height above the ground")]
    time_s: Annotated[float, About("Duration of the flight")]
    impact_m_s: Annotated[float, About("Speed at the landing")]
    impact_degrees: Annotated[float, About("Angle below the horizontal at the landing")]
    best_angle_degrees: Annotated[float, About("Angle with the greatest range")]


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
)
def motion_trace_projectile(
    speed_m_s: Annotated[float, About("Speed at the start", 25, exclusive_minimum=0, maximum=1e6)],
    angle_degrees: Annotated[float, About("Angle above the horizontal", 40, minimum=-90, maximum=90)],
    height_m: Annotated[float, About("Height of the start above the ground", minimum=0, maximum=1e6)] = 0,
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


class Image(TypedDict):
    """What a lens or mirror shows."""

    focal_m: float
    object_m: Annotated[float, About("Distance of the object")]
    image_m: Annotated[float, About("Distance of the image, negative for a virtual one")]
    magnification: Annotated[float, About("Negative upside down")]
    image: Annotated[str, About("Real or virtual, upright or inverted, enlarged or reduced")]


_LENS: tuple[Rule, ...] = (
    ("image", lambda focal, object_: 1 / (1 / focal - 1 / object_)),
    ("object_", lambda focal, image: 1 / (1 / focal - 1 / image)),
    ("focal", lambda image, object_: 1 / (1 / image + 1 / object_)),
    ("image", lambda object_, magnification: -object_ * magnification),
    ("object_", lambda image, magnification: -image / magnification),
    ("object_", lambda focal, magnification: focal * (1 - 1 / magnification)),
    ("magnification", lambda image, object_: -image / object_),
)


@tool(
    tags="lens mirror optics focal length image distance magnification thin lens equation real virtual",
    use_when=(
        "Where is the image of an object 30 cm before a 20 cm lens?",
        "Which focal length projects a slide at 4 m enlarged 40 times?",
        "What does a concave mirror of 10 cm focal length show at 5 cm?",
    ),
    examples=(
        Example(
            {"focal_m": 0.2, "object_m": 0.3},
            {
                "image_m": 0.6,
                "magnification": -2.0,
                "image": "real, inverted, enlarged",
                "focal_m": 0.2,
                "object_m": 0.3,
            },
            source="1/f = 1/o + 1/i",
            tolerance=1e-9,
        ),
        Example(
            {"focal_m": 0.1, "object_m": 0.05},
            {"image_m": -0.1, "magnification": 2.0, "image": "virtual, upright, enlarged"},
            source="1/f = 1/o + 1/i: a magnifying glass",
            tolerance=1e-9,
        ),
        Refusal({"focal_m": 0.2, "object_m": 0.2}, "fits the other values"),
    ),
)
def optics_solve_lens(
    focal_m: Annotated[
        float | None,
        About("Focal length, negative for diverging lenses and convex mirrors", 0.2, minimum=-1e6, maximum=1e6),
    ] = None,
    object_m: Annotated[float | None, About("Distance of the object", 0.3, minimum=1e-9, maximum=1e12)] = None,
    image_m: Annotated[
        float | None, About("Distance of the image, negative if virtual", 0.6, minimum=-1e12, maximum=1e12)
    ] = None,
    magnification: Annotated[
        float | None, About("Magnification, negative upside down", -2, minimum=-1e9, maximum=1e9)
    ] = None,
) -> Image:
    """Solve a thin lens or a curved mirror from two of focal length, both distances and magnification.

    Use it for cameras, projectors and magnifiers. Says whether the image is real, upright and enlarged.
    """
    given = {"focal": focal_m, "object_": object_m, "image": image_m, "magnification": magnification}
    found = complete(given, _LENS)
    times = found["magnification"]
    words = ("real" if found["image"] > 0 else "virtual", "upright" if times > 0 else "inverted", _size(abs(times)))
    return {
        "focal_m": found["focal"],
        "object_m": found["object_"],
        "image_m": found["image"],
        "magnification": times,
        "image": ", ".join(words),
    }


def _size(times: float) -> str:
    return "same size" if abs(times - 1) < 1e-9 else "enlarged" if times > 1 else "reduced"


class Decay(TypedDict):
    """A radioactive decay, or any other exponential one."""

    half_life: float
    elapsed: Annotated[float, About("Time passed, in the unit of the half-life")]
    initial: float
    remaining: float
    remaining_percent: float
    decay_constant: Annotated[float, About("Per unit of time")]
    mean_life: float


_DECAY: tuple[Rule, ...] = (
    ("ratio", lambda initial, remaining: remaining / initial),
    ("ratio", lambda elapsed, half_life: 0.5 ** (elapsed / half_life)),
    ("remaining", lambda initial, ratio: initial * ratio),
    ("initial", lambda remaining, ratio: remaining / ratio),
    ("elapsed", lambda half_life, ratio: -half_life * log(ratio) / log(2)),
    ("half_life", lambda elapsed, ratio: -elapsed * log(2) / log(ratio)),
)


@tool(
    tags="radioactive decay half-life activity dating carbon-14 exponential remaining elimination drug",
    use_when=(
        "How much of 10 mg iodine-131 is left after 20 days (half-life 8.02 days)?",
        "How old is a bone with 25% of its carbon-14?",
        "What is the half-life if 100 falls to 30 in 5 hours?",
    ),
    examples=(
        Example(
            {"half_life": 5730, "initial": 100, "remaining": 25},
            {"elapsed": 11460.0, "remaining_percent": 25.0, "half_life": 5730.0, "mean_life": 8266.64258429376},
            source="two half-lives of carbon-14",
        ),
        Example(
            {"half_life": 8, "elapsed": 24, "initial": 10},
            {"remaining": 1.25, "decay_constant": 0.08664339756999316},
            source="three half-lives; ln 2 / 8",
        ),
        Example({"half_life": 8, "elapsed": 24}, {"initial": 1.0, "remaining": 0.125}, source="three half-lives"),
        Refusal({"half_life": 8}, "Too little"),
    ),
)
def decay_solve_half_life(
    half_life: Annotated[
        float | None, About("Half-life, in any unit of time", 8.02, minimum=1e-12, maximum=1e18)
    ] = None,
    elapsed: Annotated[float | None, About("Time passed, in the same unit", 20, minimum=0, maximum=1e18)] = None,
    initial: Annotated[float | None, About("Amount or activity at the start", 10, minimum=1e-30, maximum=1e30)] = None,
    remaining: Annotated[float | None, About("Amount or activity left", 2.5, minimum=1e-30, maximum=1e30)] = None,
) -> Decay:
    """Solve exponential decay from any three of half-life, time passed, initial and remaining amount.

    Use it for radioactivity, dating, and the elimination of drugs. Without amounts, it tells the share that is left.
    """
    if half_life and elapsed is not None and initial is None and remaining is None:
        initial = 1
    found = complete({"half_life": half_life, "elapsed": elapsed, "initial": initial, "remaining": remaining}, _DECAY)
    if found["half_life"] <= 0 or found["elapsed"] < 0:
        raise ToolError("The remaining amount is greater than the initial. Exchange them.")
    return {
        "half_life": found["half_life"],
        "elapsed": found["elapsed"],
        "initial": found["initial"],
        "remaining": found["remaining"],
        "remaining_percent": 100 * found["ratio"],
        "decay_constant": log(2) / found["half_life"],
        "mean_life": found["half_life"] / log(2),
    }


class Wave(TypedDict):
    """A wave."""

    speed_m_s: float
    frequency_hz: float
    wavelength_m: float
    period_s: float
    photon_ev: Annotated[float | None, About("Energy of a photon; null unless it is light")]
    band: Annotated[str | None, About("Part of the electromagnetic spectrum")]
    observed_hz: Annotated[float, About("Frequency for the observer (Doppler)")]


_BANDS = (
    (3e9, "radio"),
    (3e11, "microwave"),
    (4e14, "infrared"),
    (7.9e14, "visible light"),
    (3e16, "ultraviolet"),
    (3e19, "X-rays"),
    (inf, "gamma rays"),
)


@tool(
    tags="wave frequency wavelength speed photon energy doppler shift light sound spectrum",
    use_when=(
        "What frequency and photon energy has light of 532 nm?",
        "Wavelength of a 2.4 GHz signal",
        "What tone do I hear from a 440 Hz siren approaching at 30 m/s?",
        "Which wavelength has a radio frequency?",
    ),
    examples=(
        Example(
            {"wavelength_m": 5.32e-7},
            {
                "frequency_hz": 5.6351966e14,
                "photon_ev": 2.330530,
                "band": "visible light",
                "speed_m_s": 299792458.0,
                "period_s": 1.7745609864541692e-15,
            },
            source="c / wavelength, and 1239.84198 eV nm / 532 nm",
            tolerance=1e-6,
        ),
        Example(
            {"frequency_hz": 440, "medium": "sound", "source_m_s": 34.321},
            {"wavelength_m": 0.78002, "observed_hz": 488.888889, "photon_ev": None},
            source="343.21 m/s / 440 Hz; f / (1 - 0.1)",
            tolerance=1e-5,
        ),
        Refusal({"frequency_hz": 440, "medium": "sound", "source_m_s": 400}, "slower than"),
        Refusal({}, "either"),
    ),
)
def wave_solve_properties(
    frequency_hz: Annotated[float | None, About("Frequency", 2.4e9, minimum=1e-9, maximum=1e30)] = None,
    wavelength_m: Annotated[float | None, About("Wavelength", 5.32e-7, minimum=1e-22, maximum=1e18)] = None,
    medium: Annotated[Literal["light", "sound"], About("Light in vacuum, or sound in air of 20 °C")] = "light",
    source_m_s: Annotated[float, About("Speed of the source towards the observer", minimum=-3e8, maximum=3e8)] = 0,
    observer_m_s: Annotated[
        float, About("Speed of the observer towards the source (sound)", minimum=-3e8, maximum=3e8)
    ] = 0,
) -> Wave:
    """Find frequency, wavelength, period, photon energy and Doppler shift of light or sound.

    Use it for radio, colours, tones and red shifts. Light shifts relativistically, by the sum of both speeds.
    """
    if (frequency_hz is None) == (wavelength_m is None):
        raise ToolError("Give either frequency_hz or wavelength_m, and not both.")
    speed = _LIGHT_M_S if medium == "light" else 343.21
    frequency = frequency_hz or speed / (wavelength_m or 1)
    light = medium == "light"
    return {
        "speed_m_s": speed,
        "frequency_hz": frequency,
        "wavelength_m": speed / frequency,
        "period_s": 1 / frequency,
        "photon_ev": _PLANCK_J_S * frequency / _EV_J if light else None,
        "band": next(name for limit, name in _BANDS if frequency < limit) if light else None,
        "observed_hz": _observe(frequency, speed, source_m_s, observer_m_s, light),
    }


def _observe(frequency: float, speed: float, source: float, observer: float, light: bool) -> float:
    beta = (source + observer) / speed
    if max(abs(source), abs(observer)) >= speed or (light and abs(beta) >= 1):
        raise ToolError("The speeds must be slower than the wave itself.")
    return frequency * (sqrt((1 + beta) / (1 - beta)) if light else (speed + observer) / (speed - source))


class Heat(TypedDict):
    """Flow of heat."""

    watts: Annotated[float, About("Heat flow from warm to cold")]
    watts_m2: Annotated[float, About("Heat flow through a square metre")]
    u_value: Annotated[float, About("Overall coefficient, W/(m2 K)")]
    kwh_day: Annotated[float, About("Energy in a day")]
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
    """Compute the U-value and heat loss of a wall of layers, and the temperatures between them.

    Use it for insulation questions. Steady state, one-dimensional, after ISO 6946.
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
