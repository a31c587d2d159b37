"""`retinue users`."""

from typing import Annotated

import typer

from retinue.cli.base import command

app = typer.Typer(no_args_is_help=True)
_Email = Annotated[str, typer.Argument(help="E-mail address of the user.")]


@app.command()
def create(
    email: _Email,
    plan: Annotated[str | None, typer.Option(help="free, starter, professional or enterprise.")] = None,
) -> None:
    """Create a user. The first user gets the plan enterprise, later ones free, unless --plan is set."""
    user = command("users.create", email=email, plan=plan)
    typer.echo(f"Created {user['email']} on plan {user['plan']}.")


@app.command("list")
def list_users() -> None:
    """List the users and their plans."""
    for user in command("users.list"):
        suspended = "\tsuspended" if user["suspended"] else ""
        typer.echo(f"{user['email']}\t{user['plan']}{suspended}")


@app.command()
def link(email: _Email) -> None:
    """Print a link that signs in a user once, within 24 hours. The user can also set a password."""
    token = command("users.link", email=email)
    typer.echo(f"Open {_address_of(token)}")
    typer.echo(f"It works once, within 24 hours: {token}")


@app.command()
def reset(
    email: _Email,
    second_factor: Annotated[bool, typer.Option("--second-factor", help="Also remove the second factor.")] = False,
) -> None:
    """Print a link that sets a new password, valid once within 24 hours. Until then, the old password works."""
    token = command("users.reset", email=email, second_factor=second_factor)
    typer.echo(f"Open {_address_of(token)}")
    typer.echo(f"It works once, within 24 hours, and requires a new password: {token}")


@app.command("plan")
def change_plan(
    email: _Email,
    plan: Annotated[str, typer.Argument(help="free, starter, professional or enterprise.")],
) -> None:
    """Change the plan of a user. The change takes effect within a second."""
    command("users.plan", email=email, plan=plan)
    typer.echo(f"{email} is on plan {plan}.")


@app.command()
def suspend(email: _Email) -> None:
    """Suspend a user: reject all credentials within a second."""
    command("users.suspend", email=email)
    typer.echo(f"Suspended {email}.")


@app.command()
def restore(email: _Email) -> None:
    """Restore a suspended user: accept the credentials again."""
    command("users.restore", email=email)
    typer.echo(f"Restored {email}.")


@app.command()
def revoke(email: _Email) -> None:
    """Revoke all API keys, sessions and links of a user, and disable the webhooks. The password stays."""
    command("users.revoke", email=email)
    typer.echo(f"Revoked all credentials of {email}.")


@app.command()
def promote(email: _Email) -> None:
    """Make a user an operator of this server. Operators moderate the marketplace."""
    command("users.promote", email=email)
    typer.echo(f"{email} is now an operator.")


@app.command()
def demote(email: _Email) -> None:
    """Make an operator a user without special rights. The last operator cannot be demoted."""
    command("users.demote", email=email)
    typer.echo(f"{email} is no longer an operator.")


@app.command()
def delete(
    email: _Email,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a user and all its data. This cannot be undone."""
    if not yes:
        typer.confirm(f"Delete {email} with all records and files? This cannot be undone.", abort=True)
    command("users.delete", email=email)
    typer.echo(f"Deleted {email}. All credentials have stopped working; the server deletes the data in the background.")


def _address_of(token: str) -> str:
    """Return the URL of a sign-in link: the running server knows its own address, whatever settings this shell has."""
    from retinue.auth.sign_in.links import link_address

    return link_address(command("address"), token)
