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
    sa.Column("registered_from", sa.String(64)),
    sa.Column("metadata_url", sa.String(500), index=True, unique=True),
    sa.Column("created_at", Instant, nullable=False, index=True),
    sa.Column("updated_at", Instant, nullable=False),
)
"""`user_id` is the owner; null for a self-registered app (RFC 7591), which has `registered_from`, the
address of the client. A public client has no secret. `metadata_url` is the client identifier of an app that is
described by a document at this URL.
"""

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

An app has one `code` grant of each user. A new consent extends it, so revoking it revokes all access of the app.
"""

codes = table(
    "oauth_codes",
    id_column(),
    sa.Column("grant_id", BigInt, sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("code_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("redirect_uri", sa.Text, nullable=False),
    sa.Column("challenge", sa.String(128), nullable=False),
    sa.Column("scopes", Json, nullable=False, server_default="[]"),
    sa.Column("resource", sa.String(16)),
    sa.Column("expires_at", Instant, nullable=False, index=True),
    sa.Column("used_at", Instant),
)
"""Authorization codes with their PKCE challenges (RFC 7636), and the scopes and the resource of this consent."""

tokens = table(
    "oauth_tokens",
    id_column(),
    sa.Column("grant_id", BigInt, sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("family", BigInt, index=True),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False, index=True),
    sa.Column("replaced_at", Instant),
    sa.Column("resource", sa.String(16)),
)
"""`kind` is `access` or `refresh`. `family` is the id of the code that the first tokens were issued for; null for
client credentials. A used refresh token has `replaced_at`; a later use revokes the family. `resource` names what the
token opens (`resources.py`); null for the API.
"""

_GRANTS = Owned(grants.c.user_id, batch=20)
OWNED = (
    Owned(codes.c.grant_id, _GRANTS, cascades=True, exported=False),
    Owned(tokens.c.grant_id, _GRANTS, cascades=True, exported=False),
    _GRANTS,
    Owned(apps.c.user_id, batch=20),
)
"""Deleting an app also deletes the grants that other users gave it."""
