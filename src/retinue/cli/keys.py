"""`retinue keys`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from retinue.cli.base import command
from retinue.core.clock import now

app = typer.Typer(no_args_is_help=True)
_Prefix = Annotated[str, typer.Argument(help="The 8 characters after ak_live_ or ak_test_.")]
_User = Annotated[str, typer.Option("--user", help="The e-mail address of the key's user.")]


@app.command()
def create(
    user: _User,
    scopes: Annotated[str, typer.Option(help="Scopes, separated by commas; * is full access.")] = "*",
    test: Annotated[bool, typer.Option("--test", help="A key for the sandbox.")] = False,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "",
    networks: Annotated[str, typer.Option(help="CIDRs that it may be used from, separated by commas.")] = "",
    expires: Annotated[int | None, typer.Option(min=1, max=3650, help="Days until it expires.")] = None,
) -> None:
    """Create a key. It is printed once, as the last word, and cannot be shown again."""
    limits = {"networks": _split(networks), "expires_in_days": expires}
    key = command("keys.create", email=user, scopes=_split(scopes), test=test, name=name, **limits)
    typer.echo(f"Created a key for {user}. Keep it, it is not shown again: {key}")


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
    overlap: Annotated[int, typer.Option(min=0, max=7, help="Days for which the old key goes on working.")] = 0,
) -> None:
    """Replace a key by one with the same rights. It is printed once, as the last word."""
    key = command("keys.rotate", prefix=prefix, overlap_days=overlap)
    typer.echo(f"Replaced {prefix}, which works for {overlap} days yet. Keep the new key, it is not shown again: {key}")


@app.command()
def revoke(prefix: _Prefix) -> None:
    """Make a key worthless; everywhere within a second."""
    command("keys.revoke", prefix=prefix)
    typer.echo(f"Revoked {prefix}.")
