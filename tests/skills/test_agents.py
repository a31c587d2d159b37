"""Agents with skills: what their model sees, what it reads and runs, who must approve, and by which entry points."""

import json
from collections.abc import Callable

import pytest

from tests.conftest import NewUser, User
from tests.fleets.support import add_agent, deploy, make_fleet
from tests.interop.test_openai import official
from tests.knowledge.test_agents import ask, new_agent, prompt
from tests.skills.support import FILES, SECRET, Json, import_text, import_zip, instructions
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

READ, RUN = "skill_read", "skill_run_script"


def offered_tools(model: ModelServer, request: int = -1) -> list[str]:
    """Return the names of the tools in a request to the model."""
    return [one["function"]["name"] for one in model.requests[request].get("tools", ())]


def await_run(client: Client, run_id: int) -> Json:
    """Wait until a run has ended, and return it."""

    def over() -> Json | None:
        run: Json = data(client.get(f"/runs/{run_id}"))
        return run if run["ended_at"] else None

    return eventually(over, within=60)


def untrusted_source(client: Client, told: Json) -> str | None:
    """Return the untrusted content that a run has read."""
    (run,) = rows(client.server, f"SELECT untrusted FROM runs WHERE id = {told['run_id']}")
    source: str | None = run["untrusted"]
    return source


def result_of(model: ModelServer, request: int = -1) -> Json:
    """Return the last result of a tool that the model received."""
    results = [one for one in model.requests[request]["messages"] if one["role"] == "tool"]
    told: Json = json.loads(results[-1]["content"])
    return told


def test_the_prompt_has_names_and_descriptions_only(client: Client, model: ModelServer) -> None:
    skill = import_zip(client)
    agent = new_agent(client, agent_skills=[skill["id"]], instructions="You write.")
    assert agent["agent_skills"] == [skill["id"]]
    ask(client, agent, "Hello")
    system, asked = prompt(model)
    assert f"- pirate-talk: {skill['description']}" in system
    assert "AVAST" not in json.dumps(model.requests[-1]["messages"])
    assert asked == "Hello"
    assert {READ, RUN} <= set(offered_tools(model))
    (tool,) = (one["function"] for one in model.requests[-1]["tools"] if one["function"]["name"] == READ)
    assert tool["parameters"]["properties"]["skill"]["enum"] == ["pirate-talk"]


def test_the_model_reads_the_instructions_and_a_reference(client: Client, model: ModelServer) -> None:
    agent = new_agent(client, agent_skills=[import_zip(client)["id"]])
    model.answers.append(Answer(tool=READ, arguments={"skill": "pirate-talk"}))
    model.answers.append(Answer(tool=READ, arguments={"skill": "pirate-talk", "path": "references/words.md"}))
    model.answers.append(Answer("AVAST, matey."))
    told = ask(client, agent, "Greet me like a pirate.")
    assert (told["reply"], told["tools_used"]) == ("AVAST, matey.", [READ])
    assert SECRET in result_of(model, -2)["text"]
    assert result_of(model, -2)["files"] == list(FILES)
    assert result_of(model)["text"] == "friend: matey\n"
    assert untrusted_source(client, told) is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"skill": "other"}, "pirate-talk"),
        ({"skill": "pirate-talk", "path": "../../etc/passwd"}, "has no file"),
        ({"skill": "pirate-talk", "path": "logo.png"}, "not text"),
    ],
)
def test_a_read_that_fails_is_explained(client: Client, model: ModelServer, arguments: Json, reason: str) -> None:
    import_text(client, instructions("other"))
    agent = new_agent(client, agent_skills=[import_zip(client, {**FILES, "logo.png": b"\x89PNG\xff"})["id"]])
    model.answers.append(Answer(tool=READ, arguments=arguments))
    ask(client, agent, "Hello")
    assert reason in result_of(model)["error"]


@pytest.mark.needs_program("bwrap")
def test_a_script_runs_in_the_sandbox_on_a_folder_of_the_workspace(client: Client, model: ModelServer) -> None:
    agent = new_agent(client, agent_skills=[import_zip(client)["id"]])
    data(client.post("/tools/file_write/execute", {"args": {"path": "/work/a.txt", "text": "a"}}))
    call = {"skill": "pirate-talk", "script": "scripts/shout.sh", "arguments": ["arr"], "folder": "/work"}
    model.answers.append(Answer(tool=RUN, arguments=call))
    told = ask(client, agent, "Shout")
    assert result_of(model) == {
        "ended_by": "itself", "exit_code": 0, "stdout": "FRIEND: MATEY\n", "stderr": "",
        "created": ["/work/made.txt"], "changed": [], "deleted": [], "left_out": [],
    }  # fmt: skip
    made = data(client.post("/tools/file_read/execute", {"args": {"path": "/work/made.txt"}}))
    assert made["result"]["text"] == "arr"
    assert untrusted_source(client, told) == f"result of {RUN}"


def test_a_script_that_is_not_there_is_refused(client: Client, model: ModelServer) -> None:
    agent = new_agent(client, agent_skills=[import_zip(client)["id"]])
    model.answers.append(Answer(tool=RUN, arguments={"skill": "pirate-talk", "script": "/bin/sh"}))
    ask(client, agent, "Shout")
    assert "has no file '/bin/sh'" in result_of(model)["error"]


def test_a_script_waits_for_approval(client: Client, model: ModelServer) -> None:
    agent = new_agent(client, agent_skills=[import_zip(client)["id"]], approval="required")
    call = {"skill": "pirate-talk", "script": "scripts/shout.sh"}
    model.answers.append(Answer(tool=READ, arguments={"skill": "pirate-talk"}))
    model.answers.append(Answer(tool=RUN, arguments=call))
    waiting = data(client.post(f"/agents/{agent['id']}/execute", {"message": "Shout"}), 202)
    (approval,) = data(client.get("/approvals"))
    assert (approval["tool"], approval["arguments"], approval["status"]) == (RUN, call, "pending")
    assert data(client.get(f"/approvals/{approval['id']}"))["arguments"] == call
    denied = {"decision": "deny", "arguments": None, "reason": "Too loud."}
    data(client.post(f"/approvals/{approval['id']}", denied))
    run = await_run(client, waiting["id"])
    assert run["status"] == "completed"
    assert "Too loud." in result_of(model)["error"]


def test_the_default_approval_follows_from_the_scripts(client: Client) -> None:
    with_scripts, text = import_zip(client)["id"], import_text(client, instructions("text"))["id"]
    reader = {"skills": ["web_extract_article"]}
    assert new_agent(client, **reader, agent_skills=[text])["approval"] == "none"
    agent = new_agent(client, **reader, agent_skills=[text, with_scripts])
    assert agent["approval"] == "tainted"
    path = f"/agents/{agent['id']}"
    assert data(client.put(path, {"agent_skills": [text]}))["approval"] == "none"
    assert data(client.put(path, {"agent_skills": [with_scripts]}))["approval"] == "tainted"
    assert data(client.put(path, {"agent_skills": None, "approval": "required"}))["agent_skills"] == []
    assert data(client.put(path, {"agent_skills": [with_scripts]}))["approval"] == "required"


def test_running_scripts_needs_the_permission_and_reading_does_not(user: User, model: ModelServer) -> None:
    owner = user.client()
    agent = new_agent(owner, agent_skills=[import_zip(owner)["id"]])
    ask(user.client(["agents:write"]), agent, "Hello")
    assert offered_tools(model) == [READ]
    ask(owner, agent, "Hello", tools=[])
    assert offered_tools(model) == [READ]
    ask(owner, agent, "Hello", tools=["text_reverse_order"])
    assert offered_tools(model) == [READ, RUN, "text_reverse_order"]
    model.answers.append(Answer(tool=RUN, arguments={"skill": "pirate-talk", "script": "scripts/shout.sh"}))
    ask(user.client(["agents:write"]), agent, "Hello")
    assert "There is no tool" in result_of(model)["error"]


def test_an_account_without_the_plan_for_programs_only_reads(
    server: Server, new_user: NewUser, model: ModelServer
) -> None:
    client = new_user(server, plan="starter").client()
    agent = new_agent(client, agent_skills=[import_zip(client)["id"]])
    ask(client, agent, "Hello")
    assert READ in offered_tools(model)
    assert RUN not in offered_tools(model)


def test_an_agent_only_gets_skills_of_its_account(client: Client, stranger: Client, model: ModelServer) -> None:
    theirs = import_text(stranger)["id"]
    role = {"agent_name": "Clerk", "agent_role": "specialist", "agent_skills": [theirs]}
    refuse(client.post("/agents", role), 400, f"no skill {theirs}")
    agent = new_agent(client)
    refuse(client.put(f"/agents/{agent['id']}", {"agent_skills": [theirs]}), 400, f"no skill {theirs}")
    model.answers.append(Answer(tool=READ, arguments={"skill": "pirate-talk"}))
    ask(client, agent, "Hello")
    assert "There is no tool" in result_of(model)["error"]


def test_a_deleted_or_replaced_skill(client: Client, model: ModelServer) -> None:
    skill = import_text(client)
    agent = new_agent(client, agent_skills=[skill["id"]])
    data(client.put(f"/skills/{skill['id']}", {"text": instructions("robot-talk", body="Say beep.")}))
    model.answers.append(Answer(tool=READ, arguments={"skill": "robot-talk"}))
    ask(client, agent, "Hello")
    assert "Say beep." in result_of(model)["text"]
    data(client.delete(f"/skills/{skill['id']}"))
    ask(client, agent, "Hello")
    assert "robot-talk" not in prompt(model)[0]
    assert READ not in offered_tools(model)
    whole = data(client.get(f"/agents/{agent['id']}"))
    assert data(client.put(f"/agents/{agent['id']}", whole))["agent_skills"] == [skill["id"]]


def by_chat(client: Client, agent: Json) -> None:
    """Send a message in a conversation."""
    data(client.post("/chat", {"agent_id": agent["id"], "message": "Hello"}))


def by_background_run(client: Client, agent: Json) -> None:
    """Start a background run."""
    order = {"message": "Hello", "background": True}
    await_run(client, data(client.post(f"/agents/{agent['id']}/execute", order), 202)["id"])


def by_openai(client: Client, agent: Json) -> None:
    """Ask through OpenAI's official client."""
    completions = official(client).chat.completions
    completions.create(model=f"agent:{agent['id']}", messages=[{"role": "user", "content": "Hello"}])


def by_schedule(client: Client, agent: Json) -> None:
    """Fire a schedule."""
    order = {"name": "a", "cron": "0 0 1 1 *", "agent_id": agent["id"], "message": "Hello"}
    schedule = data(client.post("/schedules", order), 201)
    data(client.post(f"/schedules/{schedule['id']}/run"), 202)


def by_fleet(client: Client, agent: Json) -> None:
    """Deploy the agent in a fleet."""
    fleet = make_fleet(client)
    add_agent(client, fleet, "Clerk", agent_skills=agent["agent_skills"])
    deploy(client, fleet, task="Greet", strategy="sequential")


@pytest.mark.parametrize("entry_point", [by_chat, by_background_run, by_openai, by_schedule, by_fleet])
def test_every_entry_point_reads(
    client: Client, model: ModelServer, entry_point: Callable[[Client, Json], None]
) -> None:
    agent = new_agent(client, agent_skills=[import_text(client)["id"]])
    model.answers.append(Answer(tool=READ, arguments={"skill": "pirate-talk"}))
    model.answers.append(Answer("AVAST."))
    entry_point(client, agent)
    eventually(lambda: len(model.requests) >= 2, within=60)
    assert READ in offered_tools(model, 0)
    assert SECRET in result_of(model, 1)["text"]
