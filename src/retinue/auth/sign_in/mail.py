"""Send links for new users and password resets by mail, if the operator has configured a mail server."""

import asyncio
import smtplib
import ssl
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from email.policy import default
from urllib.parse import unquote, urlsplit

import structlog

from retinue.auth.service import Users, checked_email, fold_email
from retinue.auth.sign_in import statements as sql
from retinue.auth.sign_in.links import BY_MAIL, add_link, link_address
from retinue.auth.throttle import Throttle
from retinue.core.database.interface import Tx
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_disk_thread

_log = structlog.get_logger()
_WAITING = 200
_TIMEOUT_S = 20.0
_APART = timedelta(minutes=5)
"""Minimum time between two mails to the same user."""

_TEXT = """\
Somebody, probably you, asked to reset the password of {email}
at {server}.

Your one-time link is:

    {link}

It works once, within an hour{how}, and sets a new password.
If you did not ask for it, you need not do anything: your password stays as it is.
"""

_CONFIRM_TEXT = """\
Somebody, probably you, signed up as {email}
at {server}.

Your one-time link is:

    {link}

It works once, within an hour{how}, and sets your password.
If it was not you, you need not do anything: nobody can use this account without the link.
"""

_WHOLE_LINES = default.clone(max_line_length=998)
"""The maximum line length of RFC 5322 prevents wrapping: people copy links from the raw message."""

Send = Callable[[EmailMessage], None]


class ResetMail:
    """Sends links in the background, so that a response does not reveal whether the user exists."""

    def __init__(self, users: Users, throttle: Throttle, send: Send | None, sender: str, server: str | None) -> None:
        """`send` delivers a message and may block; None disables mail. `server` is the server's public address."""
        self._users = users
        self._database = users.database
        self._throttle = throttle
        self._send = send
        self._sender = sender
        self._server = server
        self._waiting_mails: asyncio.Queue[tuple[str, bool]] = asyncio.Queue(_WAITING)

    def request(self, email: str, address: str) -> None:
        """Queue a link for a user if it exists. Raises `RateLimited` for an address with too many requests."""
        self._throttle.begin("reset", address)
        if self._send is not None:
            self._queue(fold_email(email))

    def confirm(self, email: str) -> None:
        """Queue the creation of a user without a password, and a link that sets it.

        An existing user gets a reset link instead. Raises `ValidationFailed` for an invalid address.
        """
        self._queue(checked_email(email), is_new=True)

    def _queue(self, email: str, *, is_new: bool = False) -> None:
        try:
            self._waiting_mails.put_nowait((email, is_new))
        except asyncio.QueueFull:
            _log.warning("reset_mail.dropped", waiting=_WAITING)

    async def run(self) -> None:
        """Send queued mails until cancelled."""
        while True:
            email, is_new = await self._waiting_mails.get()
            try:
                await self._send_link(email, is_new=is_new and await self._create(email))
            except Exception as error:  # noqa: BLE001 - no address may stop the mails to all others
                _log.warning("reset_mail.not_sent", error=type(error).__name__)

    async def _create(self, email: str) -> bool:
        """Create a user without a password. Returns False if the user exists."""
        try:
            await self._users.create(email, credential="link")
        except ValidationFailed:
            return False
        return True

    async def _send_link(self, email: str, *, is_new: bool) -> None:
        token = await self._database.transact(lambda tx: _add_reset_link(tx, email))
        if token and self._send:
            await run_on_disk_thread(self._send, self._message(email, token, is_new))
            _log.info("reset_mail.sent")

    def _message(self, email: str, token: str, is_new: bool) -> EmailMessage:
        message = EmailMessage(_WHOLE_LINES)
        message["Subject"] = "Confirm your e-mail address" if is_new else "Reset your password"
        message["From"], message["To"] = self._sender, email
        link = link_address(self._server, token) if self._server else token
        how = "" if self._server else " at POST /api/auth/link"
        text = _CONFIRM_TEXT if is_new else _TEXT
        message.set_content(text.format(email=email, server=self._server or "your Retinue server", link=link, how=how))
        return message


async def _add_reset_link(tx: Tx, email: str) -> str | None:
    user = await tx.one(sql.LOCK_EMAIL, email=email)
    if user is None or user.suspended_at or await tx.one(sql.RECENT_LINK, user=user.id, moment=now() - _APART):
        return None
    return await add_link(tx, user.id, "reset", BY_MAIL)


def smtp_sender(url: str) -> Send:
    """Return a sender for `smtp://user:password@host:587` with STARTTLS (RFC 3207), or for `smtps://…` (RFC 8314)."""
    parts = urlsplit(url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")

    def send(message: EmailMessage) -> None:
        with _connect(parts.scheme, parts.hostname or "localhost", parts.port, needs_tls=bool(password)) as server:
            if user:
                server.login(user, password)
            server.send_message(message)

    return send


def _connect(scheme: str, host: str, port: int | None, *, needs_tls: bool) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if scheme == "smtps":
        return smtplib.SMTP_SSL(host, port or 465, timeout=_TIMEOUT_S, context=context)
    server = smtplib.SMTP(host, port or 587, timeout=_TIMEOUT_S)
    server.ehlo()
    if needs_tls or server.has_extn("starttls"):
        server.starttls(context=context)
    return server
