"""Generation and testing of random data."""

import base64
import math
import secrets
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

from scipy.special import gammaincc
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool

_BITS = "1100100100001111110110101010001000100001011010001100001000110100110001001100011001100010100010111000"


class Tokens(TypedDict):
    """Random bytes."""

    values: Annotated[list[str], About("Bytes in the requested notation")]
    entropy_bits: Annotated[int, About("Random bits per value")]


@tool(
    tags="random bytes token secret key hex base64 secure urandom generate api key",
    use_when=(
        "Generate a 256-bit random key in hex",
        "Give me a random API token",
        "I need a SECRET_KEY for my web app",
    ),
    examples=(
        Example({"size": 16}, {"entropy_bits": 128}, source="by hand: eight bits a byte"),
        Example({"size": 32, "notation": "base64url", "count": 2}, {"entropy_bits": 256}, source="by hand"),
        Refusal({"size": 0}, "size"),
    ),
    reply={
        "values.1": "The random values: {values}",
        "": "The random value: {values.0}",
    },
    idempotent=False,
)
def random_generate_bytes(
    size: Annotated[int, About("Random bytes per value", 32, minimum=1, maximum=4096)] = 32,
    notation: Annotated[Literal["hex", "base64", "base64url", "base32"], About("Notation")] = "hex",
    count: Annotated[int, About("Number of values", minimum=1, maximum=100)] = 1,
) -> Tokens:
    """Generate random bytes from the system's secure source, for keys, tokens, salts and nonces.

    Use it wherever a secret must not be guessed. Returns each value in hexadecimal, Base64 or Base32.
    """
    values = [_render(secrets.token_bytes(size), notation) for _ in range(count)]
    return {"values": values, "entropy_bits": 8 * size}


def _render(content: bytes, notation: str) -> str:
    match notation:
        case "base64":
            return base64.b64encode(content).decode()
        case "base64url":
            return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
        case "base32":
            return base64.b32encode(content).rstrip(b"=").decode()
        case _:
            return content.hex()


class BitTest(TypedDict):
    """One test of randomness."""

    name: Annotated[str, About("Name in NIST SP 800-22")]
    p_value: Annotated[float, About("P-value: probability that random bits look less random")]
    passed: Annotated[bool, About("Whether the p-value is at least 0.01")]


class BitTests(TypedDict):
    """Randomness tests of a sequence of bits."""

    bits: Annotated[int, About("Number of tested bits")]
    ones: Annotated[int, About("Number of ones")]
    tests: Annotated[list[BitTest], About("Frequency, block frequency, runs, cumulative sums and approximate entropy")]
    passed: Annotated[bool, About("Whether all tests were passed")]


@tool(
    tags="random test nist sp800-22 monobit runs frequency bits generator quality p-value",
    use_when=(
        "Do these bits look random?",
        "Test my random number generator with NIST SP 800-22",
        "Is this bit string biased?",
    ),
    examples=(
        Example(
            {"bits": _BITS, "block_size": 10},
            {
                "bits": 100,
                "ones": 42,
                "passed": True,
                "tests": [
                    {"name": "frequency", "p_value": 0.109599, "passed": True},
                    {"name": "block_frequency", "p_value": 0.706438, "passed": True},
                    {"name": "runs", "p_value": 0.500798, "passed": True},
                    {"name": "cumulative_sums", "p_value": 0.219194, "passed": True},
                    {"name": "approximate_entropy", "p_value": 0.235301, "passed": True},
                ],
            },
            source="NIST SP 800-22 rev. 1a, sections 2.1.8, 2.2.8, 2.3.8, 2.12.8 and 2.13.8",
            tolerance=1e-5,
        ),
        Example({"bits": "01" * 100}, {"passed": False, "ones": 100}, source="by hand: the order of the bits is plain"),
        Refusal({"bits": "0102"}, "bits"),
        Refusal({"bits": "0101"}, "100 bits"),
    ),
    reply={
        "passed": "Yes, the {bits|bit} look random: {tests}",
        "": "No, the {bits|bit} do not look random: {tests}",
    },
    memory_mb=1024,
)
def random_test_bits(
    bits: Annotated[
        str | None, About("Bits as a text of 0 and 1", _BITS, pattern="^[01]+$", min_length=1, max_length=200_000)
    ] = None,
    file: File | None = None,
    block_size: Annotated[
        int, About("Block length in bits for the block frequency test", minimum=2, maximum=10_000)
    ] = 20,
) -> BitTests:
    """Test whether bits look random, by five tests of NIST SP 800-22 at the level 1 %.

    Use it for the output of a random number generator, as text or as a file of which the first 25,000 bytes are used.
    It needs at least 100 bits; random bits fail a single test in one of a hundred cases.
    """
    if (bits is None) == (file is None):
        raise ToolError("Give either bits or file.")
    content = "".join(f"{byte:08b}" for byte in Path(file).read_bytes()[:25_000]) if file else bits or ""
    if len(content) < max(100, block_size):
        raise ToolError(f"Give at least {max(100, block_size)} bits.")
    values = {
        "frequency": _frequency(content),
        "block_frequency": _block_frequency(content, block_size),
        "runs": _runs(content),
        "cumulative_sums": _cumulative(content),
        "approximate_entropy": _approximate_entropy(content),
    }
    tests: list[BitTest] = [
        {"name": name, "p_value": float(value), "passed": bool(value >= 0.01)} for name, value in values.items()
    ]
    return {
        "bits": len(content),
        "ones": content.count("1"),
        "tests": tests,
        "passed": all(test["passed"] for test in tests),
    }


def _frequency(bits: str) -> float:
    return math.erfc(abs(2 * bits.count("1") - len(bits)) / math.sqrt(2 * len(bits)))


def _block_frequency(bits: str, size: int) -> float:
    blocks = len(bits) // size
    shares = (bits[place * size : (place + 1) * size].count("1") / size for place in range(blocks))
    return float(gammaincc(blocks / 2, 2 * size * sum((share - 0.5) ** 2 for share in shares)))


def _runs(bits: str) -> float:
    size, share = len(bits), bits.count("1") / len(bits)
    if abs(share - 0.5) >= 2 / math.sqrt(size):
        return 0.0
    runs = 1 + bits.count("01") + bits.count("10")
    spread = 2 * math.sqrt(2 * size) * share * (1 - share)
    return math.erfc(abs(runs - 2 * size * share * (1 - share)) / spread)


def _cumulative(bits: str) -> float:
    """Forward cumulative sums, by the formula of section 2.13.4."""
    size, total, furthest = len(bits), 0, 0
    for bit in bits:
        total += 1 if bit == "1" else -1
        furthest = max(furthest, abs(total))
    root = math.sqrt(size)
    first = sum(
        _normal((4 * k + 1) * furthest / root) - _normal((4 * k - 1) * furthest / root)
        for k in range(int((-size / furthest + 1) / 4), int((size / furthest - 1) / 4) + 1)
    )
    second = sum(
        _normal((4 * k + 3) * furthest / root) - _normal((4 * k + 1) * furthest / root)
        for k in range(int((-size / furthest - 3) / 4), int((size / furthest - 1) / 4) + 1)
    )
    return min(1.0, max(0.0, 1 - first + second))


def _normal(value: float) -> float:
    return 0.5 * math.erfc(-value / math.sqrt(2))


def _approximate_entropy(bits: str, size: int = 2) -> float:
    def phi(length: int) -> float:
        wrapped = bits + bits[: length - 1]
        counts = Counter(wrapped[place : place + length] for place in range(len(bits)))
        return sum(count / len(bits) * math.log(count / len(bits)) for count in counts.values())

    distance = 2 * len(bits) * (math.log(2) - (phi(size) - phi(size + 1)))
    return float(gammaincc(2 ** (size - 1), max(distance, 0.0) / 2))
