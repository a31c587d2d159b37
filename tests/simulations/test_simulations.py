"""Simulations through the API, with a scripted model in the parts of the person, the agent and the judge."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server
from tests.support.sql import execute
from tests.support.waiting import eventually

Json = dict[str, Any]
CRITERIA = ["The agent names the price.", "The agent asks for the date."]
SCENARIO = {
    "name": "Books a table",
    "persona": "Ada, in a hurry.",
    "goal": "A table for two on Friday.",
    "opening": "A table, please.",
    "success_criteria": CRITERIA,
}


def person(message: str, state: str = "continue") -> str:
    """Return what the model says in the part of the person."""
    return json.dumps({"message": message, "state": state})


def verdict(*passed: bool, reached: bool = True) -> str:
    """Return what the model says in the part of the judge."""
    criteria = {f"criterion_{n}": {"reason": "“Friday”", "passed": one} for n, one in enumerate(passed, 1)}
    return json.dumps({"reason": "“Booked.”", "goal_reached": reached, **criteria})


class Cast:
    """Answers for the model server: it tells the three parts apart by their system prompts."""

    def __init__(self) -> None:
        self.person: Callable[[int], Answer] = lambda turn: Answer(person("Thanks.", "goal_reached"))
        self.agent: Callable[[int], Answer] = lambda turn: Answer(f"Booked for Friday, reply {turn}.")
        self.judge: Callable[[int], Answer] = lambda criteria: Answer(verdict(*[True, False][:criteria]))
        self.asked: list[str] = []
        self.requests: list[Json] = []

    def answer(self, body: Json) -> Answer:
        """Answer a request.

        The person gets the number of the agent's replies so far, the agent that of this reply, and the judge that of
        the criteria.
        """
        system = str(body["messages"][0]["content"])
        part = next((name for name in ("play a person", "judge a chat") if name in system), "agent")
        self.asked.append(part)
        self.requests.append(body)
        turns = sum(message["role"] == "user" for message in body["messages"])
        if part == "play a person":
            return self.person(turns - 1)
        if part == "judge a chat":
            return self.judge(system.count("criterion_"))
        return self.agent(turns)


@pytest.fixture
def cast(model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The three parts, on the model that live keys use."""
    parts = Cast()
    monkeypatch.setattr(model, "own_answer", parts.answer)
    return parts


def make_agent(client: Client, **fields: Any) -> int:
    """Create an agent. Returns its id."""
    body = {"agent_name": "Host", "agent_role": "generalist", "instructions": "Book tables.", **fields}
    return int(data(client.post("/agents", body), 201)["id"])


def simulate(client: Client, agent: int, **fields: Any) -> Json:
    """Create a simulation of one scenario."""
    body = {"agent_id": agent, "scenarios": [SCENARIO], **fields}
    made: Json = data(client.post("/simulations", body), 201)
    return made


def end(client: Client, simulation: Json) -> Json:
    """Return a simulation once it has ended."""

    def look() -> Json | None:
        found: Json = data(client.get(f"/simulations/{simulation['id']}"))
        return found if found["ended_at"] else None

    return eventually(look, within=60)


def conversations(client: Client, simulation: Json, query: str = "") -> list[Json]:
    """Return the conversations of a simulation."""
    path = f"/simulations/{simulation['id']}/conversations?per_page=100{query}"
    found: list[Json] = data(client.get(path))
    return found


def ended_with(client: Client, agent: int, **fields: Any) -> Json:
    """Return the only conversation of a new simulation once it has ended."""
    simulation = simulate(client, agent, **fields)
    end(client, simulation)
    (only,) = conversations(client, simulation)
    return only


def test_people_talk_with_an_agent_and_a_judge_rates_them(server: Server, client: Client, cast: Cast) -> None:
    agent = make_agent(client)
    asks = {**SCENARIO, "name": "Asks first", "opening": None, "success_criteria": []}
    cast.person = lambda turn: Answer(person("For two, on Friday.") if turn < 2 else person("", "goal_reached"))
    simulation = simulate(client, agent, scenarios=[SCENARIO, asks], repeat=2, name="Bookings")
    assert (simulation["status"], simulation["counts"]["total"], simulation["summary"]["tokens_used"]) == (
        "running", 4, 0,
    )  # fmt: skip
    done = end(client, simulation)
    assert (done["status"], done["counts"]["completed"], done["goal_reached"]) == ("completed", 4, 1.0)
    summary = done["summary"]
    assert (summary["criteria_passed"], summary["mean_turns"]) == (0.5, 2.0)
    assert [one["passed"] for one in summary["scenarios"][0]["criteria"]] == [1.0, 0.0]
    assert summary["mean_reply_ms"] >= summary["mean_first_text_ms"] > 0
    assert summary["tokens_used"] > 0
    first, second, third, _ = conversations(client, done)
    assert [one["scenario_name"] for one in (first, second, third)] == ["Books a table", "Asks first", "Books a table"]
    assert [(line["role"], line["text"]) for line in first["transcript"]] == [
        ("person", "A table, please."),
        ("agent", "Booked for Friday, reply 1."),
        ("person", "For two, on Friday."),
        ("agent", "Booked for Friday, reply 2."),
    ]
    assert first["verdicts"] == [
        {"criterion": CRITERIA[0], "passed": True, "reason": "“Friday”"},
        {"criterion": CRITERIA[1], "passed": False, "reason": "“Friday”"},
    ]
    assert (first["ending"], first["reason"], second["verdicts"]) == ("goal_reached", "“Booked.”", [])
    assert [line["role"] for line in second["transcript"]] == ["person", "agent"] * 2
    said = data(client.get(f"/chat/{first['conversation_id']}"))
    assert [one["content"] for one in said] == [line["text"] for line in first["transcript"]]
    (event,) = [one for one in stored_events(server, "simulation.completed") if one["simulation_id"] == done["id"]]
    assert (event["counts"], event["goal_reached"], event["name"]) == ({"completed": 4}, 1.0, "Bookings")
    judged = next(one for one in cast.requests if "judge a chat" in str(one["messages"][0]["content"]))
    assert "person: A table, please." in str(judged["messages"][1]["content"])
    assert judged["response_format"]["json_schema"]["schema"]["required"][:2] == ["reason", "goal_reached"]


def test_each_model_call_is_metered_once(client: Client, cast: Cast) -> None:
    before = data(client.get("/usage"))["usage"]
    simulation = end(client, simulate(client, make_agent(client)))
    (talk,) = conversations(client, simulation)
    assert cast.asked == ["agent", "play a person", "judge a chat"]
    used = data(client.get("/usage"))["usage"]
    assert sum(used[name] - before[name] for name in ("input_tokens", "output_tokens")) == talk["tokens_used"] > 30


@pytest.mark.parametrize(("state", "turns"), [("gave_up", 1), ("continue", 3)])
def test_a_conversation_ends_when_the_person_gives_up_or_at_the_last_turn(
    client: Client, cast: Cast, state: str, turns: int
) -> None:
    cast.person = lambda turn: Answer(person("No, thank you.", state))
    cast.judge = lambda criteria: Answer(verdict(False, False, reached=False).replace("Booked", "Book\\u0000ed"))
    talk = ended_with(client, make_agent(client), max_turns=3)
    assert talk["reason"] == "“Booked.”"
    assert (talk["turns"], talk["ending"]) == (turns, "gave_up" if state == "gave_up" else "max_turns")
    assert (talk["status"], talk["goal_reached"], talk["transcript"][-1]["role"]) == (
        "completed", False, "person" if state == "gave_up" else "agent",
    )  # fmt: skip


def test_tools_are_used_only_on_request_and_approvals_end_a_conversation(client: Client, cast: Cast) -> None:
    agent = make_agent(client, skills=["file_write"], approval="required")
    wants = Answer(tool="file_write", arguments={"path": "a.txt", "content": "x"})
    cast.agent = lambda turn: wants if cast.requests[-1].get("tools") else Answer("I cannot.")
    assert ended_with(client, agent)["transcript"][1]["text"] == "I cannot."
    talk = ended_with(client, agent, tools="execute")
    assert (talk["status"], talk["goal_reached"]) == ("needs_approval", None)
    assert "approval" in talk["error"]
    assert data(client.get("/approvals?status=pending")) == []
    without = Client(client.server, client.server.new_key(data(client.get("/account"))["email"], ["agents:write"]))
    body = {"agent_id": agent, "scenarios": [SCENARIO], "tools": "execute"}
    refuse(without.post("/simulations", body), 403, "tools:execute")


@pytest.mark.parametrize("part", ["person", "agent", "judge"])
def test_an_unusable_answer_fails_the_conversation_and_says_whose_it_was(client: Client, cast: Cast, part: str) -> None:
    setattr(cast, part, lambda turn: Answer("") if part == "agent" else Answer("What a nice day."))
    talk = ended_with(client, make_agent(client))
    name = {"person": "The simulated person", "agent": "The agent", "judge": "The judge"}[part]
    assert (talk["status"], talk["goal_reached"], talk["verdicts"]) == ("failed", None, None)
    assert talk["error"].startswith(f"{name} failed: ")
    done = data(client.get("/simulations"))[0]
    assert (done["status"], done["counts"]["failed"], done["goal_reached"]) == ("completed", 1, None)


def test_a_changed_agent_fails_and_has_another_version(client: Client, cast: Cast) -> None:
    agent = make_agent(client)
    before = simulate(client, agent)
    again = simulate(client, agent)
    end(client, before)
    end(client, again)

    def change(turn: int) -> Answer:
        data(client.put(f"/agents/{agent}", {"instructions": "Book nothing."}))
        return Answer(person("And now?"))

    cast.person = change
    after = simulate(client, agent)
    assert before["agent_version"] == again["agent_version"] == after["agent_version"]
    end(client, after)
    (talk,) = conversations(client, after)
    assert (talk["status"], "settings have changed" in talk["error"]) == ("failed", True)
    assert simulate(client, agent)["agent_version"] != before["agent_version"]


def test_a_deleted_agent_fails_its_conversations(client: Client, cast: Cast) -> None:
    agent = make_agent(client)

    def delete(turn: int) -> Answer:
        if any("Zoe" in str(asked) for asked in cast.requests):  # not a person whom another test left behind
            client.delete(f"/agents/{agent}")
        return Answer(person("Hello?"))

    cast.person = delete
    done = end(client, simulate(client, agent, repeat=7, scenarios=[{**SCENARIO, "persona": "Zoe, who waits."}]))
    assert (done["counts"]["failed"], done["counts"]["total"]) == (7, 7)
    assert conversations(client, done)[0]["error"] == "The agent was deleted."
    refuse(client.post("/simulations", {"agent_id": agent, "scenarios": [SCENARIO]}), 400, "agent_id")


def test_cancelling_ends_everything_and_deleting_removes_the_chats(
    server: Server, client: Client, model: ModelServer, cast: Cast
) -> None:
    cast.agent = lambda turn: Answer("One moment please", hold=True)
    agent = make_agent(client)
    simulation = simulate(client, agent, repeat=8)
    path = f"/simulations/{simulation['id']}"
    eventually(lambda: data(client.get(path))["counts"]["running"] == 5)
    assert len(conversations(client, simulation, "&status=running")) == 5
    cancelled = data(client.post(f"{path}/cancel"))
    assert (cancelled["status"], cancelled["counts"]["cancelled"], cancelled["counts"]["waiting"]) == (
        "cancelled", 5, 0,
    )  # fmt: skip
    assert data(client.post(f"{path}/cancel")) == cancelled
    assert {run["status"] for run in data(client.get(f"/agents/{agent}/runs"))} == {"cancelled"}
    model.release()
    assert [one["agent_id"] for one in data(client.get("/chat"))] == [agent] * 5
    assert data(client.delete(path)) == {"id": simulation["id"], "deleted": True}
    refuse(client.get(path), 404, str(simulation["id"]))
    assert data(client.get("/chat")) == []
    assert server.cli("check") == "All is well.\n"


def test_lists_and_refusals(client: Client, stranger: Client, cast: Cast) -> None:
    agent, other = make_agent(client), make_agent(client)
    first, second = end(client, simulate(client, agent)), end(client, simulate(client, other))
    assert [one["id"] for one in data(client.get("/simulations"))] == [second["id"], first["id"]]
    filtered = client.get(f"/simulations?agent_id={agent}").json()
    assert ([one["id"] for one in filtered["data"]], filtered["meta"]["total"]) == ([first["id"]], 1)
    body: Json = {"agent_id": agent, "scenarios": [SCENARIO]}
    refuse(stranger.post("/simulations", body), 400, "agent_id")
    for change, word in (
        ({"scenarios": []}, "scenarios"),
        ({"scenarios": [SCENARIO] * 101}, "scenarios"),
        ({"max_turns": 31}, "max_turns"),
        ({"repeat": 11}, "repeat"),
        ({"model": "no-such-model"}, "model"),
        ({"scenarios": [{**SCENARIO, "goal": " "}]}, "goal"),
    ):
        refuse(client.post("/simulations", {**body, **change}), 400, word)


@pytest.mark.slow
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
def test_a_simulation_goes_on_after_the_death_of_the_process(
    database: str, start_server: StartServer, model: ModelServer, cast: Cast
) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user()))
    cast.person = lambda turn: Answer(person(f"Message {turn + 1}."))
    agent = make_agent(client)
    server.restart(RETINUE_CRASH_AT="simulations.begun:2")
    simulation = simulate(client, agent, max_turns=4, repeat=2)
    server.has_died()
    server.start(RETINUE_CRASH_AT="simulations.advanced:4")
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    server.kill()
    server.start()
    done = end(client, simulation)
    assert (done["status"], done["counts"]["completed"], done["summary"]["mean_turns"]) == ("completed", 2, 4.0)
    for talk in conversations(client, done):
        said = [line["text"] for line in talk["transcript"] if line["role"] == "person"]
        assert said == ["A table, please.", "Message 2.", "Message 3.", "Message 4."]
        runs = [line["run_id"] for line in talk["transcript"] if line["run_id"]]
        assert len(set(runs)) == len(runs) == 7
    assert len(data(client.get(f"/agents/{agent}/runs?per_page=100"))) == 8
    assert server.cli("check") == "All is well.\n"


@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
def test_a_conversation_that_cannot_go_on_does_not_stop_the_others(
    database: str, start_server: StartServer, cast: Cast
) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user()))
    agent = make_agent(client)
    cast.agent = lambda turn: Answer("One moment.", hold=True)
    broken = simulate(client, agent)
    eventually(lambda: "agent" in cast.asked)
    server.stop()
    server.tolerated.append(r"task\.failed|Traceback")
    execute(server, "UPDATE simulated_conversations SET transcript = '[0]'")
    cast.agent = lambda turn: Answer("Booked.")
    server.start()
    run = f"/agents/{agent}/runs"
    eventually(lambda: data(client.get(run))[0]["status"] == "completed", within=60)
    assert end(client, simulate(client, agent))["status"] == "completed"
    assert data(client.get(f"/simulations/{broken['id']}"))["status"] == "running"


def test_the_sandbox_plays_all_parts(sandbox: Client) -> None:
    talk = ended_with(sandbox, make_agent(sandbox), max_turns=2)
    assert (talk["status"], talk["goal_reached"], [one["passed"] for one in talk["verdicts"]]) == (
        "completed", True, [True, True],
    )  # fmt: skip
    assert re.match("You said: ", talk["transcript"][1]["text"])
