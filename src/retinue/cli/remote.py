"""Connect commands to a server through its API."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from retinue.core.errors import RetinueError

if TYPE_CHECKING:
    from retinue_client import Retinue

Url = Annotated[
    str, typer.Option("--url", envvar="RETINUE_URL", help="The server.", show_default="http://127.0.0.1:8000")
]
Key = Annotated[
    str, typer.Option("--key", envvar=["RETINUE_API_KEY", "RETINUE_KEY"], help="An API key.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the records as JSON, one per line.")]


class RequestFailed(RetinueError):
    """The server refused the request or did not respond."""


@contextmanager
def connect(url: str, key: str) -> Iterator["Retinue"]:
    """Open a client of the server. Client errors become `RequestFailed`, whose message suits the user."""
    from retinue_client import APIError, Retinue
    from retinue_client import RetinueError as ClientError

    if not key:
        raise RequestFailed("There is no API key. Set RETINUE_API_KEY, or use --key.")
    try:
        with Retinue(api_key=key, base_url=url or None) as client:
            yield client
    except APIError as error:
        quoted = f" (request {error.request_id})" if error.status >= 500 and error.request_id else ""
        raise RequestFailed(f"{error.message}{quoted}") from error
    except ClientError as error:
        raise RequestFailed(str(error)) from error
