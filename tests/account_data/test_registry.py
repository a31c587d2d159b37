"""The registry says which user owns the rows of each table. Tables without owners are listed here with a reason."""

import pytest
import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.platform.resources import OWNED, metadata

REGISTERED: dict[str, Owned] = {owned.table.name: owned for owned in OWNED}
_PHASES = ("first", "in order", "last")
OF_NOBODY = {
    "expiries": "when retention last deleted old records, for all accounts",
    "local_activations": "the operator's choices of a local model, for all accounts",
    "stored_features": "the versions of stored words and vectors, for all accounts",
    "schedule_watch": "when a server last handled schedules",
    "usage_marks": "how much of each meter file is in the ledger",
    "users": "the user itself, deleted separately in the last step",
}


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_is_deleted_with_its_user_or_belongs_to_nobody(table: sa.Table) -> None:
    assert (table.name in REGISTERED) != (table.name in OF_NOBODY), (
        f"{table.name}: declare the owner of its rows (core/database/owned.py) in the resource.py of its "
        "package; or list the table in OF_NOBODY with a reason"
    )


def test_the_exceptions_are_tables() -> None:
    assert OF_NOBODY.keys() <= metadata.tables.keys()


@pytest.mark.parametrize("owned", OWNED, ids=lambda owned: owned.table.name)
def test_no_export_holds_a_secret(owned: Owned) -> None:
    names = {column.name for column in owned.columns} if owned.page else set()
    secret = {name for name in names if any(word in name for word in ("secret", "hash", "password", "credential"))}
    assert secret <= ({"credential"} if owned.table.name in ("audit_entries", "api_requests") else set())


def test_rows_go_before_those_they_refer_to() -> None:
    order = [owned.table.name for owned in sorted(OWNED, key=lambda owned: _PHASES.index(owned.when))] + ["users"]
    for owned in OWNED:
        for key in owned.table.foreign_keys:
            if key.ondelete != "CASCADE":
                assert order.index(owned.table.name) < order.index(key.column.table.name), (owned.table.name, key)


@pytest.mark.parametrize("owned", [one for one in OWNED if one.cascades], ids=lambda owned: owned.table.name)
def test_rows_declared_to_go_with_their_parent_do(owned: Owned) -> None:
    assert any(key.ondelete == "CASCADE" for key in owned.table.foreign_keys)
