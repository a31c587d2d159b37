"""Deleting a user removes every trace from the database and the disk, and nothing of other users."""

import secrets
from collections.abc import Iterator

import pytest

from tests.account_data.full_account import FullAccount, fill, settle
from tests.account_data.traces import all_with_owners, files_that_hold, own, tables_that_hold
from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.webhooks.receiver import Receiver, running_receiver

NO_GRACE = {"RETINUE_DELETION_GRACE": "0", "RETINUE_ALLOWED_NETWORKS": "127.0.0.1/32"}

UNUSED = {"memory_jobs", "recovery_codes", "room_participants", "source_authorizations", "usage_thresholds"}
"""Tables in which a full account has no rows: it has no second factor, room participants or plan limits, no agent of
it notes facts, and none of its MCP servers requires OAuth.
"""

METERED = ("api_requests", "ledger", "usage_days")
"""API calls are counted and logged a second later, so these tables may gain rows."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """Receives the webhooks."""
    with running_receiver() as running:
        yield running


def new_marker() -> str:
    """Return a unique word."""
    return f"zq{secrets.token_hex(6)}"


def wait_until_gone(server: Server, user_id: int) -> bool:
    """Return whether the user's row is deleted."""
    return not rows(server, f"SELECT id FROM users WHERE id = {user_id}")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
def test_no_trace_is_left_and_others_keep_everything(
    database: str, start_server: StartServer, new_user: NewUser, receiver: Receiver
) -> None:
    server = start_server(database, **NO_GRACE)
    other = fill(new_user(server), new_marker(), receiver.url("/other"))
    full = fill(new_user(server), new_marker(), receiver.url("/mine"))
    settle(other)
    settle(full)
    installed = data(other.live.post(f"/marketplace/{_publish(server, full)}/install", {}), 201)
    other_rows = eventually(lambda: _at_rest(server, other.id), within=30)
    eventually(lambda: all_with_owners() - own(server, full.id).keys() == UNUSED, within=30)
    accounts = [row["id"] for row in rows(server, f"SELECT id FROM accounts WHERE user_id = {full.id}")]

    full.delete()
    eventually(lambda: wait_until_gone(server, full.id), within=60)

    traces = [full.marker, *full.names]
    assert tables_that_hold(server, traces) == {}
    listed = ", ".join(map(str, accounts))
    for table in other_rows:
        owners = {"account_id": listed, "user_id": str(full.id)}
        for column in rows(server, f"SELECT * FROM {table} LIMIT 1")[0].keys() & owners.keys():
            assert rows(server, f"SELECT * FROM {table} WHERE {column} IN ({owners[column]})") == [], table
    left = own(server, other.id)
    assert all(left[name] >= other_rows[name] for name in METERED)
    assert {**left, **dict.fromkeys(METERED)} == {**other_rows, **dict.fromkeys(METERED)}
    item = data(other.live.get(f"/marketplace/{installed['item_id']}"))
    assert (item["author"], item["installs"]) == ("deleted user", 1)
    # The signature remains valid after its user is deleted.
    data(other.live.post(f"/marketplace/{item['id']}/install", {}), 201)
    assert server.ask("check") == []
    other.close()
    full.close()
    server.stop()
    assert files_that_hold(server, traces) == {}


def _publish(server: Server, full: FullAccount) -> int:
    """Publish the item as the operator, so that others may install it. Returns its id."""
    operator = Client(server, server.first_key)
    data(operator.post(f"/marketplace/{full.item}/moderate", {"status": "published"}))
    operator.close()
    return full.item


def _at_rest(server: Server, user_id: int) -> dict[str, int] | None:
    """Return the numbers of a user's rows, or None if they are still changing."""
    first = own(server, user_id)
    return first if first == own(server, user_id) else None
