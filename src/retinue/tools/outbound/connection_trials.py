"""Test connections without sending any message: `POST /connections/{id}/test` runs these functions. They are no
tools.
"""

from collections.abc import Callable

from typing_extensions import TypedDict

from retinue.tools.authoring.arguments import Connection
from retinue.tools.authoring.declare import ToolError, ToolUnavailable
from retinue.tools.outbound.http import Request, Response, fetch, send
from retinue.tools.outbound.http_credentials import HttpCredential
from retinue.tools.outbound.mail_servers import imap, smtp

_PATIENCE_S = 10.0


class ConnectionTestResult(TypedDict):
    """The result of testing a connection: whether it works, and a message for its owner."""

    ok: bool
    message: str


def try_http(connection: Connection) -> ConnectionTestResult:
    """Request the base address with the secret."""
    url = connection["settings"]["base_url"]
    credential = HttpCredential.of(connection, url)
    request = Request("GET", url, {}, None, credential)
    return _report_attempt(lambda: _read_answer(send(request, timeout_s=_PATIENCE_S, max_bytes=0, whole=False)))


def try_mail(connection: Connection) -> ConnectionTestResult:
    """Log in to each of the servers."""

    def log_in() -> str:
        servers = {"smtp": smtp, "imap": imap}
        protocols = [protocol for protocol in servers if connection["settings"][protocol]]
        for protocol in protocols:
            with servers[protocol](connection):
                pass
        return f"Logged in with {' and '.join(protocols).upper()}."

    return _report_attempt(log_in)


def try_telegram(connection: Connection) -> ConnectionTestResult:
    """Request the bot's own record from the Bot API (getMe)."""
    url = f"{connection['settings']['api_url']}/bot{connection['secret']['token']}/getMe"
    return _report_attempt(
        lambda: _read_answer(fetch(url, timeout_s=_PATIENCE_S, max_bytes=10_000, whole=False, follow=0))
    )


def try_ntfy(connection: Connection) -> ConnectionTestResult:
    """Request the account of the token from the server."""
    proof = {"Authorization": f"Bearer {connection['secret']['token']}"}
    url = f"{connection['settings']['server']}/v1/account"
    return _report_attempt(
        lambda: _read_answer(fetch(url, headers=proof, timeout_s=_PATIENCE_S, max_bytes=10_000, whole=False, follow=0))
    )


def _read_answer(answer: Response) -> str:
    """Return what a server answered, or `ToolError` if it rejects the secret or fails.

    Other statuses do not concern the secret: a base address need not be a page.
    """
    if answer.status in (401, 403, 407) or answer.status >= 500:
        raise ToolError(f"The server responded with {answer.status} {answer.reason}.")
    return f"The server responded with {answer.status} {answer.reason}."


def _report_attempt(attempt: Callable[[], str]) -> ConnectionTestResult:
    try:
        return {"ok": True, "message": attempt()}
    except (ToolError, ToolUnavailable) as error:
        return {"ok": False, "message": str(error)}
