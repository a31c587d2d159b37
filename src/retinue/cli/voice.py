"""`retinue voice`."""

from typing import Annotated

import typer

from retinue.cli.configuration import load_settings
from retinue.cli.installing import install_shown
from retinue.core.children.environment import PackageEnvironment
from retinue.core.runtime.data_dir import DataDir
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment

app = typer.Typer(no_args_is_help=True)


@app.callback()
def voice() -> None:
    """Speech libraries and models."""


@app.command()
def install(
    piper: Annotated[
        bool, typer.Option("--piper", help="Also install Piper, which is licensed under the GPL-3.0.")
    ] = False,
) -> None:
    """Install the speech engines, about 650 MB. Piper is only installed on request."""
    cache = DataDir(load_settings().home).cache
    environments: dict[str, PackageEnvironment] = {"the speech engines": VoiceEnvironment.beside(cache)}
    if piper:
        environments["Piper"] = PiperEnvironment.beside(cache)
    for name, environment in environments.items():
        install_shown(environment, name)
        typer.echo(f"{environment.folder} is ready.")
