"""`retinue users`."""

from typing import Annotated

import typer

from retinue.cli.base import command

app = typer.Typer(no_args_is_help=True)


@app.command()
def create(
    email: Annotated[str, typer.Argument(help="The user's e-mail address.")],
    plan: Annotated[str | None, typer.Option(help="free, starter, professional or enterprise.")] = None,
) -> None:
    """Create a user. The first one is on plan enterprise unless --plan says otherwise, the others on free."""
    user = command("users.create", email=email, plan=plan)
    typer.echo(f"Created {user['email']} on plan {user['plan']}.")


@app.command("list")
def list_users() -> None:
    """List the users and their plans."""
    for user in command("users.list"):
        typer.echo(f"{user['email']}\t{user['plan']}")
