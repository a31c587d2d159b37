"""Chemical solutions: dilution, preparation and pH."""

from math import log10, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.science.elements_and_formulas import Formula, mass_of, parse_formula

_WATER = 1e-14


class Dilution(TypedDict):
    """A dilution."""

    stock_concentration: float
    stock_volume: Annotated[float, About("Volume of stock to take")]
    final_concentration: float
    final_volume: float
    solvent_volume: Annotated[float, About("Volume of solvent to add")]
    factor: Annotated[float, About("Dilution factor: stock concentration divided by final concentration")]


_DILUTION: tuple[Rule, ...] = (
    ("stock_volume", lambda stock, final, volume: final * volume / stock),
    ("stock", lambda final, volume, stock_volume: final * volume / stock_volume),
    ("final", lambda stock, stock_volume, volume: stock * stock_volume / volume),
    ("volume", lambda stock, stock_volume, final: stock * stock_volume / final),
)


@tool(
    tags="dilution c1v1 stock concentration volume dilute laboratory molar solvent",
    use_when=(
        "How much 5 M stock do I need for 250 ml of 0.2 M?",
        "What concentration results from 10 ml of 2% in 100 ml?",
        "To what volume must I dilute 50 ml of 12 M acid to get 1 M?",
    ),
    examples=(
        Example(
            {"stock_concentration": 5, "final_concentration": 0.2, "final_volume": 250},
            {
                "stock_volume": 10.0,
                "solvent_volume": 240.0,
                "factor": 25.0,
                "stock_concentration": 5.0,
                "final_concentration": 0.2,
                "final_volume": 250.0,
            },
            source="C1 V1 = C2 V2",
        ),
        Refusal({"stock_concentration": 1, "final_concentration": 2, "final_volume": 10}, "weaker than"),
        Refusal({"stock_concentration": 1}, "Too few values"),
    ),
    reply=(
        "Take {stock_volume} of the stock and add {solvent_volume} of solvent; that gives "
        "{final_volume} with a concentration of {final_concentration}."
    ),
)
def chem_solve_dilution(
    stock_concentration: Annotated[
        float | None, About("Concentration of the stock, any unit", 5, minimum=1e-15, maximum=1e12)
    ] = None,
    stock_volume: Annotated[float | None, About("Volume of stock, any unit", 10, minimum=1e-15, maximum=1e12)] = None,
    final_concentration: Annotated[
        float | None, About("Target concentration, same unit", 0.2, minimum=1e-15, maximum=1e12)
    ] = None,
    final_volume: Annotated[float | None, About("Target volume, same unit", 250, minimum=1e-15, maximum=1e12)] = None,
) -> Dilution:
    """Solve a dilution (C1 V1 = C2 V2) from any three of its four quantities.

    Use it in the laboratory. Both concentrations have the same unit, and so do both volumes. Also returns the solvent
    to add.
    """
    values = {
        "stock": stock_concentration,
        "stock_volume": stock_volume,
        "final": final_concentration,
        "volume": final_volume,
    }
    found = complete(values, _DILUTION)
    if found["stock"] < found["final"]:
        raise ToolError("The stock is weaker than the target solution. Use a stronger stock.")
    return {
        "stock_concentration": found["stock"],
        "stock_volume": found["stock_volume"],
        "final_concentration": found["final"],
        "final_volume": found["volume"],
        "solvent_volume": found["volume"] - found["stock_volume"],
        "factor": found["stock"] / found["final"],
    }


class Solution(TypedDict):
    """Composition of a solution."""

    grams: Annotated[float, About("Mass of the substance to weigh")]
    moles: Annotated[float, About("Amount of the pure substance")]
    molar_mass_g_mol: float
    molar_mol_l: Annotated[float, About("Concentration in mol/l")]
    grams_per_litre: Annotated[float, About("Concentration in g/l")]


@tool(
    tags="prepare solution molarity grams weigh molar mass concentration laboratory recipe buffer",
    use_when=(
        "How many grams of NaCl for 500 ml of 0.15 mol/l?",
        "What molarity has 20 g/l of NaOH?",
        "How much CuSO4·5H2O of 98 % purity for 1 litre of 0.1 M?",
    ),
    examples=(
        Example(
            {"formula": "NaCl", "concentration": 1, "volume_ml": 1000},
            {"grams": 58.44, "moles": 1.0, "molar_mass_g_mol": 58.43976928000001, "grams_per_litre": 58.43976928000001},
            source="CRC Handbook: 58.443 g/mol",
            tolerance=1e-4,
        ),
        Example(
            {"formula": "NaOH", "concentration": 40, "unit": "g/l", "volume_ml": 500, "purity_percent": 50},
            {"grams": 40.0, "molar_mol_l": 1.0},
            source="39.997 g/mol; twice the 20 g for half purity",
            tolerance=1e-4,
        ),
        Refusal({"formula": "e-", "concentration": 1, "volume_ml": 1}, "substance"),
    ),
    reply={
        "args.volume_ml": (
            "Weigh in {grams} g of {args.formula} for {args.volume_ml} ml; that is {molar_mol_l} mol/l."
        ),
        "": "Weigh in {grams} g of {args.formula}; that is {molar_mol_l} mol/l or {grams_per_litre} g/l.",
    },
)
def chem_prepare_solution(
    formula: Formula,
    concentration: Annotated[float, About("Target concentration", 0.15, exclusive_minimum=0, maximum=1e6)],
    volume_ml: Annotated[float, About("Volume of the solution, ml", 500, exclusive_minimum=0, maximum=1e9)],
    unit: Annotated[Literal["mol/l", "mmol/l", "g/l", "percent_w_v"], About("Unit of the concentration")] = "mol/l",
    purity_percent: Annotated[float, About("Purity of the substance", minimum=1, maximum=100)] = 100,
) -> Solution:
    """Compute how much of a substance to weigh in for a solution of a given concentration and volume.

    Use it in the laboratory. It computes the molar mass from the formula, including hydrates, and takes purity into
    account.
    """
    mass = mass_of(parse_formula(formula)[0])
    if not mass:
        raise ToolError("This is not a substance that can be weighed. Give a formula with atoms.")
    molar = {"mol/l": 1.0, "mmol/l": 1e-3, "g/l": 1 / mass, "percent_w_v": 10 / mass}[unit] * concentration
    moles = molar * volume_ml / 1000
    return {
        "grams": moles * mass / (purity_percent / 100),
        "moles": moles,
        "molar_mass_g_mol": mass,
        "molar_mol_l": molar,
        "grams_per_litre": molar * mass,
    }


class Acidity(TypedDict):
    """Acidity of a solution."""

    ph: float
    poh: float
    hydrogen_mol_l: Annotated[float, About("Concentration of hydrogen ions")]
    hydroxide_mol_l: Annotated[float, About("Concentration of hydroxide ions")]
    dissociated_percent: Annotated[float | None, About("Degree of dissociation of a weak acid or base")]


@tool(
    tags="ph acid base buffer pka henderson-hasselbalch weak strong acidity hydrogen concentration",
    use_when=(
        "What is the pH of 0.1 mol/l acetic acid (pKa 4.76)?",
        "pH of a buffer with 0.2 M acid and 0.1 M salt, pKa 7.2",
        "pH of 0.01 M sodium hydroxide",
        "How acidic is a solution of hydrochloric acid?",
        "pH of 0.1 mol/l acetic acid",
    ),
    examples=(
        Example(
            {"kind": "buffer", "concentration_mol_l": 0.1, "pka": 4.76, "conjugate_mol_l": 0.1},
            {"ph": 4.76, "hydrogen_mol_l": 1.7371971730823303e-05, "hydroxide_mol_l": 5.756398959743226e-10},
            source="Henderson-Hasselbalch: equal parts give the pKa",
            tolerance=1e-3,
        ),
        Example({"kind": "strong_base", "concentration_mol_l": 0.01}, {"ph": 12.0, "poh": 2.0}, "14 + log 0.01", 1e-9),
        Example(
            {"kind": "weak_acid", "concentration_mol_l": 0.1, "pka": 4.76},
            {"ph": 2.8829, "dissociated_percent": 1.3096},
            source="x^2 / (0.1 - x) = 10^-4.76 solved for x = 0.0013096",
            tolerance=1e-3,
        ),
        Refusal({"kind": "weak_acid", "concentration_mol_l": 0.1}, "needs pka"),
    ),
    reply={
        "dissociated_percent": "The pH is {ph}; {dissociated_percent} % is dissociated.",
        "": "The pH is {ph}.",
    },
)
def chem_compute_ph(
    kind: Annotated[
        Literal["strong_acid", "strong_base", "weak_acid", "weak_base", "buffer"], About("Kind of solution")
    ],
    concentration_mol_l: Annotated[
        float, About("Concentration of the acid or base, mol/l", 0.1, minimum=1e-12, maximum=20)
    ],
    pka: Annotated[
        float | None, About("pKa of the acid, or of the conjugate acid of a base", 4.76, minimum=-5, maximum=20)
    ] = None,
    conjugate_mol_l: Annotated[
        float | None, About("Concentration of the salt of a buffer, mol/l", 0.1, minimum=1e-12, maximum=20)
    ] = None,
) -> Acidity:
    """Compute the pH of a strong or weak acid or base with one proton, or of a buffer, at 25 °C.

    Use it for laboratory calculations. It solves the charge balance exactly, including water; activities are assumed to
    be 1.
    """
    if kind in ("weak_acid", "weak_base", "buffer") and pka is None:
        raise ToolError(f"A {kind.replace('_', ' ')} needs pka.")
    if kind == "buffer" and conjugate_mol_l is None:
        raise ToolError("A buffer needs conjugate_mol_l, the concentration of its salt.")
    ph = _balanced_ph(kind, concentration_mol_l, 10 ** -(pka or 0.0), conjugate_mol_l or 0.0)
    hydrogen = 10**-ph
    acid_share = 10 ** -(pka or 0.0) / (10 ** -(pka or 0.0) + hydrogen)
    shares = {"weak_acid": acid_share, "weak_base": 1 - acid_share}
    return {
        "ph": ph,
        "poh": 14 - ph,
        "hydrogen_mol_l": hydrogen,
        "hydroxide_mol_l": _WATER / hydrogen,
        "dissociated_percent": 100 * shares[kind] if kind in shares else None,
    }


def _balanced_ph(kind: str, concentration: float, constant: float, salt: float) -> float:
    """Return the pH at which positive and negative charges are equal, by bisection."""
    if kind.startswith("strong"):
        half = concentration / 2 + sqrt(concentration**2 / 4 + _WATER)
        return -log10(half) if kind == "strong_acid" else 14 + log10(half)

    def surplus(ph: float) -> float:
        hydrogen = 10**-ph
        share = constant / (constant + hydrogen)
        positive = {"weak_acid": 0.0, "weak_base": concentration * (1 - share), "buffer": salt}[kind]
        negative = {"weak_acid": concentration, "weak_base": 0.0, "buffer": concentration + salt}[kind] * share
        return hydrogen - _WATER / hydrogen + positive - negative

    low, high = -2.0, 16.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    return (low + high) / 2
