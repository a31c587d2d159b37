"""Signatures of manifests: Ed25519 (RFC 8032) with a key of the publisher's, over canonical JSON.

Items that ship with the server have a SHA-256 checksum instead, which must be that of the server's own files.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from retinue.core.clock import now
from retinue.core.database import Database, UniqueConflict
from retinue.core.errors import ValidationFailed
from retinue.core.statements import Row
from retinue.core.vault import Vault
from retinue.marketplace import statements as sql

Signature = dict[str, str | None]
"""`algorithm`, `key_id`, `public_key` and `value`: what `SignatureView` shows."""


def signed_content(slug: str, kind: str, version: str, manifest: Mapping[str, Any]) -> bytes:
    """The bytes that are signed: a JSON object with sorted keys, without white space, in UTF-8."""
    content = {"slug": slug, "type": kind, "version": version, "manifest": manifest}
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)


def checksum(content: bytes) -> Signature:
    """The check of an item that ships with the server."""
    value = hashlib.sha256(content).hexdigest()
    return {"algorithm": "sha256", "key_id": None, "public_key": None, "value": value}


@dataclass(frozen=True)
class Signatures:
    """Signs manifests with the keys of their publishers, and checks them."""

    database: Database
    vault: Vault

    async def sign(self, user_id: int, content: bytes) -> Signature:
        """Sign with the user's key, which is made for the first item."""
        key = await self.database.lookup(sql.KEY_OF_USER, user=user_id) or await self._new_key(user_id)
        return self._sign_with(key, content)

    async def check(self, item: Row, shipped: Mapping[str, Signature]) -> None:
        """Raise `ValidationFailed` unless an item's manifest is what its publisher signed, or what the server ships."""
        content = signed_content(item.slug, item.type, item.version, item.manifest)
        signature: Signature = item.signature or {}
        if signature.get("algorithm") == "sha256":
            genuine = shipped.get(item.slug) == signature == checksum(content)
        else:
            genuine = await self._is_signed(item.user_id, signature, content)
        if not genuine:
            raise ValidationFailed(
                f"The manifest of {item.name} {item.version} does not match its signature, so nothing is installed: it "
                "is not what its publisher published. Its publisher can publish a new version."
            )

    async def _is_signed(self, user_id: int | None, signature: Signature, content: bytes) -> bool:
        key = await self.database.lookup(sql.KEY, key=signature.get("key_id") or "")
        # Ed25519 is deterministic, so signing again checks the value and the public key that is shown with it.
        # A key that was put into the database without the master key cannot be opened.
        return key is not None and key.user_id == user_id and self._sign_with(key, content) == signature

    def _sign_with(self, key: Row, content: bytes) -> Signature:
        from retinue.marketplace import ed25519  # noqa: PLC0415 - only where there are items of users

        private = base64.b64decode(self.vault.open_sealed(key.private_key, _owner(key.key_id)))
        return {
            "algorithm": "ed25519",
            "key_id": key.key_id,
            "public_key": _encode(ed25519.public_key(private)),
            "value": _encode(ed25519.sign(private, content)),
        }

    async def _new_key(self, user_id: int) -> Row:
        from retinue.marketplace import ed25519  # noqa: PLC0415 - only where there are items of users

        private = ed25519.new_private_key()
        key_id = hashlib.sha256(ed25519.public_key(private)).hexdigest()[:16]
        sealed = self.vault.seal(_encode(private), _owner(key_id))
        key = {"key_id": key_id, "user_id": user_id, "private_key": sealed, "created_at": now()}
        try:
            row = await self.database.transact(lambda tx: tx.one(sql.ADD_KEY, **key))
        except UniqueConflict:  # another request has just made it
            row = await self.database.lookup(sql.KEY_OF_USER, user=user_id)
        assert row is not None  # noqa: S101 - it was inserted, here or there
        return row


async def check_master_key(database: Database, vault: Vault) -> None:
    """Refuse to start with a master key that the stored keys were not encrypted with: raises `MasterKeyWrong`."""
    if key := await database.lookup(sql.ANY_KEY):
        vault.open_sealed(key.private_key, _owner(key.key_id))


def _owner(key_id: str) -> str:
    """What a private key is bound to when it is encrypted."""
    return f"marketplace key {key_id}"


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode()
