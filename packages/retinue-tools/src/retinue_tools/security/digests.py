"""Digests, keyed digests (HMAC), and subresource integrity (W3C) for scripts and style sheets."""

import hashlib
import hmac
import html
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.security._bytes import Encoding, base64_of, bytes_of

Algorithm = Annotated[
    Literal["sha256", "sha512", "sha384", "sha224", "sha1", "md5", "sha3_256", "sha3_512", "blake2b", "blake2s"],
    About("Hash function; md5 and sha1 are insecure, and only for old formats"),
]
Key = Annotated[
    str | None, About("Secret key; if given, the result is an HMAC", "Jefe", min_length=1, max_length=10_000)
]


class Digest(TypedDict):
    """A digest in two notations."""

    hex: Annotated[str, About("The digest in hexadecimal")]
    base64: Annotated[str, About("The digest in Base64")]
    bits: Annotated[int, About("Length in bits")]


@tool(
    tags="hash digest checksum sha256 sha512 md5 sha1 hmac signature blake2 fingerprint string text word",
    use_when=(
        "What is the SHA-256 of this text?",
        "Compute the MD5 checksum of hello",
        "Sign this payload with HMAC SHA-256",
        "HMAC-SHA256 of a message with a key",
        "What does abc hash to?",
        "Compute the SHA-256 or MD5 of a string",
        "Which SHA-1 has the word hello?",
    ),
    examples=(
        Example(
            {"text": "abc"},
            {
                "hex": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "bits": 256,
                "base64": "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
            },
            source="FIPS 180-2, appendix B.1",
        ),
        Example(
            {"text": "what do ya want for nothing?", "key": "Jefe"},
            {"hex": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
            source="RFC 4231, section 4.3",
        ),
        Example(
            {"text": "abc", "algorithm": "md5"}, {"hex": "900150983cd24fb0d6963f7d28e17f72"}, source="RFC 1321, A.5"
        ),
        Refusal({"text": "xyz", "encoding": "hex"}, "not hexadecimal"),
    ),
    reply={
        "hex": "The hash is {hex}.",
        "": "The hash: {hex}",
    },
)
def hash_compute_digest(
    text: Text, algorithm: Algorithm = "sha256", key: Key = None, encoding: Encoding = "utf8"
) -> Digest:
    """Compute the hash of a text, or with a secret key its HMAC (RFC 2104).

    Use it for checksums, fingerprints and signatures. Returns the digest in hexadecimal and in Base64.
    """
    content = bytes_of(text, encoding)
    digest = hmac.digest(key.encode(), content, algorithm) if key else hashlib.new(algorithm, content).digest()
    return {"hex": digest.hex(), "base64": base64_of(digest), "bits": 8 * len(digest)}


class CodeCheck(TypedDict):
    """Result of verifying a message authentication code."""

    valid: Annotated[bool, About("Whether key and message give this code")]
    bits: Annotated[int, About("Length of the given code")]


@tool(
    tags="hmac verify mac signature constant time message authentication",
    use_when=(
        "Is 5bdcc146… the right HMAC-SHA256 of this message?",
        "Verify the HMAC of an API request with my secret",
        "Does this MAC match the payload and the key?",
    ),
    examples=(
        Example(
            {
                "message": "what do ya want for nothing?",
                "key": "Jefe",
                "code": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            },
            {"valid": True, "bits": 256},
            source="RFC 4231, section 4.3",
        ),
        Example(
            {
                "message": "what do ya want for nothing?",
                "key": "Jefe",
                "algorithm": "md5",
                "code": "750c783e6ab0b503eaa86e310a5db739",
            },
            {"valid": False, "bits": 128},
            source="RFC 2202, section 2: the last octet is 38",
        ),
        Refusal({"message": "a", "key": "b", "code": "abc?"}, "neither hexadecimal nor Base64"),
    ),
    reply={
        "valid": "Yes, the code is right for this message and key.",
        "": "No, the code is not right for this message and key.",
    },
)
def hmac_verify_code(
    message: Annotated[Text, About("Message that the code belongs to")],
    key: Annotated[str, About("Secret key", "Jefe", min_length=1, max_length=10_000)],
    code: Annotated[
        str, About("Code in hexadecimal or Base64, optionally prefixed with sha256=", "5bdcc146…", max_length=300)
    ],
    algorithm: Annotated[
        Literal["sha256", "sha512", "sha384", "sha224", "sha1", "md5"], About("Hash function of the HMAC")
    ] = "sha256",
    message_encoding: Annotated[Encoding, About("Encoding of the bytes in the message")] = "utf8",
    key_encoding: Annotated[Encoding, About("Encoding of the bytes in the key")] = "utf8",
) -> CodeCheck:
    """Verify an HMAC (RFC 2104) of a message in constant time.

    Use it to check a message authentication code that you received. Returns whether key and message give that code.
    """
    digest = hmac.digest(bytes_of(key, key_encoding, "key"), bytes_of(message, message_encoding, "message"), algorithm)
    code_bytes = _code(code.strip().removeprefix(f"{algorithm}="))
    return {"valid": hmac.compare_digest(digest, code_bytes), "bits": 8 * len(code_bytes)}


def _code(text: str) -> bytes:
    for encoding in ("hex", "base64"):
        try:
            return bytes_of(text, encoding)
        except ToolError:
            continue
    raise ToolError("The code is neither hexadecimal nor Base64.")


SriAlgorithm = Literal["sha256", "sha384", "sha512"]


class Integrity(TypedDict):
    """An integrity attribute."""

    integrity: Annotated[str, About("Value of the attribute")]
    attribute: Annotated[str, About("Attribute in HTML")]
    script_tag: Annotated[str, About("A script element with the attribute")]
    matches: Annotated[bool | None, About("Whether the expected value matches; null if none was given")]


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
    reply={
        "matches": "Yes, the integrity attribute is right for this content.",
        "args.expected": "No, the integrity attribute is wrong; it should be {integrity}.",
        "attribute": "The attribute is {attribute}.",
        "": "The attribute: {attribute}",
    },
)
def sri_compute_integrity(
    content: Annotated[str, About("Content of the script or style sheet", "alert('hi')", max_length=500_000)],
    algorithm: Annotated[SriAlgorithm, About("Hash function; sha384 is usual")] = "sha384",
    expected: Annotated[
        str | None, About("An integrity attribute to check against", "sha384-H8BRh8j4…", max_length=2000)
    ] = None,
    source: Annotated[
        str, About("URL for the script element", "https://cdn.example.com/app.js", max_length=2000)
    ] = "https://cdn.example.com/app.js",
) -> Integrity:
    """Compute the SRI integrity attribute of a script or style sheet, or check one.

    Use it for files from a CDN. Returns the attribute and a script element. Every byte matters, including line breaks.
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
    """Check whether one of the digests of the strongest function matches, as in browsers."""
    attribute = expected.strip().removeprefix("integrity=").strip("\"'")
    values = [value.partition("?")[0] for value in attribute.split()]
    for algorithm in ("sha512", "sha384", "sha256"):
        if strong := [value for value in values if value.startswith(f"{algorithm}-")]:
            return _digest(content, algorithm) in strong
    raise ToolError("The expected value must begin with sha256-, sha384- or sha512-.")
