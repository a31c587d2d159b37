"""Encrypts at rest the values that must be readable again, such as webhook signing secrets.

Each value is encrypted with the master key (`core/runtime/encryption.py`) and bound to its owner, so it cannot be
decrypted in another record. A prefix with the key's id distinguishes a wrong key from damaged content.
"""

import base64
import binascii
import hashlib
import hmac
import os
from pathlib import Path

from retinue.core.errors import Unavailable

_KEY_BYTES = 32
_FILE = "master.key"


class MasterKeyWrong(Unavailable):
    """A value was encrypted with a different master key."""


class Vault:
    """Encrypts and decrypts with the master key."""

    def __init__(self, key: bytes, source: str, unsaved: Path | None = None) -> None:
        self._id = hashlib.sha256(b"retinue master key " + key).hexdigest()[:8]
        self._key = key
        self._source = source
        self._unsaved = unsaved

    @classmethod
    def load(cls, folder: Path, key: str | None) -> "Vault":
        """Load the key from the environment or the data folder, or generate one. Raises `Unavailable`."""
        if key:
            return cls(_decode_key(key, "RETINUE_MASTER_KEY"), "RETINUE_MASTER_KEY")
        path = folder / _FILE
        try:
            return cls(_decode_key(path.read_text(), str(path)), str(path))
        except FileNotFoundError:
            return cls(os.urandom(_KEY_BYTES), f"the new {path}", unsaved=path)
        except (OSError, UnicodeDecodeError) as error:
            raise Unavailable(f"Cannot read the master key {path}: {error}.") from error

    def save(self) -> None:
        """Write a new key to the data folder, readable only by its user. Call this before sealing the first value."""
        if self._unsaved is None:
            return
        draft = self._unsaved.with_suffix(".new")
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(base64.b64encode(self._key) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._unsaved)
        self._source, self._unsaved = str(self._unsaved), None

    def seal(self, text: str, owner: str) -> str:
        """Encrypt `text`. Only `open_sealed` with the same `owner` can decrypt it."""
        from retinue.core.runtime import encryption  # noqa: PLC0415 - only where there are secrets

        content = encryption.seal(text, owner, self._key)
        return f"{self._id}.{base64.b64encode(content).decode()}"

    def open_sealed(self, sealed: str, owner: str) -> str:
        """Decrypt a value that `seal` returned. Raises `MasterKeyWrong`."""
        key_id, _, content = sealed.partition(".")
        if key_id != self._id:
            raise MasterKeyWrong(
                f"The database contains values encrypted with the master key {key_id}, but {self._source} is "
                f"the key {self._id}. Put the right master.key into RETINUE_HOME, or set RETINUE_MASTER_KEY "
                "to its content."
            )
        from retinue.core.runtime import encryption  # noqa: PLC0415 - only where there are secrets

        try:
            return encryption.unseal(base64.b64decode(content, validate=True), owner, self._key)
        except ValueError as error:
            raise MasterKeyWrong("An encrypted value in the database is damaged. Restore it from a backup.") from error

    def digest(self, text: str) -> str:
        """Return the HMAC-SHA256 of `text` (RFC 2104) in hexadecimal. Guessing the text requires the master key."""
        return hmac.new(self._key, b"retinue digest " + text.encode(), "sha256").hexdigest()


def _decode_key(text: str, source: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != _KEY_BYTES:
        raise Unavailable(
            f"{source} is not a valid master key: it must be {_KEY_BYTES} bytes in Base64 (openssl rand -base64 32)."
        )
    return key
