"""Connections to mail servers for the tools of this category: SMTP and IMAP over sockets that the server opens."""

import imaplib
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.tools import network
from retinue.tools.declare import About, ToolError, ToolUnavailable
from retinue.tools.http import verifying_context

_PATIENCE_S = 10.0
_PRINTABLE = "^[^\\x00-\\x1f\\x7f]+$"
_PORTS = {"smtp": {"tls": 465, "starttls": 587, "none": 25}, "imap": {"tls": 993, "starttls": 143, "none": 143}}
Security = Literal["tls", "starttls", "none"]


class Account(TypedDict):
    """A mail account at its server."""

    host: Annotated[str, About("Mail server", "mail.example.com", pattern="^[^\\s/@]+$", max_length=253)]
    user: Annotated[
        str, About("Name to log in with, mostly your address", "ann@example.com", pattern=_PRINTABLE, max_length=320)
    ]
    password: Annotated[
        str,
        About(
            "App password, made for this use in the settings of the mail account: not your main password",
            "abcd efgh ijkl mnop",
            min_length=1,
            max_length=500,
        ),
    ]
    port: NotRequired[Annotated[int, About("Port; without it the usual one", 993, minimum=1, maximum=65_535)]]
    security: NotRequired[
        Annotated[
            Security, About("tls from the first byte on (the default), starttls, or none within your own network")
        ]
    ]


class _Smtp(smtplib.SMTP):
    def __init__(self, host: str, port: int, security: Security) -> None:
        self._security = security
        super().__init__(host, port, local_hostname="localhost", timeout=_PATIENCE_S)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return _connected(host, port, self._security)


class Imap(imaplib.IMAP4):
    """A connection to a server that keeps mail."""

    literal: Any
    """Bytes that go with the next command."""

    def __init__(self, host: str, port: int, security: Security) -> None:
        self._security = security
        super().__init__(host, port, _PATIENCE_S)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        return _connected(self.host, self.port, self._security)


def _connected(host: str, port: int, security: Security) -> socket.socket:
    raw = network.connect(host, port, _PATIENCE_S)
    return verifying_context().wrap_socket(raw, server_hostname=host) if security == "tls" else raw


@contextmanager
def smtp(account: Account) -> Iterator[smtplib.SMTP]:
    """A server that takes mail, logged in to."""
    host, security = account["host"], account.get("security", "tls")
    with _told(host):
        server = _Smtp(host, account.get("port", _PORTS["smtp"][security]), security)
        try:
            if security == "starttls":
                server.starttls(context=verifying_context())
            server.login(account["user"], account["password"])
            yield server
        finally:
            with suppress(smtplib.SMTPException, OSError):
                server.quit()


@contextmanager
def imap(account: Account) -> Iterator[Imap]:
    """A server that keeps mail, logged in to."""
    host, security = account["host"], account.get("security", "tls")
    user, password = account["user"], account["password"]
    with _told(host):
        server = Imap(host, account.get("port", _PORTS["imap"][security]), security)
        try:
            if security == "starttls":
                server.starttls(verifying_context())
            if "AUTH=PLAIN" in server.capabilities:
                server.authenticate("PLAIN", lambda _: f"\0{user}\0{password}".encode(errors="replace"))
            else:
                server.login(quoted(user), password)
            yield server
        finally:
            with suppress(imaplib.IMAP4.error, OSError):
                server.logout()


def quoted(text: str) -> str:
    """A quoted string of IMAP (RFC 9051, section 4.3)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def asked(answer: tuple[str, list[Any]], what: str) -> list[Any]:
    """The data of an answer of IMAP, or `ToolError` where it was no."""
    status, found = answer
    if status != "OK":
        said = found[0].decode(errors="replace") if found and isinstance(found[0], bytes) else ""
        raise ToolError(f"{what}: the server says {said[:200] or status}.")
    return found


@contextmanager
def _told(host: str) -> Iterator[None]:
    """Tell in plain words what went wrong with a mail server."""
    try:
        yield
    except smtplib.SMTPAuthenticationError as error:
        raise ToolError(
            f"{host} does not let you in: {_said(error.smtp_error)}. Check name and app password."
        ) from error
    except smtplib.SMTPRecipientsRefused as error:
        refused = "; ".join(f"{whom}: {_said(said)}" for whom, (_, said) in list(error.recipients.items())[:5])
        raise ToolError(f"{host} takes no mail for them. {refused}.") from error
    except smtplib.SMTPResponseException as error:
        raise ToolError(f"{host} refuses: {error.smtp_code} {_said(error.smtp_error)}.") from error
    except imaplib.IMAP4.abort as error:
        raise ToolUnavailable(f"{host} broke off: {str(error)[:200]}.") from error
    except imaplib.IMAP4.error as error:
        raise ToolError(
            f"{host} refuses: {_said(error.args[0] if error.args else '')}. Check name and app password."
        ) from error
    except (smtplib.SMTPException, ValueError) as error:
        raise ToolError(f"{host} does not do that: {str(error)[:200]}.") from error
    except ssl.SSLCertVerificationError as error:
        raise ToolError(f"The certificate of {host} is not valid: {error.verify_message}.") from error
    except ssl.SSLError as error:
        raise ToolError(f"{host} speaks no TLS at that port. Choose starttls, or another port.") from error
    except OSError as error:
        raise ToolUnavailable(f"{host} does not answer as it should: {str(error)[:200]}.") from error


def _said(text: Any) -> str:
    shown = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return " ".join(shown.split())[:200].rstrip(".")
