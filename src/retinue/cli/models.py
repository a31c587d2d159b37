"""`retinue models`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from retinue.cli.configuration import load_settings
from retinue.cli.progress import showing
from retinue.core.errors import ValidationFailed
from retinue.core.runtime import log
from retinue.core.runtime.data_dir import DataDir
from retinue.models.known_weights import HUB, WEIGHTS, FileWeights, cores, default_weights, known_weights, memory
from retinue.models.recommendation import advice
from retinue.models.weights_files import delete_weights

app = typer.Typer(no_args_is_help=True)


def _folder() -> Path:
    settings = load_settings()
    return settings.weights_dir or DataDir(settings.home).models


@app.command()
def pull(
    name: Annotated[
        str | None,
        typer.Argument(help="Name from the list, or owner/repo:file.gguf. Defaults to what fits this machine."),
    ] = None,
    source: Annotated[Path | None, typer.Option("--from", help="Local file with the weights.")] = None,
) -> None:
    """Download the weights of a local model and verify them."""
    from retinue.models.download import pull as fetch

    log.configure("info")
    chosen = name or default_weights()
    with showing(f"Downloading the weights {chosen}") as show:

        def progress(done: int, total: int) -> None:
            show(done, total, f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB")

        path = asyncio.run(fetch(chosen, _folder(), source, progress, load_settings().weights_hub or HUB))
    typer.echo(f"{path} is present and verified.")


@app.command("list")
def list_models() -> None:
    """List the known weights, the ones that are present, and other weight files."""
    folder = _folder()
    for weights in WEIGHTS.values():
        state = "here" if weights.present_in(folder) else f"retinue models pull {weights.name}"
        default = "default" if weights.name == default_weights() else ""
        size = f"{weights.size / 1e6:,.0f} MB\t{weights.licence}"
        typer.echo(f"{weights.name}\t{weights.model}\t{size}\t{state}\t{default}")
    for path in _others(folder):
        typer.echo(f"{path}\t{path.stem}\t{path.stat().st_size / 1e6:,.0f} MB\t\there\t")


def _others(folder: Path) -> list[Path]:
    """Return the weight files that are neither known models nor derived from them."""
    known = {weights.file_name for weights in WEIGHTS.values()}
    own = tuple(f"{Path(name).stem}-first-" for name in known)
    return [path for path in sorted(folder.glob("*.gguf")) if path.name not in known and not path.name.startswith(own)]


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="Name from the list, or owner/repo:file.gguf.")],
) -> None:
    """Delete the weights of a local model."""
    weights, folder = known_weights(name), _folder()
    if isinstance(weights, FileWeights) and Path(weights.file_name).parent != folder.absolute():
        raise ValidationFailed(f"{weights.file_name} is not in {folder}. Delete it yourself.")
    found = delete_weights(weights, folder)
    if not found:
        raise ValidationFailed(f"There are no weights of {name} in {folder}.")
    for one in found:
        typer.echo(f"{one} is deleted.")


@app.command()
def recommend() -> None:
    """Recommend a local model for the memory and the cores of this machine."""
    found = advice(memory(), cores())
    typer.echo(f"{memory() / 1e9:.1f} GB of memory, {cores()} cores: {found.name or 'no local model'}. {found.reason}")
    if found.largest_file:
        typer.echo(f"Other GGUF files should have at most {found.largest_file / 1e9:.1f} GB (an estimate).")
