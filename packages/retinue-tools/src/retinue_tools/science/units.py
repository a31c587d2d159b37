"""Conversion between units, cooking measures and fuel economy."""

import difflib
from fractions import Fraction
from itertools import product
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._fuel_economy import MPG_IMPERIAL, MPG_US, FuelEconomy, fuel_economy
from retinue_tools.science._unit_names import LOWER, meanings
from retinue_tools.science._unit_table import Unit

UnitName = Annotated[str, About("Unit by symbol or English name", "km/h", min_length=1, max_length=40)]


class Conversion(TypedDict):
    """A converted quantity."""

    value: Annotated[float, About("Amount in the target unit")]
    unit: Annotated[str, About("Symbol of the target unit")]
    dimension: Annotated[str, About("Dimension of both units")]


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
        "Kilos to pounds",
        "Inches to centimetres",
        "Fahrenheit to Celsius",
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
    reply="{args.value} {args.from_unit} is {value} {unit}.",
)
def unit_convert_quantity(
    value: Annotated[float, About("Amount in the source unit", 26.2, minimum=-1e30, maximum=1e30)],
    from_unit: UnitName,
    to_unit: UnitName,
) -> Conversion:
    """Convert a quantity from one unit of measure to another of the same dimension.

    It supports length, mass, time, area, volume, speed, pressure, energy, power, force, torque, data and data rates,
    angle, frequency, temperature, fuel economy, light and electricity, metric, imperial and US. Returns value and unit.
    """
    source, target = _pair(from_unit, to_unit)
    return {"value": convert(value, source, target), "unit": target.symbol, "dimension": target.dimension}


def convert(value: float, source: Unit, target: Unit) -> float:
    """Convert exactly until the last step. The decimal digits of `value` are treated as exact."""
    amount = Fraction(repr(value))
    base = source.factor / _not_zero(amount) if source.inverse else amount * source.factor + source.offset
    if source.dimension == "temperature" and base < 0:
        raise ToolError("There is no temperature below absolute zero (0 K, -273.15 °C).")
    if target.inverse:
        return float(target.factor / _not_zero(base))
    return float((base - target.offset) / target.factor)


def _not_zero(amount: Fraction) -> Fraction:
    """Return a divisor. Raises `ToolError` for zero."""
    if not amount:
        raise ToolError("Zero has no inverse: give an amount other than zero for units such as l/100km or min/km.")
    return amount


def _pair(from_unit: str, to_unit: str) -> tuple[Unit, Unit]:
    """Return the most likely two units of these names with the same dimension."""
    sources, targets = _find(from_unit), _find(to_unit)
    for source, target in product(sources, targets):
        if source.dimension == target.dimension:
            return source, target
    raise ToolError(f"{from_unit} measures {sources[0].dimension}, {to_unit} measures {targets[0].dimension}.")


def _find(name: str) -> list[Unit]:
    """Return all meanings of a name. Raises `ToolError` if there is none."""
    if found := meanings(name):
        return found
    near = difflib.get_close_matches("_".join(name.lower().split()), LOWER, n=3, cutoff=0.6)
    hint = f" Did you mean {' or '.join(near)}?" if near else " Use a symbol or English name, such as km, pound or °C."
    raise ToolError(f"There is no unit {name}.{hint}")


_DENSITY = {
    "water": 1.0,
    "milk": 1.03,
    "flour": 0.528,
    "sugar": 0.845,
    "brown_sugar": 0.93,
    "powdered_sugar": 0.51,
    "butter": 0.959,
    "oil": 0.92,
    "honey": 1.42,
    "rice": 0.85,
    "oats": 0.38,
    "cocoa": 0.42,
    "salt": 1.22,
    "cornstarch": 0.54,
}
"""Grams per millilitre in kitchen measures; loose goods vary by about a tenth."""
_VOLUME_ML = {
    "ml": 1.0,
    "dl": 100.0,
    "l": 1000.0,
    "us_cup": 236.5882365,
    "metric_cup": 250.0,
    "tablespoon": 14.78676478125,
    "teaspoon": 4.92892159375,
    "fluid_ounce": 29.5735295625,
    "us_pint": 473.176473,
}
_MASS_G = {"g": 1.0, "kg": 1000.0, "ounce": 28.349523125, "pound": 453.59237, "stick_of_butter": 113.3980925}

CookingUnit = Literal[
    "ml",
    "dl",
    "l",
    "us_cup",
    "metric_cup",
    "tablespoon",
    "teaspoon",
    "fluid_ounce",
    "us_pint",
    "g",
    "kg",
    "ounce",
    "pound",
    "stick_of_butter",
]


class Cooked(TypedDict):
    """A cooking measure."""

    amount: Annotated[float, About("Amount in the target unit")]
    grams: float
    millilitres: float


@tool(
    tags="cooking recipe cups grams tablespoon teaspoon ounces flour sugar butter convert baking measure",
    use_when=(
        "How many grams are 2 cups of flour?",
        "Convert 100 g of sugar to tablespoons",
        "How much is a stick of butter in ml?",
        "How many grams is a cup of sugar?",
        "Cups to grams",
    ),
    examples=(
        Example(
            {"amount": 1, "from_unit": "us_cup", "to_unit": "g", "ingredient": "flour"},
            {"amount": 125.0, "grams": 124.918588872},
            source="USDA: a cup of all-purpose flour weighs 125 g",
            tolerance=5e-3,
        ),
        Example(
            {"amount": 250, "from_unit": "g", "to_unit": "metric_cup"},
            {"amount": 1.0, "millilitres": 250.0},
            source="a gram of water is a millilitre",
        ),
        Refusal({"amount": 0, "from_unit": "g", "to_unit": "ml"}, "amount must be"),
    ),
    reply="That is {grams} g or {millilitres} ml.",
)
def cooking_convert_measure(
    amount: Annotated[float, About("Amount", 2, exclusive_minimum=0, maximum=1e6)],
    from_unit: Annotated[CookingUnit, About("Unit of the amount; spoons and cups are US")],
    to_unit: Annotated[CookingUnit, About("Target unit")],
    ingredient: Annotated[
        Literal[
            "water",
            "milk",
            "flour",
            "sugar",
            "brown_sugar",
            "powdered_sugar",
            "butter",
            "oil",
            "honey",
            "rice",
            "oats",
            "cocoa",
            "salt",
            "cornstarch",
        ],
        About("Ingredient, to determine its density"),
    ] = "water",
) -> Cooked:
    """Convert cooking measures between volume and weight by the density of the ingredient.

    Use it for recipes: cups, spoons, grams and ounces. Densities of loose goods are typical values.
    """
    density = _DENSITY[ingredient]
    grams = amount * (_MASS_G[from_unit] if from_unit in _MASS_G else _VOLUME_ML[from_unit] * density)
    converted = grams / _MASS_G[to_unit] if to_unit in _MASS_G else grams / density / _VOLUME_ML[to_unit]
    return {"amount": converted, "grams": grams, "millilitres": grams / density}


class Economy(FuelEconomy):
    """Fuel economy in all usual units, and the cost of a trip."""

    trip_litres: Annotated[float | None, About("Fuel for the given distance")]
    trip_cost: Annotated[float | None, About("Cost of the fuel")]
    co2_g_per_km: Annotated[float, About("Carbon dioxide from petrol, 2.31 kg per litre")]


@tool(
    tags="fuel economy mpg litres per 100 km consumption convert trip cost petrol car",
    use_when=(
        "How many litres per 100 km are 30 mpg?",
        "What does a trip of 640 km cost at 6.5 l/100 km and 1.79 a litre?",
        "Convert 5 l/100 km to UK mpg",
    ),
    examples=(
        Example(
            {"value": 30, "unit": "mpg_us"},
            {"l_per_100_km": 7.840486, "mpg_imperial": 36.02850, "mpg_us": 30.0, "co2_g_per_km": 181.11522916666664},
            source="235.214583 / mpg; an imperial gallon is 1.200950 US gallons",
            tolerance=1e-6,
        ),
        Example(
            {"value": 5, "unit": "l_per_100_km", "distance_km": 300, "price_per_l": 2},
            {"trip_litres": 15.0, "trip_cost": 30.0, "km_per_l": 20.0},
            source="arithmetic",
        ),
        Refusal({"value": 0, "unit": "mpg_us"}, "value must be"),
    ),
    reply={
        "trip_cost": "The trip takes {trip_litres} litres and costs {trip_cost}, at {l_per_100_km} l per 100 km.",
        "trip_litres": "The trip takes {trip_litres} litres, at {l_per_100_km} l per 100 km.",
        "": (
            "That is {l_per_100_km} l per 100 km, {km_per_l} km per litre, {mpg_us} mpg "
            "(US) or {mpg_imperial} mpg (imperial)."
        ),
    },
)
def fuel_convert_economy(
    value: Annotated[float, About("Economy or consumption", 30, minimum=0.001, maximum=100_000)],
    unit: Annotated[Literal["mpg_us", "mpg_imperial", "l_per_100_km", "km_per_l"], About("Unit of the value")],
    distance_km: Annotated[float | None, About("Length of a trip", 640, minimum=0, maximum=1e7)] = None,
    price_per_l: Annotated[float | None, About("Price per litre", 1.79, minimum=0, maximum=1e6)] = None,
) -> Economy:
    """Convert fuel economy between mpg (US and imperial), l/100 km and km/l, and compute fuel and cost of a trip.

    Use it to compare cars or plan a journey.
    """
    consumption = {
        "mpg_us": MPG_US / value,
        "mpg_imperial": MPG_IMPERIAL / value,
        "l_per_100_km": value,
        "km_per_l": 100 / value,
    }[unit]
    litres = None if distance_km is None else distance_km * consumption / 100
    return {
        **fuel_economy(consumption),
        "trip_litres": litres,
        "trip_cost": None if litres is None or price_per_l is None else litres * price_per_l,
        "co2_g_per_km": consumption * 23.1,
    }
