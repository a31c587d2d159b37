"""Generate and hash client secrets, codes and tokens."""

import hashlib
import secrets

ACCESS = "aat"
REFRESH = "art"


def new_secret(prefix: str) -> str:
    """Generate a secret with 256 random bits, so that one round of hashing suffices."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def hash_secret(secret: str) -> bytes:
    """Return the SHA-256 digest that is stored for a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
