"""`retinue models`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from retinue.cli.progress import showing
from retinue.core import log
from retinue.core.home import Home
from retinue.models.known import WEIGHTS, default_weights
from retinue.settings import Settings

app = typer.Typer(no_args_is_help=True)


def _folder() -> Path:
    settings = Settings()
    return settings.weights_dir or Home(settings.home).models


@app.command()
def pull(
    name: Annotated[str | None, typer.Argument(help="0.5b or 1.5b; what fits this machine by default.")] = None,
    source: Annotated[Path | None, typer.Option("--from", help="A file that holds the weights already.")] = None,
) -> None:
    """Fetch the weights of a local model and check them."""
    from retinue.models.pull import pull as fetch  # noqa: PLC0415 - an HTTP client that other commands do without

    log.configure("info")
    chosen = name or default_weights()
    with showing(f"Fetching the weights {chosen}") as show:

        def progress(done: int, total: int) -> None:
            show(done, total, f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB")

        path = asyncio.run(fetch(chosen, _folder(), source, progress))
    typer.echo(f"{path} is there and checked.")


@app.command("list")
def list_models() -> None:
    """List the weights that can be pulled, and which are here."""
    folder = _folder()
    for weights in WEIGHTS.values():
        state = "here" if weights.present_in(folder) else f"retinue models pull {weights.name}"
        default = "default" if weights.name == default_weights() else ""
        typer.echo(f"{weights.name}\t{weights.model}\t{weights.size / 1e6:,.0f} MB\t{state}\t{default}")
