"""A large fleet with many concurrent deployments."""

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fleets.support import add_agent, deploy, ended, make_fleet
from tests.support.client import Client, data
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server

AGENTS = 50
DEPLOYMENTS = 10
MEMORY_MB = 60.0
"""Most memory that the work may add to that of a server at its start."""


def peak_memory_mb(server: Server) -> float:
    """Return the peak resident memory of the server's process in MB, without its children."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6


@pytest.mark.slow
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
def test_ten_deployments_of_fifty_agents_finish(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    idle = peak_memory_mb(server)
    client = Client(server, server.new_key(server.new_user(), test=True))
    fleet = make_fleet(client, max_agents=AGENTS)
    for number in range(AGENTS):
        add_agent(client, fleet, f"agent {number}", "specialist" if number else "leader")
    paths = [deploy(client, fleet, task="[[words:20]]") for _ in range(DEPLOYMENTS)]
    for path in paths:
        done = ended(client, path, within=60)
        assert (done["status"], len(done["parts"]), done["result"]["failures"]) == ("completed", AGENTS + 1, [])
    record = data(client.get(fleet))
    assert (record["status"], record["tasks_completed"]) == ("active", DEPLOYMENTS * (AGENTS + 1))
    used = peak_memory_mb(server) - idle
    print(f"\n{database}: {used:.0f} MB more than the {idle:.0f} MB at the start")
    assert used <= MEMORY_MB
    assert server.cli("check") == "All is well.\n"
