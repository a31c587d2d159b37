"""Prime numbers, factors and divisors."""

import math
from functools import reduce
from typing import Annotated

import sympy
from sympy.functions.combinatorial.numbers import mobius, reduced_totient
from sympy.ntheory import factorint, isprime
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SIEVE = 10_000_000
_NEAR_DIGITS, HARD_DIGITS = 100, 30

Digits = Annotated[
    str,
    About(
        "Whole number in digits, as text because it may be large", "600851475143", pattern="^-?[0-9]+$", max_length=400
    ),
]


class PrimePower(TypedDict):
    """A prime factor."""

    prime: Annotated[str, About("Prime in digits")]
    exponent: Annotated[int, About("Exponent of the prime")]


class Factorization(TypedDict):
    """Factorisation of a whole number."""

    factors: Annotated[list[PrimePower], About("Prime factors in ascending order")]
    written: Annotated[str, About("Factorisation as a product")]
    prime: Annotated[bool, About("Whether the number is prime")]
    divisor_count: Annotated[str, About("Number of positive divisors")]
    divisor_sum: Annotated[str, About("Sum of positive divisors, including itself")]
    totient: Annotated[str, About("Euler's phi: count of numbers up to it that are coprime to it")]
    carmichael: Annotated[
        str, About("Carmichael function: smallest exponent that turns every coprime number into 1 modulo it")
    ]
    mobius: Annotated[int, About("Moebius function: 0 if a square divides it, otherwise 1 or -1")]
    divisors: Annotated[list[str], About("Divisors in ascending order; the first 1,000")]


class Primality(TypedDict):
    """Result of a primality test, with neighbouring primes."""

    prime: Annotated[bool, About("Whether the number is prime")]
    proved: Annotated[bool, About("False beyond 2^64, where the result is a strong probable prime of Baillie-PSW")]
    previous_prime: Annotated[str | None, About("Largest smaller prime; null if there is none or beyond 100 digits")]
    next_prime: Annotated[str | None, About("Smallest larger prime; null beyond 100 digits")]


class Primes(TypedDict):
    """Primes in a range."""

    primes: Annotated[list[int], About("First primes, up to the limit")]
    count: Annotated[int, About("Number of primes in the whole range")]
    sum: Annotated[int, About("Sum of the primes")]


class CommonMeasure(TypedDict):
    """Greatest common divisor and least common multiple."""

    gcd: Annotated[str, About("Greatest common divisor")]
    lcm: Annotated[str, About("Least common multiple")]
    bezout: Annotated[list[str], About("Bezout coefficients, with which the numbers add up to the gcd")]
    parts: Annotated[list[str], About("Each number divided by the gcd")]
    parts_total: Annotated[str, About("Sum of these quotients")]


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
    reply={
        "prime": "{args.number} is a prime.",
        "": "{args.number} is {written}, with {divisor_count} divisors.",
    },
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
    """Return the divisors, or if they are too many, those composed of the smallest primes."""
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
    reply={
        "prime": "Yes, {args.number} is a prime; the next one is {next_prime}.",
        "prime, args.number": "Yes, {args.number} is a prime.",
        "next_prime": "No, {args.number} is not a prime; the next one is {next_prime}.",
        "": "No, {args.number} is not a prime.",
    },
    pace="normal",
)
def number_check_prime(number: Digits) -> Primality:
    """Test whether an integer of up to 400 digits is prime, and find the neighbouring primes of one of up to 100
    digits.

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
    reply={
        "primes.1": "There are {count|prime} with a sum of {sum}: {primes}",
        "primes": "There is {count|prime}, such as {primes.0}.",
        "": "There are no primes in this range.",
    },
    pace="normal",
)
def number_list_primes(
    last: Annotated[int, About("End of the range, included", 100, minimum=1, maximum=_SIEVE)],
    first: Annotated[int, About("Start of the range", minimum=0, maximum=_SIEVE)] = 2,
    limit: Annotated[int, About("Maximum number to list", minimum=1, maximum=10_000)] = 1000,
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
        Refusal({"numbers": ["0", "0"]}, "must not be zero"),
    ),
    reply="The greatest common divisor is {gcd} and the least common multiple {lcm}.",
)
def number_find_gcd(
    numbers: Annotated[list[Digits], About("Whole numbers", ["1071", "462"], min_items=2, max_items=10)],
) -> CommonMeasure:
    """Find the greatest common divisor and the least common multiple of whole numbers, with Bezout coefficients.

    Use it for fractions, cycles and tilings. Returns exact numbers of any size.
    """
    values = [int(text) for text in numbers]
    if not any(values):
        raise ToolError("At least one number must not be zero.")
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
    """Return (x, y, g) with left x + right y = g, by the extended Euclidean algorithm."""
    before, now = (1, 0, left), (0, 1, right)
    while now[2]:
        share = before[2] // now[2]
        before, now = now, (before[0] - share * now[0], before[1] - share * now[1], before[2] - share * now[2])
    return before
