"""Facts that agents remember, the runs from which they are yet to be extracted, and who talks in a conversation."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("agents", sa.Column("memory", sa.String(8), nullable=False, server_default="none"))
    op.add_column("conversations", sa.Column("person", sa.String(200), nullable=True))
    op.create_table(
        "memory_facts",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("agent_id", BigInt, nullable=False),
        sa.Column("person", sa.String(200), nullable=False),
        sa.Column("text", sa.String(500), nullable=False),
        sa.Column("source_run", BigInt),
        sa.Column("untrusted", sa.String(200)),
        sa.Column("replaced_by", BigInt),
        sa.Column("model", sa.String(100)),
        sa.Column("vector", sa.LargeBinary),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_memory_facts"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memory_facts_account_id_id", "memory_facts", ["account_id", "id"])
    op.create_index("ix_memory_facts_agent_id_person_id", "memory_facts", ["agent_id", "person", "id"])
    current = sa.text("replaced_by IS NULL")
    op.create_index(
        "ix_memory_facts_current",
        "memory_facts",
        ["account_id", "id"],
        sqlite_where=current,
        postgresql_where=current,
    )
    op.create_table(
        "memory_jobs",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("run_id", BigInt, nullable=False),
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_memory_jobs"),
        sa.UniqueConstraint("run_id", name="uq_memory_jobs_run_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memory_jobs_open_lease", "memory_jobs", ["lease_until"])
    op.create_index("ix_memory_jobs_open_due", "memory_jobs", ["account_id", "lease_until", "id"])
