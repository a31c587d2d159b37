"""Each program in `examples/` runs against a real server and prints what it promises.

They share one server, which has the custom tool in its data folder and may deliver webhooks to this machine.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.conftest import NewServer
from tests.docs.blocks import ROOT
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server

pytestmark = pytest.mark.timeout(300)

EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".mjs", ".sh"))
_MOST_LINES = 60
_PATIENCE_S = 100


@pytest.fixture(scope="module")
def shared_server(new_server: NewServer) -> Iterator[Server]:
    """The server of these tests."""
    server = new_server("sqlite", RETINUE_ALLOWED_NETWORKS="127.0.0.1/32")
    server.home.mkdir(parents=True, exist_ok=True)
    (server.home / "tools.d").mkdir()
    shutil.copy(EXAMPLES / "custom_tool.py", server.home / "tools.d")
    server.start()
    yield server
    server.close()


def run(name: str, client: Client, *arguments: str, program: str = sys.executable) -> str:
    """Run a program with the client's key. Returns its output."""
    ended = subprocess.run(
        [program, EXAMPLES / name, *arguments],
        env=variables(client), capture_output=True, text=True, timeout=_PATIENCE_S, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    return ended.stdout


def variables(client: Client) -> dict[str, str]:
    """The environment of a program."""
    return {**os.environ, "RETINUE_URL": client.server.url, "RETINUE_API_KEY": client.key or ""}


def test_the_page_lists_every_program_and_each_is_short() -> None:
    listed = re.findall(r"^\| \[(\S+)\]\((\S+)\) \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert sorted(name for name, _ in listed) == PROGRAMS
    assert all(name == link for name, link in listed)
    assert {name: len((EXAMPLES / name).read_text().splitlines()) <= _MOST_LINES for name in PROGRAMS} == dict.fromkeys(
        PROGRAMS, True
    )


def test_stream_chat_prints_the_replies(client: Client, model: ModelServer) -> None:
    model.answers += [Answer("Hold paper, reset a router."), Answer("Holding paper.")]
    assert run("stream_chat.py", client, "Name uses.") == "Hold paper, reset a router.\nHolding paper.\n"
    asked = [message["content"] for message in model.requests[-1]["messages"] if message["role"] == "user"]
    assert asked == ["Name uses.", "Which of these is the oldest?"]


def test_agent_with_tools(client: Client, model: ModelServer) -> None:
    call = Answer(tool="network_calculate_subnet", arguments={"cidr": "172.16.8.0/21"})
    model.answers += [call, Answer("It has 2046 usable hosts.")]
    reply, step = run("agent_with_tools.py", client).splitlines()
    assert reply == "It has 2046 usable hosts."
    assert step.startswith("network_calculate_subnet({'cidr': '172.16.8.0/21'}): done after ")
    assert data(client.get("/agents")) == []


@pytest.mark.needs_program("node")
def test_structured_output(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer('{"category": "billing", "summary": "A double charge.", "urgent": true}'))
    printed = run("structured_output.mjs", client, "I was charged twice.", program="node")
    assert printed == "billing (urgent): A double charge.\n"


def test_webhook_receiver(client: Client) -> None:
    # The secret is known when the endpoint exists, and the port when the receiver listens: the endpoint moves there.
    endpoint = data(client.post("/webhooks", {"url": "http://127.0.0.1:9/", "events": ["agent.created"]}), 201)
    settings = {**variables(client), "WEBHOOK_SECRET": endpoint["secret"], "PORT": "0"}
    command = [sys.executable, str(EXAMPLES / "webhook_receiver.py")]
    with subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdout is not None
        try:
            port = receiver.stdout.readline().split()[-1]
            data(client.put(f"/webhooks/{endpoint['id']}", {"url": f"http://127.0.0.1:{port}/"}))
            data(client.post(f"/webhooks/{endpoint['id']}/test"), 202)
            assert receiver.stdout.readline().startswith("webhook.test {")
            agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "leader"}), 201)
            assert f"'agent_id': {agent['id']}" in receiver.stdout.readline()
            forged = requests.post(f"http://127.0.0.1:{port}/", json={"event": "agent.created"}, timeout=_PATIENCE_S)
            assert forged.status_code == 400
            assert receiver.stdout.readline().startswith("refused: ")
        finally:
            receiver.kill()


def test_fleet_prints_the_work_of_each_agent(client: Client) -> None:
    printed = run("fleet.py", client, "Name the risks.").splitlines()
    assert sum(line.startswith("work of agent ") and line.endswith(": completed") for line in printed) == 3
    assert any(line.startswith("completed") for line in printed)
    assert (data(client.get("/fleets")), data(client.get("/agents"))) == ([], [])


def test_schedule_prints_the_next_run(client: Client) -> None:
    printed = run("schedule.sh", client, program="bash").splitlines()
    assert re.fullmatch(r'Next: "next_at":"\d{4}-\d\d-\d\dT0[78]:00:00.*"', printed[0])
    assert printed[1:] == ['"status":"completed"']
    assert data(client.get("/schedules")) == []


def test_ask_about_file(client: Client, model: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The meeting is on Friday.\n")
    model.answers.append(Answer("On Friday."))
    printed = run("ask_about_file.py", client, str(tmp_path / "notes.txt"), "When is the meeting?").splitlines()
    assert printed[1:] == ["On Friday.", "Tools: none"]
    assert re.fullmatch(r"notes\.txt: \S+, 26 bytes", printed[0])
    assert "notes.txt" in str(model.requests[-1]["messages"])
    assert data(client.get("/files")) == []


def test_custom_tool_is_proved_and_executed(client: Client) -> None:
    assert client.server.cli("tools", "prove", str(EXAMPLES / "custom_tool.py")) == "1 tools, 2 examples\n"
    body = {"args": {"megabytes": 700, "megabits_per_second": 56}}
    answer = data(client.post("/tools/download_compute_duration/execute", body))
    assert answer["result"] == {"seconds": 100.0}
