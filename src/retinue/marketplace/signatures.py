"""Sign and verify manifests: Ed25519 (RFC 8032) with the publisher's key, over canonical JSON.

Items that ship with the server have a SHA-256 checksum instead, which must match the server's own files.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from retinue.core.database.interface import Database, UniqueConflict
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault
from retinue.marketplace import statements as sql
from retinue.marketplace.tables import ItemRow, SigningKey

Signature = dict[str, str | None]
"""`algorithm`, `key_id`, `public_key` and `value`, as in `SignatureView`."""


def signed_content(slug: str, kind: str, version: str, manifest: Mapping[str, object]) -> bytes:
    """Return the bytes to sign: a JSON object with sorted keys, without whitespace, in UTF-8."""
    content = {"slug": slug, "type": kind, "version": version, "manifest": manifest}
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)


def checksum(content: bytes) -> Signature:
    """Return the checksum of an item that ships with the server."""
    value = hashlib.sha256(content).hexdigest()
    return {"algorithm": "sha256", "key_id": None, "public_key": None, "value": value}


@dataclass(frozen=True)
class Signatures:
    """Signs manifests with their publishers' keys, and verifies them."""

    database: Database
    vault: Vault

    async def sign(self, user_id: int, content: bytes) -> Signature:
        """Sign with the user's key, which is created for the first item."""
        key = await self.database.lookup(sql.KEY_OF_USER, user=user_id) or await self._new_key(user_id)
        return self._sign_with(key, content)

    async def check(self, item: ItemRow, shipped: Mapping[str, Signature]) -> None:
        """Raise `ValidationFailed` if a manifest matches neither its signature nor the shipped files."""
        content = signed_content(item.slug, item.type, item.version, item.manifest)
        signature = item.signature or {}
        if signature.get("algorithm") == "sha256":
            genuine = shipped.get(item.slug) == signature == checksum(content)
        else:
            genuine = await self._is_signed(item.user_id, signature, content)
        if not genuine:
            raise ValidationFailed(
                f"The manifest of {item.name} {item.version} does not match its signature, so it was not "
                "installed. It may have been changed after its publication. Its publisher can publish a new "
                "version."
            )

    async def _is_signed(self, user_id: int | None, signature: Signature, content: bytes) -> bool:
        key = await self.database.lookup(sql.KEY, key=signature.get("key_id") or "")
        # Ed25519 is deterministic, so signing again verifies both the value and the published key. A key that was
        # inserted without the master key cannot be decrypted.
        return key is not None and key.user_id == user_id and self._sign_with(key, content) == signature

    def _sign_with(self, key: SigningKey, content: bytes) -> Signature:
        from retinue.marketplace import ed25519  # noqa: PLC0415 - only where there are items of users

        private = base64.b64decode(self.vault.open_sealed(key.private_key, _owner(key.key_id)))
        return {
            "algorithm": "ed25519",
            "key_id": key.key_id,
            "public_key": _encode(ed25519.public_key(private)),
            "value": _encode(ed25519.sign(private, content)),
        }

    async def _new_key(self, user_id: int) -> SigningKey:
        from retinue.marketplace import ed25519  # noqa: PLC0415 - only where there are items of users

        private = ed25519.new_private_key()
        key_id = hashlib.sha256(ed25519.public_key(private)).hexdigest()[:16]
        sealed = self.vault.seal(_encode(private), _owner(key_id))
        key = {"key_id": key_id, "user_id": user_id, "private_key": sealed, "created_at": now()}
        try:
            row = await self.database.transact(lambda tx: tx.one(sql.ADD_KEY, **key))
        except UniqueConflict:  # another request has just created the key
            row = await self.database.lookup(sql.KEY_OF_USER, user=user_id)
        assert row is not None  # noqa: S101 - it was inserted, here or there
        return row


async def check_master_key(database: Database, vault: Vault) -> None:
    """Check the master key against a stored key at startup. Raises `MasterKeyWrong`."""
    if key := await database.lookup(sql.ANY_KEY):
        vault.open_sealed(key.private_key, _owner(key.key_id))


def _owner(key_id: str) -> str:
    """Return the associated data that a private key is encrypted with."""
    return f"marketplace key {key_id}"


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode()
