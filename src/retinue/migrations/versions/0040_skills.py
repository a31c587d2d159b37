"""Agent Skills, and which of them an agent has."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("agents", sa.Column("agent_skills", Json(), nullable=False, server_default="[]"))
    op.create_table(
        "skills",
        sa.Column("id", BigInt, sa.Identity(), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("description", sa.String(1024), nullable=False),
        sa.Column("frontmatter", Json(), nullable=False),
        sa.Column("files", Json(), nullable=False),
        sa.Column("has_scripts", sa.Boolean(), nullable=False),
        sa.Column("file_id", sa.String(40), nullable=False),
        sa.Column("size", BigInt, nullable=False),
        sa.Column("version", BigInt, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_skills"),
        sa.UniqueConstraint("account_id", "name", name="uq_skills_account_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_skills_account_id_id", "skills", ["account_id", "id"])
