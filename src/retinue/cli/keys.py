"""`retinue keys`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from retinue.cli.base import command
from retinue.core.runtime.clock import now

app = typer.Typer(no_args_is_help=True)
_Prefix = Annotated[str, typer.Argument(help="The 8 characters after ak_live_ or ak_test_.")]
_User = Annotated[str, typer.Option("--user", help="E-mail address of the key's user.")]


@app.command()
def create(
    user: _User,
    scopes: Annotated[str, typer.Option(help="Scopes, separated by commas. * grants full access.")] = "*",
    test: Annotated[bool, typer.Option("--test", help="Create a key for the sandbox.")] = False,
    name: Annotated[str, typer.Option(help="Name of the key, such as its purpose.")] = "",
    networks: Annotated[str, typer.Option(help="CIDRs from which the key may be used, separated by commas.")] = "",
    expires: Annotated[int | None, typer.Option(min=1, max=3650, help="Number of days until the key expires.")] = None,
) -> None:
    """Create a key. It is printed once, as the last word, and cannot be shown again."""
    key = command(
        "keys.create",
        email=user,
        scopes=_split(scopes),
        test=test,
        name=name,
        networks=_split(networks),
        expires_in_days=expires,
    )
    typer.echo(f"Created a key for {user}. Store it safely, it is not shown again: {key}")


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


@app.command("list")
def list_keys(user: _User) -> None:
    """List a user's keys without their secrets."""
    for key in command("keys.list", email=user):
        kind = "test" if key["sandbox"] else "live"
        typer.echo(f"ak_{kind}_{key['prefix']}_…\t{_state(key)}\t{','.join(key['scopes'])}\t{key['name']}")


def _state(key: Mapping[str, Any]) -> str:
    if key["revoked_at"]:
        return "revoked"
    return "expired" if key["expires_at"] and datetime.fromisoformat(key["expires_at"]) <= now() else "in force"


@app.command()
def rotate(
    prefix: _Prefix,
    overlap: Annotated[int, typer.Option(min=0, max=7, help="Number of days for which the old key keeps working.")] = 0,
) -> None:
    """Rotate a key: create a new key with the same scopes. It is printed once, as the last word."""
    key = command("keys.rotate", prefix=prefix, overlap_days=overlap)
    typer.echo(
        f"Replaced {prefix}, which works for another {overlap} days. Store the new key safely, it is "
        f"not shown again: {key}"
    )


@app.command()
def revoke(prefix: _Prefix) -> None:
    """Revoke a key. It stops working within a second."""
    command("keys.revoke", prefix=prefix)
    typer.echo(f"Revoked {prefix}.")
