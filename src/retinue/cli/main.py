"""The entry point: imports the chosen command and no other, and reports errors."""

import os
import stat
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated

import typer

from retinue import __version__
from retinue.core.errors import RetinueError

_PRIVATE_UMASK = stat.S_IRWXG | stat.S_IRWXO
"""Denies other users access to every file that a command creates."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "chat": ("chat:chat", "Chat with a model or an agent."),
    "top": ("top:top", "Show the current work of the server, updated every second."),
    "serve": ("serve:serve", "Start the server. The first start creates a user and prints a first key."),
    "doctor": ("doctor:doctor", "Check the machine and the configuration."),
    "settings": ("maintenance:settings", "Print all settings with their variables, values and descriptions."),
    "migrate": ("maintenance:migrate_schema", "Migrate the database to the current schema. `serve` also does this."),
    "check": ("maintenance:check", "Recompute all derived values and compare them."),
    "backup": (
        "maintenance:backup",
        "Copy the database, the files, the master key and the settings, also while the server is running.",
    ),
    "users": ("users:app", "Manage users."),
    "keys": ("keys:app", "API keys."),
    "models": ("models:app", "Manage the weights of the local model."),
    "tools": ("tools:app", "Find, run and verify tools, and install their libraries."),
    "voice": ("voice:app", "Install speech libraries and models."),
    "agents": ("agents:app", "Manage the agents of a server."),
    "runs": ("runs:app", "Show and cancel runs of agents."),
    "fleets": ("fleets:app", "Deploy fleets of agents."),
    "approvals": ("approvals:app", "Decide on tool calls that wait for approval."),
    "knowledge": ("knowledge:app", "Manage collections of documents."),
    "schedules": ("schedules:app", "Show, run and pause schedules."),
    "webhooks": ("webhooks:app", "Manage webhooks and their deliveries."),
    "demo": ("demo:app", "Load and remove a demo: an agent, documents, a conversation and a schedule."),
    "mcp": ("mcp:mcp", "Offer the tools and agents of a server to MCP clients over standard input and output."),
    "files": ("files:app", "Manage files for tools and messages."),
}
"""The module and name of each command or group of commands, and its line in the help."""


def main() -> None:
    """Run the command. Errors that the user can fix print one sentence without a traceback."""
    os.umask(_PRIVATE_UMASK)
    # More threads spin while they wait: embedding takes five times the processor time, and is not quicker.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        build_app(next((word for word in sys.argv[1:] if not word.startswith("-")), ""))()
    except RetinueError as error:
        sys.stderr.write(f"retinue: {error.message}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def build_app(chosen: str) -> typer.Typer:
    """Build the parser. Only the `chosen` command is imported; the others are lines in the help."""
    app = typer.Typer(
        help="Retinue: a self-hosted AI agent platform.", no_args_is_help=True, add_completion=False,
        pretty_exceptions_enable=False,
    )  # fmt: skip
    app.callback()(_options)
    for name, (place, about) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        command = getattr(import_module(f"retinue.cli.{module}"), attribute) if name == chosen else _placeholder
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, help=about)
        else:
            app.command(name, short_help=about)(command)
    return app


def _placeholder() -> None:
    """A placeholder for a command that was not chosen."""


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"retinue {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Declare the options of the command itself."""
