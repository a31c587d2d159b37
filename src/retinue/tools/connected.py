"""Connections among the arguments of a tool: named in what is recorded, opened in what its function gets."""

from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import add
from typing import Any

from retinue.connections.keyring import Keyring, Opened
from retinue.connections.redaction import Redaction
from retinue.core.errors import RetinueError

KEYWORD = "x-connection"
"""In the schema of an argument: the kind of the connection whose name it is."""


def named_connections(schema: Mapping[str, Any], args: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that name connections, each with the kind that it must be of."""
    return {
        name: part[KEYWORD]
        for name, part in schema.get("properties", {}).items()
        if KEYWORD in part and args.get(name) is not None
    }


async def open_connections(
    keyring: Keyring, account_id: int, schema: Mapping[str, Any], args: Mapping[str, Any]
) -> dict[str, Opened]:
    """The account's connections that checked arguments name, by argument. Raises `ValidationFailed`."""
    wanted = named_connections(schema, args)
    return {name: await keyring.open(account_id, kind, args[name]) for name, kind in wanted.items()}


def with_connections(args: Mapping[str, Any], opened: Mapping[str, Opened]) -> dict[str, Any]:
    """What the function of a tool is called with. It holds secrets: never keep it, log it or show it."""
    return {**args, **{name: connection.as_argument() for name, connection in opened.items()}}


def redaction_of(opened: Mapping[str, Opened]) -> Redaction:
    """Takes the secrets of all these connections out of what comes back."""
    return reduce(add, (connection.redaction for connection in opened.values()), Redaction())


async def redact(call: Awaitable[dict[str, Any]], redaction: Redaction) -> dict[str, Any]:
    """The result of a call, or its error, without secrets."""
    with redacting_errors(redaction):
        return dict(redaction.value(await call))


@contextmanager
def redacting_errors(redaction: Redaction) -> Iterator[None]:
    """Take secrets out of the message of an error that is raised within."""
    try:
        yield
    except RetinueError as error:
        error.message = redaction.text(error.message)
        error.args = (error.message,)
        raise
