"""Which substance a reaction runs out of first."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science.chemistry import Term, chem_balance_equation, mass_of, parse_formula


class Left(TypedDict):
    """A reactant after the reaction."""

    formula: str
    used_grams: float
    left_grams: float
    left_moles: float


class Made(TypedDict):
    """A product."""

    formula: str
    grams: Annotated[float, About("Theoretical yield in grams")]
    moles: float


class Outcome(TypedDict):
    """What a reaction leaves and makes."""

    equation: Annotated[str, About("The balanced equation")]
    limiting_reagent: Annotated[str, About("What is used up first")]
    products: list[Made]
    reactants: Annotated[list[Left], About("Those whose amounts were given, and what they need of the others")]
    percent_yield: Annotated[float | None, About("Of the first product, where what was really gained is given")]


@tool(
    tags="limiting reagent reactant excess theoretical yield percent stoichiometry grams moles reaction left over",
    use_when=(
        "Limiting reagent: 10 g H2 and 64 g O2 forming water, grams of water formed",
        "How much CO2 do 25 g of CH4 give when burnt in 100 g of O2?",
        "What is the theoretical yield of NH3 from 28 g N2 and 3 g H2?",
        "Which reactant is in excess, and how much is left?",
    ),
    examples=(
        Example(
            {"equation": "H2 + O2 -> H2O", "amounts": {"H2": 10, "O2": 64}},
            {
                "limiting_reagent": "O2",
                "products": [{"formula": "H2O", "grams": 72.06}],
                "reactants": [{"left_grams": 1.936}, {"left_grams": 0.0}],
            },
            source="by hand: 64 g are 2 mol O2, which make 4 mol water and take 4 mol H2",
            tolerance=2e-3,
        ),
        Example(
            {"equation": "N2 + H2 -> NH3", "amounts": {"N2": 2, "H2": 3}, "unit": "moles", "actual_grams": 17.031},
            {"limiting_reagent": "H2", "products": [{"moles": 2.0}], "percent_yield": 50.0},
            source="by hand: 3 mol H2 make 2 mol NH3, which are 34.06 g",
            tolerance=1e-4,
        ),
        Refusal({"equation": "H2 + O2 -> H2O", "amounts": {"N2": 1}}, "no reactant"),
        Refusal({"equation": "H2 + O2 -> H2O", "amounts": {}}, "at least one"),
    ),
)
def chem_find_limiting_reagent(
    equation: Annotated[str, About("Reaction with + and an arrow", "H2 + O2 -> H2O", min_length=3, max_length=500)],
    amounts: Annotated[
        dict[str, Annotated[float, About("Amount of it", 10, minimum=0, maximum=1e12)]],
        About("How much there is of the reactants, by formula", {"H2": 10, "O2": 64}),
    ],
    unit: Annotated[Literal["grams", "moles"], About("Unit of the amounts")] = "grams",
    actual_grams: Annotated[
        float | None,
        About("Grams of the first product really gained, for the percent yield", 60, minimum=0, maximum=1e12),
    ] = None,
) -> Outcome:
    """Find the limiting reagent of a reaction, the theoretical yields, and what is left of the others.

    Use it for stoichiometry; the equation need not be balanced. Reactants without an amount are taken to be plenty.
    """
    balanced = chem_balance_equation(equation)
    moles = _moles(balanced["reactants"], amounts, unit)
    coefficients = {term["formula"]: term["coefficient"] for term in balanced["reactants"]}
    limiting = min(moles, key=lambda formula: moles[formula] / coefficients[formula])
    runs = moles[limiting] / coefficients[limiting]
    products: list[Made] = [
        {"formula": term["formula"], "grams": runs * term["grams"], "moles": runs * term["coefficient"]}
        for term in balanced["products"]
    ]
    return {
        "equation": balanced["equation"],
        "limiting_reagent": limiting,
        "products": products,
        "reactants": [_left(term, moles, runs) for term in balanced["reactants"] if term["formula"] in moles],
        "percent_yield": _percent(actual_grams, products[0]["grams"]),
    }


def _moles(reactants: list[Term], amounts: dict[str, float], unit: str) -> dict[str, float]:
    """The moles of each reactant whose amount is known."""
    formulas = [term["formula"] for term in reactants]
    if not amounts:
        raise ToolError("Give the amounts of at least one reactant, by its formula.")
    for formula in amounts:
        if formula not in formulas:
            raise ToolError(f"{formula[:40]} is no reactant. The reactants are {', '.join(formulas)}.")
    return {
        formula: amount if unit == "moles" else amount / mass_of(parse_formula(formula)[0])
        for formula, amount in amounts.items()
    }


def _left(term: Term, moles: dict[str, float], runs: float) -> Left:
    """What the reaction takes of a reactant; what rounding leaves of the limiting one is nothing."""
    there, used = moles[term["formula"]], runs * term["coefficient"]
    rest = 0.0 if abs(there - used) <= 1e-12 * there else there - used
    gram = term["grams"] / term["coefficient"]
    return {"formula": term["formula"], "used_grams": used * gram, "left_grams": rest * gram, "left_moles": rest}


def _percent(actual: float | None, theoretical: float) -> float | None:
    return None if actual is None or not theoretical else 100 * actual / theoretical
