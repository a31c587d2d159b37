"""The table of deletion and export jobs."""

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, id_column, table
from retinue.core.work.leases import lease_columns

jobs = table(
    "account_jobs",
    id_column(),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("user_id", BigInt, nullable=False, index=True),
    sa.Column("account_id", BigInt, index=True),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("file_id", sa.String(40)),
    sa.Column("error", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    *lease_columns(),
)
"""`kind` is `deletion` (of a user) or `export` (of an account). `status` is queued, running, completed or failed.
`file_id` is the file of a finished export. A deletion finally deletes its own row together with the user's.
"""

OPEN = jobs.c.ended_at.is_(None)
sa.Index("ix_account_jobs_open_lease", jobs.c.lease_until, jobs.c.id, sqlite_where=OPEN, postgresql_where=OPEN)

OWNED = (Owned(jobs.c.user_id, exported=False, when="last"),)
