"""The first schema."""

import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt, Instant, Json

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "agents",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("agent_name", sa.String(length=100), nullable=False),
        sa.Column("agent_role", sa.String(length=16), nullable=False),
        sa.Column("task", sa.String(length=2000), nullable=True),
        sa.Column("skills", Json(), nullable=False),
        sa.Column("fleet_id", BigInt, nullable=True),
        sa.Column("voice_enabled", sa.Boolean(), nullable=False),
        sa.Column("voice_engine", sa.String(length=16), nullable=False),
        sa.Column("approval", sa.String(length=16), server_default="none", nullable=False),
        sa.Column("runs_count", BigInt, server_default="0", nullable=False),
        sa.Column("deployed_at", Instant(), nullable=True),
        sa.Column("settled_at", Instant(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("agents", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_agents_account_id_id"), ["account_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_agents_fleet_id_id"), ["fleet_id", "id"], unique=False)

    op.create_table(
        "conversations",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("public_id", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=False),
        sa.Column("message_count", BigInt, nullable=False),
        sa.Column("last_message", sa.String(length=200), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
        sa.UniqueConstraint("public_id", name=op.f("uq_conversations_public_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("conversations", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_conversations_account_id_updated_at_id"), ["account_id", "updated_at", "id"], unique=False
        )

    op.create_table(
        "counters",
        sa.Column("account_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("value", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "name", name=op.f("pk_counters")),
        sqlite_autoincrement=False,
    )
    op.create_table(
        "deployments",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("fleet_id", BigInt, nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("strategy", sa.String(length=16), nullable=False),
        sa.Column("task", sa.String(length=2000), nullable=True),
        sa.Column("timeout", sa.Integer(), nullable=False),
        sa.Column("members", Json(), nullable=False),
        sa.Column("powers", Json(), nullable=False),
        sa.Column("result", Json(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("deadline", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deployments")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("deployments", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deployments_fleet_id_id"), ["fleet_id", "id"], unique=False)
        batch_op.create_index(
            "ix_deployments_open_fleet",
            ["fleet_id"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.create_index(
            "ix_deployments_open_lease",
            ["lease_until"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "events",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("data", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("handed_out_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=False,
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_events_account_id_id"), ["account_id", "id"], unique=False)
        batch_op.create_index(
            "ix_events_open_created_at",
            ["created_at"],
            unique=False,
            sqlite_where=sa.text("handed_out_at IS NULL"),
            postgresql_where=sa.text("handed_out_at IS NULL"),
        )

    op.create_table(
        "files",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("public_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("media_type", sa.String(length=255), nullable=False),
        sa.Column("size", BigInt, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
        sa.UniqueConstraint("public_id", name=op.f("uq_files_public_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("files", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_files_account_id_id"), ["account_id", "id"], unique=False)

    op.create_table(
        "fleets",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=False),
        sa.Column("max_agents", sa.Integer(), nullable=False),
        sa.Column("auto_scale", sa.Boolean(), nullable=False),
        sa.Column("agent_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tasks_completed", BigInt, server_default="0", nullable=False),
        sa.Column("deployments_count", BigInt, server_default="0", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleets")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("fleets", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_fleets_account_id_id"), ["account_id", "id"], unique=False)

    op.create_table(
        "idempotent_requests",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("operation", sa.String(length=300), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("effect", Json(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotent_requests")),
        sa.UniqueConstraint(
            "account_id", "operation", "key", name=op.f("uq_idempotent_requests_account_id_operation_key")
        ),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("idempotent_requests", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_idempotent_requests_created_at"), ["created_at"], unique=False)
        batch_op.create_index(
            "ix_idempotent_requests_open_lease",
            ["lease_until"],
            unique=False,
            sqlite_where=sa.text("status IS NULL"),
            postgresql_where=sa.text("status IS NULL"),
        )

    op.create_table(
        "ledger",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("resource", sa.String(length=16), nullable=False),
        sa.Column("count", BigInt, nullable=False),
        sa.Column("errors", BigInt, nullable=False),
        sa.Column("tokens", BigInt, nullable=False),
        sa.Column("credits", BigInt, nullable=False),
        sa.Column("milliseconds", BigInt, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("ledger", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ledger_account_id_day"), ["account_id", "day"], unique=False)

    op.create_table(
        "runs",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("agent_id", BigInt, nullable=True),
        sa.Column("conversation_id", BigInt, nullable=True),
        sa.Column("attached", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("options", Json(), nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("tools_used", Json(), nullable=False),
        sa.Column("tokens_used", BigInt, nullable=False),
        sa.Column("execution_time_ms", BigInt, nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("started_at", Instant(), nullable=True),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index("ix_runs_agent_ended", ["agent_id", "ended_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_runs_agent_id_id"), ["agent_id", "id"], unique=False)
        batch_op.create_index(
            "ix_runs_conversation_ended",
            ["conversation_id", "ended_at"],
            unique=False,
            sqlite_where=sa.text("conversation_id IS NOT NULL"),
            postgresql_where=sa.text("conversation_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_runs_open_agent",
            ["agent_id"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.create_index(
            "ix_runs_open_lease",
            ["lease_until"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "usage_days",
        sa.Column("account_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("resource", sa.String(length=16), nullable=False),
        sa.Column("count", BigInt, nullable=False),
        sa.Column("errors", BigInt, nullable=False),
        sa.Column("tokens", BigInt, nullable=False),
        sa.Column("credits", BigInt, nullable=False),
        sa.Column("milliseconds", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "day", "resource", name=op.f("pk_usage_days")),
        sqlite_autoincrement=False,
    )
    op.create_table(
        "usage_marks",
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("position", BigInt, nullable=False),
        sa.PrimaryKeyConstraint("source", name=op.f("pk_usage_marks")),
        sqlite_autoincrement=False,
    )
    op.create_table(
        "usage_thresholds",
        sa.Column("account_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("period", sa.String(length=7), nullable=False),
        sa.Column("metric", sa.String(length=16), nullable=False),
        sa.Column("threshold", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("account_id", "period", "metric", "threshold", name=op.f("pk_usage_thresholds")),
        sqlite_autoincrement=False,
    )
    op.create_table(
        "users",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", Json(), nullable=True),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("old_secret", sa.Text(), nullable=True),
        sa.Column("old_secret_until", Instant(), nullable=True),
        sa.Column("failing_since", Instant(), nullable=True),
        sa.Column("deliveries_count", BigInt, server_default="0", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_endpoints")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_webhook_endpoints_account_id_id"), ["account_id", "id"], unique=False)

    op.create_table(
        "workspace_records",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("parent", BigInt, nullable=False),
        sa.Column(
            "name",
            sa.String(length=600).with_variant(sa.String(length=600, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("body", Json(), nullable=False),
        sa.Column("size", BigInt, nullable=False),
        sa.Column("version", BigInt, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace_records")),
        sa.UniqueConstraint(
            "account_id", "kind", "parent", "name", name=op.f("uq_workspace_records_account_id_kind_parent_name")
        ),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("workspace_records", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_workspace_records_account_id_id"), ["account_id", "id"], unique=False)
        batch_op.create_index(
            "ix_workspace_records_state", ["account_id", "kind", "parent", "state", "at"], unique=False
        )

    op.create_table(
        "accounts",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("user_id", BigInt, nullable=False),
        sa.Column("sandbox", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_accounts_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("user_id", "sandbox", name=op.f("uq_accounts_user_id_sandbox")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "approvals",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("run_id", BigInt, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("agent_id", BigInt, nullable=True),
        sa.Column("tool", sa.String(length=100), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("decided_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_approvals_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("run_id", "seq", name=op.f("uq_approvals_run_id_seq")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("approvals", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_approvals_account_id_id"), ["account_id", "id"], unique=False)

    op.create_table(
        "deployment_parts",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("deployment_id", BigInt, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("agent_id", BigInt, nullable=False),
        sa.Column("agent_name", sa.String(length=100), nullable=False),
        sa.Column("agent_role", sa.String(length=16), nullable=False),
        sa.Column("is_copy", sa.Boolean(), nullable=False),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("run_id", BigInt, nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", Instant(), nullable=True),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["deployment_id"],
            ["deployments.id"],
            name=op.f("fk_deployment_parts_deployment_id_deployments"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deployment_parts")),
        sa.UniqueConstraint("deployment_id", "number", name=op.f("uq_deployment_parts_deployment_id_number")),
        sa.UniqueConstraint("run_id", name=op.f("uq_deployment_parts_run_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "messages",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("run_id", BigInt, nullable=False),
        sa.Column("conversation_id", BigInt, nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("attachments", Json(), nullable=True),
        sa.Column("tool_calls", Json(), nullable=True),
        sa.Column("tool_call_id", sa.String(length=100), nullable=True),
        sa.Column("tool_name", sa.String(length=100), nullable=True),
        sa.Column("tool_arguments", Json(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("tokens", BigInt, nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_messages_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("run_id", "seq", name=op.f("uq_messages_run_id_seq")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_messages_conversation_id_id"), ["conversation_id", "id"], unique=False)

    op.create_table(
        "webhook_deliveries",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("public_id", sa.String(length=40), nullable=False),
        sa.Column("endpoint_id", BigInt, nullable=False),
        sa.Column("event_id", sa.String(length=40), nullable=False),
        sa.Column("event", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), server_default="pending", nullable=False),
        sa.Column("log", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("epoch", BigInt, server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.Double(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name=op.f("fk_webhook_deliveries_endpoint_id_webhook_endpoints"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        sa.UniqueConstraint("public_id", name=op.f("uq_webhook_deliveries_public_id")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("webhook_deliveries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_webhook_deliveries_endpoint_id_id"), ["endpoint_id", "id"], unique=False)
        batch_op.create_index(
            "ix_webhook_deliveries_open_due",
            ["endpoint_id", "lease_until"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "workspace_vectors",
        sa.Column("record_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("signature", sa.LargeBinary(length=32), nullable=False),
        sa.Column("vector", sa.LargeBinary(length=1024), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"],
            ["workspace_records.id"],
            name=op.f("fk_workspace_vectors_record_id_workspace_records"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("record_id", name=op.f("pk_workspace_vectors")),
        sqlite_autoincrement=False,
    )
    with op.batch_alter_table("workspace_vectors", schema=None) as batch_op:
        batch_op.create_index(
            "ix_workspace_vectors_signature", ["account_id", "kind", "record_id", "signature"], unique=False
        )

    op.create_table(
        "workspace_words",
        sa.Column("account_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("word", sa.String(length=40), nullable=False),
        sa.Column("record_id", BigInt, autoincrement=False, nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["record_id"],
            ["workspace_records.id"],
            name=op.f("fk_workspace_words_record_id_workspace_records"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("account_id", "kind", "word", "record_id", name=op.f("pk_workspace_words")),
        sqlite_autoincrement=False,
    )
    with op.batch_alter_table("workspace_words", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_workspace_words_record_id"), ["record_id"], unique=False)

    op.create_table(
        "api_keys",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("prefix", sa.String(length=8), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("scopes", Json(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_api_keys_account_id_accounts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("prefix", name=op.f("uq_api_keys_prefix")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_keys_account_id"), ["account_id"], unique=False)

    op.create_table(
        "tool_sources",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("category", sa.String(length=32), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("credential", sa.Text(), nullable=True),
        sa.Column("tools", BigInt, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_tool_sources_account_id_accounts")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tool_sources")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_tool_sources_account_id_name")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("tool_sources", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tool_sources_account_id_id"), ["account_id", "id"], unique=False)

    op.create_table(
        "imported_tools",
        sa.Column("id", BigInt, sa.Identity(always=False), nullable=False),
        sa.Column("source_id", BigInt, nullable=False),
        sa.Column("account_id", BigInt, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["tool_sources.id"],
            name=op.f("fk_imported_tools_source_id_tool_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imported_tools")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_imported_tools_account_id_name")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("imported_tools", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_imported_tools_source_id"), ["source_id"], unique=False)
