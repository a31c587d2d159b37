"""Laboratory calculations: absorption of light, centrifuges, titrations and doses."""

from math import pi, sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_GRAVITY = 9.80665
_MOST = 1e15


class Absorption(TypedDict):
    """Absorption of light by a solution."""

    absorbance: float
    transmittance_percent: float
    concentration_mol_l: float
    path_cm: float
    absorptivity_l_mol_cm: Annotated[float, About("Molar absorptivity in L/(mol cm)")]


_SWALLOWED: tuple[Rule, ...] = (
    ("absorbance", lambda absorptivity, concentration, path: absorptivity * concentration * path),
    ("concentration", lambda absorbance, absorptivity, path: absorbance / (absorptivity * path)),
    ("absorptivity", lambda absorbance, concentration, path: absorbance / (concentration * path)),
)


@tool(
    tags="beer lambert law absorbance absorptivity extinction concentration cuvette photometer transmittance chemistry",
    use_when=(
        "Absorbance 0.45, molar absorptivity 6220, 1 cm cuvette: concentration?",
        "Beer-Lambert: what absorbance has 0.0002 mol/l with epsilon 1500?",
        "Molar extinction coefficient from A = 0.6 at 0.05 mmol/l",
    ),
    examples=(
        Example(
            {"absorbance": 0.622, "absorptivity_l_mol_cm": 6220},
            {"concentration_mol_l": 0.0001, "path_cm": 1.0},
            source="arithmetic: 0.622 / 6220",
        ),
        Example(
            {"absorptivity_l_mol_cm": 1000, "concentration_mol_l": 0.001, "path_cm": 1},
            {"absorbance": 1.0, "transmittance_percent": 10.0},
            source="10^-1",
        ),
        Refusal({"absorbance": 1}, "Too few values"),
    ),
    reply=(
        "The absorbance is {absorbance} at a concentration of {concentration_mol_l} mol/l "
        "and a molar absorptivity of {absorptivity_l_mol_cm} L/(mol cm), with a path of "
        "{path_cm} cm."
    ),
)
def absorbance_solve_concentration(
    absorbance: Annotated[
        float | None, About("Absorbance (optical density)", 0.45, minimum=1e-30, maximum=1000)
    ] = None,
    concentration_mol_l: Annotated[
        float | None, About("Concentration in mol/l", 0.0001, minimum=1e-30, maximum=_MOST)
    ] = None,
    absorptivity_l_mol_cm: Annotated[
        float | None,
        About("Molar absorptivity (extinction coefficient) in L/(mol cm)", 6220, minimum=1e-30, maximum=_MOST),
    ] = None,
    path_cm: Annotated[float, About("Path length in cm", 1, minimum=1e-30, maximum=1e6)] = 1,
) -> Absorption:
    """Solve the Beer-Lambert law (A = e c l) from two of absorbance, concentration and absorptivity."""
    values = {
        "absorbance": absorbance,
        "concentration": concentration_mol_l,
        "absorptivity": absorptivity_l_mol_cm,
        "path": path_cm,
    }
    found = complete(values, _SWALLOWED)
    return {
        "absorbance": tidy(found["absorbance"]),
        "transmittance_percent": tidy(100 * 10 ** -found["absorbance"]),
        "concentration_mol_l": tidy(found["concentration"]),
        "path_cm": path_cm,
        "absorptivity_l_mol_cm": tidy(found["absorptivity"]),
    }


class Centrifuge(TypedDict):
    """A rotor."""

    rpm: float
    rcf: Annotated[float, About("Relative centrifugal force, in g")]
    radius_cm: float


@tool(
    tags="centrifuge rcf rpm g-force radius rotor convert laboratory speed",
    use_when=(
        "How many g are 3000 rpm at a radius of 10 cm?",
        "Which rpm gives 500 x g in a rotor of 16 cm?",
    ),
    examples=(
        Example(
            {"rpm": 3000, "radius_cm": 10}, {"rcf": 1006.4196}, source="(2 pi 50)^2 * 0.1 / 9.80665", tolerance=1e-6
        ),
        Example(
            {"rcf": 500, "radius_cm": 16},
            {"rpm": 1671.7},
            source="sqrt(500 * 9.80665 / 0.16) / 2 pi * 60",
            tolerance=1e-4,
        ),
        Refusal({"radius_cm": 5}, "either"),
    ),
    reply="{rpm} rpm at a radius of {radius_cm} cm is {rcf} x g.",
)
def centrifuge_convert_speed(
    radius_cm: Annotated[float, About("Radius of the rotor in cm", 10, minimum=1e-30, maximum=1e6)],
    rpm: Annotated[float | None, About("Revolutions per minute", 3000, minimum=1e-30, maximum=1e12)] = None,
    rcf: Annotated[float | None, About("Relative centrifugal force in g", 500, minimum=1e-30, maximum=_MOST)] = None,
) -> Centrifuge:
    """Convert the speed of a centrifuge between revolutions per minute (rpm) and relative centrifugal force (x g)."""
    if (rpm is None) == (rcf is None):
        raise ToolError("Give either rpm or rcf.")
    radius = radius_cm / 100
    turns = rpm or sqrt((rcf or 0.0) * _GRAVITY / radius) / (2 * pi) * 60
    return {"rpm": tidy(turns), "rcf": tidy((2 * pi * turns / 60) ** 2 * radius / _GRAVITY), "radius_cm": radius_cm}


class Titration(TypedDict):
    """A titration at its end point."""

    analyte_mol_l: Annotated[float, About("Concentration of the sample")]
    analyte_mmol: float
    titrant_mmol: float


@tool(
    tags="titration concentration acid base neutralization volume molarity burette equivalence naoh hcl chemistry",
    use_when=(
        "25 ml of HCl need 18.6 ml of 0.1 M NaOH. What is its concentration?",
        "Titrating 20 ml of sulfuric acid took 32 ml of 0.2 mol/l NaOH: molarity of the acid?",
    ),
    examples=(
        Example(
            {"titrant_mol_l": 0.1, "titrant_ml": 18.6, "analyte_ml": 25},
            {"analyte_mol_l": 0.0744, "titrant_mmol": 1.86},
            source="arithmetic: 1.86 / 25",
        ),
        Example(
            {"titrant_mol_l": 0.2, "titrant_ml": 32, "analyte_ml": 20, "titrant_per_analyte": 2},
            {"analyte_mol_l": 0.16},
            source="arithmetic: 6.4 / 2 / 20",
        ),
        Refusal({"titrant_mol_l": 0.1, "titrant_ml": 0, "analyte_ml": 20}, "titrant_ml"),
    ),
    reply="The sample has {analyte_mol_l} mol/l.",
)
def titration_solve_concentration(
    titrant_mol_l: Annotated[float, About("Concentration in the burette, mol/l", 0.1, minimum=1e-30, maximum=1000)],
    titrant_ml: Annotated[float, About("Titrant used in millilitres", 18.6, minimum=1e-30, maximum=1e9)],
    analyte_ml: Annotated[float, About("Sample volume in millilitres", 25, minimum=1e-30, maximum=1e9)],
    titrant_per_analyte: Annotated[
        float,
        About("Moles of titrant per mole of sample: 2 for H2SO4 with NaOH", 2, minimum=1e-30, maximum=100),
    ] = 1,
) -> Titration:
    """Solve a titration: the concentration of a sample from the titrant that neutralised it."""
    used = titrant_mol_l * titrant_ml
    return {
        "analyte_mol_l": tidy(used / titrant_per_analyte / analyte_ml),
        "analyte_mmol": tidy(used / titrant_per_analyte),
        "titrant_mmol": tidy(used),
    }


class Dose(TypedDict):
    """A dose by body weight."""

    dose_mg: Annotated[float, About("Single dose in mg")]
    volume_ml: Annotated[float | None, About("Single dose in ml, if a concentration is given")]
    daily_mg: float
    daily_ml: float | None
    tablets: Annotated[float | None, About("Single dose in tablets, if a tablet strength is given")]


@tool(
    tags="dose dosage mg/kg weight body medicine concentration millilitres tablets syrup drug nursing calculation",
    use_when=(
        "Child of 18 kg, 15 mg/kg paracetamol, syrup 24 mg/ml: how many ml?",
        "7.5 mg per kg three times a day at 64 kg: daily dose?",
    ),
    examples=(
        Example(
            {"weight_kg": 18, "mg_per_kg": 15, "mg_per_ml": 24, "times_a_day": 4},
            {"dose_mg": 270.0, "volume_ml": 11.25, "daily_mg": 1080.0},
            source="arithmetic: 18 * 15 / 24",
        ),
        Example({"weight_kg": 64, "mg_per_kg": 5, "tablet_mg": 160}, {"tablets": 2.0}, source="arithmetic: 320 / 160"),
        Refusal({"weight_kg": 0, "mg_per_kg": 5}, "weight_kg"),
    ),
    reply={
        "volume_ml": "The dose is {dose_mg} mg, or {volume_ml} ml, and {daily_mg} mg a day.",
        "tablets": "The dose is {dose_mg} mg, or {tablets|tablet}, and {daily_mg} mg a day.",
        "": "The dose is {dose_mg} mg, and {daily_mg} mg a day.",
    },
)
def dose_compute_amount(
    weight_kg: Annotated[float, About("Body weight in kg", 18, minimum=1e-30, maximum=10_000)],
    mg_per_kg: Annotated[float, About("Milligrams per kilogram and dose", 15, minimum=1e-30, maximum=1e6)],
    mg_per_ml: Annotated[
        float | None, About("Milligrams per millilitre of a liquid", 24, minimum=1e-30, maximum=1e6)
    ] = None,
    times_a_day: Annotated[int, About("Doses per day", 3, minimum=1, maximum=48)] = 1,
    tablet_mg: Annotated[float | None, About("Milligrams per tablet", 160, minimum=1e-30, maximum=1e6)] = None,
) -> Dose:
    """Compute a dose by body weight: milligrams, millilitres of a liquid or tablets, per dose and per day.

    Use it to check arithmetic; the prescription is up to a professional.
    """
    dose = weight_kg * mg_per_kg
    volume = None if mg_per_ml is None else dose / mg_per_ml
    return {
        "dose_mg": tidy(dose),
        "volume_ml": volume and tidy(volume),
        "daily_mg": tidy(dose * times_a_day),
        "daily_ml": volume and tidy(volume * times_a_day),
        "tablets": tablet_mg and tidy(dose / tablet_mg),
    }
