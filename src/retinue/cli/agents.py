"""`retinue agents`."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from retinue.cli.output import fields_of, print_json, print_record, print_rows
from retinue.cli.remote import AsJson, Key, Url, connect
from retinue.cli.speech import print_stream

if TYPE_CHECKING:
    from retinue_client.types import AgentCreate

app = typer.Typer(no_args_is_help=True)
_Id = Annotated[int, typer.Argument(help="ID of the agent.")]
_COLUMNS = ("id", "agent_name", "agent_role", "status", "task")
Role = Literal["leader", "specialist", "generalist", "reviewer"]
Limit = Annotated[int, typer.Option(min=1, help="Maximum number of agents.")]


@app.command("list")
def list_agents(limit: Limit = 1000, as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """List your agents, newest first."""
    with connect(url, key) as client:
        agents = list(islice(client.agents.list(per_page=100), limit))
    if as_json:
        for agent in agents:
            print_json(agent.to_dict())
    else:
        print_rows(_COLUMNS, [fields_of(agent, _COLUMNS) for agent in agents])


@app.command()
def show(agent_id: _Id, as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Show an agent."""
    with connect(url, key) as client:
        print_record(client.agents.retrieve(agent_id), as_json)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name.")],
    role: Annotated[Role, typer.Option(help="Role of the agent.")] = "generalist",
    task: Annotated[str, typer.Option(help="Task of the agent when it is deployed.")] = "",
    skill: Annotated[list[str] | None, typer.Option(help="Name of a tool that it may use. Can be repeated.")] = None,
    as_json: AsJson = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Create an agent. Its ID is the last word of the output."""
    fields: AgentCreate = {"agent_name": name, "agent_role": role, "skills": skill or []}
    if task:
        fields["task"] = task
    with connect(url, key) as client:
        agent = client.agents.create(**fields)
    if as_json:
        print_json(agent.to_dict())
    else:
        typer.echo(f"Created the agent {agent.id}")


@app.command()
def run(
    agent_id: _Id,
    message: Annotated[str, typer.Argument(help="Message to the agent.")],
    background: Annotated[
        bool, typer.Option("--background", help="Print the ID of the run without waiting for it.")
    ] = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Execute an agent and stream its reply."""
    with connect(url, key) as client:
        if background:
            begun = client.agents.execute(agent_id, message=message, background=True)
            typer.echo(f"Started the run {begun.id}")
            return
        with client.agents.execute(agent_id, message=message, stream=True) as stream:
            print_stream(stream)


@app.command()
def delete(agent_id: _Id, url: Url = "", key: Key = "") -> None:
    """Cancel an agent's runs and delete it."""
    with connect(url, key) as client:
        client.agents.delete(agent_id)
    typer.echo(f"Deleted the agent {agent_id}.")
