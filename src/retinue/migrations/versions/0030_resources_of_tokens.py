"""Codes and tokens are for a resource, and apps can be described by a document at a URL."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("oauth_codes", sa.Column("resource", sa.String(16), nullable=True))
    op.add_column("oauth_tokens", sa.Column("resource", sa.String(16), nullable=True))
    op.add_column("oauth_apps", sa.Column("metadata_url", sa.String(500), nullable=True))
    op.create_index("ix_oauth_apps_metadata_url", "oauth_apps", ["metadata_url"], unique=True)
