"""The pages of simulations."""

from tests.conftest import ONE_DATABASE
from tests.portal.reader import Reader, redirect
from tests.support.client import Client, data
from tests.support.waiting import eventually

FORM = {
    "name": "Bookings <b>", "persona_1": "Ada, in a hurry.", "goal_1": "A table for two.", "opening_1": "Hello.",
    "criteria_1": "The agent asks for the day.\n\n It is <polite>.", "name_3": "Complains", "persona_3": "Bo.",
    "goal_3": "An apology.", "max_turns": "2", "repeat": "1", "mode": "text", "tools": "none",
}  # fmt: skip


@ONE_DATABASE
def test_a_simulation_is_created_read_and_deleted(reader: Reader, client: Client) -> None:
    agent = data(client.post("/agents", {"agent_name": "Host", "agent_role": "generalist"}), 201)["id"]
    assert f'href="/simulations?agent={agent}"' in reader.get(f"/agents/{agent}").text
    form = reader.get(f"/simulations/new?agent={agent}")
    assert f'<option value="{agent}" selected>' in form.text
    without_goal = reader.post("/simulations", {**FORM, "agent_id": str(agent), "goal_3": ""})
    assert (without_goal.status_code, 'id="problem-goal_3"' in without_goal.text) == (400, True)
    assert "Ada, in a hurry." in without_goal.text
    long = reader.post("/simulations", {**FORM, "agent_id": str(agent), "criteria_1": "a" * 501})
    assert (long.status_code, 'id="problem-scenarios"' in long.text) == (400, True)
    path = redirect(reader.post("/simulations", {**FORM, "agent_id": str(agent)}))
    number = int(path.rpartition("/")[2])
    made = eventually(lambda: (one := data(client.get(f"/simulations/{number}")))["ended_at"] and one)
    assert [one["name"] for one in made["scenarios"]] == ["A table for two.", "Complains"]
    assert made["scenarios"][0]["success_criteria"] == ["The agent asks for the day.", "It is <polite>."]
    page = reader.get(path).text
    assert "Bookings &lt;b&gt;" in page
    assert "It is &lt;polite&gt;." in page
    assert page.count('<details class="talk">') == 2
    assert made["counts"]["failed"] == 2  # The model answers with text that is no JSON.
    assert "Completed with errors" in page
    assert "Completed with errors" in reader.get("/simulations").text
    assert f'href="{path}"' in reader.get(f"/simulations?agent={agent}").text
    assert f'href="{path}"' not in reader.get("/simulations?agent=9999999").text
    assert redirect(reader.post(f"{path}/delete", {})) == "/simulations"
    assert reader.get(path).status_code == 404
