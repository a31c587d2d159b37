"""Secret sharing: Shamir's scheme over the bytes, in the field of AES (GF(2^8), FIPS 197, section 4)."""

import secrets
from collections.abc import Sequence
from functools import cache, reduce
from operator import xor
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security._bytes import Encoding, bytes_of, text_or_none

Share = Annotated[
    str,
    About(
        "A share: its number in two hexadecimal digits, a hyphen, and its bytes in hexadecimal",
        "01-45",
        pattern="^[0-9a-fA-F]{2}-([0-9a-fA-F]{2})+$",
        max_length=20_003,
    ),
]


class Shares(TypedDict):
    """A secret split into shares."""

    shares: Annotated[list[str], About("One share for each holder")]
    threshold: Annotated[int, About("Number of shares needed to recover the secret")]


@tool(
    tags="shamir secret sharing split key shares threshold backup recovery",
    use_when=(
        "Split my recovery key in 5 shares, any 3 of which recover it",
        "Share a master password among four people by Shamir's scheme",
        "Break this secret into parts for the board",
    ),
    examples=(
        Example(
            {"secret": "correct horse", "shares": 3, "threshold": 2},
            {"threshold": 2},
            source="the numbers asked for; the shares are random",
        ),
        Example(
            {"secret": "ff", "encoding": "hex", "shares": 2, "threshold": 1},
            {"shares": ["01-ff", "02-ff"]},
            source="by hand: with a threshold of 1 the polynomial is constant",
        ),
        Refusal({"secret": "a", "shares": 2, "threshold": 3}, "exceeds the number of shares"),
    ),
    reply="Any {threshold} of these shares recover the secret: {shares}",
    idempotent=False,
)
def secret_split_shares(
    secret: Annotated[str, About("The secret", "correct horse battery staple", min_length=1, max_length=10_000)],
    shares: Annotated[int, About("Number of shares", 5, minimum=1, maximum=100)],
    threshold: Annotated[int, About("Number of shares needed to recover the secret", 3, minimum=1, maximum=100)],
    encoding: Encoding = "utf8",
) -> Shares:
    """Split a secret into shares, a chosen number of which recover it while fewer reveal nothing (Shamir's scheme).

    Use it for backups of keys among several people. Give each holder one share; secret_combine_shares combines them.
    """
    if threshold > shares:
        raise ToolError("The threshold exceeds the number of shares. Create more, or lower it.")
    content = bytes_of(secret, encoding, "secret")
    if not content:
        raise ToolError("The secret is empty.")
    polynomials = [bytes([byte]) + secrets.token_bytes(threshold - 1) for byte in content]
    texts = [f"{x:02x}-{bytes(_value(one, x) for one in polynomials).hex()}" for x in range(1, shares + 1)]
    return {"shares": texts, "threshold": threshold}


class Recovered(TypedDict):
    """A secret recovered from shares."""

    text: Annotated[
        str | None, About("Secret as text; null if it is not UTF-8, for example with wrong or too few shares")
    ]
    hex: Annotated[str, About("Secret in hexadecimal")]


@tool(
    tags="shamir secret sharing combine recover shares reconstruct key",
    use_when=(
        "Recover the secret from these three shares",
        "Join the Shamir shares 01-45 and 02-4c",
        "Reconstruct the master password from its parts",
    ),
    examples=(
        Example(
            {"shares": ["01-45", "02-4c"]},
            {"text": "B", "hex": "42"},
            source="by hand: the line 42 + 07 x has the values 45 at 1 and 4c at 2",
        ),
        Example(
            {"shares": ["03-4b", "02-4c"]},
            {"hex": "42"},
            source="by hand: the same line, 4b at 3",
        ),
        Refusal({"shares": ["01-45", "01-46"]}, "twice"),
        Refusal({"shares": ["01-45", "02-4647"]}, "same length"),
    ),
    reply={
        "text": "The secret: {text}",
        "": "The secret in hexadecimal: {hex}",
    },
)
def secret_combine_shares(
    shares: Annotated[
        list[Share], About("At least as many shares as the threshold", ["01-45", "02-4c"], max_items=255)
    ],
) -> Recovered:
    """Recover a secret from the shares that secret_split_shares created.

    Give at least as many as its threshold: fewer give a wrong secret, which cannot be distinguished from the right one.
    """
    if not shares:
        raise ToolError("Give at least one share.")
    points = [(int(share[:2], 16), bytes.fromhex(share[3:])) for share in shares]
    if len({x for x, _ in points}) < len(points) or any(x == 0 for x, _ in points):
        raise ToolError("A share occurs twice, or has the number 00. Give each once.")
    if len({len(values) for _, values in points}) > 1:
        raise ToolError("Shares of one secret have the same length. Give only shares of the same secret.")
    weights = _weights([x for x, _ in points])
    columns = zip(*(values for _, values in points), strict=True)
    content = bytes(reduce(xor, map(_times, weights, column)) for column in columns)
    return {"text": text_or_none(content), "hex": content.hex()}


def _weights(xs: Sequence[int]) -> list[int]:
    """Return Lagrange's weights for the value at 0, where subtraction is exclusive or."""
    weights = []
    for x in xs:
        weight = 1
        for other in xs:
            if other != x:
                weight = _times(weight, _times(other, _inverse(other ^ x)))
        weights.append(weight)
    return weights


def _value(polynomial: bytes, x: int) -> int:
    value = 0
    for coefficient in reversed(polynomial):
        value = _times(value, x) ^ coefficient
    return value


@cache
def _logarithms() -> tuple[list[int], list[int]]:
    """Return the powers of the generator 3, and the exponents of all values except 0."""
    powers, exponents, value = [], [0] * 256, 1
    for exponent in range(255):
        powers.append(value)
        exponents[value] = exponent
        doubled = value << 1 ^ (0x11B if value & 0x80 else 0)
        value ^= doubled
    return powers, exponents


def _times(left: int, right: int) -> int:
    if not left or not right:
        return 0
    powers, exponents = _logarithms()
    return powers[(exponents[left] + exponents[right]) % 255]


def _inverse(value: int) -> int:
    powers, exponents = _logarithms()
    return powers[-exponents[value] % 255]
