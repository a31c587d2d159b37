"""The pages of agents and runs over HTTP: forms keep what was typed, ids of others are not found."""

import pytest

from retinue.agents.schemas import AgentCreate
from tests.conftest import User
from tests.portal.reader import Reader, redirect, title
from tests.support.client import Client, data
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

VOICE = {"voice_enabled": "on", "voice_engine": "kokoro"}
BUDGETS = {"monthly_tokens": "1000", "monthly_credits": "0"}
DEFINITION = {
    "instructions": "Check each invoice.\nInvent nothing.",
    "model": "alfred-default",
    "fallback_models": ["alfred-default"],
    "temperature": "0.25",
    "max_output_tokens": "900",
    "reasoning_effort": "low",
    "greeting": "Good morning.",
}
ADA = {
    **DEFINITION,
    "agent_name": "Ada",
    "agent_role": "reviewer",
    "task": "Check it",
    "skills": ["percent_apply_changes"],
    "voice_engine": "hibari",
}


MORE = {
    "output_schema": '{"type": "object", "required": ["total"]}',
    "metadata": '{"team": "support"}',
    "budget_steps": "5",
    "budget_tokens": "",
    "budget_seconds": "1.5",
    "budget_credits": "0",
    "budget_cost_usd": "0.50",
}
"""Fields whose form is not that of the API."""


def new_agent(client: Client, **fields: object) -> int:
    """A new agent's id."""
    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist", **fields}), 201)
    return int(agent["id"])


def test_an_agent_is_created_changed_and_deleted(reader: Reader, client: Client) -> None:
    assert "Create your first agent" in reader.get("/agents").text
    path = redirect(reader.post("/agents", {**ADA, "skills": ["percent_apply_changes", "percent_solve_share"]}))
    assert title(reader.get(path)) == "Ada"
    agent = data(client.get(path))
    assert agent["skills"] == ["percent_apply_changes", "percent_solve_share"]
    assert (agent["agent_role"], agent["task"], agent["approval"]) == ("reviewer", "Check it", "none")
    assert {name: agent[name] for name in DEFINITION} == {**DEFINITION, "temperature": 0.25, "max_output_tokens": 900}
    form = reader.get(f"{path}/edit").text
    assert 'value="Ada"' in form
    assert 'value="percent_solve_share"' in form
    assert (agent["voice_enabled"], agent["voice_engine"]) == (False, "hibari")
    changed = {"agent_name": "Bob", "agent_role": "leader", "approval": "required", **VOICE, **BUDGETS}
    assert redirect(reader.post(f"{path}/edit", changed)) == path
    agent = data(client.get(path))
    assert (agent["agent_name"], agent["skills"], agent["approval"]) == ("Bob", [], "required")
    assert "task" not in agent
    assert (agent["voice_enabled"], agent["voice_engine"]) == (True, "kokoro")
    assert (agent["monthly_tokens"], agent["monthly_credits"]) == (1000, 0)
    form = reader.get(f"{path}/edit").text
    assert 'name="voice_enabled" checked' in form
    assert 'value="1000"' in form
    assert redirect(reader.post(f"{path}/delete")) == "/agents"
    assert client.get(path).status_code == 404
    assert "The agent is deleted." in reader.get("/agents").text


def test_the_form_has_every_setting_of_an_agent(reader: Reader, client: Client) -> None:
    path = redirect(reader.post("/agents", {**ADA, **MORE}))
    agent = data(client.get(path))
    assert agent["output_schema"] == {"type": "object", "required": ["total"]}
    assert agent["budget"] == {"steps": 5, "seconds": 1.5, "credits": 0, "cost_usd": "0.50"}
    assert agent["metadata"] == {"team": "support"}
    page = reader.get(path).text
    assert "5 steps, 1.5 seconds, 0 credits, $0.50" in page
    assert "team: support" in page
    form = reader.get(f"{path}/edit").text
    settings = set(AgentCreate.model_fields) - {"budget", "output_schema", "metadata", "voice"}
    for name in (*(settings - {"skills", "agents", "knowledge", "agent_skills", "fleet_id"}), *MORE):
        assert f'name="{name}"' in form, name
    assert "&#34;team&#34;: &#34;support&#34;" in form
    assert 'name="budget_seconds" inputmode="decimal" maxlength="20" value="1.5"' in form
    redirect(reader.post(f"{path}/edit", {**ADA, **dict.fromkeys(MORE, "")}))
    agent = data(client.get(path))
    assert (agent["output_schema"], agent["budget"], agent["metadata"]) == (None, None, {})


def test_folded_sections_summarize_their_settings(reader: Reader, client: Client) -> None:
    path = redirect(reader.post("/agents", {**ADA, **MORE, **VOICE, "monthly_tokens": "2000000"}))
    form = reader.get(f"{path}/edit").text
    for summary in (
        "Decide by its tools, task: Check it",
        "Temperature 0.25, replies of up to 900 tokens, reasoning: Low, 1 fallback",
        "5 steps, 1.5 seconds, 0 credits, $0.50 a run, 2,000,000 tokens a month",
        "JSON that fits a schema",
        "Reviewer",
        "Takes calls, speaks with Kokoro",
    ):
        assert f"<span>{summary}</span></summary>" in form, summary
    assert "<details open>" not in form
    refused = reader.post(f"{path}/edit", {**ADA, "temperature": "hot"}).text
    assert refused.count("<details open>") == 1
    assert "<details open><summary><b>Model settings</b>" in refused


def test_an_agent_shows_its_use_of_its_budgets(reader: Reader, client: Client) -> None:
    made = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "leader", "monthly_tokens": 9000}), 201)
    used = data(client.post(f"/agents/{made['id']}/execute", {"message": "Hello"}))["tokens_used"]
    assert used > 0
    assert f"{used} of 9,000 used" in reader.get(f"/agents/{made['id']}").text


def test_the_agents_that_may_call_an_agent_are_linked(reader: Reader, client: Client) -> None:
    path = redirect(reader.post("/agents", ADA))
    calling = {"agent_name": "Leader", "agent_role": "leader", "agents": [int(path.rpartition("/")[2])]}
    leader = data(client.post("/agents", calling), 201)
    refused = reader.post(f"{path}/delete")
    assert refused.status_code == 400
    assert f"Agents that may call it (1): Leader ({leader['id']})." in refused.text
    assert f'<a href="/agents/{leader["id"]}/edit">Leader</a>' in refused.text
    assert reader.get(path).status_code == 200


def test_a_new_agent_can_be_tried_at_once(reader: Reader) -> None:
    path, _, fragment = redirect(reader.post("/agents", {**ADA, "then": "try"})).partition("#")
    assert path.endswith("/edit")
    assert f'id="{fragment}"' in reader.get(path).text
    assert 'id="try-form"' in reader.get(path).text


def test_a_script_saves_without_leaving_the_page(reader: Reader, client: Client) -> None:
    path = f"/agents/{new_agent(client)}"
    script = {"headers": {"Accept": "application/json"}}
    assert reader.post(f"{path}/edit", {**ADA, "agent_name": "Bob"}, **script).status_code == 204
    assert data(client.get(path))["agent_name"] == "Bob"
    refused = reader.post(f"{path}/edit", {**ADA, "output_schema": "{"}, **script)
    assert refused.status_code == 400
    assert "output_schema: This is not valid JSON" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"output_schema": '{"type": object}'}, "line 1 column 10"),
        ({"output_schema": "[1]"}, "This must be a JSON object"),
        ({"output_schema": '{"type": NaN}'}, "This is not valid JSON"),
        ({"metadata": '{"team": "\\u0000"}'}, "NUL"),
        ({"output_schema": '{"type": "text"}'}, "Is not a valid JSON Schema"),
        ({"output_schema": "[" * 100_000}, 'id="problem-output_schema"'),
        ({"metadata": '{"team": 7}'}, 'id="problem-metadata"'),
        ({"budget_steps": "1000"}, 'id="problem-budget_steps"'),
        ({"budget_cost_usd": "cheap"}, 'id="problem-budget_cost_usd"'),
        ({"agent_name": ""}, "Fill this in."),
        ({"agent_name": "x" * 101}, "at most 100 characters"),
        ({"agent_role": "king"}, "Must be one of"),
        ({"temperature": "hot"}, 'id="problem-temperature"'),
        ({"max_output_tokens": "many"}, 'id="problem-max_output_tokens"'),
        ({"agents": ["999999"]}, "no agent 999999"),
        ({"monthly_tokens": "many"}, 'id="problem-monthly_tokens"'),
        ({"voice_engine": "loud"}, 'id="problem-voice_engine"'),
        ({"skills": ["no_such_tool"]}, "no_such_tool"),
        ({"fleet_id": "999999"}, "999999"),
    ],
)
def test_a_wrong_form_says_why_and_keeps_the_input(
    reader: Reader, fields: dict[str, str | list[str]], words: str
) -> None:
    answer = reader.post("/agents", {**ADA, "task": "A task of mine", **fields})
    assert answer.status_code == 400
    assert words in answer.text
    assert 'role="alert"' in answer.text
    assert "A task of mine" in answer.text
    assert "Create your first agent" in reader.get("/agents").text


def test_a_run_shows_its_steps_and_can_be_stopped(reader: Reader, client: Client) -> None:
    agent = new_agent(client)
    call = '[[tool:percent_solve_share {"part": 17, "whole": 4250}]]'
    path = redirect(reader.post(f"/agents/{agent}/run", {"message": call}))
    eventually(lambda: data(client.get(path))["status"] == "completed")
    page = reader.get(path).text
    assert "percent_solve_share" in page
    assert "&#34;part&#34;: 17" in page
    assert "data-live" not in page
    assert redirect(reader.post(f"{path}/cancel")) == path
    assert data(client.get(path))["status"] == "completed"
    refused = reader.post(f"/agents/{agent}/run", {"message": " "})
    assert refused.status_code == 400
    assert "Fill this in." in refused.text


def test_an_agent_is_deployed_and_stopped(reader: Reader, client: Client) -> None:
    agent = new_agent(client)
    assert redirect(reader.post(f"/agents/{agent}/deploy")) == f"/agents/{agent}"
    assert data(client.get(f"/agents/{agent}"))["status"] == "working"
    assert redirect(reader.post(f"/agents/{agent}/stop")) == f"/agents/{agent}"
    assert data(client.get(f"/agents/{agent}"))["status"] == "idle"


OWN = [
    ("GET", "/agents/{agent}"),
    ("GET", "/agents/{agent}/live"),
    ("GET", "/agents/{agent}/edit"),
    ("POST", "/agents/{agent}/edit"),
    ("POST", "/agents/{agent}/run"),
    ("POST", "/agents/{agent}/deploy"),
    ("POST", "/agents/{agent}/stop"),
    ("POST", "/agents/{agent}/delete"),
    ("GET", "/playground?agent={agent}"),
    ("GET", "/runs/{run}"),
    ("GET", "/runs/{run}/live"),
    ("GET", "/runs/{run}/steps/1"),
    ("POST", "/runs/{run}/cancel"),
    ("POST", "/runs/{run}/messages"),
    ("POST", "/runs/{run}/fork"),
    ("GET", "/fleets/{fleet}"),
    ("GET", "/fleets/{fleet}/edit"),
    ("POST", "/fleets/{fleet}/edit"),
    ("POST", "/fleets/{fleet}/delete"),
    ("POST", "/fleets/{fleet}/deploy"),
    ("POST", "/fleets/{fleet}/members"),
    ("POST", "/fleets/{fleet}/members/{agent}/remove"),
    ("GET", "/fleets/{fleet}/deployments/{deployment}"),
    ("POST", "/fleets/{fleet}/deployments/{deployment}/cancel"),
    ("GET", "/playground?conversation={conversation}"),
    ("POST", "/playground/conversations/{conversation}/delete"),
]


def test_records_of_another_user_are_not_found(reader: Reader, stranger: Client) -> None:
    fleet = data(stranger.post("/fleets", {"name": "Theirs"}), 201)["id"]
    agent = new_agent(stranger, agent_name="Their agent", fleet_id=fleet)
    run = data(stranger.post(f"/agents/{agent}/execute", {"message": "Hello"}))["run_id"]
    deployment = data(stranger.post(f"/fleets/{fleet}/deploy", {"task": "Go"}))["deployment_id"]
    conversation = data(stranger.post("/chat", {"message": "Hello"}))["conversation_id"]
    ids = {"fleet": fleet, "agent": agent, "run": run, "deployment": deployment, "conversation": conversation}
    forms = {
        "agent_name": "Mine now",
        "agent_role": "leader",
        "message": "Do it",
        "name": "Mine now",
        "max_agents": "9",
        "step": "1",
    }
    for method, path in OWN:
        for numbers in (ids, {**dict.fromkeys(ids, 999_999_999), "conversation": "conv_none"}):
            address = path.format(**numbers)
            answer = reader.get(address) if method == "GET" else reader.post(address, {**forms, "agent_id": str(agent)})
            assert answer.status_code == 404, (method, address, answer.status_code, answer.text[:3000])
            assert title(answer) == "Error 404"
            assert "Their agent" not in answer.text
    assert data(stranger.get(f"/agents/{agent}"))["agent_name"] == "Their agent"
    assert data(stranger.get(f"/fleets/{fleet}"))["name"] == "Theirs"


@pytest.mark.parametrize("path", ["/agents/0", "/agents/x", "/agents/99999999999999999999", "/runs/-1", "/fleets/1.0"])
def test_an_invalid_id_is_not_found(reader: Reader, path: str) -> None:
    assert reader.get(path).status_code == 404


def test_an_error_is_a_page_a_part_or_json(reader: Reader) -> None:
    page = reader.get("/agents/999999")
    assert title(page) == "Error 404"
    assert "There is no agent 999999 in your account." in page.text
    part = reader.ask("GET", "/agents/999999", {"HX-Request": "true"})
    assert part.headers["HX-Retarget"] == "#problems"
    assert "<html" not in part.text
    assert "There is no agent 999999 in your account." in part.text
    script = reader.ask("GET", "/agents/999999", {})
    assert script.json()["error"]["code"] == "resource_not_found"


def test_changes_count_as_calls_of_the_api_and_views_do_not(reader: Reader, client: Client, user: User) -> None:
    before = data(client.get("/usage"))["api_calls"]["used"]
    for _ in range(3):
        reader.get("/agents")
    redirect(reader.post("/agents", ADA))
    assert reader.post("/agents", {"agent_name": ""}).status_code == 400
    after = data(client.get("/usage"))["api_calls"]["used"]
    assert after - before == 1 + 2  # the look at the usage before, and the two forms
    assert user.email in reader.get("/agents").text
