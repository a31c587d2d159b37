"""`retinue settings`, `migrate`, `check` and `backup`."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import SecretStr

from retinue.cli.base import command
from retinue.cli.configuration import load_settings
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.redaction import hide_url_users

if TYPE_CHECKING:
    from retinue.settings import Settings

_COPIED = ("home", "files_dir", "weights_dir")
"""The settings whose folders a backup copies, or that can be downloaded again."""


def settings() -> None:
    """Print all settings with their variables, values and descriptions. Secrets, and users in URLs, are masked."""
    from retinue.settings import variable_of

    current = load_settings()
    for name, field in type(current).model_fields.items():
        value = getattr(current, name)
        text = "********" if isinstance(value, SecretStr) else _format(value)
        typer.echo(f"{variable_of(name)}={text}\t# {field.description}")


def _format(value: object) -> str:
    if value is None:
        return ""
    return hide_url_users(",".join(map(str, value)) if isinstance(value, tuple) else str(value))


def migrate_schema() -> None:
    """Migrate the database to the current schema. `serve` also does this."""
    from retinue.migrations.database import migrate

    current = load_settings()
    home = DataDir(current.home)
    home.acquire()
    found = asyncio.run(migrate(current.postgres, home))
    home.release()
    typer.echo(f"The schema is current (it was {found or 'empty'}).")


def check(
    repair: Annotated[
        bool,
        typer.Option(help="First make the stored words and vectors again that another version of the code has made."),
    ] = False,
) -> None:
    """Recompute all derived values and compare them. Exits with status 1 if a value is wrong."""
    faults = command("check", repair=repair)
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise typer.Exit(1)
    typer.echo("All is well.")


def backup(folder: Annotated[Path, typer.Argument(help="The folder for the copy. It becomes a data folder.")]) -> None:
    """Copy the database, the files, the master key, retinue.toml and tools.d, also while the server is running.

    Keep the copy as safe as the data folder: the master key in it decrypts the secrets in the database.
    """
    current = load_settings()
    target = folder.expanduser().absolute()
    copied = command("backup", home=str(DataDir(current.home).folder), folder=str(target))
    typer.echo(f"{copied['files']:,} files were copied to {target}.")
    if copied["database"]:
        typer.echo("The database was copied.")
    else:
        typer.echo("The database is not in the copy. Dump it with pg_dump, then run this command once more.")
    if copied["bucket"]:
        typer.echo("The bucket of RETINUE_FILES_URL is not in the copy.")
    if not copied["master_key"]:
        typer.echo("The master key is not in the copy: keep the value of RETINUE_MASTER_KEY.")
    for variable, path in _named_files(current):
        typer.echo(f"{path} of {variable} is not in the copy.")


def _named_files(current: "Settings") -> Iterator[tuple[str, Path]]:
    """Yield the files and folders that settings name and that a backup does not copy, each with its variable."""
    from retinue.settings import variable_of

    for name in type(current).model_fields:
        path = getattr(current, name)
        if isinstance(path, Path) and name not in _COPIED and path != DataDir(current.home).settings_file:
            yield variable_of(name), path
