"""A fleet on the real local model: a question whose parts need different tools."""

import pytest

from tests.fleets.support import add_agent, deploy, ended, make_fleet
from tests.support.client import Client, data
from tests.support.server import Server

HOSTS = "How many usable hosts has the network 172.16.8.0/21?"
DAY = "On which day of the week was 20 July 1969?"
TASK = f"{HOSTS} {DAY} Answer in one short sentence."
TOOLS = {"Networker": "network_calculate_subnet", "Calendar": "date_describe_day"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_leader_brings_together_what_the_tools_of_its_specialists_found(local_server: Server) -> None:
    client = Client(local_server, local_server.first_key)
    fleet = make_fleet(client)
    add_agent(client, fleet, "Chief", "leader")
    for name, tool in TOOLS.items():
        add_agent(client, fleet, name, "specialist", skills=[tool])
    add_agent(client, fleet, "Checker", "reviewer")
    deployment = ended(client, deploy(client, fleet, task=TASK, strategy="parallel"), within=800)
    parts = {(part["kind"], part["agent_name"]): part for part in deployment["parts"]}
    for name, tool in TOOLS.items():
        assert data(client.get(f"/runs/{parts['work', name]['run_id']}"))["tools_used"] == [tool]
    synthesis = parts["synthesis", "Chief"]["reply"]
    assert "2046" in synthesis.replace(",", "")
    assert "Sunday" in synthesis
    assert deployment["status"] == "completed"
    assert deployment["result"]["reply"] == parts["review", "Checker"]["reply"]
