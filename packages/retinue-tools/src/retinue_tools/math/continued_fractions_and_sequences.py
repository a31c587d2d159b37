"""Continued fractions, exact rounding, constants and sequences."""

import itertools
import math
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Decimal,
    localcontext,
)
from fractions import Fraction
from typing import Annotated, Any, Literal

import mpmath
import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import Formula, attempt, format_expression, parse_expression

_ROUNDINGS = {
    "half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "up": ROUND_UP, "down": ROUND_DOWN,
    "ceiling": ROUND_CEILING, "floor": ROUND_FLOOR,
}  # fmt: skip
_LARGEST_QUOTIENT = 2**63
"""JSON integers must be below this."""
DecimalText = Annotated[
    str,
    About("Decimal number or fraction, as text", "3.14159", pattern=r"^-?[0-9]+(\.[0-9]+)?(/[0-9]+)?$", max_length=200),
]


class ContinuedFraction(TypedDict):
    """A number as a continued fraction."""

    quotients: Annotated[list[int], About("Partial quotients [a0; a1, a2, ...]")]
    convergents: Annotated[list[str], About("Convergents, each closer than the one before")]
    terminated: Annotated[bool, About("Whether the expansion ended, which means that the number is rational")]


class Approximation(TypedDict):
    """A fraction close to a number."""

    fraction: Annotated[str, About("Best fraction with an allowed denominator")]
    mixed: Annotated[str, About("The fraction as a mixed number")]
    error: Annotated[float, About("Fraction minus number")]


class Rounded(TypedDict):
    """A rounded number."""

    result: Annotated[str, About("Rounded number with all its digits")]
    error: Annotated[str, About("Result minus number")]


class Precise(TypedDict):
    """A number to many digits."""

    digits: Annotated[str, About("Value in decimal digits")]
    imaginary: Annotated[str | None, About("Imaginary part, null for real values")]


class ClosedForm(TypedDict):
    """Possible closed forms of a decimal number."""

    candidates: Annotated[list[str], About("Closed forms that agree with all given digits, simplest first")]
    polynomial: Annotated[
        list[int] | None, About("Coefficients, highest power first, of a small polynomial with this root")
    ]


class Continued(TypedDict):
    """A continued sequence."""

    kind: Annotated[str, About("Kind of rule found")]
    formula: Annotated[str, About("Rule as a(n) = …; the first term is a(0)")]
    next_terms: Annotated[list[str], About("Next terms by this rule")]


@tool(
    tags="continued fraction convergents expansion",
    use_when=("What is the continued fraction of sqrt(2)?", "Expand 415/93 as a continued fraction"),
    examples=(
        Example({"number": "415/93"}, {"quotients": [4, 2, 6, 7], "terminated": True}, source="Wikipedia"),
        Example(
            {"number": "pi", "terms": 4},
            {"quotients": [3, 7, 15, 1], "convergents": ["3", "22/7", "333/106", "355/113"], "terminated": False},
            source="OEIS A001203",
        ),
        Refusal({"number": "x"}, "real number"),
        Refusal({"number": "2^63"}, "exceeds 2^63"),
    ),
    reply={
        "terminated": "The continued fraction is {quotients}, and the number is rational.",
        "": "The continued fraction begins with {quotients}; its convergents are {convergents}.",
    },
    pace="normal",
)
def number_expand_continued_fraction(
    number: Formula, terms: Annotated[int, About("Maximum number of quotients", minimum=1, maximum=100)] = 20
) -> ContinuedFraction:
    """Expand a real number given by a formula as a continued fraction, with its convergents.

    Use it to find good rational approximations step by step. Computes with 300 digits.
    """
    found = parse_expression(number)
    if found.free_symbols or not found.is_real or not found.is_finite:
        raise ToolError("A finite real number such as sqrt(2) or 415/93 is required.")
    value = Fraction(int(found.p), int(found.q)) if found.is_Rational else Fraction(str(found.evalf(300)))
    quotients: list[int] = []
    while len(quotients) < terms:
        if abs(value) >= _LARGEST_QUOTIENT:
            raise ToolError(f"Quotient {len(quotients) + 1} exceeds 2^63. Request fewer terms, or use another number.")
        quotients.append(math.floor(value))
        value -= quotients[-1]
        if not value:
            break
        value = 1 / value
    exact = bool(found.is_Rational and not value)
    return {"quotients": quotients, "convergents": _convergents(quotients), "terminated": exact}


def _convergents(quotients: list[int]) -> list[str]:
    top, bottom, old_top, old_bottom = 1, 0, 0, 1
    found = []
    for quotient in quotients:
        top, old_top = quotient * top + old_top, top
        bottom, old_bottom = quotient * bottom + old_bottom, bottom
        found.append(str(Fraction(top, bottom)))
    return found


@tool(
    tags="fraction approximate decimal to fraction rational denominator inches",
    use_when=("Write 0.333 as a fraction", "Which fraction with a denominator up to 64 is nearest to 0.7071?"),
    examples=(
        Example({"number": "3.14159265", "largest_denominator": 1000}, {"fraction": "355/113"}, source="Zu Chongzhi"),
        Example({"number": "2.75"}, {"fraction": "11/4", "mixed": "2 3/4", "error": 0.0}, source="by hand"),
        Refusal({"number": "1/0"}, "zero"),
    ),
    reply="{args.number} is about {fraction}.",
)
def number_approximate_fraction(
    number: DecimalText,
    largest_denominator: Annotated[int, About("Maximum denominator", minimum=1, maximum=1_000_000_000)] = 1000,
) -> Approximation:
    """Find the fraction nearest to a decimal number whose denominator does not exceed a bound.

    Use it to convert decimals to simple fractions. Returns the fraction, the mixed number and the error.
    """
    value = _fraction(number)
    found = value.limit_denominator(largest_denominator)
    whole, rest = divmod(abs(found), 1)
    mixed = f"{whole} {rest}" if whole and rest else str(abs(found))
    return {
        "fraction": str(found), "mixed": f"-{mixed}" if found < 0 else mixed, "error": float(found - value),
    }  # fmt: skip


def _fraction(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    if bottom and not int(bottom):
        raise ToolError("The denominator must not be zero.")
    return Fraction(top) / Fraction(bottom or "1")


@tool(
    tags="round significant digits decimals banker rounding mode",
    use_when=(
        "Round 2.675 to two decimals exactly",
        "Give 0.0012345 to three significant digits",
        "Round 2.5 by banker's rounding",
    ),
    examples=(
        Example({"number": "2.675", "digits": 2}, {"result": "2.68", "error": "0.005"}, source="by hand"),
        Example({"number": "0.0012345", "digits": 3, "count": "significant"}, {"result": "0.00123"}, source="by hand"),
        Example({"number": "2.5", "digits": 0, "mode": "half_even"}, {"result": "2"}, source="IEEE 754"),
        Refusal({"number": "two", "digits": 0}, "number"),
    ),
    reply="{args.number} is {result} rounded.",
)
def number_round_exactly(
    number: Annotated[str, About("Decimal number", "2.675", pattern=r"^-?[0-9]+(\.[0-9]+)?$", max_length=200)],
    digits: Annotated[int, About("Number of digits to keep", 2, minimum=-100, maximum=100)],
    count: Annotated[Literal["decimals", "significant"], About("Kind of digits to count")] = "decimals",
    mode: Annotated[
        Literal["half_up", "half_even", "up", "down", "ceiling", "floor"],
        About("half_up rounds halves away from zero, up rounds away from zero, down rounds towards it"),
    ] = "half_up",
) -> Rounded:
    """Round a decimal number exactly, by decimals or significant digits, with a chosen rounding mode.

    Use it if binary rounding would be wrong, such as for money. Negative digits round to tens and hundreds.
    """
    if count == "significant" and digits < 1:
        raise ToolError("At least one significant digit is required.")
    with localcontext(prec=500):
        value = Decimal(number)
        places = digits if count == "decimals" else digits - 1 - value.adjusted()
        result = value.quantize(Decimal(1).scaleb(-places), _ROUNDINGS[mode])
        return {"result": f"{result:f}", "error": f"{(result - value).normalize():f}"}


@tool(
    tags="precision digits arbitrary mpmath evaluate constant pi high precision",
    use_when=("Give pi to 100 digits", "Compute sqrt(2) to 50 decimal places", "What is exp(pi*sqrt(163)) precisely?"),
    examples=(
        Example(
            {"expression": "pi", "digits": 50},
            {"digits": "3.1415926535897932384626433832795028841971693993751", "imaginary": None},
            source="OEIS A000796",
        ),
        Example(
            {"expression": "exp(pi*sqrt(163))", "digits": 31},
            {"digits": "262537412640768743.9999999999993"},
            source="Ramanujan's constant, OEIS A060295",
        ),
        Refusal({"expression": "x + 1"}, "variables"),
    ),
    reply={
        "imaginary": "It is {digits} + {imaginary}i.",
        "digits": "It is {digits}.",
        "": "The digits: {digits}",
    },
    pace="normal",
)
def math_evaluate_precise(
    expression: Formula,
    digits: Annotated[int, About("Significant digits", minimum=2, maximum=2000)] = 50,
) -> Precise:
    """Evaluate a numeric expression to as many as 2,000 significant digits.

    Use it if doubles are not precise enough. Returns all digits as text, with the imaginary part of complex values.
    """
    found = parse_expression(expression)
    if found.free_symbols:
        raise ToolError("The expression has variables. Replace them with numbers.")
    with attempt("The expression has no finite value."):
        real, imaginary = found.evalf(digits).as_real_imag()
        if not (real.is_finite and imaginary.is_finite):
            raise ToolError("The expression has no finite value.")
        return {"digits": str(real.evalf(digits)), "imaginary": str(imaginary.evalf(digits)) if imaginary else None}


@tool(
    tags="identify constant closed form inverse symbolic decimal recognise",
    use_when=("What might 1.6449340668482264 be?", "Which closed form has 0.7071067811865476?"),
    examples=(
        Example({"number": "0.70710678118654752"}, {"polynomial": [2, 0, -1]}, source="sqrt(1/2) solves 2x^2 = 1"),
        Example({"number": "1.6180339887498949"}, {"polynomial": [1, -1, -1]}, source="golden ratio"),
        Example({"number": "1.6449340668482264"}, {"candidates": ["pi*((1/6)*pi)"]}, source="the Basel problem"),
        Refusal({"number": "1.5"}, "10 digits"),
    ),
    reply={
        "candidates.1": "It may be one of these: {candidates}",
        "candidates": "It may be {candidates.0}.",
        "": "I know no closed form of it.",
    },
    pace="normal",
)
def number_identify_constant(number: DecimalText) -> ClosedForm:
    """Guess a closed form with pi, e, logarithms or roots for a decimal number of at least ten digits.

    Use it to recognise a constant from a computation. A match is a guess, not a proof; more digits make it more
    certain.
    """
    digits = len(number.strip("-0.").replace(".", ""))
    if digits < 10 or "/" in number:
        raise ToolError("Give a decimal number with at least 10 digits.")
    with mpmath.workdps(min(digits, 60)), attempt("No closed form could be sought for this number."):
        value, tolerance = mpmath.mpf(number), mpmath.mpf(10) ** (3 - min(digits, 60))
        guesses = [mpmath.identify(value, basis, tol=tolerance) for basis in ([], ["pi"], ["e"], ["log(2)"])]
        polynomial = mpmath.findpoly(value, 4, maxcoeff=100, tol=tolerance * 100)
    return {
        "candidates": sorted({guess for guess in guesses if guess}, key=len),
        "polynomial": [int(one) * (1 if polynomial[0] > 0 else -1) for one in polynomial] if polynomial else None,
    }


@tool(
    tags="sequence next term pattern rule guess numbers puzzle recurrence",
    use_when=(
        "What comes next: 1, 4, 9, 16, 25?",
        "Find the rule of 2, 6, 18, 54",
        "Continue 1, 1, 2, 3, 5, 8",
    ),
    examples=(
        Example(
            {"terms": [1, 4, 9, 16, 25]},
            {"kind": "polynomial", "next_terms": ["36", "49", "64", "81", "100"]},
            source="squares",
        ),
        Example(
            {"terms": [1, 1, 2, 3, 5, 8, 13], "count": 2},
            {"kind": "linear recurrence", "next_terms": ["21", "34"], "formula": "a(n) = a(n-1) + a(n-2), n from 0"},
            source="Fibonacci",
        ),
        Example({"terms": [2, 6, 18, 54], "count": 1}, {"kind": "geometric", "next_terms": ["162"]}, source="times 3"),
        Refusal({"terms": [3, 1, 4, 1, 5, 9]}, "No simple rule"),
    ),
    reply="Next come {next_terms}, by the rule {formula}.",
)
def number_extend_sequence(
    terms: Annotated[
        list[Annotated[int, About("Term", minimum=-(10**15), maximum=10**15)]],
        About("First terms", [1, 4, 9, 16, 25], min_items=4, max_items=60),
    ],
    count: Annotated[int, About("Number of terms to add", minimum=1, maximum=50)] = 5,
) -> Continued:
    """Find a geometric, polynomial or linear recurrence rule behind a sequence of integers, and continue it.

    Use it for number puzzles and patterns. A rule is accepted only if additional terms confirm it.
    """
    for kind, rule in (("geometric", _geometric), ("polynomial", _polynomial), ("linear recurrence", _recurrence)):
        found = rule([Fraction(term) for term in terms], count)
        if found:
            formula, following = found
            return {"kind": kind, "formula": f"{formula}, n from 0", "next_terms": [str(term) for term in following]}
    raise ToolError(
        "No simple rule fits these terms: neither geometric, nor polynomial, nor a short linear recurrence."
    )


Rule = tuple[str, list[Fraction]]


def _geometric(terms: list[Fraction], count: int) -> Rule | None:
    if 0 in terms or len({after / before for before, after in itertools.pairwise(terms)}) != 1:
        return None
    ratio = terms[1] / terms[0]
    return f"a(n) = {terms[0]} * ({ratio})^n", [terms[-1] * ratio**step for step in range(1, count + 1)]


def _polynomial(terms: list[Fraction], count: int) -> Rule | None:
    """Use finite differences, as long as two equal differences confirm the degree."""
    rows = [terms]
    while len(rows[-1]) > 2 and len(set(rows[-1])) > 1:
        rows.append([after - before for before, after in itertools.pairwise(rows[-1])])
    if len(set(rows[-1])) > 1:
        return None
    edge, following = [row[-1] for row in rows], []
    for _ in range(count):
        for level in range(len(edge) - 2, -1, -1):
            edge[level] += edge[level + 1]
        following.append(edge[0])
    n = sympy.Symbol("n")
    newton = sum(_exact(row[0]) * sympy.ff(n, k) / sympy.factorial(k) for k, row in enumerate(rows))
    return f"a(n) = {format_expression(sympy.expand(sympy.expand_func(newton)))}", following


def _recurrence(terms: list[Fraction], count: int) -> Rule | None:
    for order in range(1, len(terms) // 2):
        rows = [[*terms[start : start + order], terms[start + order]] for start in range(len(terms) - order)]
        matrix = sympy.Matrix([[_exact(entry) for entry in row] for row in rows])
        reduced, pivots = matrix.rref()
        if pivots == tuple(range(order)):
            factors = [Fraction(int(reduced[row, order].p), int(reduced[row, order].q)) for row in range(order)]
            following = list(terms)
            for _ in range(count):
                following.append(sum((f * t for f, t in zip(factors, following[-order:], strict=True)), Fraction(0)))
            before = [sympy.Symbol(f"a(n-{order - place})") for place in range(order)]
            rule = sum(_exact(factor) * term for factor, term in zip(factors, before, strict=True))
            return f"a(n) = {rule}", following[len(terms) :]
    return None


def _exact(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)
