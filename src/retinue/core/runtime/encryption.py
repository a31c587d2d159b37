"""AES-256-GCM (NIST SP 800-38D) encryption that binds each value to its owner.

Import this module only where values are encrypted: it loads a second OpenSSL, 7 MB that a server without secrets
saves.
"""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12


def seal(text: str, owner: str, key: bytes) -> bytes:
    """Encrypt `text` with the 32-byte `key` and return a new nonce followed by the ciphertext."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text.encode(), owner.encode())


def unseal(content: bytes, owner: str, key: bytes) -> str:
    """Decrypt what `seal` returned. Raises ValueError if the owner or key differs or the content is damaged."""
    nonce, encrypted = content[:_NONCE_BYTES], content[_NONCE_BYTES:]
    try:
        return AESGCM(key).decrypt(nonce, encrypted, owner.encode()).decode()
    except InvalidTag as error:
        raise ValueError("The tag does not fit the content.") from error
