"""The tour of the README does what the README says."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import User
from tests.docs.blocks import ROOT, examples, run
from tests.portal.reader import reader_of
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server

TOOL = "network_calculate_subnet"
USE_TOOL = Answer(tool=TOOL, arguments={"cidr": "172.16.8.0/21"})
RESULT = Answer("172.16.8.0/21 has 2046 usable hosts.")


def parse(output: str) -> list[Any]:
    """The data of every JSON answer in an output."""
    return [json.loads(line)["data"] for line in output.splitlines() if line.startswith('{"data":')]


def chunks(output: str) -> list[dict[str, Any]]:
    """The chunks of the stream in an output, which must end as streams do."""
    payloads = [line[6:] for line in output.splitlines() if line.startswith("data: ")]
    assert payloads[-1] == "[DONE]"
    return [json.loads(payload) for payload in payloads[:-1]]


def check_tour(outputs: list[str]) -> None:
    """What a reader of the README must see."""
    _, created, executed, run_shown, chatted, deployed, watched = outputs
    (agent,) = parse(created)
    assert (agent["agent_name"], agent["skills"], agent["status"]) == ("Netwatch", [], "idle")

    (answer,) = parse(executed)
    assert answer["tools_used"] == [TOOL]
    assert "2046" in answer["reply"]

    (shown,) = parse(run_shown)
    assert (shown["id"], shown["status"]) == (answer["run_id"], "completed")
    assert [step["type"] for step in shown["steps"]] == ["model", "tool", "model"]
    result = json.loads(shown["steps"][1]["content"])
    assert (shown["steps"][1]["tool"], result["usable_hosts"]) == (TOOL, 2046)

    *spoken, done = chunks(chatted)
    assert {chunk["type"] for chunk in spoken} == {"text"}
    assert len(spoken) > 1
    assert (done["type"], done["tools_used"]) == ("done", [])

    assert parse(deployed)[0]["status"] == "working"
    *_, end = chunks(watched)
    assert (end["type"], end["tools_used"]) == ("done", [TOOL])
    assert "tool_end" in [chunk["type"] for chunk in chunks(watched)]
    assert parse(watched)[0]["status"] == "idle"


@pytest.mark.needs_program("curl")
def test_the_tour_of_the_readme_runs(server: Server, client: Client, model: ModelServer, tmp_path: Path) -> None:
    model.answers += [USE_TOOL, RESULT, Answer("It says which part of an address is the network."), USE_TOOL, RESULT]
    check_tour(run(examples(ROOT / "README.md"), server, client.key or "", tmp_path))


@pytest.mark.slow
@pytest.mark.needs_program("curl")
@pytest.mark.timeout(900)
def test_the_tour_with_the_local_model(local_server: Server, tmp_path: Path) -> None:
    check_tour(run(examples(ROOT / "README.md"), local_server, local_server.first_key, tmp_path, seconds=600))
    page = reader_of(User(local_server, local_server.new_user())).get("/playground").text
    assert "The included model is small" in page
