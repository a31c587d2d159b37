"""The table of audit entries."""

import sqlalchemy as sa

from retinue.core.database.schema import BigInt, Instant, id_column, table

audit_entries = table(
    "audit_entries",
    id_column(),
    sa.Column("user_id", BigInt),
    sa.Column("sandbox", sa.Boolean, nullable=False),
    sa.Column("action", sa.String(40), nullable=False),
    sa.Column("target_id", BigInt),
    sa.Column("detail", sa.String(200)),
    sa.Column("credential", sa.String(40), nullable=False),
    sa.Column("address", sa.String(64)),
    sa.Column("request_id", sa.String(128)),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "user_id", "id"),
)
"""`credential` is the acting credential, such as `key:17`, `session:3`, `password`, `link` or `operator`.

The `user_id` of a failed sign-in is null if no user has the e-mail address.
"""
