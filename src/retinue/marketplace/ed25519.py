"""Ed25519 (RFC 8032): keys and signatures as raw bytes.

Import this only where something is signed: like `core/sealing` it brings a second OpenSSL into memory.
"""

import os

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_KEY_BYTES = 32


def new_private_key() -> bytes:
    """A random private key of 32 bytes."""
    return os.urandom(_KEY_BYTES)


def public_key(private: bytes) -> bytes:
    """The public key, 32 bytes, of a private one."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, content: bytes) -> bytes:
    """The signature of `content`, 64 bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(content)
