"""Chemical elements, molar masses and empirical formulas."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

import periodictable
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._electrons import electrons_of

_TOKEN = re.compile(r"([A-Z][a-z]?)|([(\[])|([)\]])|(\d+(?:\.\d+)?)|([·*.])")
_CHARGE = re.compile(r"\^?(?:\{?(\d*)([+-])\}?)$")

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

Formula = Annotated[str, About("Chemical formula", "CuSO4·5H2O", min_length=1, max_length=200)]


class Isotope(TypedDict):
    """A natural isotope."""

    mass_number: int
    mass_u: Annotated[float, About("Mass in unified atomic mass units")]
    abundance_percent: Annotated[float, About("Natural abundance")]


class Element(TypedDict):
    """A chemical element."""

    symbol: str
    name: str
    atomic_number: int
    mass_u: Annotated[float, About("Standard atomic weight")]
    density_g_cm3: Annotated[float | None, About("Density of the solid or liquid at room temperature")]
    ions: Annotated[list[int], About("Common ion charges")]
    electron_configuration: Annotated[str, About("Electron configuration of the free atom, such as 1s2 2s2 2p4")]
    short_configuration: Annotated[str, About("Abbreviated electron configuration, such as [He] 2s2 2p4")]
    electrons_by_shell: Annotated[list[int], About("Electrons per shell, innermost first")]
    group: Annotated[int | None, About("Group of the periodic table, 1 to 18; null for lanthanides and actinides")]
    period: Annotated[int, About("Period of the periodic table")]
    isotopes: Annotated[list[Isotope], About("Natural isotopes")]


@tool(
    tags="element periodic table atomic number mass weight isotope density symbol chemistry electron configuration"
    " group period shell valence",
    use_when=(
        "What is the atomic mass of copper?",
        "Which element has number 79?",
        "Which isotopes of chlorine occur in nature, and how often?",
        "What is the electron configuration of iron?",
        "Which group and period of the periodic table is sulfur in?",
        "Facts about gold",
    ),
    examples=(
        Example(
            {"element": "copper"},
            {
                "symbol": "Cu",
                "atomic_number": 29,
                "mass_u": 63.546,
                "short_configuration": "[Ar] 3d10 4s1",
                "density_g_cm3": 8.96,
                "ions": [-2, 1, 2, 3, 4],
                "electrons_by_shell": [2, 8, 18, 1],
            },
            source="IUPAC standard atomic weights",
            tolerance=1e-4,
        ),
        Example(
            {"element": "79"},
            {"symbol": "Au", "name": "gold", "isotopes": [{"mass_number": 197, "abundance_percent": 100.0}]},
            source="IUPAC: gold has one stable isotope",
        ),
        Example(
            {"element": "Fe"},
            {"electron_configuration": "1s2 2s2 2p6 3s2 3p6 3d6 4s2", "group": 8, "period": 4},
            source="NIST Atomic Spectra Database, ground states",
        ),
        Refusal({"element": "unobtainium"}, "no element"),
    ),
    reply={
        "density_g_cm3": (
            "{name} ({symbol}) has the atomic number {atomic_number}, an "
            "atomic weight of {mass_u} u and a density of {density_g_cm3} "
            "g/cm\u00b3."
        ),
        "": "{name} ({symbol}) has the atomic number {atomic_number} and an atomic weight of {mass_u} u.",
    },
)
def element_describe_facts(
    element: Annotated[str, About("Symbol, English name or atomic number", "Cu", min_length=1, max_length=30)],
) -> Element:
    """Describe a chemical element: name, number, atomic weight, density, ions, isotopes, electrons, group and period.

    Use it for facts of the periodic table and for electron configurations.
    """
    found = _element(element.strip())
    electrons = electrons_of(found.number)
    isotopes = [found[number] for number in found.isotopes]
    return {
        "symbol": found.symbol,
        "name": found.name,
        "atomic_number": found.number,
        "mass_u": float(found.mass),
        "density_g_cm3": None if found.density is None else float(found.density),
        "ions": [int(charge) for charge in found.ions],
        "electron_configuration": electrons.full,
        "short_configuration": electrons.short,
        "electrons_by_shell": electrons.shells,
        "group": electrons.group,
        "period": electrons.period,
        "isotopes": [
            {
                "mass_number": int(isotope.isotope),
                "mass_u": float(isotope.mass),
                "abundance_percent": float(isotope.abundance),
            }
            for isotope in isotopes
            if isotope.abundance
        ],
    }


def _element(text: str) -> Any:
    for known in periodictable.elements:
        if known.number and text.lower() in (known.symbol.lower(), known.name.lower(), str(known.number)):
            return known
    raise ToolError(f"There is no element {text}. Give a symbol such as Cu, an English name or an atomic number.")


def parse_formula(text: str) -> tuple[dict[str, Fraction], int]:
    """Parse atoms and charge of a formula with brackets, hydrates and a final charge, such as SO4^2- or Fe(OH)3."""
    plain = text.translate(_SUBSCRIPTS).replace(" ", "")
    plain = re.sub(r"\((?:aq|s|l|g)\)$", "", plain)
    charge = 0
    if sign := _CHARGE.search(plain) if plain not in ("e-", "+", "-") else None:
        if "^" in sign[0] or "{" in sign[0] or not sign[1]:
            charge = int(sign[1] or 1) * (1 if sign[2] == "+" else -1)
            plain = plain[: sign.start()]
        else:
            raise ToolError(f"Write the charge of {text[:40]} after a ^, such as SO4^2- or Fe^3+.")
    if plain == "e-":
        return {}, -1
    atoms: dict[str, Fraction] = {}
    for part in re.split(r"[·*•]", plain):
        number = re.match(r"\d+", part)
        times = Fraction(number[0]) if number else Fraction(1)
        for symbol, count in _atoms(part[number.end() if number else 0 :], text).items():
            atoms[symbol] = atoms.get(symbol, Fraction(0)) + times * count
    if not atoms or max(atoms.values()) > 10**6:
        raise ToolError(f"{text[:40]} is not a chemical formula. Write it as C6H12O6, Ca(OH)2 or CuSO4·5H2O.")
    return atoms, charge


def _atoms(part: str, text: str) -> dict[str, Fraction]:
    stack: list[dict[str, Fraction]] = [{}]
    last: dict[str, Fraction] = {}
    place = 0
    while place < len(part):
        token = _TOKEN.match(part, place)
        if token is None or token[5] or (token[3] and len(stack) == 1):
            raise ToolError(f"{text[:40]} is not a chemical formula: {part[place:][:10]} is invalid.")
        place = token.end()
        if token[2]:
            stack.append({})
            continue
        if token[4]:
            _add(stack[-1], last, Fraction(token[4]) - 1)
            last = {}
            continue
        last = {_symbol(token[1]): Fraction(1)} if token[1] else stack.pop()
        _add(stack[-1], last, Fraction(1))
    if len(stack) > 1:
        raise ToolError(f"A bracket of {text[:40]} is not closed.")
    return {symbol: count for symbol, count in stack[0].items() if count > 0}


def _add(group: dict[str, Fraction], more: Mapping[str, Fraction], times: Fraction) -> None:
    for symbol, count in more.items():
        group[symbol] = group.get(symbol, Fraction(0)) + times * count


def _symbol(symbol: str) -> str:
    if symbol not in {known.symbol for known in periodictable.elements if known.number}:
        raise ToolError(f"There is no element {symbol}. Symbols begin with a capital letter, such as NaCl.")
    return symbol


def mass_of(atoms: Mapping[str, Fraction]) -> float:
    """Return the molar mass in g/mol."""
    return sum(float(count) * float(getattr(periodictable, symbol).mass) for symbol, count in atoms.items())


class Share(TypedDict):
    """An element of a compound."""

    element: str
    atoms: float
    mass_percent: float


class Compound(TypedDict):
    """A compound."""

    molar_mass_g_mol: float
    charge: int
    composition: Annotated[list[Share], About("Elements, largest share first")]
    grams: Annotated[float | None, About("Mass of the given amount")]
    moles: Annotated[float | None, About("Amount of the given mass")]


@tool(
    tags="molar mass molecular weight formula composition percent moles grams stoichiometry compound",
    use_when=(
        "What is the molar mass of Ca(OH)2?",
        "How many moles are 25 g of NaCl?",
        "Mass percent of nitrogen in NH4NO3",
        "How many grams are 0.3 mol of CuSO4·5H2O?",
    ),
    examples=(
        Example(
            {"formula": "CuSO4·5H2O"},
            {"molar_mass_g_mol": 249.68, "charge": 0},
            source="CRC Handbook: copper(II) sulfate pentahydrate 249.685",
            tolerance=1e-4,
        ),
        Example(
            {"formula": "NaCl", "grams": 58.44},
            {"moles": 1.0, "molar_mass_g_mol": 58.44, "grams": 58.44},
            source="CRC Handbook: sodium chloride 58.443",
            tolerance=1e-4,
        ),
        Example(
            {"formula": "NH4NO3"},
            {"molar_mass_g_mol": 80.043, "composition": [{"element": "O"}, {"mass_percent": 35.0}, {"element": "H"}]},
            source="ammonium nitrate: 35.0 % nitrogen",
            tolerance=1e-3,
        ),
        Refusal({"formula": "nacl"}, "not a chemical formula"),
        Refusal({"formula": "Xx2"}, "no element Xx"),
    ),
    reply={
        "args.grams, moles": (
            "The molar mass of {args.formula} is {molar_mass_g_mol} g/mol, so {grams} g are {moles} mol."
        ),
        "args.moles, grams": (
            "The molar mass of {args.formula} is {molar_mass_g_mol} g/mol, so {moles} mol are {grams} g."
        ),
        "": "The molar mass of {args.formula} is {molar_mass_g_mol} g/mol.",
    },
)
def chem_compute_molar_mass(
    formula: Formula,
    grams: Annotated[float | None, About("Mass to convert to moles", 25, minimum=0, maximum=1e15)] = None,
    moles: Annotated[float | None, About("Amount to convert to grams", 0.3, minimum=0, maximum=1e15)] = None,
) -> Compound:
    """Compute the molar mass and the composition by mass of a formula, and convert grams and moles.

    Use it for laboratory calculations. It supports brackets, hydrates (CuSO4·5H2O) and charges (SO4^2-).
    """
    atoms, charge = parse_formula(formula)
    mass = mass_of(atoms)
    if not mass:
        raise ToolError("An electron has no composition. Give a formula with atoms.")
    shares: list[Share] = [
        {"element": symbol, "atoms": float(count), "mass_percent": 100 * mass_of({symbol: count}) / mass}
        for symbol, count in atoms.items()
    ]
    return {
        "molar_mass_g_mol": mass,
        "charge": charge,
        "composition": sorted(shares, key=lambda share: -share["mass_percent"]),
        "grams": grams if moles is None else moles * mass,
        "moles": moles if grams is None else grams / mass,
    }


class Empirical(TypedDict):
    """A formula derived from an analysis."""

    empirical_formula: str
    empirical_mass_g_mol: float
    molecular_formula: Annotated[str | None, About("Molecular formula, if a molar mass is given")]
    greatest_error: Annotated[float, About("Maximum deviation of the atom ratios from whole numbers")]


class Fractional(TypedDict):
    """An element in an analysis."""

    element: Annotated[str, About("Symbol", "C", min_length=1, max_length=2)]
    mass: Annotated[float, About("Mass or percent of it", 40.0, exclusive_minimum=0, maximum=1e9)]


@tool(
    tags="empirical molecular formula elemental analysis mass percent combustion composition",
    use_when=(
        "Empirical formula of 40.0 % C, 6.7 % H and 53.3 % O",
        "A compound has 1.5 g Mg and 0.99 g O: what is its formula?",
        "Molecular formula with molar mass 180 from the elemental analysis",
    ),
    examples=(
        Example(
            {
                "elements": [
                    {"element": "C", "mass": 40.0},
                    {"element": "H", "mass": 6.71},
                    {"element": "O", "mass": 53.29},
                ],
                "molar_mass_g_mol": 180.16,
            },
            {"empirical_formula": "CH2O", "molecular_formula": "C6H12O6"},
            source="glucose, as in every textbook",
        ),
        Example(
            {"elements": [{"element": "Fe", "mass": 69.94}, {"element": "O", "mass": 30.06}]},
            {"empirical_formula": "Fe2O3", "molecular_formula": None},
            source="haematite, as in every textbook",
        ),
        Refusal({"elements": [{"element": "Qq", "mass": 1}]}, "no element"),
    ),
    reply={
        "molecular_formula": (
            "The empirical formula is {empirical_formula} and the molecular formula {molecular_formula}."
        ),
        "": "The empirical formula is {empirical_formula}.",
    },
)
def chem_find_empirical_formula(
    elements: Annotated[
        list[Fractional],
        About("Mass percent or grams of each element", [{"element": "C", "mass": 40.0}], min_items=1, max_items=20),
    ],
    molar_mass_g_mol: Annotated[
        float | None, About("Molar mass, to compute the molecular formula", 180.16, minimum=1, maximum=1e6)
    ] = None,
) -> Empirical:
    """Find the empirical formula of a compound from mass percentages or masses, and the molecular one.

    Use it for elemental analyses. Returns the deviation from whole numbers.
    """
    moles = {part["element"]: part["mass"] / mass_of({_symbol(part["element"]): Fraction(1)}) for part in elements}
    least = min(moles.values())
    counts, error = _whole([amount / least for amount in moles.values()])
    atoms = {symbol: Fraction(count) for symbol, count in zip(moles, counts, strict=True)}
    mass = mass_of(atoms)
    times = None if molar_mass_g_mol is None else round(molar_mass_g_mol / mass)
    return {
        "empirical_formula": _formula(atoms, 1),
        "empirical_mass_g_mol": mass,
        "molecular_formula": _formula(atoms, times) if times else None,
        "greatest_error": error,
    }


def _whole(ratios: list[float]) -> tuple[list[int], float]:
    """Return the smallest multiple of the ratios that is whole to 0.1, or the best up to 12."""
    errors = {
        times: max(abs(times * ratio - round(times * ratio)) / max(1, times / 2) for ratio in ratios)
        for times in range(1, 13)
    }
    times = next((times for times, error in errors.items() if error < 0.06), min(errors, key=lambda t: errors[t]))
    return [max(1, round(times * ratio)) for ratio in ratios], errors[times]


def _formula(atoms: Mapping[str, Fraction], times: int) -> str:
    return "".join(f"{symbol}{int(count) * times if count * times > 1 else ''}" for symbol, count in atoms.items())
