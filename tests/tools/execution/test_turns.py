"""One user's slow work does not delay another's: tools that wait, tools that compute, threads and the event loop."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

import pytest
import requests

from tests.conftest import NewUser, StartServer, User
from tests.support.client import Client, data
from tests.support.server import Server
from tests.tools.dripping import dripping_server
from tests.workspace.support import call, finish

CALLS = 6
WIDE = {"since": "2026-01-02", "until": "2027-02-05"}
Attack = Callable[[Client], requests.Response]


@pytest.fixture
def server(start_server: StartServer) -> Server:
    """A server with two workers for tools that compute, which may reach this machine."""
    return start_server(RETINUE_TOOL_WORKERS="2", RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")


@contextmanager
def under_attack(user: User, attack: Attack) -> Iterator[list[Future[requests.Response]]]:
    """While several clients of a user do something slow at the same time."""
    with ThreadPoolExecutor(CALLS) as threads:
        yield [threads.submit(attack, user.client()) for _ in range(CALLS)]


def ordinary_work(client: Client) -> None:
    """A cheap tool call, an upload and a read."""
    assert finish(client, "math_evaluate_expression", expression="1+1")["value"] == 2
    file = data(client.request("POST", "/files?name=a.txt", data=b"ab"), 201)["id"]
    assert client.get(f"/files/{file}/content").content == b"ab"
    data(client.get("/agents"))
    finish(client, "note_create", title="A note")


def test_slow_hosts_delay_only_the_user_who_asks_them(server: Server, new_user: NewUser) -> None:
    attacker, other = new_user(server), new_user(server).client()
    ordinary_work(other)
    with dripping_server() as host:

        def attack(client: Client) -> requests.Response:
            return call(client, "http_send_request", url=host.url)

        with under_attack(attacker, attack) as calls:
            host.wait_for_requests(1)
            ordinary_work(other)
            assert sum(one.done() for one in calls) < CALLS // 2  # in the order of arrival, all would go before
            host.finish()
            wait(calls)


def test_a_calendar_full_of_series_delays_nobody_else(server: Server, new_user: NewUser) -> None:
    attacker, other = new_user(server), new_user(server).client()
    owner = attacker.client()
    for number in range(100):
        series = {"title": f"Series {number}", "start": "2026-01-01T00:00", "minutes": 1, "recurrence": "FREQ=DAILY"}
        finish(owner, "calendar_create_event", **series)
    ordinary_work(other)

    def attack(client: Client) -> requests.Response:
        return call(client, "calendar_find_slots", **WIDE, minutes=1440, hours="00-24")

    with under_attack(attacker, attack) as calls:
        ordinary_work(other)
        wait(calls)
    assert [data(one.result())["result"]["slots"] for one in calls] == [[]] * CALLS
