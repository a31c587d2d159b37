"""`retinue runs`."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from retinue.cli.output import fields_of, note, print_json, print_record, print_rows
from retinue.cli.remote import AsJson, Key, Url, connect
from retinue.cli.speech import print_stream

if TYPE_CHECKING:
    from retinue_client import Retinue
    from retinue_client.types import Run

app = typer.Typer(no_args_is_help=True)
_Id = Annotated[int, typer.Argument(help="ID of the run.")]
_COLUMNS = ("id", "agent_id", "status", "created_at", "execution_time_ms", "message")
_STEPS = ("seq", "type", "tool", "status", "duration_ms", "tokens")


@app.command("list")
def list_runs(
    agent: Annotated[int | None, typer.Option(help="Only show runs of this agent.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of agents.")] = 20,
    as_json: AsJson = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """List the latest runs of your agents."""
    with connect(url, key) as client:
        runs = _newest(client, agent, limit)
    if as_json:
        for run in runs:
            print_json(run.to_dict())
    else:
        print_rows(_COLUMNS, [fields_of(run, _COLUMNS) for run in runs])


def _newest(client: "Retinue", agent: int | None, limit: int) -> "list[Run]":
    """Return the newest runs. The API lists runs by agent, so without an agent this merges all lists."""
    ids = [agent] if agent is not None else [one.id for one in client.agents.list(per_page=100)]
    pages = [islice(client.agents.runs.list(one, per_page=min(limit, 100)), limit) for one in ids]
    return sorted((run for page in pages for run in page), key=lambda run: run.id, reverse=True)[:limit]


@app.command()
def show(run_id: _Id, as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Show a run and its steps."""
    with connect(url, key) as client:
        run = client.runs.retrieve(run_id)
    if as_json:
        print_record(run, as_json)
        return
    for name, value in run.to_dict().items():
        if name != "steps":
            typer.echo(f"{typer.style(name, bold=True)}\t{value if value is not None else ''}")
    print_rows(_STEPS, [fields_of(step, _STEPS) for step in run.steps])


@app.command()
def watch(run_id: _Id, url: Url = "", key: Key = "") -> None:
    """Follow a run until it ends. Exits with status 1 if the run failed."""
    with connect(url, key) as client:
        with client.runs.watch(run_id) as stream:
            print_stream(stream)
        note(f"Run {run_id} is {client.runs.retrieve(run_id).status}.")


@app.command()
def cancel(run_id: _Id, url: Url = "", key: Key = "") -> None:
    """Cancel a run."""
    with connect(url, key) as client:
        typer.echo(f"Run {run_id} is {client.runs.cancel(run_id).status}.")
