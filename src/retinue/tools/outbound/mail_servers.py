"""Connect tools to mail servers: SMTP and IMAP over sockets that the server opens."""

import imaplib
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal

from retinue.tools.authoring.arguments import Connection
from retinue.tools.authoring.declare import ToolError, ToolUnavailable
from retinue.tools.outbound import worker_sockets
from retinue.tools.outbound.http import create_ssl_context

_PATIENCE_S = 10.0
_PORTS = {"smtp": {"tls": 465, "starttls": 587, "none": 25}, "imap": {"tls": 993, "starttls": 143, "none": 143}}
Security = Literal["tls", "starttls", "none"]


class _Smtp(smtplib.SMTP):
    def __init__(self, host: str, port: int, security: Security) -> None:
        self._security = security
        super().__init__(host, port, local_hostname="localhost", timeout=_PATIENCE_S)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return _connect(host, port, self._security)


class Imap(imaplib.IMAP4):
    """A connection to an IMAP server."""

    literal: Any
    """Bytes to send with the next command."""

    def __init__(self, host: str, port: int, security: Security) -> None:
        self._security = security
        super().__init__(host, port, _PATIENCE_S)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        return _connect(self.host, self.port, self._security)

    def read_capabilities(self) -> None:
        """Ask for the capabilities again: many servers announce some of them, such as MOVE, only after the login."""
        self._get_capabilities()


def _connect(host: str, port: int, security: Security) -> socket.socket:
    raw = worker_sockets.connect(host, port, _PATIENCE_S)
    return create_ssl_context().wrap_socket(raw, server_hostname=host) if security == "tls" else raw


@contextmanager
def smtp(connection: Connection) -> Iterator[smtplib.SMTP]:
    """Log in to the SMTP server of a connection."""
    host, port, security = _place(connection, "smtp")
    with _describe(host):
        server = _Smtp(host, port, security)
        try:
            if security == "starttls":
                server.starttls(context=create_ssl_context())
            server.login(connection["settings"]["user"], connection["secret"]["password"])
            yield server
        finally:
            with suppress(smtplib.SMTPException, OSError):
                server.quit()


@contextmanager
def imap(connection: Connection) -> Iterator[Imap]:
    """Log in to the IMAP server of a connection."""
    host, port, security = _place(connection, "imap")
    user, password = connection["settings"]["user"], connection["secret"]["password"]
    with _describe(host):
        server = Imap(host, port, security)
        try:
            if security == "starttls":
                server.starttls(create_ssl_context())
            if "AUTH=PLAIN" in server.capabilities:
                server.authenticate("PLAIN", lambda _: f"\0{user}\0{password}".encode(errors="replace"))
            else:
                server.login(quote(user), password)
            server.read_capabilities()
            yield server
        finally:
            with suppress(imaplib.IMAP4.error, OSError):
                server.logout()


def _place(connection: Connection, protocol: Literal["smtp", "imap"]) -> tuple[str, int, Security]:
    """Host, port and security of one of the servers of a connection. Raises `ToolError` if it has none."""
    server = connection["settings"][protocol]
    if server is None:
        raise ToolError(f"The connection {connection['name']} has no {protocol.upper()} server in its settings.")
    security: Security = server["security"]
    return server["host"], server["port"] or _PORTS[protocol][security], security


def quote(text: str) -> str:
    """Return a quoted string of IMAP (RFC 9051, section 4.3)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def ask(answer: tuple[str, list[Any]], action: str) -> list[Any]:
    """Return the data of an IMAP response. Raises `ToolError` if the server refused."""
    status, found = answer
    if status != "OK":
        reason = found[0].decode(errors="replace") if found and isinstance(found[0], bytes) else ""
        raise ToolError(f"{action}: the server responded: {reason[:200] or status}.")
    return found


@contextmanager
def _describe(host: str) -> Iterator[None]:
    """Translate errors of a mail server into plain English."""
    try:
        yield
    except smtplib.SMTPAuthenticationError as error:
        raise ToolError(
            f"{host} rejected the login: {_quote_answer(error.smtp_error)}. Check the user and the app password."
        ) from error
    except smtplib.SMTPRecipientsRefused as error:
        refused = "; ".join(
            f"{whom}: {_quote_answer(response)}" for whom, (_, response) in list(error.recipients.items())[:5]
        )
        raise ToolError(f"{host} does not accept mail for these recipients. {refused}.") from error
    except smtplib.SMTPResponseException as error:
        raise ToolError(f"{host} rejected the request: {error.smtp_code} {_quote_answer(error.smtp_error)}.") from error
    except imaplib.IMAP4.abort as error:
        raise ToolUnavailable(f"{host} closed the connection: {str(error)[:200]}.") from error
    except imaplib.IMAP4.error as error:
        raise ToolError(
            f"{host} rejected the request: {_quote_answer(error.args[0] if error.args else '')}. Check "
            "the user and the app password."
        ) from error
    except (smtplib.SMTPException, ValueError) as error:
        raise ToolError(f"{host} does not support this: {str(error)[:200]}.") from error
    except ssl.SSLCertVerificationError as error:
        raise ToolError(f"The certificate of {host} is not valid: {error.verify_message}.") from error
    except ssl.SSLError as error:
        raise ToolError(f"{host} does not support TLS on that port. Choose starttls, or another port.") from error
    except OSError as error:
        found = "cannot be reached" if isinstance(error, worker_sockets.HostUnreachable) else "sent an invalid response"
        raise ToolUnavailable(f"{host} {found}: {str(error)[:200]}.") from error


def _quote_answer(text: object) -> str:
    decoded = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return " ".join(decoded.split())[:200].rstrip(".")
