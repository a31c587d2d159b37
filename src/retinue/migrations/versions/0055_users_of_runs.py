"""The user and the API key of a run, and the user and the model of an entry in the ledger."""

from collections.abc import Iterator

import orjson
import sqlalchemy as sa
from alembic import op

from retinue.core.database.schema import BigInt

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

_READ = 1000
_runs = sa.table(
    "runs",
    sa.column("id", BigInt),
    sa.column("options", sa.Text),
    sa.column("person", sa.String),
    sa.column("key_id", BigInt),
)


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("runs", sa.Column("person", sa.String(200)))
    op.add_column("runs", sa.Column("key_id", BigInt))
    op.add_column("ledger", sa.Column("person", sa.String(200)))
    op.add_column("ledger", sa.Column("model", sa.String(100)))
    for options in _options():
        _copy(options)
    for table, name, columns in (
        ("runs", "person", ["account_id", "person", "id"]),
        ("runs", "key_id", ["account_id", "key_id", "id"]),
        ("conversations", "person", ["account_id", "person", "updated_at", "id"]),
        ("conversations", "agent_id", ["account_id", "agent_id", "updated_at", "id"]),
    ):
        is_set = sa.text(f"{name} IS NOT NULL")
        op.create_index(f"ix_{table}_{name}", table, columns, sqlite_where=is_set, postgresql_where=is_set)


def _options() -> Iterator[dict[int, dict[str, object]]]:
    """Yield the options of runs by id, in batches."""
    last = 0
    query = sa.select(_runs.c.id, _runs.c.options).order_by(_runs.c.id).limit(_READ)
    while rows := op.get_bind().execute(query.where(_runs.c.id > last)).all():
        yield {row.id: orjson.loads(row.options) for row in rows}
        last = rows[-1].id


def _copy(options: dict[int, dict[str, object]]) -> None:
    """Copy the user and the key of runs from their options to the new columns."""
    values = [
        {"run": run_id, "whose": chosen.get("user"), "key": chosen.get("key_id")}
        for run_id, chosen in options.items()
        if not chosen.keys().isdisjoint(("user", "key_id"))
    ]
    statement = (
        sa.update(_runs)
        .where(_runs.c.id == sa.bindparam("run"))
        .values(person=sa.bindparam("whose"), key_id=sa.bindparam("key"))
    )
    if values:
        op.get_bind().execute(statement, values)
