"""The form of an API key: `ak_live_<8>_<32>`, or `ak_test_…` for the sandbox."""

import hashlib
import re
import secrets
import string
from dataclasses import dataclass

_ALPHABET = string.ascii_letters + string.digits
_FORM = re.compile(r"ak_(live|test)_([A-Za-z0-9]{8})_([A-Za-z0-9]{32})")


@dataclass(frozen=True, slots=True)
class KeyParts:
    """A key taken apart: the prefix finds it, the secret proves it."""

    sandbox: bool
    prefix: str
    secret: str

    def __str__(self) -> str:
        return f"ak_{'test' if self.sandbox else 'live'}_{self.prefix}_{self.secret}"

    def __repr__(self) -> str:
        return f"KeyParts(prefix={self.prefix!r})"


def new_key(sandbox: bool) -> KeyParts:
    """A key with 190 random bits in its secret: too many to guess, so one round of hashing suffices."""
    return KeyParts(sandbox, _random(8), _random(32))


def parse_key(token: str) -> KeyParts | None:
    """Take a key apart; None when it has not the form of one."""
    match = _FORM.fullmatch(token)
    return KeyParts(match[1] == "test", match[2], match[3]) if match else None


def hash_secret(secret: str) -> bytes:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
