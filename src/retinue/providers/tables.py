"""The tables of providers, of default models, and of chosen local models."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table

providers = table(
    "providers",
    id_column(),
    sa.Column("account_id", BigInt, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("base_url", sa.String(2000), nullable=False),
    sa.Column("secret", sa.Text, nullable=False),
    sa.Column("secrets", Json, nullable=False),
    sa.Column("models", Json),
    sa.Column("shared", sa.Boolean, nullable=False),
    sa.Column("plans", Json),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("concurrency", sa.Integer),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.UniqueConstraint("account_id", "name"),
    sa.Index(None, "account_id", "id"),
)
"""`secret` is encrypted: the key, the headers and the query. `secrets` lists the names of what it contains."""

sa.Index(
    "ix_providers_shared_name",
    providers.c.name,
    unique=True,
    sqlite_where=providers.c.shared,
    postgresql_where=providers.c.shared,
)

model_defaults = table(
    "model_defaults",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False, unique=True),
    sa.Column("model", sa.String(200), nullable=False),
    sa.Column("fallbacks", Json, nullable=False),
    sa.Column("embedding", sa.String(200), nullable=False, server_default=""),
    sa.Column("updated_at", Instant, nullable=False),
)
"""What `alfred-default` means for an account, and as `embedding` what `alfred-embedding` means; empty for no choice.

The row of `EVERYBODY` holds for all accounts without a choice of their own.
"""

local_activations = table(
    "local_activations",
    id_column(),
    sa.Column("name", sa.String(60), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
)
"""The local models that operators chose. The newest row that has not failed is the choice of all servers.

`state` is `loading` until a server runs the model (`ready`) or fails to load it (`failed`, with `error`).
"""

EVERYBODY = 0

OWNED = (Owned(providers.c.account_id, hidden=("secret", "secrets")), Owned(model_defaults.c.account_id))
