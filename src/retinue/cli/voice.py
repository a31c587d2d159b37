"""`retinue voice`."""

import asyncio
from typing import Annotated

import typer

from retinue.core.environment import PackageEnvironment
from retinue.core.errors import Unavailable
from retinue.core.home import Home
from retinue.core.packages import NotInstalled
from retinue.settings import Settings
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment

app = typer.Typer(no_args_is_help=True)


@app.callback()
def voice() -> None:
    """Speech libraries and models."""


@app.command()
def install(
    piper: Annotated[bool, typer.Option("--piper", help="Install Piper as well, which is under the GPL-3.0.")] = False,
) -> None:
    """Install the speech engines, about 650 MB. Piper is left out unless you ask for it."""
    cache = Home(Settings().home).cache
    environments: list[PackageEnvironment] = [VoiceEnvironment.beside(cache)]
    if piper:
        environments.append(PiperEnvironment.beside(cache))
    for environment in environments:
        _install(environment)


def _install(environment: PackageEnvironment) -> None:
    try:
        asyncio.run(environment.install())
    except NotInstalled as error:
        raise Unavailable(f"{environment.folder.name} was not installed: {error}") from error
    typer.echo(f"{environment.folder} is ready.")
