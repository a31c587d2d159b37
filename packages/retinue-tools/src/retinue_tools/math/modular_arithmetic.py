"""Modular arithmetic: powers, congruences, discrete logarithms and primitive roots."""

import math
from typing import Annotated

from sympy.functions.combinatorial.numbers import totient
from sympy.ntheory import discrete_log, n_order, primitive_root
from sympy.ntheory.modular import solve_congruence
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import attempt
from retinue_tools.math.primes_and_divisors import HARD_DIGITS, Digits

Modulus = Annotated[str, About("Modulus, 2 or more", "1000000007", pattern="^[0-9]+$", max_length=400)]


class Residue(TypedDict):
    """A residue of a number."""

    result: Annotated[str, About("Residue, from 0 to the modulus minus 1")]


class Congruence(TypedDict):
    """A congruence: x is the remainder modulo the modulus."""

    remainder: Annotated[int, About("Remainder", 2, minimum=-1_000_000_000_000, maximum=1_000_000_000_000)]
    modulus: Annotated[int, About("Modulus", 3, minimum=1, maximum=1_000_000_000_000)]


class CommonSolution(TypedDict):
    """All numbers that satisfy several congruences."""

    smallest: Annotated[str, About("Smallest non-negative solution")]
    modulus: Annotated[str, About("Difference between consecutive solutions")]


class Logarithm(TypedDict):
    """A discrete logarithm."""

    exponent: Annotated[str, About("Smallest exponent x with base^x = value")]
    order: Annotated[str, About("Order of the base: exponents repeat after this number")]


class Generator(TypedDict):
    """A primitive root."""

    primitive_root: Annotated[str | None, About("Smallest generator; null if the group is not cyclic")]
    group_order: Annotated[str, About("Order of the group: number of residues coprime to the modulus")]
    generators: Annotated[str, About("Number of primitive roots")]


@tool(
    tags="modular exponentiation inverse power mod remainder rsa",
    use_when=(
        "What is 7^222 mod 1000?",
        "What is the inverse of 3 modulo 11?",
        "Compute 65^17 mod 3233 for RSA",
    ),
    examples=(
        Example(
            {"base": "65", "exponent": "17", "modulus": "3233"}, {"result": "2790"}, source="Wikipedia, RSA example"
        ),
        Example({"base": "3", "exponent": "-1", "modulus": "11"}, {"result": "4"}, source="3 * 4 = 12 = 1 mod 11"),
        Refusal({"base": "6", "exponent": "-1", "modulus": "9"}, "no inverse"),
        Refusal({"base": "6", "exponent": "2", "modulus": "0"}, "at least 1"),
    ),
    reply="{args.base}^{args.exponent} mod {args.modulus} is {result}.",
)
def number_compute_modular_power(base: Digits, exponent: Digits, modulus: Modulus) -> Residue:
    """Compute base^exponent modulo a number; the exponent -1 gives the modular inverse.

    Use it for modular arithmetic with numbers of hundreds of digits. Returns the least non-negative residue.
    """
    if int(modulus) < 1:
        raise ToolError("The modulus must be at least 1.")
    try:
        return {"result": str(pow(int(base), int(exponent), int(modulus)))}
    except ValueError as error:
        raise ToolError(f"{base} has no inverse modulo {modulus}: they have a common factor.") from error


@tool(
    tags="chinese remainder theorem congruences simultaneous crt modular",
    use_when=(
        "Which number leaves 2 mod 3, 3 mod 5 and 2 mod 7?",
        "When do events every 4, 6 and 9 days coincide?",
        "Solve x = 1 mod 4 and x = 3 mod 6",
    ),
    examples=(
        Example(
            {
                "congruences": [
                    {"remainder": 2, "modulus": 3},
                    {"remainder": 3, "modulus": 5},
                    {"remainder": 2, "modulus": 7},
                ]
            },
            {"smallest": "23", "modulus": "105"},
            source="Sun Zi's problem",
        ),
        Refusal(
            {"congruences": [{"remainder": 1, "modulus": 4}, {"remainder": 2, "modulus": 6}]}, "contradict each other"
        ),
    ),
    reply="The smallest number is {smallest}, and then every {modulus}.",
)
def number_solve_congruences(
    congruences: Annotated[
        list[Congruence], About("Congruences", [{"remainder": 2, "modulus": 3}], min_items=1, max_items=50)
    ],
) -> CommonSolution:
    """Solve simultaneous congruences by the Chinese remainder theorem; the moduli need not be coprime.

    Use it for cycles that must coincide. Returns the smallest solution and the period of the others.
    """
    found = solve_congruence(*((one["remainder"], one["modulus"]) for one in congruences))
    if found is None:
        raise ToolError("The congruences contradict each other: no number satisfies all of them.")
    return {"smallest": str(found[0]), "modulus": str(found[1])}


@tool(
    tags="discrete logarithm modular order cryptography",
    use_when=("For which x is 3^x = 13 mod 17?", "Find the discrete log of 15 to base 7 mod 41"),
    examples=(
        Example(
            {"base": "3", "value": "13", "modulus": "17"},
            {"exponent": "4", "order": "16"},
            source="3^4 = 81 = 4*17 + 13",
        ),
        Refusal({"base": "2", "value": "3", "modulus": "7"}, "no power"),
    ),
    reply="The exponent is {exponent}, and the order of the base {order}.",
    tier="pro",
    pace="normal",
)
def number_find_discrete_log(base: Digits, value: Digits, modulus: Modulus) -> Logarithm:
    """Find the exponent to which a base must be raised to give a value modulo n.

    Use it for small cryptographic exercises; moduli whose group order has large prime factors take too long.
    """
    if int(modulus) < 2 or math.gcd(int(base), int(modulus)) != 1:
        raise ToolError("The modulus must be at least 2, and base and modulus must have no common factor.")
    _refuse_hard(modulus)
    with attempt(f"{value} is no power of {base} modulo {modulus}."):
        exponent = discrete_log(int(modulus), int(value) % int(modulus), int(base) % int(modulus))
        return {"exponent": str(exponent), "order": str(n_order(int(base), int(modulus)))}


def _refuse_hard(modulus: str) -> None:
    if len(modulus) > HARD_DIGITS:
        raise ToolError(f"modulus must have at most {HARD_DIGITS} digits: larger ones cannot be factorised in time.")


@tool(
    tags="primitive root generator cyclic group modular",
    use_when=("What is the smallest primitive root modulo 23?", "Is there a generator of the group modulo 8?"),
    examples=(
        Example(
            {"modulus": "23"}, {"primitive_root": "5", "group_order": "22", "generators": "10"}, source="OEIS A001918"
        ),
        Example({"modulus": "8"}, {"primitive_root": None, "generators": "0"}, source="1, 3, 5, 7 all square to 1"),
        Refusal({"modulus": "1"}, "at least 2"),
    ),
    reply={
        "primitive_root": "The smallest primitive root is {primitive_root}; there are {generators} of them.",
        "": "There is no primitive root modulo {args.modulus}.",
    },
    pace="normal",
)
def number_find_primitive_root(modulus: Modulus) -> Generator:
    """Find the smallest primitive root modulo n, and how many there are.

    Use it for cyclic groups and Diffie-Hellman exercises. Returns null if the group has no generator.
    """
    value = int(modulus)
    if value < 2:
        raise ToolError("The modulus must be at least 2.")
    _refuse_hard(modulus)
    root, order = primitive_root(value), int(totient(value))
    return {
        "primitive_root": None if root is None else str(root),
        "group_order": str(order),
        "generators": str(totient(order)) if root is not None else "0",
    }
