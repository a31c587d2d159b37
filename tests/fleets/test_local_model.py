"""A fleet with the real local model: the parts of a task need different tools."""

import pytest

from tests.fleets.support import add_agent, deploy, ended, make_fleet
from tests.support.client import Client, data
from tests.support.sampling import EXHAUSTIVE
from tests.support.server import Server

TASKS = {
    "Networker": ("network_calculate_subnet", "How many usable hosts has the network 172.16.8.0/21?", "2046"),
    "Calendar": ("date_describe_day", "On which day of the week was 20 July 1969?", "Sunday"),
}
"""The tool, the task and the expected result of each specialist."""


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_leader_combines_the_findings_of_its_specialists(local_server: Server) -> None:
    client = Client(local_server, local_server.first_key)
    fleet = make_fleet(client)
    add_agent(client, fleet, "Chief", "leader")
    for name, (tool, task, _) in TASKS.items():
        add_agent(client, fleet, name, "specialist", skills=[tool], task=task)
    add_agent(client, fleet, "Checker", "reviewer")
    deployment = ended(client, deploy(client, fleet, strategy="parallel"), within=800)
    parts = {(part["kind"], part["agent_name"]): part for part in deployment["parts"]}
    synthesis, review = parts["synthesis", "Chief"], parts["review", "Checker"]
    for name, (tool, _, value) in TASKS.items():
        assert data(client.get(f"/runs/{parts['work', name]['run_id']}"))["tools_used"] == [tool]
        assert value in synthesis["reply"].replace(",", ""), synthesis
    assert (deployment["status"], deployment["result"]["reply"]) == ("completed", review["reply"])
