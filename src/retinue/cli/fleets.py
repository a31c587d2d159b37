"""`retinue fleets`."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from retinue.cli.output import fields_of, note, print_json, print_rows, printable
from retinue.cli.progress import progress_bar
from retinue.cli.remote import AsJson, Key, Url, connect

if TYPE_CHECKING:
    from retinue_client import Retinue
    from retinue_client.types import FleetDeploy

app = typer.Typer(no_args_is_help=True)
_COLUMNS = ("id", "name", "status", "agent_count", "tasks_completed")
Strategy = Literal["parallel", "sequential", "round-robin"]


@app.command("list")
def list_fleets(as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """List your fleets, newest first."""
    with connect(url, key) as client:
        fleets = list(client.fleets.list(per_page=100))
    if as_json:
        for fleet in fleets:
            print_json(fleet.to_dict())
    else:
        print_rows(_COLUMNS, [fields_of(fleet, _COLUMNS) for fleet in fleets])


@app.command()
def deploy(
    fleet_id: Annotated[int, typer.Argument(help="ID of the fleet.")],
    task: Annotated[str, typer.Option(help="Task of the fleet. Without one, each agent works on its own task.")] = "",
    strategy: Annotated[Strategy, typer.Option(help="Strategy for distributing the work.")] = "parallel",
    url: Url = "",
    key: Key = "",
) -> None:
    """Deploy a fleet, show the progress of its parts, and print the result.

    Exits with status 1 if the deployment failed.
    """
    order: FleetDeploy = {"strategy": strategy}
    if task:
        order["task"] = task
    with connect(url, key) as client:
        begun = client.fleets.deploy(fleet_id, **order)
        _follow(client, fleet_id, begun.deployment_id)
        details = client.fleets.deployments.retrieve(fleet_id, begun.deployment_id)
    if details.result:
        typer.echo(printable(details.result.reply or ""))
    reason = f": {details.error}" if details.error else ""
    note(f"Deployment {details.deployment_id} is {details.status}{reason}.")
    if details.status != "completed":
        raise typer.Exit(1)


def _follow(client: "Retinue", fleet: int, deployment: int) -> None:
    """Show a deployment's parts as they start and end. New parts may start while others end."""
    begun = ended = 0
    with progress_bar() as progress:
        bar = progress.add_task("Parts", total=None, state="")
        with client.fleets.deployments.watch(fleet, deployment) as stream:
            for chunk in stream:
                begun += chunk.type == "part_start"
                ended += chunk.type == "part_end"
                progress.update(bar, total=begun or None, completed=ended, state=f"{ended} of {begun}")
