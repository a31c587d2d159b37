"""Rate limits from the client's view."""

import time
from collections.abc import Iterator

import pytest

from tests.conftest import NewServer, NewUser
from tests.support.client import Client, refuse
from tests.support.server import Server

PLANS = """
[free]
tools = "free"
requests = { minute = 4, hour = 1000, day = 1000 }
keys = 2
[starter]
tools = "starter"
requests = { minute = 100, hour = 5, day = 1000 }
keys = 5
[professional]
tools = "pro"
requests = { minute = 100, hour = 1000, day = 6 }
keys = 5
[enterprise]
tools = "enterprise"
requests = { minute = 100000, hour = 1000000, day = 1000000 }
keys = 5
"""


@pytest.fixture(scope="module")
def limited(new_server: NewServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that enforces small limits."""
    plans = tmp_path_factory.mktemp("plans") / "plans.toml"
    plans.write_text(PLANS)
    server = new_server(
        RETINUE_RATE_LIMITS="on", RETINUE_PLANS_FILE=str(plans), RETINUE_TRUSTED_PROXIES="127.0.0.1/32"
    ).start()
    yield server
    server.close()


def test_the_headers_tell_of_the_minute(client: Client) -> None:
    first, second = client.get("/agents").headers, client.get("/agents").headers
    assert first["X-RateLimit-Limit"] == second["X-RateLimit-Limit"] == "200"
    assert (int(first["X-RateLimit-Remaining"]), int(second["X-RateLimit-Remaining"])) == (199, 198)
    assert 0 < int(first["X-RateLimit-Reset"]) - time.time() <= 61


@pytest.mark.parametrize(("plan", "limit"), [("free", 10), ("starter", 30), ("professional", 60), ("enterprise", 200)])
def test_each_plan_has_its_limit(server: Server, new_user: NewUser, plan: str, limit: int) -> None:
    assert new_user(server, plan).client().get("/agents").headers["X-RateLimit-Limit"] == str(limit)


def test_the_minute_is_kept_for_each_key(limited: Server, new_user: NewUser) -> None:
    user = new_user(limited, "free")
    one, other = user.client(), user.client()
    assert [one.get("/agents").headers["X-RateLimit-Remaining"] for _ in range(4)] == ["3", "2", "1", "0"]
    response = one.get("/agents")
    refuse(response, 429, "minute", response.headers["Retry-After"])
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert response.headers["X-RateLimit-Remaining"] == "0"
    assert response.headers["X-RateLimit-Limit"] == "4"
    assert other.get("/agents").status_code == 200


def test_429_comes_before_every_other_refusal_but_401(limited: Server, new_user: NewUser) -> None:
    client = new_user(limited, "free").client(["usage:read"])
    for _ in range(4):
        refuse(client.get("/agents"), 403)
    for method, path in (("GET", "/nothing"), ("PATCH", "/agents"), ("GET", "/agents"), ("POST", "/chat")):
        refuse(client.request(method, path), 429)
    refuse(client.get("/agents", headers={"Authorization": "Bearer nonsense"}), 401)


@pytest.mark.parametrize(("plan", "window", "allowed"), [("starter", "hour", 5), ("professional", "day", 6)])
def test_the_hour_and_the_day_are_kept_for_the_account(
    limited: Server, new_user: NewUser, plan: str, window: str, allowed: int
) -> None:
    user = new_user(limited, plan)
    one, other = user.client(), user.client()
    for number in range(allowed):
        assert (one, other)[number % 2].get("/agents").status_code == 200
    for client in (one, other):
        response = client.get("/agents")
        refuse(response, 429, window)
        assert response.headers["X-RateLimit-Remaining"] == "0"
        assert int(response.headers["Retry-After"]) > 60
        wait = int(response.headers["X-RateLimit-Reset"]) - time.time()
        assert abs(wait - int(response.headers["Retry-After"])) <= 2


def test_strangers_are_counted_by_address_and_valid_keys_never_are(limited: Server, new_user: NewUser) -> None:
    stranger, client = Client(limited, None), new_user(limited).client()
    claimed = {"Forwarded": "for=192.0.2.66", "True-Client-IP": "192.0.2.66", "X-Real-IP": "192.0.2.66"}
    address = {"X-Forwarded-For": "198.51.100.7, 203.0.113.9", **claimed}
    answers = [stranger.get("/agents", headers=address) for _ in range(61)]
    assert [answer.status_code for answer in answers] == [401] * 60 + [429]
    assert answers[0].headers["X-RateLimit-Limit"] == "60"
    assert client.get("/agents", headers=address).status_code == 200
    refuse(stranger.get("/agents", headers={"X-Forwarded-For": "198.51.100.7, 203.0.113.10"}), 401)
    refuse(stranger.get("/agents", headers={"X-Forwarded-For": "192.0.2.1, 203.0.113.9"}), 429)
    stranger.close()


def test_the_hour_survives_a_restart(limited: Server, new_user: NewUser) -> None:
    client = new_user(limited, "starter").client()
    for _ in range(5):
        assert client.get("/agents").status_code == 200
    limited.restart()
    refuse(client.get("/agents"), 429, "hour")
    limited.kill()
    limited.start()
    refuse(client.get("/agents"), 429, "hour")


def test_a_plan_limits_the_number_of_keys(limited: Server) -> None:
    email = limited.new_user("free")
    limited.new_key(email)
    prefix = limited.new_key(email).split("_")[2]
    assert "2 keys" in limited.cli("keys", "create", "--user", email, status=1)
    limited.cli("keys", "revoke", prefix)
    limited.new_key(email)
