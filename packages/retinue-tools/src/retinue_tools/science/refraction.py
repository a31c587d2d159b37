"""Light at a surface."""

from math import asin, degrees, radians, sin
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_LIGHT_KM_S = 299_792.458


class Refraction(TypedDict):
    """A ray of light at the surface between two media."""

    refracted_degrees: Annotated[float | None, About("Angle to the normal in the second medium; null if none gets in")]
    critical_degrees: Annotated[float | None, About("From this angle on all is reflected, where that can be")]
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
)
def optics_solve_refraction(
    to_index: Annotated[float, About("Refractive index of the medium that it enters", 1.5, minimum=1, maximum=100)],
    incident_degrees: Annotated[float, About("Angle to the normal at which it arrives", 40, minimum=0, maximum=90)] = 0,
    from_index: Annotated[
        float, About("Refractive index of the medium that it comes from; air has 1", 1, minimum=1, maximum=100)
    ] = 1,
) -> Refraction:
    """Solve the refraction of light by Snell's law: the angle behind the surface, and the critical angle.

    Use it for glass, water and fibres. Angles are those to the normal.
    """
    bent = from_index * sin(radians(incident_degrees)) / to_index
    critical = degrees(asin(to_index / from_index)) if to_index < from_index else None
    return {
        "refracted_degrees": tidy(degrees(asin(bent))) if bent <= 1 else None,
        "critical_degrees": critical and tidy(critical),
        "is_totally_reflected": bent > 1,
        "speed_km_s": tidy(_LIGHT_KM_S / to_index),
    }
