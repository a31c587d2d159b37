"""The force of the wind."""

from bisect import bisect_right
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_KNOTS = {"knots": 1.0, "km/h": 1 / 1.852, "mph": 1.609344 / 1.852, "m/s": 3.6 / 1.852}
_FORCES_M_S = (0.3, 1.6, 3.4, 5.5, 8.0, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7)
"""Wind speed at which each force from 1 to 12 begins, in m/s (World Meteorological Organization)."""
_FIRST_KNOTS = (1, 4, 7, 11, 17, 22, 28, 34, 41, 48, 56, 64)
"""Whole knots with which each force from 1 to 12 begins, as the scale's table has them."""
_NAMES = (
    "calm",
    "light air",
    "light breeze",
    "gentle breeze",
    "moderate breeze",
    "fresh breeze",
    "strong breeze",
    "near gale",
    "gale",
    "strong gale",
    "storm",
    "violent storm",
    "hurricane force",
)


class WindForce(TypedDict):
    """A wind on the Beaufort scale."""

    force: Annotated[int, About("Beaufort number")]
    name: str
    from_m_s: Annotated[float, About("Speed at which this force begins")]
    below_m_s: Annotated[float | None, About("Speed at which the next one begins")]
    from_knots: float
    from_km_h: float


@tool(
    tags="beaufort wind force scale speed knots gale storm breeze weather sailing",
    use_when=(
        "Wind is 22 knots, which force is that on the Beaufort scale?",
        "What do they call a wind of 55 km/h?",
        "How fast is wind force 8?",
    ),
    examples=(
        Example({"speed": 22, "unit": "knots"}, {"force": 6, "name": "strong breeze"}, source="WMO table: 22-27 knots"),
        Example({"speed": 55, "unit": "km/h"}, {"force": 7, "name": "near gale"}, source="WMO table: 50-61 km/h"),
        Example({"force": 8}, {"name": "gale", "from_m_s": 17.2, "below_m_s": 20.8}, source="WMO table: 17.2-20.7 m/s"),
        Refusal({}, "either"),
    ),
)
def wind_convert_beaufort(
    speed: Annotated[float | None, About("Speed of the wind", 22, minimum=0, maximum=1000)] = None,
    unit: Annotated[Literal["knots", "km/h", "mph", "m/s"], About("Unit of the speed")] = "knots",
    force: Annotated[int | None, About("Beaufort number, in place of a speed", 8, minimum=0, maximum=12)] = None,
) -> WindForce:
    """Tell the force of a wind on the Beaufort scale and its name, or the speeds of a force.

    Use it for sailing and weather. Give a speed or a force.
    """
    if (speed is None) == (force is None):
        raise ToolError("Give either speed or force.")
    number = force if force is not None else _force_of((speed or 0.0) * _KNOTS[unit])
    start = _FORCES_M_S[number - 1] if number else 0.0
    return {
        "force": number,
        "name": _NAMES[number],
        "from_m_s": start,
        "below_m_s": _FORCES_M_S[number] if number < len(_FORCES_M_S) else None,
        "from_knots": round(start * 3.6 / 1.852, 1),
        "from_km_h": round(start * 3.6, 1),
    }


def _force_of(knots: float) -> int:
    return bisect_right(_FIRST_KNOTS, round(knots, 6))
