"""Expressions with compound units, their dimensions, and physical constants."""

import re
import tokenize
from functools import cache
from typing import Annotated, Any

import pint
from scipy import constants
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_UNBOUNDED = re.compile(r"\)\^|\^(?![+-]?\d{1,2}(?:\.\d{1,2})?(?![\d.^e]))")
_LARGEST = 1e300
_PART = r"\d+(?:\.\d+)? ?[A-Za-z]+"
_PARTS = re.compile(rf"{_PART}(?: (?:and )?{_PART})+")
"""Adjacent quantities, such as 6 ft 2 in."""

_SPELLINGS = (
    (r"\blight[- ]years?\b", "light_year"),
    (r"\bf(?:oo|ee)?t[- ]candles?\b", "(lumen/ft^2)"),
    (r"\b(?:ft|foot|feet)-(?:lbf?s?|pounds?)\b|\b(?:lbf?s?|pounds?)-(?:ft|foot|feet)\b", "(ft*lbf)"),
    (r"\b(?:in|inch)-(?:lbf?s?|pounds?)\b", "(inch*lbf)"),
    (r"\b[Ff]l\.? ?oz\b\.?|\bfluid ounces?\b", "fluid_ounce"),
    (r"\b(?:US|us) (?=gal|quart|pint|cup|fluid)", ""),
    (r"\b(?:UK|uk|[Ii]mperial|imp) (?=gal|quart|pint|cup|fluid)", "imperial_"),
    (r"\btroy (?:ounces?|oz)\b", "troy_ounce"),
    (r"\bmm Hg\b", "mmHg"),
    (r"\bin(?:ch(?:es)?)?(?: of)? (?:Hg|mercury)\b", "inHg"),
    (r"\bcm H2O\b", "cmH2O"),
    (r"\bnautical miles?\b|\bNM\b", "nautical_mile"),
    (r"\bNm\b", "(N*m)"),
    (r"\bgauss\b", "gauss_of_si"),
    (r"\bmpg\b", "(mile/gallon)"),
    (r"\b(?:[Ll]|lit(?:re|er)s?)(?: ?/ ?| per )100 ?km\b", "litre_per_100km"),
    (r"\bsq([kcm]?m)\b", r"\1^2"),
    (r"(?<![\w.^])([kcdmnuµ]?m|in|ft|yd|mi|s)([23])\b", r"\1^\2"),
)
"""Common names that pint does not know, with pint's names."""
_MARKS = (
    (r"(\d)\s*['\u2032\u2019]\s*(\d+(?:\.\d+)?)\s*(?:[\"\u2033\u201d]|'')?", r"\1 ft \2 in"),
    (r"(\d)\s*['\u2032\u2019](?!\w)", r"\1 ft"),
    (r"(\d)\s*[\"\u2033\u201d](?!\w)", r"\1 in"),
)
"""Marks of feet and inches, with their names: 5'11" is 5 ft 11 in."""

Expression = Annotated[
    str,
    About(
        "Quantity or unit with *, / and powers", "9.81 kg*m/s^2", min_length=1, max_length=120, pattern=r"^[^\[\]{}]*$"
    ),
]


@cache
def _registry() -> Any:
    registry = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    registry.define("litre_per_100km = liter / (100 * kilometer)")
    registry.define("gauss_of_si = 1e-4 tesla")
    return registry


def _quantity(text: str) -> Any:
    """Parse a quantity, or adjacent quantities of one dimension, which are added: 6 ft 2 in."""
    for pattern, spelling in _MARKS:
        text = re.sub(pattern, spelling, text)
    if _PARTS.fullmatch(text.strip()):
        first, *others = (_product(part) for part in re.findall(_PART, text))
        if all(other.dimensionality == first.dimensionality for other in others):
            try:
                return sum(others, first)
            except pint.PintError as error:
                raise ToolError(f"The temperatures of {text[:60]} cannot be added. Give one of them.") from error
    return _product(text)


def _product(text: str) -> Any:
    """Parse a product of units; powers are limited, because large ones could take forever."""
    for pattern, spelling in _SPELLINGS:
        text = re.sub(pattern, spelling, text)
    if _UNBOUNDED.search(text.replace("**", "^").replace(" ", "")):
        raise ToolError("Powers must be plain numbers of at most two digits, such as m^2 or s^-1.")
    try:
        return _registry().Quantity(text)
    except (
        pint.PintError,
        tokenize.TokenError,
        ArithmeticError,
        ValueError,
        TypeError,
        AttributeError,
        SyntaxError,
        AssertionError,
        RecursionError,
        KeyError,
    ) as error:
        raise ToolError(f"{text[:60]} is not a quantity. Write it as 9.81 kg*m/s^2 or 5 kWh/day.") from error


class Reckoned(TypedDict):
    """A quantity in another unit."""

    value: float
    unit: str
    symbol: Annotated[str, About("Symbol of the unit")]
    base_value: Annotated[float, About("Value in SI base units")]
    base_unit: str
    dimension: Annotated[str, About("Dimension, such as [length] / [time] ** 2")]


@tool(
    tags="unit compound convert expression dimension si base pint physics calculate quantity",
    use_when=(
        "Convert 5 kWh/day to watt",
        "What is 60 lbf*ft in newton metre?",
        "How much is 30 mpg*gallon/hour in km/h?",
        "What are the SI base units of a volt?",
    ),
    examples=(
        Example(
            {"expression": "24 kWh/day", "to_unit": "W"},
            {"value": 1000.0, "unit": "watt", "dimension": "[mass] * [length] ** 2 / [time] ** 3"},
            source="arithmetic",
        ),
        Example(
            {"expression": "1 volt"},
            {"base_value": 1.0, "base_unit": "kilogram * meter ** 2 / ampere / second ** 3"},
            source="SI brochure: V = kg m2 s-3 A-1",
        ),
        Example({"expression": "80 ft-lb", "to_unit": "Nm"}, {"value": 108.465435}, "NIST SP 811, B.8", 1e-6),
        Example({"expression": "30 mpg", "to_unit": "l/100km"}, {"value": 7.8404861}, "NIST SP 811, B.8", 1e-6),
        Example({"expression": "5'11\"", "to_unit": "cm"}, {"value": 180.34, "symbol": "cm"}, "71 inches of 2.54 cm"),
        Example({"expression": "6'", "to_unit": "inch"}, {"value": 72.0}, "12 inches each"),
        Refusal({"expression": "3 m", "to_unit": "s"}, "cannot be converted"),
        Refusal({"expression": "3 blorbs"}, "not a quantity"),
        Refusal({"expression": "9^9^9^9 m"}, "Powers must be"),
        Refusal({"expression": "a " * 50}, "too large"),
    ),
    reply="{args.expression} is {value} {symbol}.",
    pace="normal",
    memory_mb=1024,
)
def unit_convert_expression(
    expression: Expression,
    to_unit: Annotated[
        str | None, About("Target unit; default: SI base units", "W", min_length=1, max_length=100)
    ] = None,
) -> Reckoned:
    """Convert a quantity with compound units (products, quotients and powers) and return its dimension.

    Use it for combined units such as kWh/day or lbf*ft. Returns the value in the target unit and in SI base units.
    """
    quantity = _quantity(expression)
    if not isinstance(quantity.magnitude, int | float) or not abs(float(quantity.magnitude)) < _LARGEST:
        raise ToolError("The number of this quantity is missing or too large.")
    try:
        base = quantity.to_base_units()
        converted = base if to_unit is None else _convert(quantity, _quantity(to_unit).units)
        value, base_value = tidy(float(converted.magnitude)), tidy(float(base.magnitude))
    except pint.PintError as error:
        raise ToolError(f"{expression} cannot be converted to {to_unit}: the dimensions differ.") from error
    except ArithmeticError as error:
        raise ToolError("The result is too large. Use a smaller number.") from error
    if not max(abs(value), abs(base_value)) < _LARGEST:
        raise ToolError("The result is too large. Use a smaller number.")
    return {
        "value": value,
        "unit": str(converted.units),
        "symbol": f"{converted.units:~P}",
        "base_value": base_value,
        "base_unit": str(base.units),
        "dimension": str(quantity.dimensionality),
    }


def _convert(quantity: Any, unit: Any) -> Any:
    """Convert a quantity to a unit, or its inverse if the unit requires it, such as l/100km for mpg."""
    if quantity.dimensionality == (1 / unit).dimensionality != unit.dimensionality:
        return (1 / quantity).to(unit)
    return quantity.to(unit)


class Dimensions(TypedDict):
    """Result of comparing dimensions."""

    consistent: bool
    left_dimension: str
    right_dimension: str
    factor: Annotated[float | None, About("Left unit in right units, if the dimensions agree")]


@tool(
    tags="dimensional analysis check units equation consistent physics homogeneous",
    use_when=(
        "Is N*m the same dimension as J?",
        "Check that kg*m^2/s^3 is a watt",
        "Do the units of this formula agree on both sides?",
    ),
    examples=(
        Example({"left": "kg*m^2/s^3", "right": "W"}, {"consistent": True, "factor": 1.0}, source="SI brochure"),
        Example({"left": "N", "right": "J"}, {"consistent": False, "factor": None}, source="a joule is a newton metre"),
        Refusal({"left": "N", "right": "florps"}, "not a quantity"),
        Refusal({"left": "1e200 m", "right": "1e-200 m"}, "too large"),
    ),
    reply={
        "consistent": "Yes, both have the same dimension; {args.left} is {factor} {args.right}.",
        "consistent, not args.left": "Yes, both have the same dimension.",
        "left_dimension, right_dimension": "No, the dimensions differ: {left_dimension} and {right_dimension}.",
        "": "No, the dimensions differ.",
    },
    pace="normal",
    memory_mb=1024,
)
def unit_check_dimensions(left: Expression, right: Expression) -> Dimensions:
    """Check whether two expressions of units have the same dimension, and return the factor between them.

    Use it to test a formula by dimensional analysis.
    """
    one, other = _quantity(left), _quantity(right)
    same = one.dimensionality == other.dimensionality
    try:
        factor = float((one / other).to_base_units().magnitude) if same else None
    except (pint.PintError, ArithmeticError, TypeError):
        factor = None
    if factor is not None and not abs(factor) < _LARGEST:
        raise ToolError("The factor between the two sides is too large. Use smaller numbers.")
    return {
        "consistent": bool(same),
        "left_dimension": str(one.dimensionality),
        "right_dimension": str(other.dimensionality),
        "factor": factor,
    }


class Constant(TypedDict):
    """A physical constant."""

    name: str
    value: float
    unit: str
    uncertainty: Annotated[float, About("Standard uncertainty, 0 if exact by definition")]


class Constants(TypedDict):
    """Physical constants."""

    constants: list[Constant]
    found: int


@tool(
    tags="physical constant codata planck boltzmann avogadro electron mass speed of light value uncertainty",
    use_when=(
        "What is the value of the Planck constant?",
        "Mass of the electron with its uncertainty",
        "Which CODATA constants concern the neutron?",
    ),
    examples=(
        Example(
            {"search": "speed of light in vacuum"},
            {"constants": [{"value": 299792458.0, "unit": "m s^-1", "uncertainty": 0.0}], "found": 1},
            source="SI brochure",
        ),
        Example(
            {"search": "planck constant", "limit": 1},
            {"constants": [{"name": "Planck constant", "value": 6.62607015e-34}]},
            source="SI brochure",
        ),
        Refusal({"search": "flux capacitor"}, "No constant"),
    ),
    reply={
        "constants.1": "I found {found|constant}: {constants}",
        "constants": "The {constants.0.name} is {constants.0.value} {constants.0.unit}.",
        "constants, constants.0.name, constants.0.value": "The {constants.0.name} is {constants.0.value}.",
        "": "There is no such constant.",
    },
    pace="normal",
    memory_mb=1024,
)
def constant_find_value(
    search: Annotated[str, About("Words of its name", "electron mass", min_length=1, max_length=100)],
    limit: Annotated[int, About("Maximum number to list", minimum=1, maximum=100)] = 10,
) -> Constants:
    """Find fundamental physical constants of CODATA by words of their name, with unit and uncertainty.

    Use it for exact values. The shortest matching names come first.
    """
    words = search.lower().split()
    names = sorted(
        (name for name in constants.physical_constants if all(word in name.lower() for word in words)), key=len
    )
    if not names:
        raise ToolError("No constant has such a name. Try fewer words, such as planck or electron.")
    found: list[Constant] = [
        {"name": name, "value": float(value), "unit": unit, "uncertainty": float(error)}
        for name in names[:limit]
        for value, unit, error in (constants.physical_constants[name],)
    ]
    return {"constants": found, "found": len(names)}
