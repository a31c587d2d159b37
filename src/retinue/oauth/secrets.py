"""Client secrets, codes and tokens: how they are made, and what is stored of them."""

import hashlib
import secrets

ACCESS = "aat"
REFRESH = "art"


def new_secret(prefix: str) -> str:
    """A secret with 256 random bits: too many to guess, so one round of hashing suffices."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def hash_secret(secret: str) -> bytes:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
