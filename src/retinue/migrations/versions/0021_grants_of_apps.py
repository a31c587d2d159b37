"""An app has one grant of each user; its token families, webhooks and registration are told apart; installs count once.

Tokens that exist keep their grant as their family: its negative id, since new families have the id of their code.
"""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_FILL = (
    "UPDATE oauth_tokens SET family = -grant_id",
    "UPDATE oauth_codes SET scopes = (SELECT g.scopes FROM oauth_grants g WHERE g.id = oauth_codes.grant_id)",
    "INSERT INTO marketplace_installs (item_id, user_id) SELECT DISTINCT i.item_id, a.user_id "
    "FROM marketplace_installations i JOIN accounts a ON a.id = i.account_id "
    "JOIN marketplace_items m ON m.id = i.item_id WHERE NOT a.sandbox",
)


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("oauth_tokens", sa.Column("family", BigInt, nullable=True))
    op.create_index("ix_oauth_tokens_family", "oauth_tokens", ["family"])
    op.add_column("oauth_codes", sa.Column("scopes", sa.Text(), server_default="[]", nullable=False))
    op.add_column("oauth_apps", sa.Column("registered_from", sa.String(64), nullable=True))
    op.add_column("webhook_endpoints", sa.Column("grant_id", BigInt, nullable=True))
    op.create_table(
        "marketplace_installs",
        sa.Column("item_id", BigInt, nullable=False),
        sa.Column("user_id", BigInt, nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"],
            ["marketplace_items.id"],
            name=op.f("fk_marketplace_installs_item_id_marketplace_items"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_marketplace_installs_user_id_users")),
        sa.PrimaryKeyConstraint("item_id", "user_id", name=op.f("pk_marketplace_installs")),
    )
    op.create_index("ix_marketplace_installs_user_id", "marketplace_installs", ["user_id"])
    for statement in _FILL:
        op.execute(statement)
