"""Conversion between units of measure."""

import difflib
from fractions import Fraction
from itertools import product
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._unit_names import LOWER, meanings
from retinue_tools.science._unit_table import Unit

UnitName = Annotated[str, About("Unit by symbol or English name", "km/h", min_length=1, max_length=40)]


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
        "How many megabytes a second are 100 Mbps?",
        "Torque: 80 Nm in foot-pounds",
        "How many litres per 100 km are 28 mpg?",
        "What is 500 lux in foot-candles, or 50 gauss in tesla?",
    ),
    examples=(
        Example(
            {"value": 1, "from_unit": "mile", "to_unit": "m"},
            {"value": 1609.344, "unit": "m"},
            source="NIST SP 811, B.8",
        ),
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
        Example(
            {"value": 3, "from_unit": "sq mi", "to_unit": "square km"}, {"value": 7.769964}, "NIST SP 811, B.8", 1e-7
        ),
        Example({"value": 30, "from_unit": "mpg", "to_unit": "l/100 km"}, {"value": 7.8404861}, "235.21458 / 30", 1e-7),
        Example({"value": 250, "from_unit": "Mbps", "to_unit": "megabytes per second"}, {"value": 31.25}, "250 / 8"),
        Example({"value": 12, "from_unit": "oz", "to_unit": "ml"}, {"value": 354.88235475}, "NIST SP 811, B.8"),
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

    Knows length, mass, time, area, volume, speed, pressure, energy, power, force, torque, data and rates of it, angle,
    frequency, temperature, fuel economy, light and electricity, metric, imperial and US. Returns value and unit.
    """
    source, target = _pair(from_unit, to_unit)
    return {"value": convert(value, source, target), "unit": target.symbol, "dimension": target.dimension}


def convert(value: float, source: Unit, target: Unit) -> float:
    """Exact until the last step. The decimal digits of `value` are taken at their word."""
    amount = Fraction(repr(value))
    base = source.factor / _not_zero(amount) if source.inverse else amount * source.factor + source.offset
    if source.dimension == "temperature" and base < 0:
        raise ToolError("There is no temperature below absolute zero (0 K, -273.15 °C).")
    if target.inverse:
        return float(target.factor / _not_zero(base))
    return float((base - target.offset) / target.factor)


def _not_zero(amount: Fraction) -> Fraction:
    """What is divided by. Raises `ToolError` for zero."""
    if not amount:
        raise ToolError("Zero has no inverse: give an amount other than zero for units such as l/100km or min/km.")
    return amount


def _pair(from_unit: str, to_unit: str) -> tuple[Unit, Unit]:
    """The likeliest two units of these names that measure the same."""
    sources, targets = _find(from_unit), _find(to_unit)
    for source, target in product(sources, targets):
        if source.dimension == target.dimension:
            return source, target
    raise ToolError(f"{from_unit} measures {sources[0].dimension}, {to_unit} measures {targets[0].dimension}.")


def _find(name: str) -> list[Unit]:
    """All meanings of a name. Raises `ToolError` where it has none."""
    if found := meanings(name):
        return found
    near = difflib.get_close_matches("_".join(name.lower().split()), LOWER, n=3, cutoff=0.6)
    hint = f" Did you mean {' or '.join(near)}?" if near else " Use a symbol or English name, such as km, pound or °C."
    raise ToolError(f"There is no unit {name}.{hint}")
