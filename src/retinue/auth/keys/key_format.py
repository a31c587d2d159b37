"""The format of an API key: `ak_live_<8>_<32>`, or `ak_test_…` for the sandbox."""

import hashlib
import re
import secrets
import string
from dataclasses import dataclass

PUBLISHABLE = "ak_pub_"
"""What publishable keys begin with."""

_ALPHABET = string.ascii_letters + string.digits
_FORM = re.compile(r"ak_(live|test)_([A-Za-z0-9]{8})_([A-Za-z0-9]{32})")


@dataclass(frozen=True, slots=True)
class KeyParts:
    """A parsed API key. The prefix identifies the row, the secret authenticates."""

    sandbox: bool
    prefix: str
    secret: str

    def __str__(self) -> str:
        return f"ak_{'test' if self.sandbox else 'live'}_{self.prefix}_{self.secret}"

    def __repr__(self) -> str:
        return f"KeyParts(prefix={self.prefix!r})"


def new_key(sandbox: bool) -> KeyParts:
    """Generate a key. Its secret has 190 random bits, so one round of SHA-256 suffices."""
    return KeyParts(sandbox, _random(8), _random(32))


def new_publishable_key() -> str:
    """Generate a publishable key. It is no secret, but only those who were given it should know it."""
    return PUBLISHABLE + _random(24)


def parse_key(token: str) -> KeyParts | None:
    """Parse a key; return None if the format is wrong."""
    match = _FORM.fullmatch(token)
    return KeyParts(match[1] == "test", match[2], match[3]) if match else None


def hash_secret(secret: str) -> bytes:
    """Return the SHA-256 digest that is stored for a secret."""
    return hashlib.sha256(secret.encode()).digest()


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
