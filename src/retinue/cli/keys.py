"""`retinue keys`."""

from typing import Annotated

import typer

from retinue.cli.base import command

app = typer.Typer(no_args_is_help=True)
_User = Annotated[str, typer.Option("--user", help="The e-mail address of the key's user.")]


@app.command()
def create(
    user: _User,
    scopes: Annotated[str, typer.Option(help="Scopes, separated by commas; * is full access.")] = "*",
    test: Annotated[bool, typer.Option("--test", help="A key for the sandbox.")] = False,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "",
) -> None:
    """Create a key. It is printed once, as the last word, and cannot be shown again."""
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    key = command("keys.create", email=user, scopes=wanted, test=test, name=name)
    typer.echo(f"Created a key for {user}. Keep it, it is not shown again: {key}")


@app.command("list")
def list_keys(user: _User) -> None:
    """List a user's keys without their secrets."""
    for key in command("keys.list", email=user):
        kind = "test" if key["sandbox"] else "live"
        state = "revoked" if key["revoked_at"] else "in force"
        typer.echo(f"ak_{kind}_{key['prefix']}_…\t{state}\t{','.join(key['scopes'])}\t{key['name']}")


@app.command()
def revoke(prefix: Annotated[str, typer.Argument(help="The 8 characters after ak_live_ or ak_test_.")]) -> None:
    """Make a key worthless; everywhere within a second."""
    command("keys.revoke", prefix=prefix)
    typer.echo(f"Revoked {prefix}.")
