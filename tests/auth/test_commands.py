"""Users and keys on the command line, with and without a running server, and what the database stores of secrets."""

import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import NewServer, StartServer
from tests.support.client import Client, data
from tests.support.server import Server

_OPEN = Path("/proc/self/fd")
KEY = re.compile(r"ak_(live|test)_[A-Za-z0-9]{8}_[A-Za-z0-9]{32}")


def last_word(text: str) -> str:
    """Return the last word, which is the new key."""
    return text.rsplit(maxsplit=1)[-1]


def status_of(server: Server, key: str) -> int:
    """Return the status of a request with this key."""
    client = Client(server, key)
    status = client.get("/agents").status_code
    client.close()
    return status


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, start_server: StartServer) -> Server:
    """A server for this test only."""
    made: Server = start_server(request.param)
    return made


def test_commands_work_beside_a_server_and_without_one(fresh: Server) -> None:
    first = fresh.first_key
    assert KEY.fullmatch(first)
    assert fresh.cli("users", "list") == "owner@localhost\tenterprise\n"
    assert "free" in fresh.cli("users", "create", "second@example.com")
    beside = last_word(fresh.cli("keys", "create", "--user", "Second@Example.com", "--scopes", "agents:read"))
    assert KEY.fullmatch(beside)
    assert status_of(fresh, beside) == 200

    fresh.stop()
    fresh.first_key = ""
    fresh.cli("users", "create", "third@example.com", "--plan", "professional")
    without = last_word(fresh.cli("keys", "create", "--user", "third@example.com", "--test", "--name", "mine"))
    listed = fresh.cli("keys", "list", "--user", "third@example.com")
    assert listed.split("\t") == [f"ak_test_{without.split('_')[2]}_…", "in force", "*", "mine\n"]
    fresh.cli("keys", "revoke", beside.split("_")[2])
    assert "\trevoked\t" in fresh.cli("keys", "list", "--user", "second@example.com")

    fresh.start()
    assert fresh.first_key == "", "only the very first start may create a key"
    assert [status_of(fresh, key) for key in (first, beside, without)] == [200, 401, 200]


def test_a_user_revoked_without_a_server_lets_nobody_in(new_server: NewServer) -> None:
    server = new_server()
    server.start()
    with closing(Client(server, server.first_key)) as owner:
        agent = data(owner.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)["id"]
        data(owner.post("/publishable-keys", {"agent_id": agent}), 201)
        hook = data(owner.post("/webhooks", {"url": "https://example.com/hook"}), 201)["id"]
    server.stop()
    server.cli("users", "revoke", "owner@localhost")
    key = last_word(server.cli("keys", "create", "--user", "owner@localhost"))
    server.start()
    with closing(Client(server, key)) as owner:
        assert data(owner.get("/publishable-keys")) == []
        assert not data(owner.get(f"/webhooks/{hook}"))["enabled"]
    server.close()


def test_commands_leave_nothing_open(fresh: Server) -> None:
    fresh.ask("users.list")
    before = len(list(_OPEN.iterdir()))
    for _ in range(8):
        fresh.ask("users.list")
    assert len(list(_OPEN.iterdir())) < before + 8


def test_the_first_user_is_on_enterprise_unless_told_otherwise(new_server: NewServer) -> None:
    server = new_server(empty=True)
    assert "starter" in server.cli("users", "create", "first@example.com", "--plan", "starter")
    assert "free" in server.cli("users", "create", "second@example.com")
    key = last_word(server.cli("keys", "create", "--user", "second@example.com"))
    server.start()
    assert server.first_key == ""
    assert status_of(server, key) == 200
    server.close()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["users", "create", "nonsense"], "not a valid e-mail address"),
        (["users", "create", "owner@localhost"], "already exists"),
        (["users", "create", "a@example.com", "--plan", "golden"], "no plan 'golden'"),
        (["keys", "create", "--user", "nobody@example.com"], "no user nobody@example.com"),
        (["keys", "create", "--user", "owner@localhost", "--scopes", "all"], "Unknown scopes: all"),
        (["keys", "create", "--user", "owner@localhost", "--scopes", ""], "none given"),
        (["keys", "revoke", "absent00"], "no active key"),
    ],
)
def test_mistakes_are_told_in_a_sentence(shared_server: Server, args: list[str], words: str) -> None:
    told = shared_server.cli(*args, status=1)
    assert words in told
    assert told.startswith("retinue: ")
    assert told.count("\n") == 1


def test_secrets_are_kept_nowhere(shared_server: Server) -> None:
    key = last_word(shared_server.cli("keys", "create", "--user", "owner@localhost"))
    assert status_of(shared_server, key) == 200
    assert status_of(shared_server, f"{key}x") == 401
    nobody = Client(shared_server, None)
    assert nobody.get(f"/agents?api_key={key}").status_code == 200
    nobody.close()
    secrets = [secret.rpartition("_")[2].encode() for secret in (key, shared_server.first_key)]
    kept = b"".join(path.read_bytes() for path in shared_server.home.rglob("*") if path.is_file())
    kept += shared_server.log.read_bytes() + shared_server.dump()
    assert b"owner@localhost" in kept
    assert not [secret for secret in secrets if secret in kept]


def test_the_data_folder_is_private(shared_server: Server) -> None:
    assert shared_server.home.stat().st_mode & 0o777 == 0o700
    assert (shared_server.home / "control.sock").stat().st_mode & 0o077 == 0


def test_a_second_process_on_the_same_folder_is_refused(shared_server: Server) -> None:
    assert shared_server.process is not None
    for command in ("serve", "migrate"):
        told = shared_server.cli(command, status=1)
        assert f"process ({shared_server.process.pid})" in told
        assert "RETINUE_HOME" in told
    assert status_of(shared_server, shared_server.first_key) == 200


def test_a_killed_server_leaves_no_lock_behind(start_server: StartServer) -> None:
    server = start_server()
    server.kill()
    assert "owner@localhost" in server.cli("users", "list")
    server.start()
    assert status_of(server, server.first_key) == 200
    server.stop()


def test_a_port_in_use_is_told(shared_server: Server, new_server: NewServer) -> None:
    taken = str(urlsplit(shared_server.url).port)
    told = new_server(PORT=taken).cli("serve", status=1)
    assert f"port {taken}" in told
    assert "set PORT to another" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "nonsense"),
        ("RETINUE_LOG_LEVEL", "loud"),
        ("RETINUE_DATABASE_URL", "mysql://a"),
        ("RETINUE_TRUSTED_PROXIES", "nonsense"),
    ],
)
def test_a_wrong_setting_is_named(new_server: NewServer, name: str, value: str) -> None:
    told = new_server(**{name: value}).cli("settings", status=1)
    assert name in told
    assert "Traceback" not in told


def test_a_long_path_and_ipv6_work(new_server: NewServer) -> None:
    server = new_server(HOST="::1")
    server.home = server.home / ("long" * 30)
    server.env["RETINUE_HOME"] = str(server.home)
    server.start()
    assert server.url.startswith("http://[::1]:")
    assert "owner@localhost" in server.cli("users", "list")
    assert status_of(server, server.first_key) == 200
    server.close()
