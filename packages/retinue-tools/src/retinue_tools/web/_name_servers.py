"""Questions to name servers over TCP (RFC 7766), for the tools that ask them."""

import socket
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdatatype

from retinue.sdk import About, ToolError, ToolUnavailable
from retinue.sdk.network import connect, connect_to_name_server

Domain = Annotated[str, About("Domain name", "example.com", min_length=1, max_length=253)]
NameServer = Annotated[
    str | None,
    About(
        "Name server to ask, with a port where that is not 53; else the one of this machine",
        "9.9.9.9",
        min_length=3,
        max_length=260,
    ),
]
_PATIENCE_S = 4.0


def ask(name: str, kinds: Sequence[str], server: str | None, *, signed: bool = False) -> list[Any]:
    """The answers to questions for records of several kinds, asked over one connection, as messages of dnspython.

    Raises `ToolError` for what is no name, `ToolUnavailable` where no server answers.
    """
    try:
        queries = [dns.message.make_query(readable(name), kind, want_dnssec=signed) for kind in kinds]
    except (dns.exception.DNSException, UnicodeError, ValueError) as error:
        raise ToolError(f"{name[:100]} is not a domain name: {error}.") from error
    where = server or "the name server of this machine"
    try:
        with _connection(server) as connection:
            return [_answer(connection, query) for query in queries]
    except (OSError, EOFError, dns.exception.DNSException) as error:
        raise ToolUnavailable(f"{where} gives no answer: {str(error)[:200].rstrip('.') or 'time is up'}.") from error


def readable(name: str) -> str:
    """A name as its owner writes it, without scheme, path and spaces around."""
    return name.strip().removesuffix(".").lower() or "."


def records(message: Any, kind: str) -> list[str]:
    """The records of a kind in an answer, in the form of zone files; texts in one piece."""
    wanted = dns.rdatatype.from_text(kind)
    found = [record for group in message.answer if group.rdtype == wanted for record in group]
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in found]
    return [record.to_text() for record in found]


def code(message: Any) -> str:
    """How a server answered, as NOERROR or NXDOMAIN."""
    return str(dns.rcode.to_text(message.rcode()))


def host_and_port(text: str, port: int) -> tuple[str, int]:
    """A host with its port, from `host`, `host:port` or `[address]:port`."""
    if text.count(":") > 1 and not text.startswith("["):
        return text, port
    host, _, given = text.rpartition(":") if text.rpartition(":")[2].isdecimal() and ":" in text else (text, "", "")
    if given and not 0 < int(given[:6]) < 65_536:
        raise ToolError(f"{given[:20]} is not a port: give one from 1 to 65535.")
    return host.strip("[]"), int(given) if given else port


@contextmanager
def _connection(server: str | None) -> Any:
    with (
        connect_to_name_server(_PATIENCE_S)
        if server is None
        else connect(*host_and_port(server, 53), _PATIENCE_S) as it
    ):
        yield it


def _answer(connection: socket.socket, query: Any) -> Any:
    wire = query.to_wire()
    connection.sendall(len(wire).to_bytes(2, "big") + wire)
    with connection.makefile("rb") as stream:
        head = stream.read(2)
        body = stream.read(int.from_bytes(head, "big"))
    if not body:
        raise EOFError("it hangs up")
    return dns.message.from_wire(body, ignore_trailing=True)
