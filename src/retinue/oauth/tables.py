"""Tables of apps, grants, codes and tokens. Secrets are stored as SHA-256 digests."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table

apps = table(
    "oauth_apps",
    id_column(),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), index=True),
    sa.Column("client_id", sa.String(40), nullable=False, unique=True),
    sa.Column("secret_hash", sa.LargeBinary(32)),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("redirect_uris", Json, nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False, index=True),
    sa.Column("updated_at", Instant, nullable=False),
)
"""`user_id` is the owner; null for a self-registered app (RFC 7591). A public client has no secret."""

grants = table(
    "oauth_grants",
    id_column(),
    sa.Column("app_id", BigInt, sa.ForeignKey("oauth_apps.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("user_id", BigInt, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("revoked_at", Instant),
)
"""`kind` is `code` if the user consented, and `client` if the app acts for its owner (client credentials).

All tokens from one consent belong to one grant, so revoking it revokes the whole family.
"""

codes = table(
    "oauth_codes",
    id_column(),
    sa.Column("grant_id", BigInt, sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("code_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("redirect_uri", sa.Text, nullable=False),
    sa.Column("challenge", sa.String(128), nullable=False),
    sa.Column("expires_at", Instant, nullable=False, index=True),
    sa.Column("used_at", Instant),
)
"""Authorization codes with their PKCE challenges (RFC 7636)."""

tokens = table(
    "oauth_tokens",
    id_column(),
    sa.Column("grant_id", BigInt, sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False, index=True),
    sa.Column("replaced_at", Instant),
)
"""`kind` is `access` or `refresh`. A used refresh token has `replaced_at`; a second use revokes the family."""

_GRANTS = Owned(grants.c.user_id, batch=20)
OWNED = (
    Owned(codes.c.grant_id, _GRANTS, cascades=True, exported=False),
    Owned(tokens.c.grant_id, _GRANTS, cascades=True, exported=False),
    _GRANTS,
    Owned(apps.c.user_id, batch=20),
)
"""Deleting an app also deletes the grants that other users gave it."""
