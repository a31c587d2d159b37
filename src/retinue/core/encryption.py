"""AES-256-GCM (NIST SP 800-38D), bound to what a value belongs to.

Import this only where something is sealed: it brings a second OpenSSL, 7 MB that a server without secrets can spare.
"""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12


def seal(text: str, owner: str, key: bytes) -> bytes:
    """A new nonce, and behind it `text` encrypted under the 32 bytes of `key`."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text.encode(), owner.encode())


def unseal(content: bytes, owner: str, key: bytes) -> str:
    """What `sealed` was given, or a ValueError: another owner or key, or damage."""
    nonce, encrypted = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
    try:
        return AESGCM(key).decrypt(nonce, encrypted, owner.encode()).decode()
    except InvalidTag as error:
        raise ValueError("The tag does not fit the content.") from error
