"""Create API keys, for users through the API and for the operator on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from retinue.auth.caller import SCOPES
from retinue.auth.keys import statements as sql
from retinue.auth.keys.key_format import KeyParts, hash_secret
from retinue.auth.plans import Plans
from retinue.auth.tables import AccountPlan
from retinue.core.database.interface import Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.runtime.clock import now


@dataclass(frozen=True)
class KeySpec:
    """Scopes, networks, expiry and monthly budgets of a key. `networks=None` allows any network."""

    scopes: list[str]
    name: str = ""
    networks: list[str] | None = None
    expires_at: datetime | None = None
    monthly_tokens: int | None = None
    monthly_credits: int | None = None
    monthly_cost_usd: str | None = None


async def lock_account(tx: Tx, user_id: int, sandbox: bool) -> AccountPlan:
    """Lock the account whose keys are about to change, until the transaction ends. Raises `NotFound`."""
    account = await tx.one(sql.LOCK_ACCOUNT, user=user_id, sandbox=sandbox)
    if account is None:
        raise NotFound("The user of this credential no longer exists.")
    return account


async def check_number_of_keys(tx: Tx, account: AccountPlan, plans: Plans) -> None:
    """Raise `ValidationFailed` if the account already has the maximum number of keys of its plan."""
    count = await tx.one(sql.COUNT_IN_FORCE, account=account.id, moment=now())
    allowed = plans[account.plan].keys
    if count and count.keys >= allowed:
        raise ValidationFailed(f"The plan {account.plan} allows {allowed} keys, and all are in use. Revoke one first.")


async def insert_key(tx: Tx, account: AccountPlan, key: KeyParts, spec: KeySpec) -> int:
    """Insert a key and return its id."""
    row = await tx.one(
        sql.INSERT,
        account_id=account.id,
        prefix=key.prefix,
        secret_hash=hash_secret(key.secret),
        name=spec.name,
        scopes=spec.scopes,
        networks=spec.networks,
        created_at=now(),
        expires_at=spec.expires_at,
        monthly_tokens=spec.monthly_tokens,
        monthly_credits=spec.monthly_credits,
        monthly_cost_usd=spec.monthly_cost_usd,
    )
    return int(row.id) if row else 0


def checked_scopes(scopes: Sequence[str]) -> list[str]:
    """Return the scopes sorted and without duplicates. Raises `ValidationFailed` if none or unknown."""
    unknown = sorted(set(scopes) - SCOPES)
    if unknown or not scopes:
        listed = ", ".join(unknown) or "none given"
        raise ValidationFailed(f"Unknown scopes: {listed}. Valid scopes: {', '.join(sorted(SCOPES))}.")
    return sorted(set(scopes))
