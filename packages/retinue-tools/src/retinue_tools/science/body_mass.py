"""Body mass index from weight and height as people tell them."""

import re
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._unit_names import meanings
from retinue_tools.science._unit_table import UNITS, Unit
from retinue_tools.science.body_and_weather import bmi_class

_PART = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*([a-z]+\.?|''|['\"\u2032\u2033\u2019\u201d])?", re.IGNORECASE)
_MARKS = str.maketrans({"\u2032": "'", "\u2033": '"', "\u2019": "'", "\u201d": '"'})
_SMALLER = {"ft": "in", "st": "lb", "m": "cm"}
"""What a number without a unit means behind one: 5'11, 11 st 4, 1m82."""
_TALLEST_M = 3


class BodyMass(TypedDict):
    """Body mass index and what it means for adults."""

    bmi: Annotated[float, About("Body mass index, kg/m2")]
    bmi_class: Annotated[str, About("Class of the WHO for adults")]
    weight_kg: float
    height_m: float
    healthy_least_kg: Annotated[float, About("Weight at a BMI of 18.5")]
    healthy_most_kg: Annotated[float, About("Weight at a BMI of 24.9")]
    healthy_least_lb: float
    healthy_most_lb: float


@tool(
    tags="bmi body mass index weight height overweight underweight obese healthy pounds feet inches stone kg cm",
    use_when=(
        "BMI for 78 kg and 1.82 m",
        "I weigh 180 lb and am 5'11\" tall, what is my BMI?",
        "Am I overweight at 95 kg and 178 cm?",
        "Body mass index: 11 stone 4, 5 ft 6",
    ),
    examples=(
        Example(
            {"weight": "70 kg", "height": "175 cm"},
            {
                "bmi": 22.857142857,
                "bmi_class": "normal weight",
                "height_m": 1.75,
                "healthy_least_kg": 56.65625,
                "healthy_most_kg": 76.25625,
                "healthy_least_lb": 124.90565041911971,
                "healthy_most_lb": 168.11625380735572,
            },
            source="70 / 1.75^2, by hand",
        ),
        Example(
            {"weight": "180 lb", "height": "5'10\""},
            {"bmi": 25.8, "bmi_class": "overweight", "height_m": 1.778},
            source="US National Heart, Lung, and Blood Institute: BMI tables",
            tolerance=2e-3,
        ),
        Example(
            {"weight": "11 st 4 lb", "height": "1.68"},
            {"weight_kg": 71.66759446, "bmi_class": "overweight"},
            source="158 lb of 0.45359237 kg; over 25 * 1.68^2 = 70.56",
            tolerance=1e-6,
        ),
        Refusal({"weight": "heavy", "height": "180 cm"}, "weight such as"),
        Refusal({"weight": "80 kg", "height": "80 kg"}, "height such as"),
    ),
)
def health_compute_bmi(
    weight: Annotated[str, About("Weight with its unit; kilograms without one", "180 lb", min_length=1, max_length=40)],
    height: Annotated[
        str, About("Height with its unit; metres or centimetres without one", "5'11\"", min_length=1, max_length=40)
    ],
) -> BodyMass:
    """Compute the body mass index of an adult from weight and height in any units, with its class.

    Use it for general questions on weight; it does not replace a physician. Returns also the healthy range of weight.
    """
    kilograms = _amount(weight, "mass", "kg")
    metres = _amount(height, "length", "m")
    if metres is not None and metres > _TALLEST_M and not re.search(r"[^0-9.,\s]", height):
        metres /= 100
    if kilograms is None or not 2 <= kilograms <= 700:
        raise ToolError("Give a weight such as 78 kg, 180 lb or 11 st 4 lb.")
    if metres is None or not 0.4 <= metres <= _TALLEST_M:
        raise ToolError("Give a height such as 1.82 m, 182 cm, 70 in or 5'11\".")
    square, pound = metres**2, UNITS["lb"].factor
    return {
        "bmi": float(kilograms / square),
        "bmi_class": bmi_class(float(kilograms / square)),
        "weight_kg": float(kilograms),
        "height_m": float(metres),
        "healthy_least_kg": float(Fraction("18.5") * square),
        "healthy_most_kg": float(Fraction("24.9") * square),
        "healthy_least_lb": float(Fraction("18.5") * square / pound),
        "healthy_most_lb": float(Fraction("24.9") * square / pound),
    }


def _amount(text: str, dimension: str, without_unit: str) -> Fraction | None:
    """The sum of the parts of a quantity in its base unit; None where a part is not of the dimension."""
    plain = text.translate(_MARKS).replace("''", '"').strip()
    if re.sub(r"\band\b|[\s,]", "", _PART.sub("", plain)):
        return None
    total, unit_name = Fraction(0), without_unit
    for number, name in _PART.findall(plain):
        unit = _unit(name or unit_name, dimension)
        if unit is None:
            return None
        total += Fraction(number.replace(",", ".")) * unit.factor
        unit_name = _SMALLER.get(unit.symbol, unit.symbol)
    return total or None


def _unit(name: str, dimension: str) -> Unit | None:
    return next((unit for unit in meanings(name) if unit.dimension == dimension), None)
