"""What happens in rooms, for clients that follow them; people who are muted or sent out; rooms at LiveKit."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("rooms", sa.Column("events_count", sa.Integer(), server_default="0", nullable=False))
    op.add_column("rooms", sa.Column("media", sa.String(length=16), server_default="local", nullable=False))
    for name in ("identity", "sid"):
        op.add_column("room_participants", sa.Column(name, sa.String(length=128), nullable=True))
    for name in ("muted", "removed"):
        op.add_column("room_participants", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "room_events",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("room_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("data", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["room_id"], ["rooms.id"], name=op.f("fk_room_events_room_id_rooms"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_room_events")),
        sa.UniqueConstraint("room_id", "number", name=op.f("uq_room_events_room_id_number")),
        sqlite_autoincrement=True,
    )
