"""`retinue knowledge`."""

from pathlib import Path
from typing import Annotated

import typer

from retinue.cli.output import fields_of, print_rows
from retinue.cli.remote import Key, RequestFailed, Url, connect

app = typer.Typer(no_args_is_help=True)
_Id = Annotated[int, typer.Argument(help="ID of the collection.")]
_COLLECTIONS = ("id", "name", "status", "documents", "passages")
_HITS = ("score", "title", "section", "text")
_DOCUMENTS = ("id", "title", "status", "passages", "error")


@app.command("list")
def list_collections(url: Url = "", key: Key = "") -> None:
    """List your collections of documents."""
    with connect(url, key) as client:
        rows = client.knowledge.collections.list(per_page=100)
        print_rows(_COLLECTIONS, [fields_of(one, _COLLECTIONS) for one in rows])


@app.command()
def create(name: Annotated[str, typer.Argument(help="Name.")], url: Url = "", key: Key = "") -> None:
    """Create a collection. Its ID is the last word of the output."""
    with connect(url, key) as client:
        typer.echo(f"Created the collection {client.knowledge.collections.create(name=name).id}")


@app.command()
def documents(collection_id: _Id, url: Url = "", key: Key = "") -> None:
    """List the documents of a collection."""
    with connect(url, key) as client:
        rows = client.knowledge.collections.documents.list(collection_id, per_page=100)
        print_rows(_DOCUMENTS, [fields_of(one, _DOCUMENTS) for one in rows])


@app.command()
def add(
    collection_id: _Id,
    source: Annotated[str, typer.Argument(help="A file, or the address of a web page.")],
    url: Url = "",
    key: Key = "",
) -> None:
    """Add a document. It is read in the background. Its ID is the last word of the output."""
    is_page = source.startswith(("http://", "https://"))
    if not is_page and not Path(source).is_file():
        raise RequestFailed(f"The file {source} does not exist.")
    with connect(url, key) as client:
        collection = client.knowledge.collections.documents
        if is_page:
            document = collection.create(collection_id, url=source)
        else:
            document = collection.create(collection_id, file_id=client.files.upload(source).id)
    typer.echo(f"Added the document {document.id}")


@app.command()
def search(
    collection_id: _Id,
    question: Annotated[str, typer.Argument(help="Question or words to search for.")],
    url: Url = "",
    key: Key = "",
) -> None:
    """Search a collection."""
    with connect(url, key) as client:
        hits = client.knowledge.collections.search(collection_id, query=question)
        print_rows(_HITS, [fields_of(hit, _HITS) for hit in hits])
