"""The entry point: registers subcommands and reports errors."""

import os
import sys

import typer
from pydantic import ValidationError

from retinue.cli import (
    agents,
    chat,
    doctor,
    files,
    fleets,
    keys,
    models,
    operate,
    runs,
    serve,
    tools,
    top,
    users,
    voice,
)
from retinue.core.errors import RetinueError
from retinue.core.runtime.data_dir import PRIVATE_UMASK

app = typer.Typer(
    help="Retinue: a self-hosted AI agent platform.", no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False,
)  # fmt: skip
app.add_typer(users.app, name="users", help="Manage users.")
app.add_typer(keys.app, name="keys", help="API keys.")
app.add_typer(models.app, name="models", help="Manage the weights of the local model.")
app.add_typer(tools.app, name="tools", help="Find, run and verify tools, and install their libraries.")
app.add_typer(voice.app, name="voice", help="Install speech libraries and models.")
app.add_typer(agents.app, name="agents", help="Manage the agents of a server.")
app.add_typer(runs.app, name="runs", help="Show and cancel runs of agents.")
app.add_typer(fleets.app, name="fleets", help="Deploy fleets of agents.")
app.add_typer(files.app, name="files", help="Manage files for tools and messages.")
app.command("chat")(chat.chat)
app.command("top")(top.top)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.command("settings")(operate.settings)
app.command("migrate")(operate.migrate_schema)
app.command("check")(operate.check)


def main() -> None:
    """Run the command. Errors that the user can fix print one sentence without a traceback."""
    os.umask(PRIVATE_UMASK)
    try:
        app()
    except RetinueError as error:
        _stop(error.message)
    except ValidationError as error:
        _stop("\n".join(f"{_variable(e['loc'])}: {e['msg']}" for e in error.errors()))
    except KeyboardInterrupt:
        sys.exit(130)


def _variable(place: tuple[int | str, ...]) -> str:
    name = str(place[0])
    return name if name.isupper() else f"RETINUE_{name.upper()}"


def _stop(message: str) -> None:
    sys.stderr.write(f"retinue: {message}\n")
    sys.exit(1)
