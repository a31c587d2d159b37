"""Ed25519 keys and signatures (RFC 8032) as raw bytes.

Import this lazily: like `core/runtime/encryption.py` it loads a second OpenSSL into memory.
"""

import os

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_KEY_BYTES = 32


def new_private_key() -> bytes:
    """Generate a private key of 32 bytes."""
    return os.urandom(_KEY_BYTES)


def public_key(private: bytes) -> bytes:
    """Return the 32-byte public key of a private key."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, content: bytes) -> bytes:
    """Return the 64-byte signature of `content`."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(content)
