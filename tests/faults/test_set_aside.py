"""Work that kills its process: after the third time it is set aside, with a reason for the user."""

from contextlib import suppress
from typing import Any

import pytest
import requests

from retinue.core.work.leases import ATTEMPTS
from tests.conftest import DATABASES, StartServer
from tests.fleets.support import add_agent, ended, make_fleet
from tests.support.client import Client, data
from tests.support.crashes import die_again_and_again
from tests.support.server import Server
from tests.support.waiting import eventually

GIVEN_UP = "abandoned after its process ended 3 times"


def customer(server: Server) -> Client:
    """A sandbox client."""
    return Client(server, server.new_key(server.new_user(), test=True))


@pytest.mark.parametrize("database", DATABASES)
def test_a_run_that_kills_its_process_is_set_aside(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT="runs.claimed")
    client = customer(server)
    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "leader"}), 201)["id"]
    with suppress(requests.RequestException):
        client.post(f"/agents/{agent}/execute", {"message": "x", "background": True})
    die_again_and_again(server)

    def fail() -> Any:
        (run,) = data(client.get(f"/agents/{agent}/runs"))
        return run if run["status"] == "failed" else None

    assert GIVEN_UP in eventually(fail)["error"]
    assert data(client.post(f"/agents/{agent}/execute", {"message": "x"}))["reply"]


@pytest.mark.parametrize("database", DATABASES)
def test_a_deployment_that_kills_its_process_is_set_aside(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT="deployments.claimed")
    client = customer(server)
    fleet = make_fleet(client)
    add_agent(client, fleet, "Ada")
    with suppress(requests.RequestException):
        client.post(f"{fleet}/deploy", {"task": "[[sleep:20]]"})
    die_again_and_again(server)
    (one,) = data(client.get(f"{fleet}/deployments"))
    over = ended(client, f"{fleet}/deployments/{one['deployment_id']}")
    assert over["status"] == "failed"
    assert GIVEN_UP in over["error"]
    assert server.cli("check") == "All is well.\n"


@pytest.mark.parametrize("point", ["deployments.claimed", "runs.claimed"])
def test_the_last_attempt_is_made(point: str, start_server: StartServer) -> None:
    server = start_server(RETINUE_CRASH_AT=point)
    client = customer(server)
    fleet = make_fleet(client)
    add_agent(client, fleet, "Ada")
    with suppress(requests.RequestException):
        client.post(f"{fleet}/deploy", {"task": "[[words:3]]"})
    die_again_and_again(server, ATTEMPTS - 1)
    (one,) = data(client.get(f"{fleet}/deployments"))
    assert ended(client, f"{fleet}/deployments/{one['deployment_id']}")["status"] == "completed"
