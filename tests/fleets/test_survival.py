"""Deployments under SIGKILL."""

import asyncio
import contextlib

import pytest

from retinue.core.database.postgres import connect_once
from tests.conftest import StartServer
from tests.fleets.support import Json, add_agent, deploy, ended, fleet_id, make_fleet
from tests.support.client import Client, data
from tests.support.events import stored_events
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server
from tests.support.waiting import eventually

TASKS = {
    "parallel": "[[sleep:0.3]][[words:3]]",
    "sequential": "[[sleep:0.2]][[words:3]]",
    "round-robin": "\n".join(["[[sleep:0.2]][[words:3]]"] * 5),
}
PARTS = {"parallel": 5, "sequential": 3, "round-robin": 5}
MEMBERS = (("Lea", "leader"), ("Sue", "specialist"), ("Rex", "reviewer"))


@pytest.mark.slow
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
def test_every_strategy_survives_the_death_of_the_process(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    fleets = {strategy: _team(client) for strategy in TASKS}
    paths = {s: deploy(client, fleet, task=TASKS[s], strategy=s) for s, fleet in fleets.items()}
    for completed, end in ((1, server.kill), (4, server.stop), (7, server.kill)):
        _wait_for(client, fleets, completed)
        end()
        server.start()
    for strategy, path in paths.items():
        done = ended(client, path, within=30)
        _is_whole(server, client, done, fleets[strategy], PARTS[strategy])
    assert server.cli("check") == "All is well.\n"


def _team(client: Client) -> str:
    fleet = make_fleet(client)
    for name, role in MEMBERS:
        add_agent(client, fleet, name, role)
    return fleet


def _wait_for(client: Client, fleets: dict[str, str], least: int) -> None:
    """Wait until at least `least` parts are completed."""
    eventually(lambda: sum(int(data(client.get(fleet))["tasks_completed"]) for fleet in fleets.values()) >= least)


def _is_whole(server: Server, client: Client, done: Json, fleet: str, parts: int) -> None:
    """Check that one run did each part once, and that each member has one start event."""
    assert (done["status"], len(done["parts"])) == ("completed", parts), done
    assert {part["reply"] for part in done["parts"]} == {"word1 word2 word3"}
    runs = [run["id"] for agent in done["agents"] for run in data(client.get(f"/agents/{agent}/runs"))]
    assert sorted(runs) == sorted(part["run_id"] for part in done["parts"])
    assert data(client.get(fleet))["tasks_completed"] == parts
    started = [told for told in stored_events(server, "agent.deployed") if told["fleet_id"] == fleet_id(fleet)]
    assert sorted(told["agent_id"] for told in started) == sorted(done["agents"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("database", "point"),
    [("sqlite", "runs.claimed:2"), ("sqlite", "runs.finished:1"), ("postgresql", "runs.finished:2")],
)
def test_a_deployment_goes_on_after_a_crash_at(point: str, database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    fleet = _team(client)
    server.restart(RETINUE_CRASH_AT=point)
    with contextlib.suppress(OSError):
        client.post(f"{fleet}/deploy", {"task": "[[words:3]]", "strategy": "sequential"})
    server.has_died()
    server.start()
    (one,) = data(client.get(f"{fleet}/deployments"))
    done = ended(client, f"{fleet}/deployments/{one['deployment_id']}", within=30)
    _is_whole(server, client, done, fleet, 3)
    assert server.cli("check") == "All is well.\n"


def test_a_deployment_whose_time_is_up_meanwhile_ends_after_the_restart(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user(), test=True))
    fleet = _team(client)
    deployment = deploy(client, fleet, task="[[sleep:50]]", timeout=1)
    server.kill()
    server.start()
    done = ended(client, deployment, within=5)
    assert done["status"] == "timed_out"
    assert {agent["status"] for agent in data(client.get("/agents"))} == {"idle"}


@pytest.mark.slow
def test_another_node_takes_over(start_server: StartServer) -> None:
    first = start_server("postgresql")
    second = start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    client = Client(second, second.new_key(second.new_user(), test=True))
    fleets = {strategy: _team(client) for strategy in TASKS}
    paths = {s: deploy(client, fleet, task=TASKS[s], strategy=s) for s, fleet in fleets.items()}
    _wait_for(client, fleets, 2)
    first.kill()
    for strategy, path in paths.items():
        done = ended(client, path, within=30)
        _is_whole(second, client, done, fleets[strategy], PARTS[strategy])
    assert second.cli("check") == "All is well.\n"


@pytest.mark.slow
def test_a_node_that_is_stopped_hands_its_deployments_over(start_server: StartServer) -> None:
    first = start_server("postgresql")
    second = start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    client = Client(first, first.new_key(first.new_user(), test=True))
    fleet = _team(client)
    path = deploy(client, fleet, task="[[sleep:2]][[words:3]]", strategy="sequential")
    owner = eventually(lambda: _lease(first)[0])
    held, other = (first, second) if owner == _node(first) else (second, first)
    held.stop()
    client = Client(other, client.key)
    _is_whole(other, client, ended(client, path, within=30), fleet, 3)
    # Two claims, and the release in between. Without the release, the second claim waits until the lease expires.
    assert _lease(other) == (None, 3)
    assert other.cli("check") == "All is well.\n"


def _node(server: Server) -> str:
    """Return the node's name in leases."""
    return (server.home / "lock").read_text().split()[1]


def _lease(server: Server) -> tuple[str | None, int]:
    """Return the owner and the epoch of the only deployment."""

    async def read() -> tuple[str | None, int]:
        connection = await connect_once(server.env["RETINUE_DATABASE_URL"])
        row = await connection.fetchrow("SELECT lease_owner, epoch FROM deployments")
        await connection.close()
        assert row is not None
        return row["lease_owner"], row["epoch"]

    return asyncio.run(read())
