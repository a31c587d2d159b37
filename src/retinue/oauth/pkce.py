"""Proof key for code exchange (RFC 7636). Supports only S256."""

import base64
import hashlib
import hmac
import re

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def is_challenge(text: str) -> bool:
    """Return True if a text has the format of an S256 challenge: a SHA-256 digest in unpadded base64url."""
    return bool(_CHALLENGE.fullmatch(text))


def verify(verifier: str, challenge: str) -> bool:
    """Return True if `challenge` is the S256 challenge of `verifier`."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    expected = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(expected, challenge.encode())
