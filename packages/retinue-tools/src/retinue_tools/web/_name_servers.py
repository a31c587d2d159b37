"""DNS queries over TCP (RFC 7766), for the tools that use name servers."""

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
        "Name server to query, with a port unless it is 53; default: that of this machine",
        "9.9.9.9",
        min_length=3,
        max_length=260,
    ),
]
_PATIENCE_S = 4.0


def ask(name: str, kinds: Sequence[str], server: str | None, *, signed: bool = False) -> list[Any]:
    """Query records of several kinds for a name over one connection. Returns messages of dnspython.

    Raises `ToolError` for an invalid name, and `ToolUnavailable` if no server answers.
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
        raise ToolUnavailable(f"{where} does not answer: {str(error)[:200].rstrip('.') or 'timeout'}.") from error


def readable(name: str) -> str:
    """Return a domain name without scheme, path and surrounding spaces."""
    return name.strip().removesuffix(".").lower() or "."


def records(message: Any, kind: str) -> list[str]:
    """Return the records of a kind in a response, in zone file format; texts are joined."""
    record_type = dns.rdatatype.from_text(kind)
    found = [record for group in message.answer if group.rdtype == record_type for record in group]
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in found]
    return [record.to_text() for record in found]


def code(message: Any) -> str:
    """Return the response code of a server, such as NOERROR or NXDOMAIN."""
    return str(dns.rcode.to_text(message.rcode()))


def host_and_port(text: str, port: int) -> tuple[str, int]:
    """Parse a host with its port from `host`, `host:port` or `[address]:port`."""
    if text.count(":") > 1 and not text.startswith("["):
        return text, port
    host, _, port_text = text.rpartition(":") if text.rpartition(":")[2].isdecimal() and ":" in text else (text, "", "")
    if port_text and not 0 < int(port_text[:6]) < 65_536:
        raise ToolError(f"{port_text[:20]} is not a port: give a number from 1 to 65535.")
    return host.strip("[]"), int(port_text) if port_text else port


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
