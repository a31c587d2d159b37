"""Users and keys on the command line, beside a running server and without one; and what is kept of secrets."""

import os
import re
import socket
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.conftest import StartServer
from tests.support.client import Client
from tests.support.server import COMMAND, Server

KEY = re.compile(r"ak_(live|test)_[A-Za-z0-9]{8}_[A-Za-z0-9]{32}")


def last_word(text: str) -> str:
    """Where a new key stands."""
    return text.split()[-1]


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, start_server: StartServer) -> Server:
    """A server of this test alone."""
    made: Server = start_server(request.param)
    return made


def test_the_first_start_makes_a_key_and_no_other_start_does(fresh: Server) -> None:
    first = fresh.first_key
    assert KEY.fullmatch(first)
    assert fresh.cli("users", "list").split() == ["owner@localhost", "enterprise"]
    fresh.first_key = ""
    fresh.restart()
    assert fresh.first_key == ""
    assert Client(fresh, first).get("/agents").status_code == 200


def test_commands_work_beside_a_server_and_without_one(fresh: Server) -> None:
    assert "free" in fresh.cli("users", "create", "second@example.com")
    beside = last_word(fresh.cli("keys", "create", "--user", "Second@Example.com", "--scopes", "agents:read"))
    assert Client(fresh, beside).get("/agents").status_code == 200
    fresh.stop()
    fresh.cli("users", "create", "third@example.com", "--plan", "professional")
    without = last_word(fresh.cli("keys", "create", "--user", "third@example.com", "--test", "--name", "mine"))
    listed = fresh.cli("keys", "list", "--user", "third@example.com")
    assert listed.split("\t") == [f"ak_test_{without.split('_')[2]}_…", "in force", "*", "mine\n"]
    assert fresh.cli("users", "list").splitlines()[1:] == [
        "second@example.com\tfree",
        "third@example.com\tprofessional",
    ]
    fresh.start()
    assert KEY.fullmatch(without)
    assert Client(fresh, without).get("/agents").status_code == 200
    fresh.stop()
    fresh.cli("keys", "revoke", without.split("_")[2])
    fresh.start()
    assert Client(fresh, without).get("/agents").status_code == 401


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["users", "create", "nonsense"], "not an e-mail address"),
        (["users", "create", "owner@localhost"], "already a user"),
        (["users", "create", "a@example.com", "--plan", "golden"], "no plan 'golden'"),
        (["keys", "create", "--user", "nobody@example.com"], "no user nobody@example.com"),
        (["keys", "create", "--user", "owner@localhost", "--scopes", "all"], "Unknown scopes: all"),
        (["keys", "create", "--user", "owner@localhost", "--scopes", ""], "none given"),
        (["keys", "revoke", "absent00"], "no key in force"),
        (["migrate"], "Another Retinue"),
    ],
)
def test_mistakes_are_told_in_a_sentence(shared_server: Server, args: list[str], words: str) -> None:
    told = shared_server.cli(*args, status=1)
    assert words in told
    assert told.startswith("retinue: ")
    assert "Traceback" not in told


def test_secrets_are_kept_nowhere(fresh: Server) -> None:
    key = last_word(fresh.cli("keys", "create", "--user", "owner@localhost"))
    Client(fresh, key).get("/agents")
    Client(fresh, None).get(f"/agents?api_key={key}")
    Client(fresh, None).get("/agents", headers={"Authorization": f"Bearer {key}x"})
    secrets = [secret.rpartition("_")[2].encode() for secret in (key, fresh.first_key)]
    kept = b"".join(path.read_bytes() for path in fresh.home.rglob("*") if path.is_file())
    kept += fresh.log.read_bytes() + fresh.dump()
    assert b"owner@localhost" in kept
    assert not [secret for secret in secrets if secret in kept]


def test_the_data_folder_is_private(fresh: Server) -> None:
    assert fresh.home.stat().st_mode & 0o777 == 0o700
    assert (fresh.home / "control.sock").stat().st_mode & 0o077 == 0


def test_a_second_server_on_the_same_folder_is_refused(fresh: Server) -> None:
    assert fresh.process is not None
    told = fresh.cli("serve", status=1)
    assert f"process {fresh.process.pid}" in told
    assert "RETINUE_HOME" in told
    assert Client(fresh, fresh.first_key).get("/agents").status_code == 200


def test_a_killed_server_leaves_no_lock_behind(fresh: Server) -> None:
    fresh.kill()
    assert "owner@localhost" in fresh.cli("users", "list")
    fresh.start()
    assert Client(fresh, fresh.first_key).get("/agents").status_code == 200


def test_a_port_in_use_is_told(shared_server: Server, start_server: StartServer) -> None:
    taken = str(urlsplit(shared_server.url).port)
    server = start_server()
    server.stop()
    ended = subprocess.run(
        [COMMAND, "serve"], env={**os.environ, **server.env, "PORT": taken},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert f"port {taken}" in ended.stderr
    assert "PORT" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "nonsense"),
        ("RETINUE_LOG_LEVEL", "loud"),
        ("RETINUE_DATABASE_URL", "mysql://a"),
        ("RETINUE_TRUSTED_PROXIES", "nonsense"),
    ],
)
def test_a_wrong_setting_is_named(shared_server: Server, name: str, value: str) -> None:
    ended = subprocess.run(
        [COMMAND, "settings"], env={**os.environ, **shared_server.env, name: value},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert name in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_server_ends_cleanly_and_soon(fresh: Server) -> None:
    Client(fresh, fresh.first_key).get("/agents")
    assert fresh.stop() < 5.0


def test_a_long_path_of_the_data_folder_works(start_server: StartServer) -> None:
    server = start_server()
    server.stop()
    server.home = server.home / ("long" * 30)
    server.env["RETINUE_HOME"] = str(server.home)
    server.start()
    assert "owner@localhost" in server.cli("users", "list")


def test_an_ipv6_address_is_listened_on(start_server: StartServer) -> None:
    if not socket.has_ipv6:
        raise AssertionError("the tests need IPv6 on the loopback")
    server = start_server(HOST="::1")
    assert server.url.startswith("http://[::1]:")
    assert Client(server, server.first_key).get("/agents").status_code == 200
