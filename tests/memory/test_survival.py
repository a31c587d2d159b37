"""A process that dies between the extraction of facts and their storage: none is lost, and none is kept twice."""

import json
from typing import Any

import pytest

from tests.conftest import NewUser, StartServer
from tests.knowledge.test_agents import ask, new_agent
from tests.support.client import data
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.waiting import eventually


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_kill_during_the_extraction_neither_loses_nor_doubles(
    start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    server = start_server("sqlite", RETINUE_CRASH_AT="memory.extracted")
    client = new_user(server).client()
    agent = new_agent(client, memory="user")
    facts: dict[str, Any] = {
        "facts": [{"text": text, "replaces": []} for text in ("Ann has a dog.", "Ann has a boat.")],
        "forget": [],
    }
    model.answers.extend([Answer("Noted."), Answer(json.dumps(facts)), Answer(json.dumps(facts))])
    told = ask(client, agent, "I am Ann, with a dog and a boat.")
    eventually(lambda: server.process is None or server.process.poll() is not None, within=200)
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    eventually(lambda: rows(server, "SELECT id FROM memory_jobs") == [], within=200)
    kept = data(client.get("/memory"))
    assert sorted(one["text"] for one in kept) == ["Ann has a boat.", "Ann has a dog."]
    assert {one["source_run"] for one in kept} == {told["run_id"]}
    assert len(model.requests) == 3
    assert "All is well." in server.cli("check")
