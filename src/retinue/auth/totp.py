"""Time-based one-time passwords (RFC 6238): six digits that change every 30 seconds."""

import hmac
from datetime import datetime

import pyotp

STEP_S = 30
_DRIFT = 1
"""Steps that a phone's clock may be off in either direction (RFC 6238, 5.2)."""


def new_secret() -> str:
    """Generate 160 random bits in Base32 for authenticator apps (RFC 4226, 4)."""
    return pyotp.random_base32()


def provisioning_uri(secret: str, email: str) -> str:
    """Return the `otpauth` URI that authenticator apps read from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name="Retinue")


def code_at(secret: str, step: int, digits: int = 6) -> str:
    """Return the code of a time step."""
    return pyotp.TOTP(secret, digits=digits).generate_otp(step)


def matching_step(secret: str, code: str, moment: datetime) -> int | None:
    """Return the time step near `moment` that `code` belongs to, or None."""
    present = int(moment.timestamp()) // STEP_S
    steps = range(present - _DRIFT, present + _DRIFT + 1)
    matching = [step for step in steps if hmac.compare_digest(code_at(secret, step).encode(), code.encode())]
    return max(matching, default=None)
