"""Lenses, refraction, waves and radioactive decay."""

from math import asin, degrees, inf, log, radians, sin, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_LIGHT_M_S = 299_792_458.0
_PLANCK_J_S = 6.62607015e-34
_EV_J = 1.602176634e-19


class Image(TypedDict):
    """Image of a lens or mirror."""

    focal_m: float
    object_m: Annotated[float, About("Distance of the object")]
    image_m: Annotated[float, About("Distance of the image, negative for a virtual one")]
    magnification: Annotated[float, About("Magnification, negative if upside down")]
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
        Refusal({"focal_m": 0.2, "object_m": 0.2}, "consistent with the other values"),
    ),
    reply=(
        "The image is {image_m} m away ({image}), with a focal length of {focal_m} m and an object at {object_m} m."
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

    Use it for cameras, projectors and magnifiers. Returns whether the image is real, upright and enlarged.
    """
    values = {"focal": focal_m, "object_": object_m, "image": image_m, "magnification": magnification}
    found = complete(values, _LENS)
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
    """Radioactive or other exponential decay."""

    half_life: float
    elapsed: Annotated[float, About("Elapsed time, in the unit of the half-life")]
    initial: float
    remaining: float
    remaining_percent: float
    decay_constant: Annotated[float, About("Decay constant per unit of time")]
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
        Refusal({"half_life": 8}, "Too few values"),
    ),
    reply=(
        "After {elapsed}, {remaining} of {initial} is left, which is {remaining_percent} %; "
        "the half-life is {half_life}."
    ),
)
def decay_solve_half_life(
    half_life: Annotated[
        float | None, About("Half-life, in any unit of time", 8.02, minimum=1e-12, maximum=1e18)
    ] = None,
    elapsed: Annotated[float | None, About("Elapsed time, in the same unit", 20, minimum=0, maximum=1e18)] = None,
    initial: Annotated[float | None, About("Initial amount or activity", 10, minimum=1e-30, maximum=1e30)] = None,
    remaining: Annotated[float | None, About("Remaining amount or activity", 2.5, minimum=1e-30, maximum=1e30)] = None,
) -> Decay:
    """Solve exponential decay from any three of half-life, time passed (elapsed), initial and remaining amount.

    Use it for radioactivity, dating, and the elimination of drugs. Without amounts, it returns the remaining share.
    """
    if half_life and elapsed is not None and initial is None and remaining is None:
        initial = 1
    found = complete({"half_life": half_life, "elapsed": elapsed, "initial": initial, "remaining": remaining}, _DECAY)
    if found["half_life"] <= 0 or found["elapsed"] < 0:
        raise ToolError("The remaining amount is greater than the initial one. Swap them.")
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
    photon_ev: Annotated[float | None, About("Photon energy; null unless it is light")]
    band: Annotated[str | None, About("Region of the electromagnetic spectrum")]
    observed_hz: Annotated[float, About("Observed frequency (Doppler)")]


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
    reply={
        "args.source_m_s": "The observed frequency is {observed_hz} Hz, of a wave with {frequency_hz} Hz.",
        "photon_ev, band": (
            "The frequency is {frequency_hz} Hz and the wavelength "
            "{wavelength_m} m ({band}); a photon has {photon_ev} eV."
        ),
        "": "The frequency is {frequency_hz} Hz and the wavelength {wavelength_m} m.",
    },
)
def wave_solve_properties(
    frequency_hz: Annotated[float | None, About("Frequency", 2.4e9, minimum=1e-9, maximum=1e30)] = None,
    wavelength_m: Annotated[float | None, About("Wavelength", 5.32e-7, minimum=1e-22, maximum=1e18)] = None,
    medium: Annotated[Literal["light", "sound"], About("Light in vacuum, or sound in air at 20 °C")] = "light",
    source_m_s: Annotated[float, About("Speed of the source towards the observer", minimum=-3e8, maximum=3e8)] = 0,
    observer_m_s: Annotated[
        float, About("Speed of the observer towards the source (sound)", minimum=-3e8, maximum=3e8)
    ] = 0,
) -> Wave:
    """Find frequency, wavelength, period, photon energy and Doppler shift of light or sound.

    Use it for radio, colours, tones and red shifts. For light, the relativistic shift by the sum of both speeds is
    used.
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


_LIGHT_KM_S = 299_792.458


class Refraction(TypedDict):
    """Refraction of light at the surface between two media."""

    refracted_degrees: Annotated[
        float | None, About("Angle to the normal in the second medium; null for total reflection")
    ]
    critical_degrees: Annotated[float | None, About("Critical angle of total reflection, if possible")]
    is_totally_reflected: bool
    speed_km_s: Annotated[float, About("Speed of light in the second medium")]


@tool(
    tags="snell refraction light angle index glass water critical total internal reflection optics physics",
    use_when=(
        "Light enters glass (n = 1.5) at 40 degrees. Angle of refraction?",
        "Critical angle from water (1.33) to air",
        "A ray goes from glass of 1.52 into water of 1.33 at 35°",
    ),
    examples=(
        Example(
            {"incident_degrees": 30, "to_index": 1.5},
            {"refracted_degrees": 19.4712206, "critical_degrees": None},
            source="asin(sin 30° / 1.5)",
            tolerance=1e-8,
        ),
        Example(
            {"incident_degrees": 60, "from_index": 1.33, "to_index": 1},
            {"is_totally_reflected": True, "refracted_degrees": None, "critical_degrees": 48.7534666},
            source="asin(1 / 1.33)",
            tolerance=1e-8,
        ),
        Refusal({"incident_degrees": 95, "to_index": 1.5}, "incident_degrees"),
    ),
    reply={
        "is_totally_reflected": "The light is totally reflected, as the critical angle is {critical_degrees}\u00b0.",
        "critical_degrees": (
            "The light leaves at {refracted_degrees}\u00b0; the critical angle is {critical_degrees}\u00b0."
        ),
        "": "The light leaves at {refracted_degrees}\u00b0.",
    },
)
def optics_solve_refraction(
    to_index: Annotated[float, About("Refractive index of the second medium", 1.5, minimum=1, maximum=100)],
    incident_degrees: Annotated[float, About("Angle of incidence to the normal", 40, minimum=0, maximum=90)] = 0,
    from_index: Annotated[
        float, About("Refractive index of the first medium; air has 1", 1, minimum=1, maximum=100)
    ] = 1,
) -> Refraction:
    """Solve the refraction of light by Snell's law: the angle behind the surface, and the critical angle.

    Use it for glass, water and fibres. Angles are relative to the normal.
    """
    bent = from_index * sin(radians(incident_degrees)) / to_index
    critical = degrees(asin(to_index / from_index)) if to_index < from_index else None
    return {
        "refracted_degrees": tidy(degrees(asin(bent))) if bent <= 1 else None,
        "critical_degrees": critical and tidy(critical),
        "is_totally_reflected": bent > 1,
        "speed_km_s": tidy(_LIGHT_KM_S / to_index),
    }
