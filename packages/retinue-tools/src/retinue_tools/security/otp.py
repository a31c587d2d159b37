"""One-time passwords: HOTP (RFC 4226) and TOTP (RFC 6238)."""

import base64
import binascii
import hashlib
import time
from typing import Annotated, Any, Literal

import pyotp
import segno
from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, ToolError, output_path, tool

_LEAST_BYTES = 14
"""Minimum length of a secret in pyotp."""
_LONGEST_PERIOD_S = 120
"""NIST SP 800-63B-4, section 3.1.4.1."""

_SHARED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
_LONGER = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA===="

Secret = Annotated[
    str, About("Shared secret in Base32, as used by authenticator apps", _SHARED, min_length=8, max_length=500)
]
Hash = Annotated[Literal["sha1", "sha256", "sha512"], About("Hash function; apps expect sha1")]
Digits = Annotated[int, About("Number of digits of a code", minimum=6, maximum=8)]
Period = Annotated[int, About("Validity of a TOTP code in seconds", minimum=5, maximum=_LONGEST_PERIOD_S)]
At = Annotated[int | None, About("Unix time in seconds; default: now", 59, minimum=0, maximum=2**40)]
Counter = Annotated[
    int | None, About("Counter of HOTP; if omitted, the code is time-based (TOTP)", 7, minimum=0, maximum=2**60)
]


class Enrolment(TypedDict):
    """A new secret with its enrolment data."""

    secret: Annotated[str, About("Secret in Base32, with 160 random bits")]
    uri: Annotated[str, About("otpauth URI for the QR code")]
    qr_code: OutputFile


@tool(
    tags="totp hotp otp 2fa mfa secret qr authenticator enrol otpauth two-factor",
    use_when=(
        "Create a two-factor secret with QR code for alice@example.com",
        "Make a TOTP enrolment for my app",
        "Generate an otpauth URI for Google Authenticator",
    ),
    examples=(
        Example(
            {"account": "alice@example.com", "issuer": "Example"},
            {"qr_code": "otp-qr-code.svg"},
            source="the name of the file that is made; the secret is random",
        ),
        Example(
            {"account": "bob", "issuer": "Example", "digits": 8, "algorithm": "sha256"},
            {"qr_code": "otp-qr-code.svg"},
            source="the same",
        ),
        Refusal({"account": "", "issuer": "Example"}, "account"),
        Refusal({"account": "bob", "issuer": "Example", "period_s": 121}, "period_s must be at most 120"),
        Refusal({"account": "\U0001f469" * 200, "issuer": "\U0001f469" * 100}, "Shorten the account or the issuer"),
    ),
    reply="The secret is {secret}. The QR code: {qr_code}",
    idempotent=False,
)
def otp_create_secret(
    account: Annotated[str, About("Name of the account", "alice@example.com", min_length=1, max_length=200)],
    issuer: Annotated[str, About("Name of the service", "Example", min_length=1, max_length=100)],
    algorithm: Hash = "sha1",
    digits: Digits = 6,
    period_s: Period = 30,
) -> Enrolment:
    """Create a random secret for two-factor codes (TOTP), with its otpauth address and QR code.

    Use it to enrol an authenticator app. Keep the secret: otp_verify_code needs it.
    """
    secret: str = pyotp.random_base32()
    uri: str = _totp(secret, algorithm, digits, period_s).provisioning_uri(name=account, issuer_name=issuer)
    try:
        code = segno.make(uri, micro=False)
    except segno.DataOverflowError as error:
        raise ToolError("The names are too long for a QR code. Shorten the account or the issuer.") from error
    target = output_path("otp-qr-code.svg")
    code.save(str(target), scale=6)
    return {"secret": secret, "uri": uri, "qr_code": target.name}


class Code(TypedDict):
    """A one-time password."""

    code: Annotated[str, About("Code")]
    next_code: Annotated[str, About("Next code")]
    valid_for_s: Annotated[int | None, About("Remaining seconds of the period; null for HOTP")]


@tool(
    tags="totp hotp otp code 2fa mfa compute current authenticator one-time password",
    use_when=(
        "What is the current two-factor code of this secret?",
        "Compute the TOTP at Unix time 59",
        "HOTP code number 7 of my token",
    ),
    examples=(
        Example(
            {"secret": _SHARED, "digits": 8, "at": 59},
            {"code": "94287082", "valid_for_s": 1},
            source="RFC 6238, appendix B",
        ),
        Example(
            {"secret": _LONGER, "digits": 8, "at": 1111111109, "algorithm": "sha256"},
            {"code": "68084774"},
            source="RFC 6238, appendix B (with the erratum on the secret's length)",
        ),
        Example(
            {"secret": _SHARED, "counter": 3},
            {"code": "969429", "next_code": "338314", "valid_for_s": None},
            source="RFC 4226, appendix D",
        ),
        Example(
            {"secret": "JBSW Y3DP EHPK 3PXP", "counter": 0},
            {"code": "282760", "next_code": "996554"},
            source="RFC 4226, section 5.3, with Python's hmac",
        ),
        Refusal({"secret": "0189-not-base32", "at": 1}, "not Base32"),
    ),
    reply={
        "valid_for_s": "The code is {code}, valid for {valid_for_s|second} more; the next one is {next_code}.",
        "": "The code is {code}, and the next one {next_code}.",
    },
    idempotent=False,
)
def otp_compute_code(
    secret: Secret,
    at: At = None,
    counter: Counter = None,
    algorithm: Hash = "sha1",
    digits: Digits = 6,
    period_s: Period = 30,
) -> Code:
    """Compute the code of a two-factor secret, now or at a time (TOTP), or for a counter (HOTP).

    Use it to test a login. Returns the code, the next one, and the remaining validity.
    """
    plain = _plain(secret)
    if counter is not None:
        counted = pyotp.HOTP(plain, digits=digits, digest=getattr(hashlib, algorithm))
        return {"code": counted.at(counter), "next_code": counted.at(counter + 1), "valid_for_s": None}
    moment = int(time.time()) if at is None else at
    timed = _totp(plain, algorithm, digits, period_s)
    return {
        "code": timed.generate_otp(moment // period_s),
        "next_code": timed.generate_otp(moment // period_s + 1),
        "valid_for_s": period_s - moment % period_s,
    }


class CodeFit(TypedDict):
    """Result of verifying a code."""

    valid: Annotated[bool, About("Whether the code is correct within the drift")]
    drift: Annotated[
        int | None, About("Number of periods by which the code is late (negative) or early; null if wrong")
    ]


@tool(
    tags="totp otp verify code 2fa mfa check login drift",
    use_when=(
        "Is 287082 the right two-factor code for this secret?",
        "Verify a TOTP code with one period of clock drift",
        "Why is the authenticator code rejected?",
    ),
    examples=(
        Example(
            {"secret": _SHARED, "code": "94287082", "at": 61, "digits": 8},
            {"valid": True, "drift": -1},
            source="RFC 6238, appendix B: the code of the period before 60 s",
        ),
        Example(
            {"secret": _SHARED, "code": "94287082", "at": 91, "digits": 8},
            {"valid": False, "drift": None},
            source="the same, two periods later",
        ),
        Refusal({"secret": _SHARED, "code": "12345"}, "6 digits"),
    ),
    reply={
        "valid": "Yes, the code is right.",
        "": "No, the code is not right.",
    },
    idempotent=False,
)
def otp_verify_code(
    secret: Secret,
    code: Annotated[str, About("Code to verify, spaces allowed", "287 082", min_length=1, max_length=20)],
    at: At = None,
    drift: Annotated[int, About("Tolerated clock difference in periods", minimum=0, maximum=20)] = 1,
    algorithm: Hash = "sha1",
    digits: Digits = 6,
    period_s: Period = 30,
) -> CodeFit:
    """Verify a two-factor code (TOTP) against its secret, allowing for clocks that differ.

    Use it for logins and to find why codes are rejected: try a larger drift. Returns the deviation in periods.
    """
    entered = "".join(code.split())
    if len(entered) != digits or not entered.isascii() or not entered.isdigit():
        raise ToolError(f"A code has {digits} digits.")
    step = (int(time.time()) if at is None else at) // period_s
    timed = _totp(_plain(secret), algorithm, digits, period_s)
    offsets = sorted(range(-drift, drift + 1), key=abs)
    fits = [
        off for off in offsets if step + off >= 0 and pyotp.utils.strings_equal(timed.generate_otp(step + off), entered)
    ]
    return {"valid": bool(fits), "drift": fits[0] if fits else None}


def _totp(secret: str, algorithm: str, digits: int, period_s: int) -> Any:
    return pyotp.TOTP(secret, digits=digits, digest=getattr(hashlib, algorithm), interval=period_s)


def _plain(secret: str) -> str:
    """Return the secret without spaces and hyphens.

    Secrets that are too short for pyotp are padded with zeros, as HMAC does internally (RFC 2104, section 2): many
    services use secrets of 80 bits.
    """
    plain = "".join(secret.split()).replace("-", "").rstrip("=").upper()
    try:
        key = base64.b32decode(plain + "=" * (-len(plain) % 8))
    except (binascii.Error, ValueError) as error:
        raise ToolError("The secret is not Base32: letters A to Z and digits 2 to 7.") from error
    return base64.b32encode(key.ljust(_LEAST_BYTES, b"\0")).decode()
