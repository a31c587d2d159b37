"""Two nodes on one database: one stalls past its lease or dies, the other takes over, and nothing is done twice."""

import signal
import threading
import time
from contextlib import suppress
from typing import Any

import pytest
import requests

from retinue.core.database.postgres import LONGEST_S
from retinue.core.work.leases import LEASE_S
from tests.conftest import StartServer
from tests.faults.following import following
from tests.faults.load import TOOLS
from tests.faults.nodes import TAKEN_OVER_S, node_of
from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

RUNS = 6
WORK = (
    '[[tool:math_evaluate_expression {"expression": "6 * 7"}]][[sleep:0.2]]'
    '[[tool:text_convert_case {"text": "two words", "style": "kebab"}]][[pace:0.05]][[words:120]]'
)
REPLY = " ".join(f"word{number}" for number in range(1, 121))
STEPS = [("model", None), ("tool", TOOLS[0]), ("model", None), ("tool", TOOLS[1]), ("model", None)]


class Listener(threading.Thread):
    """Follows a run's events to their end."""

    def __init__(self, client: Client, run_id: int) -> None:
        super().__init__(daemon=True)
        self._client = client
        self._run_id = run_id
        self.chunks: list[dict[str, Any]] = []

    def run(self) -> None:
        """Read until the stream ends or the node closes it."""
        with suppress(requests.RequestException, AssertionError), following(self._client, self._run_id) as chunks:
            for chunk in chunks:
                self.chunks.append(chunk)


@pytest.fixture
def nodes(start_server: StartServer) -> tuple[Client, Client]:
    """Clients with the same key on two nodes of one platform."""
    # A node that is stopped in a transaction holds its locks for a minute, after which it would end itself.
    first = start_server("postgresql", RETINUE_STALL_LIMIT="0")
    key = first.new_key(first.new_user(), test=True)
    second = start_server("postgresql", RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    return Client(first, key), Client(second, key)


def begun_on_first(nodes: tuple[Client, Client]) -> tuple[int, list[int], list[Listener]]:
    """An agent, its background runs once they reply, and listeners to those that the first node holds."""
    first, _ = nodes
    agent = data(first.post("/agents", {"agent_name": "worker", "agent_role": "generalist", "skills": TOOLS}), 201)
    body = {"message": WORK, "background": True}
    runs = [int(data(first.post(f"/agents/{agent['id']}/execute", body), 202)["id"]) for _ in range(RUNS)]
    listeners = [Listener(Client(first.server, first.key), run) for run in runs]
    for listener in listeners:
        listener.start()
    eventually(lambda: [one for one in listeners if _speaks(one)], within=20)
    return int(agent["id"]), runs, listeners


def _speaks(listener: Listener) -> bool:
    return any(chunk["type"] == "text" for chunk in listener.chunks)


def all_completed(client: Client, runs: list[int]) -> list[dict[str, Any]]:
    """Return the runs. Fails unless all are complete."""
    details = [data(client.get(f"/runs/{run}")) for run in runs]
    assert {run["status"] for run in details} == {"completed"}, details
    return details


def check_runs(details: list[dict[str, Any]]) -> None:
    """Check that every step ran once and the reply is complete."""
    for run in details:
        assert [(step["type"], step["tool"]) for step in run["steps"]] == STEPS
        assert [step["status"] for step in run["steps"]] == ["done"] * len(STEPS)
        assert run["reply"] == REPLY


def claims(server: Server) -> dict[int, tuple[str | None, int]]:
    """Return the owner and the epoch of each run's lease."""

    found = rows(server, "SELECT id, lease_owner, epoch FROM runs")
    return {row["id"]: (row["lease_owner"], row["epoch"]) for row in found}


def held_by(server: Server) -> dict[int, int]:
    """Return the epochs of the runs that a node holds."""
    return {run: epoch for run, (owner, epoch) in claims(server).items() if owner == node_of(server)}


def taken_over(server: Server, held: dict[int, int]) -> bool:
    """Return whether every held run has a later epoch, because another node claimed or ended it."""
    return all(claims(server)[run][1] > epoch for run, epoch in held.items())


def _send(server: Server, number: signal.Signals) -> None:
    assert server.process is not None
    server.process.send_signal(number)


@pytest.mark.slow
def test_a_node_that_stalls_past_its_leases_doubles_nothing(nodes: tuple[Client, Client]) -> None:
    first, second = nodes
    agent, runs, listeners = begun_on_first(nodes)
    _send(first.server, signal.SIGSTOP)
    try:
        held = held_by(first.server)
        eventually(lambda: all_completed(second, runs), within=LONGEST_S + 40)
        assert held
        assert taken_over(second.server, held)
    finally:
        _send(first.server, signal.SIGCONT)
    for listener in listeners:
        listener.join(120)
        assert not listener.is_alive()
        assert listener.chunks[-1]["type"] == "done"
    check_runs(all_completed(first, runs))
    assert data(first.get(f"/agents/{agent}"))["status"] == "idle"
    assert first.server.ask("check") == []


@pytest.mark.slow
def test_another_node_takes_over_within_the_lease(nodes: tuple[Client, Client]) -> None:
    first, second = nodes
    _, runs, _ = begun_on_first(nodes)
    first.server.kill()
    killed = time.monotonic()
    held = held_by(first.server)
    assert held
    eventually(lambda: taken_over(second.server, held), within=TAKEN_OVER_S)
    took = time.monotonic() - killed
    check_runs(eventually(lambda: all_completed(second, runs), within=60))
    print(f"\nanother node took over {took:.1f} s after the kill")
    assert second.server.ask("check") == []


@pytest.mark.slow
def test_a_node_that_is_stopped_hands_its_runs_over_at_once(nodes: tuple[Client, Client]) -> None:
    first, second = nodes
    _, runs, _ = begun_on_first(nodes)
    held = held_by(first.server)
    assert held
    _send(first.server, signal.SIGTERM)
    told = time.monotonic()
    eventually(lambda: held.keys() <= held_by(second.server).keys(), within=LEASE_S / 2)
    print(f"\nanother node took over {time.monotonic() - told:.2f} s after it received SIGTERM")
    check_runs(eventually(lambda: all_completed(second, runs), within=60))
    assert second.server.ask("check") == []
