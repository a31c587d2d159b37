"""How cold wind feels."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy

_WARMEST_C, _CALMEST_KM_H = 10.0, 4.8


class WindChill(TypedDict):
    """How cold it feels."""

    wind_chill_c: float
    wind_chill_f: float
    applies: Annotated[bool, About("Whether it is cold and windy enough: up to 10 °C, from 4.8 km/h on")]


@tool(
    tags="wind chill feels like temperature cold wind celsius fahrenheit mph winter weather",
    use_when=("Wind chill at -10 °C and 30 km/h", "How cold do 20 °F with 15 mph of wind feel?"),
    examples=(
        Example(
            {"temperature_c": -10, "wind_km_h": 30},
            {"wind_chill_c": -19.5, "applies": True},
            source="Environment Canada's table: -10 °C and 30 km/h feel like -20",
            tolerance=5e-3,
        ),
        Example({"temperature_c": 15, "wind_km_h": 30}, {"applies": False, "wind_chill_c": 15.0}, source="too warm"),
        Refusal({"temperature_c": -400, "wind_km_h": 5}, "temperature_c"),
    ),
)
def weather_compute_wind_chill(
    temperature_c: Annotated[float, About("Temperature of the air in °C", -10, minimum=-90, maximum=60)],
    wind_km_h: Annotated[float, About("Speed of the wind in km/h", 30, minimum=0, maximum=500)],
) -> WindChill:
    """Compute the wind chill: how cold air feels in the wind (index of 2001 of the US and Canadian services)."""
    applies = temperature_c <= _WARMEST_C and wind_km_h >= _CALMEST_KM_H
    power = wind_km_h**0.16
    chill = 13.12 + 0.6215 * temperature_c - 11.37 * power + 0.3965 * temperature_c * power
    felt = chill if applies else temperature_c
    return {"wind_chill_c": tidy(felt), "wind_chill_f": tidy(felt * 1.8 + 32), "applies": applies}
