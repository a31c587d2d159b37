"""`retinue chat`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from retinue.cli.output import note
from retinue.cli.remote import Key, RequestFailed, Url, connect
from retinue.cli.speech import print_stream

if TYPE_CHECKING:
    from retinue_client import Retinue


def chat(
    message: Annotated[
        str | None, typer.Argument(help="Message to send. Without it, the command reads messages line by line.")
    ] = None,
    agent: Annotated[int | None, typer.Option(help="ID of an agent, which answers each message separately.")] = None,
    conversation: Annotated[str | None, typer.Option(help="ID of a conversation to continue.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of a model from GET /models.")] = None,
    url: Url = "",
    key: Key = "",
) -> None:
    """Chat with a model or an agent. The reply is written to standard output, tool calls to standard error."""
    if agent is not None and (conversation or model):
        raise RequestFailed("--agent cannot be combined with --conversation or --model, because an agent has its own.")
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

    def say(self, message: str) -> None:
        """Send a message and print the reply as it streams."""
        if self._agent is not None:
            with self._client.agents.execute(self._agent, message=message, stream=True) as stream:
                print_stream(stream)
        else:
            self._continue(message)

    def _continue(self, message: str) -> None:
        conversation = self._conversation
        with self._client.chat.create(
            message=message, conversation_id=conversation, model=self._model, stream=True
        ) as stream:
            self._conversation = print_stream(stream) or conversation

    def converse(self) -> None:
        """Read messages until the end of input. Failed or interrupted messages do not end the conversation."""
        from retinue_client import RetinueError  # noqa: PLC0415 - an HTTP client that other commands do without

        note("Ctrl+C stops a reply, Ctrl+D exits.")
        while (message := _ask()) is not None:
            try:
                if message.strip():
                    self.say(message)
            except KeyboardInterrupt:
                note("\nStopped.")
            except RetinueError as error:
                note(f"\n{error}")
        if self._conversation:
            note(f"Continue with: retinue chat --conversation {self._conversation}")


def _ask() -> str | None:
    try:
        return input(typer.style("> ", bold=True))
    except (EOFError, KeyboardInterrupt):
        typer.echo(err=True)
        return None
