"""The commands that speak to a server: what they print where their output is piped, and on a terminal."""

import json
import os
import pty
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.cli.catalogue import read_arguments
from retinue.cli.output import printable
from retinue.cli.speech import split_blocks
from tests.support.client import Client, data
from tests.support.fork_server import begin
from tests.support.model_server import Answer, ModelServer
from tests.support.server import COMMAND, Server

TOOL = "network_calculate_subnet"
Command = Callable[..., str]
one_database = pytest.mark.parametrize("shared_server", ["sqlite"], indirect=True)
"""Commands speak to the API alone, so which database is behind it makes no difference."""


@pytest.fixture
def environment(server: Server, client: Client) -> dict[str, str]:
    """Variables that name the server and the user's key."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")}
    return {**inherited, "RETINUE_URL": server.url, "RETINUE_API_KEY": client.key or ""}


@pytest.fixture
def command(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs `retinue …` in `tmp_path`; returns standard output. Standard error goes to the file `stderr` there."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str, status: int = 0, **variables: str) -> str:
        with (tmp_path / "stdout").open("w") as stdout, (tmp_path / "stderr").open("w") as stderr:
            ended = begin(args, environment | variables, stdout, stderr).wait(60)
        told = (tmp_path / "stdout").read_text()
        assert ended == status, told + (tmp_path / "stderr").read_text()
        return told

    return run


@one_database
def test_agents_and_their_runs(command: Command, model: ModelServer, tmp_path: Path) -> None:
    agent = command("agents", "create", "Netwatch", "--role", "specialist", "--skill", TOOL).split()[-1]
    assert command("agents", "list") == f"{agent}\tNetwatch\tspecialist\tidle\t\n"
    assert f'skills\t["{TOOL}"]\n' in command("agents", "show", agent)
    assert json.loads(command("agents", "show", agent, "--json"))["agent_name"] == "Netwatch"
    model.answers += [Answer(tool=TOOL, arguments={"cidr": "10.0.0.0/8"}), Answer("A lot of\x1b[2J them.")]
    assert command("agents", "run", agent, "How many?") == "A lot of[2J them.\n"
    assert (tmp_path / "stderr").read_text() == f"· {TOOL}\n"
    run = command("runs", "list").split("\t")[0]
    assert [line.split("\t")[:4] for line in command("runs", "show", run).splitlines()[-3:]] == [
        ["1", "model", "", "done"], ["2", "tool", TOOL, "done"], ["3", "model", "", "done"],
    ]  # fmt: skip
    assert command("runs", "watch", run) == "A lot of[2J them.\n"
    model.answers.append(Answer("Later."))
    later = command("agents", "run", agent, "Now.", "--background").split()[-1]
    assert command("runs", "watch", later) == "Later.\n"
    assert "is completed" in (tmp_path / "stderr").read_text()
    listed = [json.loads(line)["id"] for line in command("runs", "list", "--agent", agent, "--json").splitlines()]
    assert listed == [int(later), int(run)]
    assert command("agents", "delete", agent) == f"Deleted the agent {agent}.\n"
    assert command("agents", "list") == ""


@one_database
def test_chat_in_a_pipe(command: Command, environment: dict[str, str], model: ModelServer) -> None:
    model.answers += [Answer("Hello yourself."), Answer("Read.")]
    assert command("chat", "Hello.") == "Hello yourself.\n"
    piped = subprocess.run(
        [COMMAND, "chat"], env=environment, input="A long text.\n", capture_output=True, text=True, check=True
    )
    assert (piped.stdout, piped.stderr) == ("Read.\n", "")
    assert "A long text." in json.dumps(model.requests[-1])


@one_database
def test_chat_says_how_to_get_the_files_of_tools(environment: dict[str, str], model: ModelServer) -> None:
    call = Answer(tool="barcode_create_matrix", arguments={"content": "https://example.org", "kind": "qr"})
    model.answers += [call, Answer("Scan it.")]
    message = "Draw a code with barcode_create_matrix"
    run = subprocess.run([COMMAND, "chat", message], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "Scan it.\n"
    assert "· Its file: retinue files download file_" in run.stderr


@one_database
def test_the_command_searches_and_shows_tools(command: Command, tmp_path: Path) -> None:
    names = [line.split("\t")[0] for line in command("tools", "search", "usable hosts of a subnet").splitlines()]
    assert TOOL in names
    shown = command("tools", "show", TOOL)
    assert "cidr\tstring\trequired\t" in shown
    assert json.loads(command("tools", "run", TOOL, "cidr=172.16.8.0/21"))["usable_hosts"] == 2046
    (tmp_path / "net.txt").write_text("10.0.0.0/30")
    assert json.loads(command("tools", "run", TOOL, "cidr=@net.txt"))["usable_hosts"] == 2
    assert "not an argument" in error_of(command, tmp_path, "tools", "run", TOOL, "cidr")
    assert "cidr" in error_of(command, tmp_path, "tools", "run", TOOL)


@one_database
def test_the_command_uploads_and_lists_files(command: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Remember.")
    file = command("files", "upload", "notes.txt").split()[-1]
    assert command("files", "list").startswith(f"{file}\tnotes.txt\ttext/plain\t9\t")
    assert "already exists" in error_of(command, tmp_path, "files", "download", file)
    command("files", "download", file, "--to", "copy.txt")
    assert (tmp_path / "copy.txt").read_text() == "Remember."


@one_database
def test_the_command_deploys_a_fleet(command: Command, client: Client, model: ModelServer, tmp_path: Path) -> None:
    fleet = client.post("/fleets", {"name": "Survey"}).json()["data"]["id"]
    client.post("/agents", {"agent_name": "Scribe", "agent_role": "generalist", "fleet_id": fleet})
    model.answers.append(Answer("All quiet."))
    assert "All quiet." in command("fleets", "deploy", str(fleet), "--task", "Look around.")
    assert "is completed" in (tmp_path / "stderr").read_text()
    assert command("fleets", "list").startswith(f"{fleet}\tSurvey\tactive\t1\t1")


def error_of(command: Command, folder: Path, *args: str, **variables: str) -> str:
    """The error of a command that must fail: one line, and nothing else."""
    assert command(*args, status=1, **variables) == ""
    told = (folder / "stderr").read_text()
    assert told.startswith("retinue: ")
    assert told.count("\n") == 1
    return told


@one_database
def test_errors_are_one_line(command: Command, tmp_path: Path) -> None:
    wrong = "ak_live_abcdefgh_" + "x" * 32
    assert "Set RETINUE_API_KEY" in error_of(command, tmp_path, "agents", "list", RETINUE_API_KEY="")
    assert "unknown, expired or revoked" in error_of(command, tmp_path, "agents", "list", RETINUE_API_KEY=wrong)
    assert "no agent" in error_of(command, tmp_path, "agents", "show", "999999").lower()
    assert "--agent" in error_of(command, tmp_path, "chat", "Hello.", "--agent", "1", "--model", "m")
    nowhere = "http://127.0.0.1:9"
    assert f"Cannot connect to {nowhere}" in error_of(command, tmp_path, "agents", "list", "--url", nowhere)


@one_database
def test_a_call_is_approved(command: Command, client: Client, tmp_path: Path) -> None:
    about = {"agent_name": "Ada", "agent_role": "generalist", "skills": ["file_write"], "approval": "required"}
    agent = str(data(client.post("/agents", about), 201)["id"])
    command("agents", "run", agent, '[[tool:file_write {"path": "/a.md", "text": "A"}]]')
    assert "retinue approvals list" in (tmp_path / "stderr").read_text()
    approval, run, tool, *_ = command("approvals", "list").split("\t")
    assert tool == "file_write"
    assert json.loads(command("approvals", "show", approval, "--json"))["arguments"]["path"] == "/a.md"
    assert command("approvals", "refuse", approval, "--reason", "No") == f"Refused the call {approval}.\n"
    command("runs", "watch", run)
    assert command("approvals", "list") == ""


@one_database
def test_knowledge_schedules_and_webhooks(command: Command, client: Client, tmp_path: Path) -> None:
    (tmp_path / "returns.md").write_text("Goods can be returned within 30 days.")
    collection = command("knowledge", "create", "Handbook").split()[-1]
    document = command("knowledge", "add", collection, "returns.md").split()[-1]
    assert command("knowledge", "documents", collection).startswith(f"{document}\t")
    assert f"{collection}\tHandbook\t" in command("knowledge", "list")
    assert "does not exist" in error_of(command, tmp_path, "knowledge", "add", collection, "none.md")

    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)["id"]
    about = {"name": "Morning", "agent_id": agent, "message": "Hello", "cron": "0 8 * * *"}
    schedule = str(data(client.post("/schedules", about), 201)["id"])
    assert command("schedules", "pause", schedule) == f"Paused the schedule {schedule}.\n"
    assert command("schedules", "list").split("\t")[:5] == [schedule, "Morning", "0 8 * * *", "UTC", "false"]
    command("schedules", "resume", schedule)
    command("schedules", "run", schedule)
    assert command("schedules", "history", schedule).count("\n") == 1

    made = command("webhooks", "create", "https://example.com/hook", "--event", "agent.completed").split()
    listed = command("webhooks", "list").rstrip("\n").split("\t")[1:]
    assert listed == ["https://example.com/hook", "true", "agent.completed"]
    webhook = made[3].rstrip(".")
    delivery = command("webhooks", "test", webhook).split()[-1]
    assert delivery in command("webhooks", "deliveries", webhook)


class Terminal:
    """What is shown at a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = 0
        self.shown = ""

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        """Read on until `text` is shown after what was waited for before."""
        end = time.monotonic() + seconds
        while (place := self.shown.find(text, self._seen)) < 0:
            assert select.select([self._descriptor], [], [], end - time.monotonic())[0], self.shown
            self.shown += os.read(self._descriptor, 4096).decode(errors="replace")
        self._seen = place + len(text)


@one_database
def test_a_talk_at_a_terminal(environment: dict[str, str], model: ModelServer) -> None:
    model.answers += [Answer("First answer."), Answer("Second answer.")]
    master, slave = pty.openpty()
    variables = environment | {"TERM": "xterm"}
    with subprocess.Popen([COMMAND, "chat"], env=variables, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        terminal = Terminal(master)
        terminal.wait_for("\x1b[1m> ")
        for message, answer in (("One.", "First answer."), ("Two.", "Second answer.")):
            os.write(master, f"{message}\n".encode())
            terminal.wait_for(answer)
            terminal.wait_for("> ")
        os.write(master, b"\x04")
        terminal.wait_for("--conversation conv_")
        assert process.wait(120) == 0
    os.close(master)
    asked = [message["content"] for message in model.requests[-1]["messages"] if message["role"] == "user"]
    assert asked == ["One.", "Two."]


@given(st.text())
def test_nothing_steers_the_terminal(text: str) -> None:
    assert all(character in "\t\n" or character.isprintable() or ord(character) > 159 for character in printable(text))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]+", fullmatch=True), st.integers() | st.booleans() | st.lists(st.floats(allow_nan=False))
    )
)
def test_values_are_json(arguments: dict[str, object]) -> None:
    assert read_arguments([f"{name}={json.dumps(value)}" for name, value in arguments.items()], {}) == arguments


@given(st.text().filter(lambda text: not text.startswith("@")))
def test_strings_are_taken_as_they_are(text: str) -> None:
    assert read_arguments([f"text={text}"], {"text": {"type": "string"}}) == {"text": text}


@one_database
def test_chat_has_commands(
    command: Command, environment: dict[str, str], model: ModelServer, client: Client, tmp_path: Path
) -> None:
    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)["id"]
    (tmp_path / "note.txt").write_text("Pears cost 2.")
    master, slave = pty.openpty()
    variables = {**environment, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(
        [COMMAND, "chat"], env=variables, stdin=slave, stdout=slave, stderr=slave, cwd=tmp_path
    ) as process:
        os.close(slave)
        terminal = Terminal(master)
        for line, answer in (
            ("/help", "/files"),
            ("/nothing", "There is no command /nothing"),
            ("/agent", "Ada"),
            (f"/agent {agent}", "You talk with Ada."),
            ("/files note.txt", "takes along: note.txt"),
            ("Hello", "You said: Hello"),
            ("/new", "begins a new conversation"),
            ("/model alfred-default", "You talk with the model alfred-default."),
            ("/model", "alfred-default"),
        ):
            terminal.wait_for("> ")
            os.write(master, f"{line}\n".encode())
            terminal.wait_for(answer)
        terminal.wait_for("> ")
        os.write(master, b"\x04")
        assert process.wait(120) == 0
    os.close(master)
    assert "Pears cost 2." in json.dumps(model.requests[-1])
    assert data(client.get("/chat"))[0]["agent_id"] == agent


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("One", ""),
        ("One\n\nTwo", "One\n\n"),
        ("```py\na\n\nb", ""),
        ("```py\na\n\nb\n```\n\nEnd", "```py\na\n\nb\n```\n\n"),
        ("One\n", ""),
    ],
)
def test_a_block_of_markdown_is_complete_with_a_blank_line_outside_of_code(text: str, complete: str) -> None:
    assert split_blocks(text) == (complete, text[len(complete) :])
