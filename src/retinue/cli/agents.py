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
_Id = Annotated[int, typer.Argument(help="The agent's id.")]
_COLUMNS = ("id", "agent_name", "agent_role", "status", "task")
Role = Literal["leader", "specialist", "generalist", "reviewer"]
Limit = Annotated[int, typer.Option(min=1, help="How many at most.")]


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
    name: Annotated[str, typer.Argument(help="What it is called.")],
    role: Annotated[Role, typer.Option(help="How it works.")] = "generalist",
    task: Annotated[str, typer.Option(help="What it works on when it is deployed.")] = "",
    skill: Annotated[list[str] | None, typer.Option(help="A tool that it may use; may be repeated.")] = None,
    as_json: AsJson = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Make an agent. Its id is the last word of what is printed."""
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
    message: Annotated[str, typer.Argument(help="What it is to do.")],
    background: Annotated[bool, typer.Option("--background", help="Do not wait: print the run's id.")] = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Have an agent do something, and print its reply as it comes."""
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
