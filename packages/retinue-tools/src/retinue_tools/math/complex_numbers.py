"""Complex numbers in rectangular and polar form, and their roots."""

import math
import re
from typing import Annotated, Any

import sympy
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import attempt, format_expression, parse_expression

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_SPELLINGS = (
    (r"√\s*([0-9]+)", r"sqrt(\1)"),
    (r"√", "sqrt"),
    (r"(?<=[0-9)])\s*[ij]\b", "*I"),
    (r"\b[ij](?=[0-9(])|\b[ij]\b\s+(?=[a-z0-9(])", "I*"),
    (r"\b[ij]\b", "I"),
    (rf"({_NUMBER})\s*°", r"(\1*pi/180)"),
    (rf"({_NUMBER})\s*(?:∠|\bcis\b)\s*(\([^()]*\)|{_NUMBER})", r"(\1*exp(I*\2))"),
    ("\u2212", "-"),
    ("[\u00d7\u00b7]", "*"),
    ("\u00f7", "/"),
)


_LARGEST = 1e300
_NOISE = 1e-14
"""Smaller parts of a root, relative to its modulus, are rounding errors."""


class ComplexRoot(TypedDict):
    """A root."""

    real: float
    imaginary: float
    text: Annotated[str, About("Root, to six decimals")]


class ComplexForms(TypedDict):
    """A complex number in several forms."""

    exact: Annotated[str, About("Exact form: real part + imaginary part * I")]
    real: float
    imaginary: float
    rectangular: Annotated[str, About("Such as 3 + 4i, to six decimals")]
    modulus: Annotated[float, About("Modulus r")]
    argument_degrees: Annotated[float | None, About("Argument, above -180 up to 180; null for zero")]
    argument_radians: float | None
    polar: Annotated[str, About("Such as 5∠53.130102°, to six decimals")]
    exponential: Annotated[str, About("Such as 5·e^(0.927295i), to six decimals")]
    conjugate: str
    roots: Annotated[list[ComplexRoot], About("Roots of the requested degree, anticlockwise; otherwise empty")]


@tool(
    tags="complex number imaginary polar rectangular form modulus argument conjugate roots of unity phasor multiply",
    use_when=(
        "Write 3 + 4i in polar form",
        "What is (3 + 4i)(1 - 2i)?",
        "Find the cube roots of -8i",
        "Convert 5∠53.13° to rectangular form",
        "Modulus and argument of -1 + i",
    ),
    examples=(
        Example(
            {"expression": "3 + 4i"},
            {"modulus": 5.0, "argument_degrees": 53.13010235415598, "polar": "5∠53.130102°", "conjugate": "3 - 4i"},
            source="the 3-4-5 triangle: atan(4/3)",
        ),
        Example(
            {"expression": "(3 + 4i)*(1 - 2i)"},
            {"exact": "11 - 2*I", "rectangular": "11 - 2i"},
            source="3 - 6i + 4i + 8, by hand",
        ),
        Example(
            {"expression": "-8i", "root_degree": 3},
            {"roots": [{"text": "1.732051 - i"}, {"text": "2i"}, {"text": "-1.732051 - i"}]},
            source="(2i)^3 = -8i; the others 120° from it",
        ),
        Example({"expression": "2∠60°"}, {"exact": "1 + sqrt(3)*I", "real": 1.0}, source="cos 60° = 1/2"),
        Refusal({"expression": "x + 2i"}, "is not a number"),
    ),
    reply={
        "roots": "The value is {rectangular}, in polar form {polar}. The roots: {roots}",
        "": "The value is {rectangular}, in polar form {polar}.",
    },
    pace="normal",
)
def complex_compute_forms(
    expression: Annotated[
        str,
        About(
            "Complex number or calculation with i, or polar form such as 5∠30°",
            "(3 + 4i)/(1 - 2i)",
            min_length=1,
            max_length=300,
        ),
    ],
    root_degree: Annotated[
        int | None, About("Degree of the roots: 2 for square roots, 3 for cube roots", 3, minimum=2, maximum=50)
    ] = None,
) -> ComplexForms:
    """Compute with complex numbers, and return the result in rectangular, polar and exponential form.

    Use it for sums, products, powers and quotients, for conversions, modulus, argument, conjugate, and all n-th roots.
    """
    for pattern, spelling in _SPELLINGS:
        expression = re.sub(pattern, spelling, expression)
    value = parse_expression(expression)
    if value.free_symbols or not value.is_number or not value.is_finite:
        raise ToolError("This is not a number. Write it with i as the only letter, such as (3 + 4i)*(1 - 2i) or 5∠30°.")
    with attempt("This number cannot be computed. Simplify it."):
        return _forms(_without_complex_powers(value), root_degree)


def _without_complex_powers(value: Any) -> Any:
    """Write b^z as exp(z log b), because sympy does not split i^i into real and imaginary parts."""
    return value.replace(
        lambda part: part.is_Pow and part.exp.has(sympy.I),
        lambda power: sympy.exp(sympy.expand(power.exp * sympy.log(power.base))),
    )


def _forms(value: Any, root_degree: int | None) -> ComplexForms:
    x, y = (sympy.simplify(part) for part in value.expand(complex=True).as_real_imag())
    real, imaginary, modulus = float(x), float(y), float(sympy.sqrt(x**2 + y**2))
    if not max(abs(real), abs(imaginary), modulus) < _LARGEST:
        raise ToolError("The result is too large. Use smaller numbers.")
    angle = None if not modulus else float(sympy.atan2(y, x))
    degrees = None if angle is None else float(sympy.deg(sympy.atan2(y, x)))
    return {
        "exact": format_expression(x + y * sympy.I),
        "real": real,
        "imaginary": imaginary,
        "rectangular": _rectangular(real, imaginary),
        "modulus": modulus,
        "argument_degrees": degrees,
        "argument_radians": angle,
        "polar": f"{_short(modulus)}∠{_short(degrees or 0)}°",
        "exponential": f"{_short(modulus)}·e^({_short(angle or 0)}i)",
        "conjugate": _rectangular(real, -imaginary),
        "roots": _roots(modulus, angle or 0.0, root_degree),
    }


def _roots(modulus: float, angle: float, degree: int | None) -> list[ComplexRoot]:
    """Return all roots by de Moivre's formula, the principal one first."""
    if degree is None:
        return []
    length = modulus ** (1 / degree)
    turns = [(angle + math.tau * place) / degree for place in range(degree)]
    points = [(length * _settle(math.cos(turn)), length * _settle(math.sin(turn))) for turn in turns]
    return [{"real": x, "imaginary": y, "text": _rectangular(x, y)} for x, y in points]


def _settle(share: float) -> float:
    return 0.0 if abs(share) < _NOISE else share


def _rectangular(real: float, imaginary: float) -> str:
    """Format a complex number to six decimals."""
    x, y = _short(real), _short(abs(imaginary))
    part = "" if y == "0" else "i" if y == "1" else f"{y}i"
    if not part:
        return x
    if x == "0":
        return f"-{part}" if imaginary < 0 else part
    return f"{x} {'-' if imaginary < 0 else '+'} {part}"


def _short(number: float) -> str:
    """Format without trailing zeros, and without a sign before zero."""
    digits = f"{number:.6f}".rstrip("0").rstrip(".") if abs(number) < 10**9 else f"{number:.9g}"
    return "0" if digits == "-0" else digits
