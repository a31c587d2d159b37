"""Resolve connections among a tool's arguments: records hold their names, functions get the opened connections."""

from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import add

from retinue.connections.keyring import ConnectionKeyring, OpenedConnection
from retinue.connections.redaction import Redaction
from retinue.core.errors import RetinueError
from retinue.tools.authoring.tool import properties_of

KEYWORD = "x-connection"
"""The schema keyword with the kind of connection that an argument names."""


def named_connections(schema: Mapping[str, object], args: Mapping[str, object]) -> dict[str, str]:
    """Return the arguments that name connections, each with the required kind."""
    return {
        name: part[KEYWORD]
        for name, part in properties_of(schema).items()
        if KEYWORD in part and args.get(name) is not None
    }


async def open_connections(
    keyring: ConnectionKeyring, account_id: int, schema: Mapping[str, object], args: Mapping[str, object]
) -> dict[str, OpenedConnection]:
    """Return the account's connections that validated arguments name, by argument. Raises `ValidationFailed`."""
    kinds = named_connections(schema, args)
    return {name: await keyring.open(account_id, kind, str(args[name])) for name, kind in kinds.items()}


def with_connections(args: Mapping[str, object], opened: Mapping[str, OpenedConnection]) -> dict[str, object]:
    """Return the arguments of the tool's function. They contain secrets: never store, log or show them."""
    return {**args, **{name: connection.as_argument() for name, connection in opened.items()}}


def redaction_of(opened: Mapping[str, OpenedConnection]) -> Redaction:
    """Return a redaction that removes the secrets of all these connections."""
    return reduce(add, (connection.redaction for connection in opened.values()), Redaction())


async def redact(call: Awaitable[dict[str, object]], redaction: Redaction) -> dict[str, object]:
    """Return the result of a call, or its error, without secrets."""
    with redacting_errors(redaction):
        return dict(redaction.value(await call))


@contextmanager
def redacting_errors(redaction: Redaction) -> Iterator[None]:
    """Remove secrets from the message of an error raised in the block."""
    try:
        yield
    except RetinueError as error:
        error.message = redaction.text(error.message)
        error.args = (error.message,)
        raise
