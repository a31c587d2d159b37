"""Conversion between units of measure."""

import difflib
import re
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.tools.declare import About, Example, Refusal, ToolError, tool
from retinue.tools.library.science.unit_table import UNITS, Unit

UnitName = Annotated[str, About("Unit by symbol or English name", "km/h", min_length=1, max_length=40)]

_LOWER = {name.lower(): unit for name, unit in reversed(list(UNITS.items()))}


class Conversion(TypedDict):
    """A converted quantity."""

    value: Annotated[float, About("The amount in the unit asked for")]
    unit: Annotated[str, About("Symbol of the unit asked for")]
    dimension: Annotated[str, About("What both units measure")]


@tool(
    tags="unit convert measure metric imperial length mass weight volume temperature speed energy pressure data"
    " miles kilometres grams ounces pounds celsius fahrenheit litres",
    use_when=(
        "How many kilometres are 26.2 miles?",
        "What is 98.6 °F in Celsius?",
        "Convert 180 pounds to kg",
        "How many litres does a US gallon hold?",
        "How fast is 100 km/h in mph?",
        "Convert miles to kilometres, pounds to kilograms, inches to centimetres or Fahrenheit to Celsius",
        "How many feet are 3 metres?",
    ),
    examples=(
        Example({"value": 1, "from_unit": "mile", "to_unit": "m"}, {"value": 1609.344}, source="NIST SP 811, B.8"),
        Example(
            {"value": 98.6, "from_unit": "°F", "to_unit": "°C"}, {"value": 37.0}, source="NIST SP 811, B.8: (t-32)/1.8"
        ),
        Example(
            {"value": 1, "from_unit": "psi", "to_unit": "kPa"},
            {"value": 6.894757, "dimension": "pressure"},
            source="NIST SP 811, B.8",
            tolerance=1e-7,
        ),
        Example(
            {"value": 1, "from_unit": "gallon", "to_unit": "litres"}, {"value": 3.785412}, "NIST SP 811, B.8", 1e-6
        ),
        Refusal({"value": 1, "from_unit": "km", "to_unit": "kg"}, "length, kg measures mass"),
        Refusal({"value": 1, "from_unit": "kilometrs", "to_unit": "m"}, "Did you mean kilometre"),
        Refusal({"value": -300, "from_unit": "celsius", "to_unit": "K"}, "absolute zero"),
    ),
)
def unit_convert_quantity(
    value: Annotated[float, About("Amount in the unit it is given in", 26.2, minimum=-1e30, maximum=1e30)],
    from_unit: UnitName,
    to_unit: UnitName,
) -> Conversion:
    """Convert a quantity from one unit of measure to another of the same dimension.

    Knows length, mass, time, area, volume, speed, pressure, energy, power, force, data, angle, frequency and
    temperature, metric, imperial and US. Returns the converted value with its unit.
    """
    source, target = _find(from_unit), _find(to_unit)
    if source.dimension != target.dimension:
        raise ToolError(f"{from_unit} measures {source.dimension}, {to_unit} measures {target.dimension}.")
    return {"value": convert(value, source, target), "unit": target.symbol, "dimension": target.dimension}


def convert(value: float, source: Unit, target: Unit) -> float:
    """Exact until the last step. The decimal digits of `value` are taken at their word."""
    base = Fraction(repr(value)) * source.factor + source.offset
    if source.dimension == "temperature" and base < 0:
        raise ToolError("There is no temperature below absolute zero (0 K, -273.15 °C).")
    return float((base - target.offset) / target.factor)


def _find(name: str) -> Unit:
    """A unit by symbol, else by name whatever its case or number."""
    words = "_".join(name.split()).replace("²", "2").replace("³", "3")
    lower = words.lower().removeprefix("degrees_").removeprefix("degree_")
    for known, spelling in (
        (UNITS, words),
        (_LOWER, words.lower()),
        (_LOWER, lower),
        (_LOWER, re.sub(r"s(?=[_/]|$)", "", lower)),
    ):
        if spelling in known:
            return known[spelling]
    near = difflib.get_close_matches(lower, _LOWER, n=3, cutoff=0.6)
    hint = f" Did you mean {' or '.join(near)}?" if near else " Use a symbol or English name, such as km, pound or °C."
    raise ToolError(f"There is no unit {name}.{hint}")
