"""Whole numbers: primes, divisors, modular arithmetic."""

import math
from functools import reduce
from typing import Annotated

import sympy
from sympy.functions.combinatorial.numbers import mobius, reduced_totient, totient
from sympy.ntheory import discrete_log, factorint, isprime, n_order, primitive_root
from sympy.ntheory.modular import solve_congruence
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math._symbolic import attempt

_EXACT = 2**53
_SIEVE = 10_000_000
_NEAR_DIGITS, _HARD_DIGITS = 100, 30

Digits = Annotated[
    str,
    About(
        "Whole number in digits, as text because it may be large", "600851475143", pattern="^-?[0-9]+$", max_length=400
    ),
]
Modulus = Annotated[str, About("Modulus, 2 or more", "1000000007", pattern="^[0-9]+$", max_length=400)]


class PrimePower(TypedDict):
    """A prime factor."""

    prime: Annotated[str, About("The prime in digits")]
    exponent: Annotated[int, About("How often it divides the number")]


class Factorization(TypedDict):
    """A whole number taken apart."""

    factors: Annotated[list[PrimePower], About("Prime factors in rising order")]
    written: Annotated[str, About("The factorization as a product")]
    prime: Annotated[bool, About("Whether the number is prime")]
    divisor_count: Annotated[str, About("How many positive divisors it has")]
    divisor_sum: Annotated[str, About("Sum of its positive divisors, itself included")]
    totient: Annotated[str, About("Euler's phi: how many numbers up to it share no factor with it")]
    carmichael: Annotated[str, About("Least exponent that turns every coprime number into 1 modulo it")]
    mobius: Annotated[int, About("Moebius function: 0 when a square divides it, else 1 or -1")]
    divisors: Annotated[list[str], About("The divisors in rising order; the first 1,000")]


class Primality(TypedDict):
    """Whether a number is prime, with its neighbours."""

    prime: Annotated[bool, About("Whether it is prime")]
    proved: Annotated[bool, About("False beyond 2^64, where a strong probable prime of Baillie-PSW is meant")]
    previous_prime: Annotated[str | None, About("Largest prime below, null if there is none or beyond 100 digits")]
    next_prime: Annotated[str | None, About("Smallest prime above, null beyond 100 digits")]


class Primes(TypedDict):
    """Primes in a range."""

    primes: Annotated[list[int], About("The first of them, as many as asked for")]
    count: Annotated[int, About("How many there are in the whole range")]
    sum: Annotated[int, About("Their sum")]


class CommonMeasure(TypedDict):
    """Greatest common divisor and least common multiple."""

    gcd: Annotated[str, About("Greatest common divisor")]
    lcm: Annotated[str, About("Least common multiple")]
    bezout: Annotated[list[str], About("Coefficients with which the numbers add up to the gcd")]
    parts: Annotated[list[str], About("How often the gcd goes into each number")]
    parts_total: Annotated[str, About("The sum of these")]


class Residue(TypedDict):
    """A number modulo another."""

    result: Annotated[str, About("The residue, from 0 to the modulus less 1")]


class Congruence(TypedDict):
    """x is this remainder modulo that modulus."""

    remainder: Annotated[int, About("Remainder", 2, minimum=-1_000_000_000_000, maximum=1_000_000_000_000)]
    modulus: Annotated[int, About("Modulus", 3, minimum=1, maximum=1_000_000_000_000)]


class CommonSolution(TypedDict):
    """All numbers that satisfy several congruences."""

    smallest: Annotated[str, About("Smallest solution from 0 on")]
    modulus: Annotated[str, About("Adding this gives the next one")]


class Logarithm(TypedDict):
    """A discrete logarithm and what surrounds it."""

    exponent: Annotated[str, About("Smallest exponent x with base^x = value")]
    order: Annotated[str, About("Exponents repeat after this number")]


class Generator(TypedDict):
    """A primitive root."""

    primitive_root: Annotated[str | None, About("The smallest generator, null if the group is not cyclic")]
    group_order: Annotated[str, About("How many residues are coprime to the modulus")]
    generators: Annotated[str, About("How many primitive roots there are")]


@tool(
    tags="factor prime factorization divisors totient number theory",
    use_when=(
        "What are the prime factors of 600851475143?",
        "List all divisors of 360",
        "What is Euler's totient of 36?",
    ),
    examples=(
        Example(
            {"number": "600851475143"},
            {"written": "71 * 839 * 1471 * 6857", "prime": False},
            source="Project Euler, problem 3",
        ),
        Example(
            {"number": "36"},
            {"totient": "12", "divisor_sum": "91", "divisor_count": "9", "mobius": 0, "carmichael": "6"},
            source="OEIS A000010, A000203, A000005, A008683, A002322",
        ),
        Refusal({"number": "0"}, "positive"),
        Refusal({"number": "1" * 81}, "80 digits"),
    ),
    pace="normal",
)
def number_factorize_integer(number: Digits) -> Factorization:
    """Factor a positive integer into primes, and list its divisors, their count and sum, and Euler's totient.

    Use it for divisibility questions. Numbers with two large prime factors of more than 25 digits take too long.
    """
    value = int(number)
    if value < 1:
        raise ToolError("Give a positive whole number.")
    if len(number) > 80:
        raise ToolError("Give a number of at most 80 digits.")
    factors = {int(prime): int(exponent) for prime, exponent in sorted(factorint(value).items())}
    return {
        "factors": [{"prime": str(prime), "exponent": exponent} for prime, exponent in factors.items()],
        "written": " * ".join(f"{p}^{k}" if k > 1 else str(p) for p, k in factors.items()) or "1",
        "prime": list(factors.values()) == [1],
        "divisor_count": str(math.prod(exponent + 1 for exponent in factors.values())),
        "divisor_sum": str(math.prod((p ** (k + 1) - 1) // (p - 1) for p, k in factors.items())),
        "totient": str(math.prod(p ** (k - 1) * (p - 1) for p, k in factors.items())),
        "carmichael": str(reduced_totient(value)),
        "mobius": int(mobius(value)),
        "divisors": [str(one) for one in _divisors(factors)],
    }


def _divisors(factors: dict[int, int]) -> list[int]:
    """The divisors, or where they are too many, those made of the smallest primes."""
    found = [1]
    for prime, exponent in factors.items():
        if len(found) > 100_000:
            break
        found = [one * prime**power for power in range(exponent + 1) for one in found]
    return sorted(found)[:1000]


@tool(
    tags="prime test primality next previous",
    use_when=("Is 2147483647 a prime?", "What is the next prime after 1000?", "Is 561 prime or a pseudoprime?"),
    examples=(
        Example(
            {"number": "2147483647"},
            {"prime": True, "proved": True, "next_prime": "2147483659"},
            source="Euler's Mersenne prime 2^31 - 1; the next is known from OEIS A007918",
        ),
        Example(
            {"number": "561"}, {"prime": False, "previous_prime": "557", "next_prime": "563"}, source="OEIS A000040"
        ),
        Refusal({"number": "12.5"}, "number"),
    ),
    pace="normal",
)
def number_check_prime(number: Digits) -> Primality:
    """Test whether an integer of up to 400 digits is prime, and find the primes next to one of up to 100 digits.

    Use it instead of guessing. Below 2^64 the answer is proved; above, no counterexample to the test is known.
    """
    value, near = int(number), len(number) <= _NEAR_DIGITS
    return {
        "prime": bool(isprime(value)),
        "proved": value < 2**64,
        "previous_prime": str(sympy.prevprime(value)) if value > 2 and near else None,
        "next_prime": str(sympy.nextprime(value)) if near else None,
    }


@tool(
    tags="primes list range count sieve nth",
    use_when=(
        "Which primes lie between 100 and 150?",
        "How many primes are below a million?",
        "Sum all primes up to 2000",
    ),
    examples=(
        Example(
            {"first": 100, "last": 113},
            {"primes": [101, 103, 107, 109, 113], "count": 5, "sum": 533},
            source="OEIS A000040",
        ),
        Example({"last": 1_000_000, "limit": 1}, {"primes": [2], "count": 78498}, source="OEIS A006880"),
        Refusal({"first": 10, "last": 5}, "must not be below"),
    ),
    pace="normal",
)
def number_list_primes(
    last: Annotated[int, About("End of the range, included", 100, minimum=1, maximum=_SIEVE)],
    first: Annotated[int, About("Start of the range", minimum=0, maximum=_SIEVE)] = 2,
    limit: Annotated[int, About("How many to list", minimum=1, maximum=10_000)] = 1000,
) -> Primes:
    """List the primes of a range up to ten million, with their count and sum.

    Use it for tables of primes and for counting them. Returns the first ones up to `limit`.
    """
    if last < first:
        raise ToolError("The end of the range must not be below its start.")
    prime = bytearray([1]) * (last + 1)
    prime[:2] = bytes(min(2, last + 1))
    for step in range(2, math.isqrt(last) + 1):
        if prime[step]:
            prime[step * step :: step] = bytes(len(range(step * step, last + 1, step)))
    found = [value for value in range(first, last + 1) if prime[value]]
    return {"primes": found[:limit], "count": len(found), "sum": sum(found)}


@tool(
    tags="gcd lcm greatest common divisor least common multiple bezout euclid",
    use_when=(
        "What is the greatest common divisor of 1071 and 462?",
        "Least common multiple of 4, 6 and 10",
        "Find integers with 240x + 46y = gcd(240, 46)",
        "Greatest common divisor or factor, least common multiple",
    ),
    examples=(
        Example(
            {"numbers": ["1071", "462"]},
            {"gcd": "21", "lcm": "23562", "parts": ["51", "22"], "parts_total": "73"},
            source="Euclid's algorithm, Wikipedia",
        ),
        Example({"numbers": ["240", "46"]}, {"gcd": "2", "bezout": ["-9", "47"]}, source="Wikipedia, extended Euclid"),
        Refusal({"numbers": ["0", "0"]}, "not zero"),
    ),
)
def number_find_gcd(
    numbers: Annotated[list[Digits], About("Whole numbers", ["1071", "462"], min_items=2, max_items=10)],
) -> CommonMeasure:
    """Find the greatest common divisor and the least common multiple of whole numbers, with Bezout coefficients.

    Use it for fractions, cycles and tilings. Returns exact numbers of any size.
    """
    values = [int(text) for text in numbers]
    if not any(values):
        raise ToolError("At least one number must be not zero.")
    gcd, coefficients = values[0], [1]
    for value in values[1:]:
        left, right, gcd = _extend(gcd, value)
        coefficients = [one * left for one in coefficients] + [right]
    if gcd < 0:
        gcd, coefficients = -gcd, [-one for one in coefficients]
    return {
        "gcd": str(gcd),
        "lcm": str(reduce(math.lcm, values)),
        "bezout": [str(one) for one in coefficients],
        "parts": [str(value // gcd) for value in values],
        "parts_total": str(sum(values) // gcd),
    }


def _extend(left: int, right: int) -> tuple[int, int, int]:
    """(x, y, g) with left x + right y = g, by the extended algorithm of Euclid."""
    before, now = (1, 0, left), (0, 1, right)
    while now[2]:
        share = before[2] // now[2]
        before, now = now, (before[0] - share * now[0], before[1] - share * now[1], before[2] - share * now[2])
    return before


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
        raise ToolError(f"{base} has no inverse modulo {modulus}: they share a factor.") from error


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
)
def number_solve_congruences(
    congruences: Annotated[
        list[Congruence], About("Congruences", [{"remainder": 2, "modulus": 3}], min_items=1, max_items=50)
    ],
) -> CommonSolution:
    """Solve simultaneous congruences by the Chinese remainder theorem; the moduli need not be coprime.

    Use it for cycles that must coincide. Returns the smallest solution and the period of all others.
    """
    found = solve_congruence(*((one["remainder"], one["modulus"]) for one in congruences))
    if found is None:
        raise ToolError("The congruences contradict each other: no number satisfies all.")
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
    tier="pro",
    pace="normal",
)
def number_find_discrete_log(base: Digits, value: Digits, modulus: Modulus) -> Logarithm:
    """Find the exponent to which a base must be raised to give a value modulo n.

    Use it for small cryptographic exercises; moduli whose group order has large prime factors take too long.
    """
    if int(modulus) < 2 or math.gcd(int(base), int(modulus)) != 1:
        raise ToolError("The modulus must be at least 2, and base and modulus must share no factor.")
    _refuse_hard(modulus)
    with attempt(f"{value} is no power of {base} modulo {modulus}."):
        exponent = discrete_log(int(modulus), int(value) % int(modulus), int(base) % int(modulus))
        return {"exponent": str(exponent), "order": str(n_order(int(base), int(modulus)))}


def _refuse_hard(modulus: str) -> None:
    if len(modulus) > _HARD_DIGITS:
        raise ToolError(f"modulus must have at most {_HARD_DIGITS} digits: larger ones cannot be factorized in time.")


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
    pace="normal",
)
def number_find_primitive_root(modulus: Modulus) -> Generator:
    """Find the smallest primitive root modulo n, and how many there are.

    Use it for cyclic groups and Diffie-Hellman exercises. Returns null where the group has no generator.
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
