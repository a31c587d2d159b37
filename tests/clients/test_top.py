"""`retinue top`: what is shown is what there is to do."""

import os
import pty
import subprocess

from tests.clients.test_commands import Terminal
from tests.conftest import StartServer
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import COMMAND, Server
from tests.support.waiting import eventually


def figures(server: Server) -> dict[str, list[str]]:
    """What the plain page says."""
    lines = [line.split("\t") for line in server.cli("top", "--once").splitlines()]
    return {line[0]: line[1:] for line in lines}


def test_a_plain_page_shows_the_load(server: Server, client: Client, model: ModelServer) -> None:
    before = figures(server)
    agent = data(client.post("/agents", {"agent_name": "Scribe", "agent_role": "generalist"}), 201)["id"]
    model.answers.append(Answer("Said in the end.", hold=True))
    body = {"message": "Go.", "tools": [], "background": True}
    run = data(client.post(f"/agents/{agent}/execute", body), 202)["id"]
    eventually(lambda: data(client.get(f"/runs/{run}"))["status"] == "running")
    during = figures(server)
    assert int(during["Runs running"][0]) == int(before["Runs running"][0]) + 1
    assert int(during["Servers at work"][0]) >= 1
    model.release()
    eventually(lambda: data(client.get(f"/runs/{run}"))["ended_at"])
    after = figures(server)
    assert after["Runs running"] == before["Runs running"]
    counts = [int(page["Agents today"][0].split()[0]) for page in (before, after)]
    assert counts[1] == counts[0] + 1
    eventually(
        lambda: int(figures(server)["Requests today"][0].split()[0]) > int(before["Requests today"][0].split()[0])
    )


def test_at_a_terminal(start_server: StartServer) -> None:
    server = start_server()
    master, slave = pty.openpty()
    environment = {**os.environ, **server.env, "TERM": "xterm"}
    with subprocess.Popen([COMMAND, "top"], env=environment, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        terminal = Terminal(master)
        for _ in range(2):
            terminal.wait_for("Webhook deliveries")
        os.write(master, b"q")
        assert process.wait(120) == 0
    os.close(master)


def test_without_a_server(start_server: StartServer) -> None:
    server = start_server()
    server.stop()
    assert "No server is running on" in server.cli("top", "--once", status=1)
