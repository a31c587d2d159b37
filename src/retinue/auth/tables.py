"""Tables of users, accounts and their credentials."""

from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record

users = table(
    "users",
    id_column(),
    sa.Column("email", sa.String(254), nullable=False, unique=True),
    sa.Column("plan", sa.String(20), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("name", sa.String(100), nullable=False, server_default=""),
    sa.Column("operator", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("suspended_at", Instant),
    sa.Column("password_hash", sa.String(200)),
    sa.Column("totp_secret", sa.Text),
    sa.Column("totp_pending", sa.Text),
    sa.Column("totp_step", BigInt),
    sa.Column("deleted_at", Instant),
    sa.Column("first_steps", sa.String(200), nullable=False, server_default=""),
)
"""`first_steps` holds the names of the portal's first steps that the user has done, separated by spaces.

Both TOTP secrets are encrypted: the active one, and the one that waits for its first code.

`totp_step` is the time step of the last accepted code, which prevents replay (RFC 6238, 5.2). A user with
`deleted_at` has no name, address or password; the row is deleted after all its data.
"""

accounts = table(
    "accounts",
    id_column(),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("sandbox", sa.Boolean, nullable=False),
    sa.UniqueConstraint("user_id", "sandbox"),
)
"""Each user has a live and a sandbox account. Every record belongs to exactly one account."""

api_keys = table(
    "api_keys",
    id_column(),
    sa.Column("account_id", BigInt, sa.ForeignKey("accounts.id"), nullable=False, index=True),
    sa.Column("prefix", sa.String(8), nullable=False, unique=True),
    sa.Column("secret_hash", sa.LargeBinary(32), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant),
    sa.Column("revoked_at", Instant),
    sa.Column("networks", Json),
    sa.Column("last_used_at", Instant),
    sa.Column("successor_id", BigInt),
    sa.Column("monthly_tokens", BigInt),
    sa.Column("monthly_credits", BigInt),
    sa.Column("monthly_cost_usd", sa.String(20)),
)
"""`networks` holds CIDRs; null means any. `successor_id` is the key that replaced this one in a rotation."""

sessions = table(
    "sessions",
    id_column(),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("user_agent", sa.String(200), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("last_used_at", Instant, nullable=False, index=True),
    sa.Column("ended_at", Instant),
)
"""Sessions. A signed-out session stays for a while, because the throttle trusts its address."""

sign_in_links = table(
    "sign_in_links",
    id_column(),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("purpose", sa.String(20), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False, index=True),
)
"""One-time sign-in links. A link with the purpose `reset` requires a new password."""

recovery_codes = table(
    "recovery_codes",
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    sa.Column("code_hash", sa.LargeBinary(32), primary_key=True),
)
"""Recovery codes for the second factor. Using a code deletes it."""

OWNED = (
    Owned(api_keys.c.account_id),
    Owned(sessions.c.user_id),
    Owned(sign_in_links.c.user_id, exported=False),
    Owned(recovery_codes.c.user_id, exported=False),
    Owned(accounts.c.user_id, exported=False, when="last"),
)


class UserRow(Record, Protocol):
    """A user."""

    id: int
    email: str
    plan: str
    created_at: datetime
    name: str
    operator: bool
    suspended_at: datetime | None
    password_hash: str | None
    totp_secret: str | None
    totp_pending: str | None
    totp_step: int | None
    deleted_at: datetime | None
    first_steps: str


class UserSigningIn(Record, Protocol):
    """A user who signs in. `known` says that the address of the request signed in before."""

    id: int
    email: str
    password_hash: str | None
    suspended_at: datetime | None
    totp_secret: str | None
    known: bool


class LinkedUser(UserSigningIn, Protocol):
    """A user who signs in with a one-time link."""

    purpose: str


class AccountPlan(Record, Protocol):
    """An account and the plan of its user."""

    id: int
    plan: str


class KeyRow(Record, Protocol):
    """An API key without its secret."""

    id: int
    account_id: int
    prefix: str
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    networks: list[str] | None
    last_used_at: datetime | None
    successor_id: int | None
    monthly_tokens: int | None
    monthly_credits: int | None
    monthly_cost_usd: str | None
    sandbox: bool


class KeyOfUser(KeyRow, Protocol):
    """An API key with its user."""

    user_id: int


class KeyInForce(Record, Protocol):
    """What a request with an API key may do, and for whom."""

    id: int
    account_id: int
    scopes: list[str]
    networks: list[str] | None
    last_used_at: datetime | None
    sandbox: bool
    user_id: int
    plan: str
