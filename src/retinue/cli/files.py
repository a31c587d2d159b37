"""`retinue files`."""

from pathlib import Path
from typing import Annotated

import typer

from retinue.cli.output import fields_of, print_rows
from retinue.cli.progress import progress_bar
from retinue.cli.remote import Key, RequestFailed, Url, connect

app = typer.Typer(no_args_is_help=True)
_COLUMNS = ("id", "name", "media_type", "size", "created_at")


@app.command("list")
def list_files(url: Url = "", key: Key = "") -> None:
    """List your files, newest first."""
    with connect(url, key) as client:
        print_rows(_COLUMNS, [fields_of(file, _COLUMNS) for file in client.files.list(per_page=100)])


@app.command()
def upload(path: Annotated[Path, typer.Argument(help="The file.")], url: Url = "", key: Key = "") -> None:
    """Upload a file. Its ID is the last word of the output."""
    if not path.is_file():
        raise RequestFailed(f"The file {path} does not exist.")
    with connect(url, key) as client, progress_bar() as progress:
        progress.add_task(f"Uploading {path.name}", total=None, state="")
        file = client.files.upload(path)
    typer.echo(f"Uploaded {file.size:,} bytes as {file.id}")


@app.command()
def download(
    file_id: Annotated[str, typer.Argument(help="ID of the file.")],
    to: Annotated[
        Path | None, typer.Option(help="Where to write the file. Defaults to its name in the current folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Download a file."""
    with connect(url, key) as client, progress_bar() as progress:
        target = to or Path(Path(client.files.retrieve(file_id).name).name or "file")
        if target.exists() and not force:
            raise RequestFailed(f"{target} already exists. Use --force to overwrite it.")
        progress.add_task(f"Downloading {target.name}", total=None, state="")
        client.files.save(file_id, target)
    typer.echo(f"Wrote {target}.")
