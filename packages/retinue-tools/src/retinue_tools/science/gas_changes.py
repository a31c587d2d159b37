"""A gas before and after a change."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_ZERO_C = 273.15
_MOST = 1e15
Given = float | None


class GasChange(TypedDict):
    """A gas before and after."""

    first_pressure: float | None
    first_volume: float | None
    first_celsius: float | None
    second_pressure: float | None
    second_volume: float | None
    second_celsius: float | None
    second_kelvin: float | None


Measure = Annotated[float | None, About("In the same unit before and after", 2, minimum=1e-30, maximum=_MOST)]
Celsius = Annotated[float | None, About("Temperature in °C", 20, minimum=-273, maximum=1e9)]


@tool(
    tags="boyle charles gay-lussac combined gas law pressure volume temperature compress expand tyre balloon",
    use_when=(
        "Boyle's law: 4 L at 150 kPa are compressed to 1.5 L. New pressure?",
        "A tyre has 2.2 bar at 10 °C. What pressure at 45 °C?",
        "A balloon of 3 litres at 20 degrees is cooled to -40: its volume?",
    ),
    examples=(
        Example(
            {"first_pressure": 150, "first_volume": 4, "second_volume": 1.5},
            {"second_pressure": 400.0},
            source="150 * 4 / 1.5",
        ),
        Example(
            {"first_pressure": 3, "first_celsius": 0, "second_celsius": 273.15},
            {"second_pressure": 6.0},
            source="the absolute temperature doubles",
        ),
        Example(
            {"first_volume": 3, "first_celsius": 26.85, "second_volume": 2},
            {"second_celsius": -73.15, "second_kelvin": 200.0},
            source="300 K * 2 / 3",
        ),
        Refusal({"first_pressure": 3, "second_volume": 2}, "all but one"),
    ),
)
def gas_compare_states(
    first_pressure: Measure = None,
    first_volume: Measure = None,
    first_celsius: Celsius = None,
    second_pressure: Measure = None,
    second_volume: Measure = None,
    second_celsius: Celsius = None,
) -> GasChange:
    """Solve what a gas has after a change (p V / T stays): Boyle, Charles, Gay-Lussac and the combined law.

    Use it for tyres, balloons and pumps. Leave out what stays the same, before and after, and the one asked for.
    Pressures are absolute.
    """
    first = [first_pressure, first_volume, _inverse(first_celsius)]
    second = [second_pressure, second_volume, _inverse(second_celsius)]
    at = _unknown(first, second)
    before, after = (_product(values) for values in (first, second))
    if second[at] is None:
        second[at] = before / after
    else:
        first[at] = after / before
    return {
        "first_pressure": first[0] and tidy(first[0]),
        "first_volume": first[1] and tidy(first[1]),
        "first_celsius": _celsius(first[2]),
        "second_pressure": second[0] and tidy(second[0]),
        "second_volume": second[1] and tidy(second[1]),
        "second_celsius": _celsius(second[2]),
        "second_kelvin": second[2] and tidy(1 / second[2]),
    }


def _inverse(celsius: Given) -> Given:
    """One by the absolute temperature, so that pressure, volume and this have one product."""
    return None if celsius is None else 1 / (celsius + _ZERO_C)


def _celsius(inverse: Given) -> Given:
    return inverse and tidy(1 / inverse - _ZERO_C)


def _unknown(first: list[Given], second: list[Given]) -> int:
    """Which quantity has one value only; all others have two or none."""
    single = [place for place, pair in enumerate(zip(first, second, strict=True)) if pair.count(None) == 1]
    if len(single) != 1 or all(one is None for one in (*first[: single[0]], *first[single[0] + 1 :])):
        raise ToolError("Give all but one of the values of those quantities that change, before and after.")
    return single[0]


def _product(values: list[Given]) -> float:
    product = 1.0
    for value in values:
        product *= 1.0 if value is None else value
    return product
