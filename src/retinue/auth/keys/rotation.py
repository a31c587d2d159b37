"""Rotate a key: create a successor with the same rights, without downtime."""

from datetime import timedelta

from retinue.auth.keys import statements as sql
from retinue.auth.keys.creation import KeySpec, insert_key
from retinue.auth.keys.key_format import KeyParts
from retinue.auth.tables import AccountPlan, KeyRow
from retinue.core.database.interface import Tx
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now

LONGEST_OVERLAP = timedelta(days=7)


async def replace_key(tx: Tx, account: AccountPlan, old: KeyRow, key: KeyParts, overlap: timedelta) -> int:
    """Insert `key` as the successor of `old` and return its id. The old key stays valid for `overlap` or until it
    expires.
    """
    await _check_replaceable(tx, old)
    successor = await insert_key(tx, account, key, _successor_of(old))
    until = now() + overlap
    if old.expires_at:
        until = min(until, old.expires_at)
    if not await tx.run(sql.REPLACE, key=old.id, successor=successor, until=until, moment=now()):
        raise ValidationFailed("The key was revoked meanwhile and cannot be rotated. Create a new one.")
    return successor


async def _check_replaceable(tx: Tx, old: KeyRow) -> None:
    """Raise `ValidationFailed` if `old` was replaced, has expired, or its own predecessor is still valid.

    This keeps at most two keys of a rotation valid at a time.
    """
    if old.successor_id is not None:
        raise ValidationFailed(f"The key has already been replaced by key {old.successor_id}. Rotate that one.")
    if old.expires_at is not None and old.expires_at <= now():
        raise ValidationFailed("The key has expired and cannot be rotated. Create a new one.")
    if predecessor := await tx.one(sql.PREDECESSOR, account=old.account_id, key=old.id, moment=now()):
        raise ValidationFailed(
            f"The predecessor of this key still works until {predecessor.expires_at:%Y-%m-%d %H:%M} UTC. "
            "Revoke it first."
        )


def _successor_of(old: KeyRow) -> KeySpec:
    """Return a spec with the same rights and the original lifetime of the old key."""
    lifetime = old.expires_at - old.created_at if old.expires_at else None
    until = now() + lifetime if lifetime else None
    budgets = old.monthly_tokens, old.monthly_credits, old.monthly_cost_usd
    return KeySpec(old.scopes, old.name, old.networks, until, *budgets)
