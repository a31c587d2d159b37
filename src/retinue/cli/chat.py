"""`retinue chat`."""

import shlex
import sys
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from retinue.cli.output import note, print_rows
from retinue.cli.remote import Key, RequestFailed, Url, connect
from retinue.cli.speech import print_stream
from retinue.core.runtime.whole_numbers import parse_whole_number

if TYPE_CHECKING:
    from retinue_client import Retinue

_LISTED = 50


def chat(
    message: Annotated[
        str | None, typer.Argument(help="Message to send. Without it, the command reads messages line by line.")
    ] = None,
    agent: Annotated[int | None, typer.Option(help="ID of an agent to talk with.")] = None,
    conversation: Annotated[str | None, typer.Option(help="ID of a conversation to continue.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of a model from GET /models.")] = None,
    url: Url = "",
    key: Key = "",
) -> None:
    """Chat with a model or an agent. The reply is written to standard output, tool calls to standard error."""
    if agent is not None and model:
        raise RequestFailed("--agent cannot be combined with --model, because an agent has its own.")
    if message is None and not sys.stdin.isatty():
        message = sys.stdin.read()
    with connect(url, key) as client:
        talk = TerminalChat(client, agent, conversation, model)
        if message is not None:
            talk.say(message)
        else:
            talk.converse()


class TerminalChat:
    """A conversation in the terminal."""

    def __init__(self, client: "Retinue", agent: int | None, conversation: str | None, model: str | None) -> None:
        self._client = client
        self._agent = agent
        self._conversation = conversation
        self._model = model
        self._files: dict[str, str] = {}
        """The files that the next message takes along: their names by their ids."""

        self._commands: Mapping[str, tuple[Callable[[list[str]], None], str]] = {
            "/model": (self._choose_model, "list the models, or talk with /model NAME"),
            "/agent": (
                self._choose_agent,
                "list your agents, or talk with /agent ID; /agent none returns to the model",
            ),
            "/new": (self._begin_anew, "begin a new conversation"),
            "/files": (self._attach, "attach files to the next message: /files PATH…"),
            "/help": (self._help, "list the commands"),
        }

    def say(self, message: str) -> None:
        """Send a message and print the reply as it streams."""
        body: dict[str, Any] = {"conversation_id": self._conversation, "agent_id": self._agent, "model": self._model}
        options = {name: value for name, value in body.items() if value is not None}
        if self._files:
            options["attachments"] = list(self._files)
        with self._client.chat.create(message=message, stream=True, **options) as stream:
            self._files = {}
            self._conversation = print_stream(stream) or self._conversation

    def converse(self) -> None:
        """Read messages until the end of input. Failed or interrupted messages do not end the conversation."""
        from retinue_client import RetinueError

        note("/help lists the commands. Ctrl+C stops a reply, Ctrl+D exits.")
        while (line := _ask()) is not None:
            try:
                self._obey(line.strip())
            except KeyboardInterrupt:
                note("\nStopped.")
            except (RetinueError, RequestFailed) as error:
                note(f"\n{error}")
        if self._conversation:
            note(f"Continue with: retinue chat --conversation {self._conversation}")

    def _obey(self, line: str) -> None:
        if not line.startswith("/"):
            if line:
                self.say(line)
            return
        try:
            name, *words = shlex.split(line)
        except ValueError as error:
            raise RequestFailed(f"{error}. Close the quotation mark.") from error
        if name not in self._commands:
            raise RequestFailed(f"There is no command {name}. /help lists them.")
        self._commands[name][0](words)

    def _choose_model(self, words: list[str]) -> None:
        if not words:
            models = islice(self._client.models.list(per_page=100), _LISTED)
            print_rows(["Model", "Window"], [[model.name, f"{model.context_tokens:,}"] for model in models])
            return
        self._switch(agent=None, model=words[0])
        note(f"You talk with the model {words[0]}.")

    def _choose_agent(self, words: list[str]) -> None:
        if not words:
            agents = islice(self._client.agents.list(per_page=100), _LISTED)
            print_rows(["ID", "Agent"], [[agent.id, agent.agent_name] for agent in agents])
        elif words[0] == "none":
            self._switch(agent=None, model=None)
            note("You talk with the default model.")
        elif agent_id := parse_whole_number(words[0]):
            agent = self._client.agents.retrieve(agent_id)
            self._switch(agent=agent.id, model=None)
            note(f"You talk with {agent.agent_name}.")
        else:
            raise RequestFailed("Name an agent by its ID: /agent 3. /agent lists them.")

    def _switch(self, *, agent: int | None, model: str | None) -> None:
        """Talk with another agent or model. A conversation keeps its agent, so another agent begins a new one."""
        if agent != self._agent:
            self._conversation = None
        self._agent, self._model = agent, model

    def _begin_anew(self, _: list[str]) -> None:
        self._conversation = None
        note("Your next message begins a new conversation.")

    def _attach(self, words: list[str]) -> None:
        for word in words:
            path = Path(word).expanduser()
            if not path.is_file():
                raise RequestFailed(f"The file {path} does not exist.")
            self._files[self._client.files.upload(path).id] = path.name
        names = ", ".join(self._files.values())
        note(f"The next message takes along: {names}" if names else "No file is attached. Attach one: /files PATH")

    def _help(self, _: list[str]) -> None:
        for name, (_command, about) in self._commands.items():
            note(f"{name:8} {about}")


def _ask() -> str | None:
    """Return the next line, or None at the end of input. Ctrl+C only clears the line."""
    while True:
        try:
            return input(typer.style("> ", bold=True))
        except KeyboardInterrupt:
            note("\nCtrl+D exits.")
        except EOFError:
            typer.echo(err=True)
            return None
