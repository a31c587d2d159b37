"""Health: body mass, heart rate zones, kidney function. Nothing here replaces a physician."""

import re
from fractions import Fraction
from math import sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._unit_names import meanings
from retinue_tools.science._unit_table import UNITS, Unit
from retinue_tools.tidy import tidy

_ACTIVITY = {"sedentary": 1.2, "light": 1.375, "moderate": 1.55, "active": 1.725, "very_active": 1.9}

Sex = Annotated[Literal["female", "male"], About("Sex")]
Weight = Annotated[float, About("Weight in kilograms", 70, minimum=2, maximum=500)]
Height = Annotated[float, About("Height in centimetres", 175, minimum=40, maximum=260)]
Age = Annotated[int, About("Age in years", 40, minimum=18, maximum=110)]


class Body(TypedDict):
    """Body measurements."""

    bmi: Annotated[float, About("Body mass index, kg/m2")]
    bmi_class: Annotated[str, About("WHO class for adults")]
    healthy_least_kg: Annotated[float, About("Weight at a BMI of 18.5")]
    healthy_most_kg: Annotated[float, About("Weight at a BMI of 24.9")]
    surface_m2: Annotated[float, About("Body surface area (Mosteller 1987)")]
    resting_kcal: Annotated[float, About("Resting energy per day (Mifflin-St Jeor 1990)")]
    daily_kcal: Annotated[float, About("Energy per day including activity")]


@tool(
    tags="bmi body mass index calories energy metabolism bmr tdee weight height surface health",
    use_when=(
        "What is my BMI at 82 kg and 178 cm?",
        "How many calories does a 40-year-old woman of 65 kg and 168 cm need a day?",
        "What weight is healthy for 1.75 m?",
        "How many calories do I need a day?",
    ),
    examples=(
        Example(
            {"weight_kg": 70, "height_cm": 175, "age": 40, "sex": "male"},
            {"bmi": 22.857142857, "bmi_class": "normal weight", "resting_kcal": 1598.75, "daily_kcal": 1918.5},
            source="arithmetic: 70 / 1.75^2; 10 * 70 + 6.25 * 175 - 5 * 40 + 5, times 1.2",
            tolerance=1e-9,
        ),
        Example(
            {"weight_kg": 100, "height_cm": 160, "age": 30, "sex": "female", "activity": "moderate"},
            {"bmi_class": "obesity class II", "resting_kcal": 1689.0, "surface_m2": 2.1081851068},
            source="arithmetic: 100 / 1.6^2 = 39.06; 1000 + 1000 - 150 - 161; sqrt(160 * 100 / 3600)",
            tolerance=1e-9,
        ),
        Refusal({"weight_kg": 20, "height_cm": 120, "age": 8, "sex": "male"}, "age must be at least 18"),
    ),
    reply={
        "daily_kcal, resting_kcal": (
            "The body mass index is {bmi} ({bmi_class}); "
            "{daily_kcal} kcal a day are needed, and {resting_kcal} "
            "at rest."
        ),
        "": "The body mass index is {bmi} ({bmi_class}).",
    },
)
def health_assess_body(
    weight_kg: Weight,
    height_cm: Height,
    age: Age,
    sex: Sex,
    activity: Annotated[
        Literal["sedentary", "light", "moderate", "active", "very_active"], About("Activity level")
    ] = "sedentary",
) -> Body:
    """Assess body mass index, healthy weight, body surface and daily energy of an adult.

    Use it for general questions on weight and calories. Classes are those of the WHO; energy is computed by Mifflin and
    St Jeor.
    """
    metres = height_cm / 100
    bmi = weight_kg / metres**2
    resting = 10 * weight_kg + 6.25 * height_cm - 5 * age + (5 if sex == "male" else -161)
    if resting <= 0:
        raise ToolError(
            "These measurements are not possible for an adult: the formula gives no energy. Check weight and height."
        )
    return {
        "bmi": bmi,
        "bmi_class": bmi_class(bmi),
        "healthy_least_kg": 18.5 * metres**2,
        "healthy_most_kg": 24.9 * metres**2,
        "surface_m2": sqrt(height_cm * weight_kg / 3600),
        "resting_kcal": resting,
        "daily_kcal": resting * _ACTIVITY[activity],
    }


def bmi_class(bmi: float) -> str:
    """Return the WHO class for adults."""
    limits = (
        (18.5, "underweight"),
        (25, "normal weight"),
        (30, "overweight"),
        (35, "obesity class I"),
        (40, "obesity class II"),
    )
    return next((name for limit, name in limits if bmi < limit), "obesity class III")


class HeartZone(TypedDict):
    """A training zone."""

    zone: int
    name: str
    from_bpm: int
    to_bpm: int


class HeartZones(TypedDict):
    """Training zones."""

    maximum_bpm: int
    method: Annotated[str, About("Method for the zones")]
    zones: list[HeartZone]


@tool(
    tags="heart rate zones training maximum pulse karvonen fitness running cycling cardio",
    use_when=(
        "What are my heart-rate zones at 40 years and resting pulse 60?",
        "Maximum heart rate at age 50",
        "Which pulse is zone 2 for me?",
    ),
    examples=(
        Example(
            {"age": 40, "resting_bpm": 60},
            {"maximum_bpm": 180, "zones": [{"from_bpm": 120, "to_bpm": 132}, {}, {}, {}, {"to_bpm": 180}]},
            source="Tanaka 2001: 208 - 0.7 * 40; Karvonen: 60 + 0.5 * 120",
        ),
        Example(
            {"age": 40, "maximum_bpm": 200},
            {"zones": [{"from_bpm": 100, "to_bpm": 120}, {}, {}, {}, {}]},
            source="half and 60 % of 200",
        ),
        Refusal({"age": 40, "resting_bpm": 120, "maximum_bpm": 110}, "above the resting"),
    ),
    reply="The maximum is {maximum_bpm} beats per minute. The zones: {zones}",
)
def health_plan_heart_zones(
    age: Age,
    resting_bpm: Annotated[int | None, About("Resting heart rate", 60, minimum=25, maximum=130)] = None,
    maximum_bpm: Annotated[int | None, About("Maximum heart rate, if measured", 185, minimum=80, maximum=240)] = None,
) -> HeartZones:
    """Plan five heart-rate training zones from age, resting pulse and measured maximum.

    Use it for endurance training. The maximum is 208 - 0.7 age (Tanaka 2001) unless given; with a resting pulse, the
    zones are shares of the heart rate reserve (Karvonen 1957).
    """
    most = maximum_bpm or round(208 - 0.7 * age)
    rest = resting_bpm or 0
    if most <= rest:
        raise ToolError("The maximum pulse must be above the resting pulse.")
    names = ("very light", "light", "moderate", "hard", "maximum")
    edges = [round(rest + (most - rest) * share / 10) for share in range(5, 11)]
    return {
        "maximum_bpm": most,
        "method": "share of the heart-rate reserve (Karvonen)" if resting_bpm else "share of the maximum",
        "zones": [
            {"zone": number + 1, "name": name, "from_bpm": edges[number], "to_bpm": edges[number + 1]}
            for number, name in enumerate(names)
        ],
    }


_PART = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*([a-z]+\.?|''|['\"\u2032\u2033\u2019\u201d])?", re.IGNORECASE)
_MARKS = str.maketrans({"\u2032": "'", "\u2033": '"', "\u2019": "'", "\u201d": '"'})
_SMALLER = {"ft": "in", "st": "lb", "m": "cm"}
"""Unit of a number that follows another unit: 5'11, 11 st 4, 1m82."""
_TALLEST_M = 3


class BodyMass(TypedDict):
    """Body mass index with its class for adults."""

    bmi: Annotated[float, About("Body mass index, kg/m2")]
    bmi_class: Annotated[str, About("WHO class for adults")]
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
        "Am I overweight?",
        "What is the BMI for 70 kg and 175 cm?",
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
    reply=(
        "The body mass index is {bmi}, which is {bmi_class}; {healthy_least_kg} to "
        "{healthy_most_kg} kg would be a healthy weight."
    ),
)
def health_compute_bmi(
    weight: Annotated[str, About("Weight with its unit; default: kilograms", "180 lb", min_length=1, max_length=40)],
    height: Annotated[
        str, About("Height with its unit; default: metres or centimetres", "5'11\"", min_length=1, max_length=40)
    ],
) -> BodyMass:
    """Compute the body mass index of an adult from weight and height in any units, with its class.

    Use it for general questions on weight; it does not replace a physician. Also returns the healthy weight range.
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
    """Return the sum of the parts of a quantity in its base unit; None if a part has another dimension."""
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


_MICROMOLES_IN_MG_DL = 88.42


class Clearance(TypedDict):
    """Creatinine clearance."""

    clearance_ml_min: Annotated[float, About("After Cockcroft and Gault")]


@tool(
    tags="creatinine clearance cockcroft gault kidney renal function gfr dose age weight",
    use_when=(
        "Creatinine clearance of a woman of 72, 61 kg, creatinine 105 µmol/l",
        "Cockcroft-Gault: man, 60 years, 80 kg, creatinine 1.2 mg/dl",
    ),
    examples=(
        Example(
            {"age": 60, "weight_kg": 72, "sex": "male", "creatinine_mg_dl": 1},
            {"clearance_ml_min": 80.0},
            source="80 * 72 / 72",
        ),
        Example(
            {"age": 60, "weight_kg": 72, "sex": "female", "creatinine_umol_l": 88.42},
            {"clearance_ml_min": 68.0},
            source="times 0.85",
        ),
        Refusal({"age": 60, "weight_kg": 72, "sex": "male"}, "either"),
    ),
    reply="The creatinine clearance is {clearance_ml_min} ml/min after Cockcroft and Gault.",
)
def health_compute_clearance(
    age: Annotated[float, About("Years", 72, minimum=18, maximum=120)],
    weight_kg: Annotated[float, About("Weight in kg", 61, minimum=20, maximum=500)],
    sex: Annotated[Literal["male", "female"], About("Sex as distinguished by the formula")],
    creatinine_mg_dl: Annotated[
        float | None, About("Creatinine in the serum, mg/dl", 1.2, minimum=0.05, maximum=50)
    ] = None,
    creatinine_umol_l: Annotated[
        float | None, About("Serum creatinine in µmol/l", 105, minimum=5, maximum=5000)
    ] = None,
) -> Clearance:
    """Compute the clearance of creatinine after Cockcroft and Gault (1976). The interpretation is up to a doctor."""
    if (creatinine_mg_dl is None) == (creatinine_umol_l is None):
        raise ToolError("Give either creatinine_mg_dl or creatinine_umol_l.")
    creatinine = creatinine_mg_dl or (creatinine_umol_l or 0.0) / _MICROMOLES_IN_MG_DL
    clearance = (140 - age) * weight_kg / (72 * creatinine) * (0.85 if sex == "female" else 1)
    return {"clearance_ml_min": tidy(clearance)}


class BodySurface(TypedDict):
    """Body surface area."""

    mosteller_m2: float
    du_bois_m2: float


@tool(
    tags="body surface area bsa mosteller du bois height weight m2 dose",
    use_when=("Body surface area after Mosteller for 172 cm and 80 kg", "BSA of a child of 110 cm and 19 kg"),
    examples=(
        Example({"height_cm": 180, "weight_kg": 80}, {"mosteller_m2": 2.0}, source="sqrt(180 * 80 / 3600)"),
        Example({"height_cm": 170, "weight_kg": 70}, {"du_bois_m2": 1.81}, "0.007184 * 70^0.425 * 170^0.725", 5e-3),
        Refusal({"height_cm": 0, "weight_kg": 80}, "height_cm"),
    ),
    reply=("The body surface area is {mosteller_m2} m\u00b2 after Mosteller and {du_bois_m2} m\u00b2 after Du Bois."),
)
def health_compute_body_surface(
    height_cm: Annotated[float, About("Height in cm", 172, minimum=20, maximum=300)],
    weight_kg: Annotated[float, About("Weight in kg", 80, minimum=1, maximum=700)],
) -> BodySurface:
    """Compute the body surface area from height and weight, after Mosteller and after Du Bois."""
    return {
        "mosteller_m2": tidy(sqrt(height_cm * weight_kg / 3600)),
        "du_bois_m2": tidy(0.007184 * weight_kg**0.425 * height_cm**0.725),
    }
