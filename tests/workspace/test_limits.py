"""How the workspace counts as storage, and its limits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NewUser, StartServer
from tests.files.support import stored, upload
from tests.support.client import Client, data
from tests.workspace.support import decline, finish, stored_mb

PLANS = """
[free]
tools = "free"
requests = {minute = 1000, hour = 10000, day = 10000}
keys = 5
quotas = {storage_mb = 1}
"""


@pytest.fixture
def small(start_server: StartServer, new_user: NewUser, tmp_path: Path) -> Iterator[Client]:
    """A client on a plan with one MiB of storage."""
    plans = tmp_path / "plans.toml"
    others = "".join(PLANS.replace("free]", f"{name}]") for name in ("starter", "professional", "enterprise"))
    plans.write_text(PLANS + others)
    server = start_server(RETINUE_PLANS_FILE=str(plans))
    yield new_user(server, plan="free").client()
    assert server.cli("check") == "All is well.\n"


def test_files_and_records_share_the_quota(small: Client) -> None:
    upload(small, b"x" * 600_000)
    decline(small, "file_write", "storage_mb", path="/a.txt", text="x" * 450_000)
    finish(small, "file_write", path="/a.txt", text="x" * 100_000)
    for number in range(7):
        finish(small, "note_create", title=f"n{number}", text="y" * 48_000)
    decline(small, "note_create", "storage_mb", title="too much", text="y" * 50_000)
    assert stored_mb(small) == 1
    assert len(stored(small.server)) == 2


def test_deleting_gives_storage_back(small: Client) -> None:
    for round_ in range(3):
        finish(small, "file_write", path="/big.txt", text=str(round_) * 400_000)
        finish(small, "file_write", path="/copies/a.txt", text="x" * 400_000)
        finish(small, "file_delete", path="/copies", folders=True)
    finish(small, "file_delete", path="/big.txt")
    assert stored_mb(small) == 0
    assert stored(small.server) == []


def test_a_note_counts_until_it_is_deleted(client: Client) -> None:
    finish(client, "note_create", title="a note", text="words " * 100)
    assert stored_mb(client) == 1
    finish(client, "note_delete", note="a note")
    assert stored_mb(client) == 0


def test_a_value_may_have_16_kib(client: Client) -> None:
    finish(client, "kv_set", key="k", value="x" * 16_000)
    decline(client, "kv_set", "16 KiB", key="k", value="x" * 17_000)
    assert finish(client, "kv_get", key="k")["value"] == "x" * 16_000


def test_a_file_deleted_by_its_id_is_told_of(client: Client) -> None:
    file_id = finish(client, "file_write", path="/gone.txt", text="x")["file"]
    data(client.delete(f"/files/{file_id}"))
    decline(client, "file_read", "was deleted", path="/gone.txt")
    finish(client, "file_write", path="/gone.txt", text="again")
    assert finish(client, "file_read", path="/gone.txt")["text"] == "again"
    finish(client, "file_delete", path="/gone.txt")


def test_a_path_of_bytes_is_no_text(client: Client) -> None:
    record = upload(client, b"\xff\xfe\x00\x01")
    finish(client, "file_import", file=record["id"], path="/bytes.bin")
    decline(client, "file_read", "not UTF-8 text", path="/bytes.bin")
    assert finish(client, "file_search", query="x")["matches"] == []
