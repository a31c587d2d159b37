"""`retinue schedules`."""

from itertools import islice
from typing import Annotated

import typer

from retinue.cli.output import fields_of, print_record, print_rows
from retinue.cli.remote import AsJson, Key, Url, connect

app = typer.Typer(no_args_is_help=True)
_Id = Annotated[int, typer.Argument(help="ID of the schedule.")]
_LATEST = 50
_COLUMNS = ("id", "name", "cron", "timezone", "enabled", "next_at")
_TURNS = ("due_at", "status", "run_id", "outcome", "reason")


@app.command("list")
def list_schedules(url: Url = "", key: Key = "") -> None:
    """List your schedules, newest first."""
    with connect(url, key) as client:
        print_rows(_COLUMNS, [fields_of(one, _COLUMNS) for one in client.schedules.list(per_page=100)])


@app.command()
def show(schedule_id: _Id, as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Show a schedule."""
    with connect(url, key) as client:
        print_record(client.schedules.retrieve(schedule_id), as_json)


@app.command()
def history(schedule_id: _Id, url: Url = "", key: Key = "") -> None:
    """List the latest due times of a schedule and their outcomes."""
    with connect(url, key) as client:
        latest = islice(client.schedules.runs.list(schedule_id, per_page=_LATEST), _LATEST)
        print_rows(_TURNS, [fields_of(turn, _TURNS) for turn in latest])


@app.command()
def run(schedule_id: _Id, url: Url = "", key: Key = "") -> None:
    """Start the work of a schedule now."""
    with connect(url, key) as client:
        client.schedules.run(schedule_id)
    typer.echo(f"Started the work of the schedule {schedule_id}.")


@app.command()
def pause(schedule_id: _Id, url: Url = "", key: Key = "") -> None:
    """Pause a schedule."""
    with connect(url, key) as client:
        client.schedules.pause(schedule_id)
    typer.echo(f"Paused the schedule {schedule_id}.")


@app.command()
def resume(schedule_id: _Id, url: Url = "", key: Key = "") -> None:
    """Resume a paused schedule."""
    with connect(url, key) as client:
        client.schedules.resume(schedule_id)
    typer.echo(f"Resumed the schedule {schedule_id}.")
