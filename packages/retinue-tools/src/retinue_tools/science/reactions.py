"""Chemical reactions: balancing equations, and limiting reagents."""

import re
from fractions import Fraction
from math import gcd, lcm
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science.elements_and_formulas import mass_of, parse_formula

_ARROW = re.compile(r"\s*(?:<?[-=]+>|→|⇌|=)\s*")


class Term(TypedDict):
    """A substance of a reaction."""

    formula: str
    coefficient: int
    grams: Annotated[float, About("Mass in grams for one mole of reaction")]


class Balanced(TypedDict):
    """A balanced reaction."""

    equation: str
    reactants: list[Term]
    products: list[Term]


@tool(
    tags="balance chemical equation reaction stoichiometry coefficients redox combustion",
    use_when=(
        "Balance C3H8 + O2 -> CO2 + H2O",
        "What are the coefficients of KMnO4 + HCl = KCl + MnCl2 + H2O + Cl2?",
        "Balance MnO4^- + Fe^2+ + H^+ -> Mn^2+ + Fe^3+ + H2O",
        "Balance a chemical equation",
    ),
    examples=(
        Example(
            {"equation": "C3H8 + O2 -> CO2 + H2O"},
            {"equation": "C3H8 + 5 O2 → 3 CO2 + 4 H2O"},
            source="by hand: count C, then H, then O",
        ),
        Example(
            {"equation": "KMnO4 + HCl = KCl + MnCl2 + H2O + Cl2"},
            {"equation": "2 KMnO4 + 16 HCl → 2 KCl + 2 MnCl2 + 8 H2O + 5 Cl2"},
            source="a textbook redox reaction; every element counted by hand",
        ),
        Example(
            {"equation": "MnO4^- + Fe^2+ + H^+ -> Mn^2+ + Fe^3+ + H2O"},
            {"equation": "MnO4^- + 5 Fe^2+ + 8 H^+ → Mn^2+ + 5 Fe^3+ + 4 H2O"},
            source="the permanganate titration of iron, as textbooks give it",
        ),
        Refusal({"equation": "H2 + O2 -> NaCl"}, "cannot be balanced"),
        Refusal({"equation": "H2 + O2"}, "arrow"),
    ),
    reply="The balanced equation is {equation}.",
)
def chem_balance_equation(
    equation: Annotated[
        str, About("Reaction with + and an arrow", "C3H8 + O2 -> CO2 + H2O", min_length=3, max_length=500)
    ],
) -> Balanced:
    """Balance a chemical equation, by atoms and by charge, with the smallest whole coefficients.

    Use it for any reaction with one solution, including ionic half-reactions (write charges as Fe^3+, electrons as e-).
    Existing coefficients are ignored. Returns the equation and the mass of each substance.
    """
    left, right = _sides(equation)
    parsed = [parse_formula(term) for term in (*left, *right)]
    coefficients = _balance(parsed, len(left))
    terms: list[Term] = [
        {"formula": name, "coefficient": number, "grams": number * mass_of(atoms)}
        for name, number, (atoms, _) in zip((*left, *right), coefficients, parsed, strict=True)
    ]
    reactants, products = terms[: len(left)], terms[len(left) :]
    return {"equation": f"{_render(reactants)} → {_render(products)}", "reactants": reactants, "products": products}


def _sides(equation: str) -> tuple[list[str], list[str]]:
    sides = _ARROW.split(equation.strip())
    if len(sides) != 2:
        raise ToolError("An equation has one arrow, such as H2 + O2 -> H2O.")
    left, right = (
        [
            re.sub(r"^\d+\s*(?=[A-Z(\[e])", "", term.strip())
            for term in re.split(r"\s+\+\s+|(?<=[A-Za-z0-9)\]])\+(?=[A-Z\d(\[])", side)
        ]
        for side in sides
    )
    if not all((*left, *right)) or len(left) + len(right) > 20:
        raise ToolError("Write substances on both sides of the arrow, separated by +, at most 20 in total.")
    return left, right


def _balance(parsed: list[tuple[dict[str, Fraction], int]], reactants: int) -> list[int]:
    """Return whole positive numbers that balance atoms and charges of both sides."""
    signs = [1 if place < reactants else -1 for place in range(len(parsed))]
    symbols = sorted({symbol for atoms, _ in parsed for symbol in atoms})
    rows = [
        [sign * atoms.get(symbol, Fraction(0)) for sign, (atoms, _) in zip(signs, parsed, strict=True)]
        for symbol in symbols
    ]
    rows.append([Fraction(sign * charge) for sign, (_, charge) in zip(signs, parsed, strict=True)])
    basis = null_space(rows)
    if len(basis) > 1:
        raise ToolError("This equation has several independent solutions. Split it into separate reactions.")
    if not basis or any(number * basis[0][0] <= 0 for number in basis[0]):
        raise ToolError("This equation cannot be balanced with all of its substances. Check the formulas and sides.")
    scale = lcm(*(number.denominator for number in basis[0]))
    whole = [abs(int(number * scale)) for number in basis[0]]
    return [number // gcd(*whole) for number in whole]


def null_space(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """Return a basis of the null space of a matrix, by Gauss-Jordan elimination in exact fractions."""
    matrix = [row[:] for row in rows]
    width, pivots = len(matrix[0]), list[int]()
    for column in range(width):
        rank = len(pivots)
        pivot = next((place for place in range(rank, len(matrix)) if matrix[place][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        matrix[rank] = [value / matrix[rank][column] for value in matrix[rank]]
        for place, row in enumerate(matrix):
            if place != rank and row[column]:
                matrix[place] = [a - row[column] * b for a, b in zip(row, matrix[rank], strict=True)]
        pivots.append(column)
    free = [column for column in range(width) if column not in pivots]
    return [
        [
            Fraction(column == chosen) if column not in pivots else -matrix[pivots.index(column)][chosen]
            for column in range(width)
        ]
        for chosen in free
    ]


def _render(terms: list[Term]) -> str:
    return " + ".join(
        f"{term['coefficient']} {term['formula']}" if term["coefficient"] > 1 else term["formula"] for term in terms
    )


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
    """Result of a reaction."""

    equation: Annotated[str, About("Balanced equation")]
    limiting_reagent: Annotated[str, About("Limiting reagent")]
    products: list[Made]
    reactants: Annotated[list[Left], About("Reactants with given amounts, and the required amounts of the others")]
    percent_yield: Annotated[float | None, About("Percent yield of the first product, if the actual yield is given")]


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
        Refusal({"equation": "H2 + O2 -> H2O", "amounts": {"N2": 1}}, "not a reactant"),
        Refusal({"equation": "H2 + O2 -> H2O", "amounts": {}}, "at least one"),
    ),
    reply={
        "percent_yield": (
            "{limiting_reagent} is the limiting reagent; at most "
            "{products.0.grams} g {products.0.formula} can form, and the yield "
            "is {percent_yield} %."
        ),
        "": "{limiting_reagent} is the limiting reagent; {products.0.grams} g {products.0.formula} can form.",
    },
)
def chem_find_limiting_reagent(
    equation: Annotated[str, About("Reaction with + and an arrow", "H2 + O2 -> H2O", min_length=3, max_length=500)],
    amounts: Annotated[
        dict[str, Annotated[float, About("Amount of the reactant", 10, minimum=0, maximum=1e12)]],
        About("Amounts of the reactants, by formula", {"H2": 10, "O2": 64}),
    ],
    unit: Annotated[Literal["grams", "moles"], About("Unit of the amounts")] = "grams",
    actual_grams: Annotated[
        float | None,
        About("Actual yield of the first product in grams, for the percent yield", 60, minimum=0, maximum=1e12),
    ] = None,
) -> Outcome:
    """Find the limiting reagent of a reaction, the theoretical yields, and what is left of the others.

    Use it for stoichiometry; the equation need not be balanced. Reactants without an amount are assumed to be in
    excess.
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
    """Return the moles of each reactant with a known amount."""
    formulas = [term["formula"] for term in reactants]
    if not amounts:
        raise ToolError("Give the amount of at least one reactant, by its formula.")
    for formula in amounts:
        if formula not in formulas:
            raise ToolError(f"{formula[:40]} is not a reactant. The reactants are {', '.join(formulas)}.")
    return {
        formula: amount if unit == "moles" else amount / mass_of(parse_formula(formula)[0])
        for formula, amount in amounts.items()
    }


def _left(term: Term, moles: dict[str, float], runs: float) -> Left:
    """Return the used and remaining amounts of a reactant; rounding errors of the limiting one are removed."""
    there, used = moles[term["formula"]], runs * term["coefficient"]
    rest = 0.0 if abs(there - used) <= 1e-12 * there else there - used
    gram = term["grams"] / term["coefficient"]
    return {"formula": term["formula"], "used_grams": used * gram, "left_grams": rest * gram, "left_moles": rest}


def _percent(actual: float | None, theoretical: float) -> float | None:
    return None if actual is None or not theoretical else 100 * actual / theoretical
