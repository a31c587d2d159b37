"""Subresource integrity (W3C): digests in the attribute of a script or style sheet."""

import hashlib
import html
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security._bytes import base64_of, bytes_of

Algorithm = Literal["sha256", "sha384", "sha512"]


class Integrity(TypedDict):
    """An integrity attribute."""

    integrity: Annotated[str, About("Value of the attribute")]
    attribute: Annotated[str, About("The attribute as it stands in HTML")]
    script_tag: Annotated[str, About("A script element with it")]
    matches: Annotated[bool | None, About("Whether the expected value holds; null where none was given")]


@tool(
    tags="sri subresource integrity attribute script stylesheet sha384 sha256 sha512 hash cdn html",
    use_when=(
        "SRI integrity attribute (sha384) for the script alert('hi')",
        "Compute the integrity hash of this script for a CDN",
        "Does this script fit the integrity attribute sha256-…?",
    ),
    examples=(
        Example(
            {"content": "alert('Hello, world.');"},
            {
                "integrity": "sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO",
                "attribute": 'integrity="sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO"',
                "matches": None,
            },
            source="W3C Subresource Integrity, section 3.2",
        ),
        Example(
            {
                "content": "alert('Hello, world.');",
                "algorithm": "sha256",
                "expected": "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=",
            },
            {"matches": True},
            source="W3C Content Security Policy 3, section 8.3",
        ),
        Refusal({}, "content"),
        Refusal({"content": "a", "expected": "md5-abc"}, "sha256-, sha384- or sha512-"),
    ),
)
def sri_compute_integrity(
    content: Annotated[str, About("The script or style sheet itself", "alert('hi')", max_length=500_000)],
    algorithm: Annotated[Algorithm, About("The hash; sha384 is usual")] = "sha384",
    expected: Annotated[
        str | None, About("An integrity attribute to check against", "sha384-H8BRh8j4…", max_length=2000)
    ] = None,
    source: Annotated[
        str, About("Address for the script element", "https://cdn.example.com/app.js", max_length=2000)
    ] = "https://cdn.example.com/app.js",
) -> Integrity:
    """Compute the SRI integrity attribute of a script or style sheet, or check one.

    Use it for files from a CDN. Returns the attribute and a script element. Every byte counts, line breaks too.
    """
    plain = bytes_of(content, "utf8", "content")
    integrity = _digest(plain, algorithm)
    return {
        "integrity": integrity,
        "attribute": f'integrity="{integrity}"',
        "script_tag": f'<script src="{html.escape(source)}" integrity="{integrity}" crossorigin="anonymous"></script>',
        "matches": None if expected is None else _matches(plain, expected),
    }


def _digest(content: bytes, algorithm: str) -> str:
    return f"{algorithm}-{base64_of(hashlib.new(algorithm, content).digest())}"


def _matches(content: bytes, expected: str) -> bool:
    """Whether one of the digests of the strongest function fits, as browsers judge it."""
    attribute = expected.strip().removeprefix("integrity=").strip("\"'")
    values = [value.partition("?")[0] for value in attribute.split()]
    for algorithm in ("sha512", "sha384", "sha256"):
        if strong := [value for value in values if value.startswith(f"{algorithm}-")]:
            return _digest(content, algorithm) in strong
    raise ToolError("The expected value must begin with sha256-, sha384- or sha512-.")
