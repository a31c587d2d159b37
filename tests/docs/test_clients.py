"""The clients of the guide on streaming: they read streams, and come back to a run without gap or repeat."""

import os
import re
import subprocess
from pathlib import Path
from zlib import crc32

import pytest

from tests.docs.blocks import GUIDES, blocks, save_files
from tests.docs.cutting import cutting
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

GUIDE = GUIDES / "chat-and-streaming.md"
COMMANDS = {"client.py": "python3", "client.mjs": "node"}
CLIENTS = ["client.py", pytest.param("client.mjs", marks=pytest.mark.needs_program("node"))]
STORY = "Once upon a time there was a server that told stories."
FIRST = b'"content":"Once"}\n'
HALF = b'"content":"On'

_NAMES = re.compile(r"\[DONE\]|/chat|/runs/|/events|\b(?:Last-Event-ID|done|error|restart|tool_start|text|429|503)\b")


def source(name: str) -> str:
    """The client as the guide shows it."""
    (text,) = (block.text for block in blocks(GUIDE) if block.file == name)
    return text


def functions(text: str) -> dict[str, set[str]]:
    """For each function of a client the names of the protocol that stand in it."""
    parts = re.split(r"^(?:async )?(?:def|function\*?) (\w+)", text, flags=re.M)
    return {name: set(_NAMES.findall(body)) for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def start(name: str, folder: Path, address: str, key: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a client from the guide against the server at `address`."""
    save_files(GUIDE, folder, address)
    return subprocess.run(
        [COMMANDS[name], name, *args],
        cwd=folder, env={**os.environ, "RETINUE_KEY": key}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def new_run(client: Client, message: str) -> int:
    """A run in the background."""
    agent = data(client.post("/agents", {"agent_name": "Scribe", "agent_role": "generalist"}), 201)["id"]
    body = {"message": message, "tools": [], "background": True}
    return int(data(client.post(f"/agents/{agent}/execute", body), 202)["id"])


def test_the_clients_take_the_same_steps() -> None:
    python, javascript = (functions(source(name)) for name in ("client.py", "client.mjs"))
    assert python.keys() == javascript.keys() == {"events", "chat", "follow", "show"}
    steps = [{name for part in parts.values() for name in part} for parts in (python, javascript)]
    assert steps[0] == steps[1]
    assert {"[DONE]", "Last-Event-ID", "/runs/", "/events", "done", "error", "restart", "tool_start"} <= steps[0]
    for name in ("chat", "show"):
        assert python[name] - {"error"} == javascript[name] - {"error"}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_chats(name: str, server: Server, client: Client, model: ModelServer, tmp_path: Path) -> None:
    model.answers.append(Answer(STORY))
    ended = start(name, tmp_path, server.url, client.key or "", "chat", "Tell a story.")
    assert (ended.returncode, ended.stdout) == (0, f"{STORY}\n"), ended.stderr


@pytest.mark.parametrize("name", CLIENTS)
def test_a_failure_is_told(name: str, server: Server, sandbox: Client, tmp_path: Path) -> None:
    ended = start(name, tmp_path, server.url, sandbox.key or "", "chat", "[[words:9]][[fail-after:2]]")
    assert ended.returncode == 1
    assert "The test model failed" in ended.stderr
    missing = start(name, tmp_path, server.url, sandbox.key or "", "follow", "999999999")
    assert missing.returncode == 1
    assert missing.stdout == ""


@pytest.mark.parametrize("cut_after", [FIRST, HALF], ids=["between events", "inside an event"])
@pytest.mark.parametrize("name", CLIENTS)
def test_a_broken_connection_leaves_no_gap_and_no_repeat(
    name: str, cut_after: bytes, server: Server, client: Client, model: ModelServer, tmp_path: Path
) -> None:
    model.answers.append(Answer(STORY, hold=True))
    run = new_run(client, "Tell a story.")
    with cutting(server.url, cut_after, during_second=model.release) as (cutter, address):
        ended = start(name, tmp_path, address, client.key or "", "follow", str(run))
    assert (ended.returncode, ended.stdout) == (0, f"{STORY}\n"), ended.stderr
    came_back = re.search(r"^last-event-id: (\S+)", cutter.heads[1], re.I | re.M)
    assert (came_back[1] if came_back else None) == (f"1-4-{crc32(b'Once'):08x}" if cut_after == FIRST else None)


@pytest.mark.parametrize("name", CLIENTS)
def test_an_ended_run_resumes_at_its_cut(
    name: str, server: Server, client: Client, model: ModelServer, tmp_path: Path
) -> None:
    model.answers.append(Answer(STORY, hold=True))
    run = new_run(client, "Tell a story.")

    def end() -> None:
        model.release()
        eventually(lambda: data(client.get(f"/runs/{run}"))["ended_at"])

    with cutting(server.url, FIRST, before_second=end) as (_, address):
        ended = start(name, tmp_path, address, client.key or "", "follow", str(run))
    assert (ended.returncode, ended.stdout) == (0, f"{STORY}\n"), ended.stderr
