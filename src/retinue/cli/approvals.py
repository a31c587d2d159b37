"""`retinue approvals`."""

import json
from typing import Annotated, Any

import typer

from retinue.cli.output import print_record, print_rows
from retinue.cli.remote import AsJson, Key, Url, connect

app = typer.Typer(no_args_is_help=True)
_Id = Annotated[int, typer.Argument(help="ID of the approval.")]
_COLUMNS = ("id", "run_id", "tool", "status", "created_at", "arguments", "question")


@app.command("list")
def list_approvals(url: Url = "", key: Key = "") -> None:
    """List the tool calls that wait for a decision."""
    with connect(url, key) as client:
        pending = [one.to_dict() for one in client.approvals.list(status="pending")]
    questions = [one["question"]["message"] if one["question"] else "" for one in pending]
    rows = [[one[name] for name in _COLUMNS[:-1]] for one in pending]
    print_rows(_COLUMNS, [[*row, question] for row, question in zip(rows, questions, strict=True)])


@app.command()
def show(approval_id: _Id, as_json: AsJson = False, url: Url = "", key: Key = "") -> None:
    """Show a tool call with all of its arguments."""
    with connect(url, key) as client:
        print_record(client.approvals.retrieve(approval_id), as_json)


@app.command()
def approve(
    approval_id: _Id,
    answer: Annotated[str | None, typer.Option(help="Answer to the question of the tool's server, as JSON.")] = None,
    url: Url = "",
    key: Key = "",
) -> None:
    """Approve a tool call, or answer the question of its server. Its run continues."""
    fields: dict[str, Any] = {} if answer is None else {"answer": _read_answer(answer)}
    with connect(url, key) as client:
        client.approvals.decide(approval_id, decision="approve", **fields)
    typer.echo(f"Approved the call {approval_id}.")


@app.command()
def refuse(
    approval_id: _Id,
    reason: Annotated[str | None, typer.Option(help="Message to the model.")] = None,
    url: Url = "",
    key: Key = "",
) -> None:
    """Refuse a tool call. Its run continues without it."""
    with connect(url, key) as client:
        client.approvals.decide(approval_id, decision="deny", reason=reason)
    typer.echo(f"Refused the call {approval_id}.")


def _read_answer(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise typer.BadParameter(f"The answer is not JSON: {error}.") from error
    if not isinstance(answer, dict):
        raise typer.BadParameter('The answer must be a JSON object, such as {"seat": "12A"}.')
    return answer
