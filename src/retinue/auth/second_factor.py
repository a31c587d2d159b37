"""A user's second factor: single-use TOTP codes, and recovery codes as a substitute."""

import hashlib
import re
import secrets

import sqlalchemy as sa

from retinue.auth.tables import UserRow, recovery_codes, users
from retinue.auth.totp import matching_step
from retinue.core.database.interface import Database, Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault

RECOVERY_CODES = 10

_TOTP = re.compile(r"[0-9]{6}")
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Without characters that look alike."""

_USER = sa.bindparam("user", type_=BigInt)
_STEP = sa.bindparam("step", type_=BigInt)

_ANY_SECRET = Statement(
    sa.select(users.c.id, users.c.totp_secret).where(users.c.totp_secret.is_not(None)).order_by(users.c.id).limit(1)
)
_USE_STEP = Statement(
    sa.update(users)
    .where(users.c.id == _USER, users.c.totp_step.is_(None) | (users.c.totp_step < _STEP))
    .values(totp_step=_STEP)
)
_USE_RECOVERY_CODE = Statement(
    sa.delete(recovery_codes).where(
        recovery_codes.c.user_id == _USER, recovery_codes.c.code_hash == sa.bindparam("hash", type_=sa.LargeBinary)
    )
)
_DROP_RECOVERY_CODES = Statement(sa.delete(recovery_codes).where(recovery_codes.c.user_id == _USER))
_ADD_RECOVERY_CODE = Statement(sa.insert(recovery_codes), ["user_id", "code_hash"])
_SET_SECRET = Statement(
    sa.update(users)
    .where(users.c.id == _USER)
    .values(totp_secret=sa.bindparam("secret", type_=sa.Text), totp_pending=None, totp_step=_STEP)
)


async def check_master_key(database: Database, vault: Vault) -> None:
    """Check the master key against a stored secret at startup. Raises `MasterKeyWrong`."""
    if stored := await database.lookup(_ANY_SECRET):
        vault.open_sealed(stored.totp_secret, secret_owner(stored.id))


def secret_owner(user_id: int) -> str:
    """Return the associated data that a user's TOTP secrets are encrypted with."""
    return f"second factor of user {user_id}"


async def accept_code(tx: Tx, vault: Vault, user: UserRow, code: str) -> bool:
    """Consume a TOTP or recovery code. Returns False if it is wrong or was used before."""
    folded = code.replace(" ", "").replace("-", "").lower()
    if user.totp_secret and _TOTP.fullmatch(folded):
        step = matching_step(vault.open_sealed(user.totp_secret, secret_owner(user.id)), folded, now())
        return step is not None and bool(await tx.run(_USE_STEP, user=user.id, step=step))
    return bool(await tx.run(_USE_RECOVERY_CODE, user=user.id, hash=_hash_code(folded)))


async def enable(tx: Tx, user_id: int, sealed: str, step: int, codes: list[str]) -> None:
    """Enable a TOTP secret, with the time step of its first code, and store the recovery codes."""
    await tx.run(_SET_SECRET, user=user_id, secret=sealed, step=step)
    await replace_recovery_codes(tx, user_id, codes)


async def disable(tx: Tx, user_id: int) -> None:
    """Remove the second factor and its recovery codes."""
    await tx.run(_SET_SECRET, user=user_id, secret=None, step=None)
    await tx.run(_DROP_RECOVERY_CODES, user=user_id)


async def replace_recovery_codes(tx: Tx, user_id: int, codes: list[str]) -> None:
    """Replace the stored hashes of recovery codes."""
    await tx.run(_DROP_RECOVERY_CODES, user=user_id)
    for code in codes:
        await tx.run(_ADD_RECOVERY_CODE, user_id=user_id, code_hash=_hash_code(code.replace("-", "")))


def new_recovery_codes() -> list[str]:
    """Generate ten codes such as `abcd-efgh-jkmn-pqrs`. Each has 80 random bits, so one round of hashing suffices."""
    letters = ["".join(secrets.choice(_LETTERS) for _ in range(16)) for _ in range(RECOVERY_CODES)]
    return ["-".join(text[at : at + 4] for at in range(0, 16, 4)) for text in letters]


def _hash_code(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()
