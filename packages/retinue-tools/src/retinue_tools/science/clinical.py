"""Formulas of clinics."""

from math import sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MICROMOLES_IN_MG_DL = 88.42


class Clearance(TypedDict):
    """Clearance of creatinine."""

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
)
def health_compute_clearance(
    age: Annotated[float, About("Years", 72, minimum=18, maximum=120)],
    weight_kg: Annotated[float, About("Weight in kg", 61, minimum=20, maximum=500)],
    sex: Annotated[Literal["male", "female"], About("As the formula distinguishes")],
    creatinine_mg_dl: Annotated[
        float | None, About("Creatinine in the serum, mg/dl", 1.2, minimum=0.05, maximum=50)
    ] = None,
    creatinine_umol_l: Annotated[float | None, About("The same in µmol/l", 105, minimum=5, maximum=5000)] = None,
) -> Clearance:
    """Compute the clearance of creatinine after Cockcroft and Gault (1976). What follows is for a doctor to say."""
    if (creatinine_mg_dl is None) == (creatinine_umol_l is None):
        raise ToolError("Give either creatinine_mg_dl or creatinine_umol_l.")
    creatinine = creatinine_mg_dl or (creatinine_umol_l or 0.0) / _MICROMOLES_IN_MG_DL
    clearance = (140 - age) * weight_kg / (72 * creatinine) * (0.85 if sex == "female" else 1)
    return {"clearance_ml_min": tidy(clearance)}


class BodySurface(TypedDict):
    """The surface of a body."""

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
