"""`retinue demo`."""

import typer

from retinue.cli.output import print_record
from retinue.cli.remote import AsJson, Key, Url, connect

app = typer.Typer(no_args_is_help=True)


@app.command()
def show(as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Show the records of the demo."""
    with connect(url, key) as client:
        print_record(client.demo.retrieve(), as_json)


@app.command()
def load(as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Load the demo: an agent with documents, a conversation with it, and a paused schedule."""
    with connect(url, key) as client:
        print_record(client.demo.load(), as_json)


@app.command()
def remove(url: Url = "", key: Key = "") -> None:
    """Remove the demo, and nothing else."""
    with connect(url, key) as client:
        client.demo.delete()
    typer.echo("The demo is removed.")
