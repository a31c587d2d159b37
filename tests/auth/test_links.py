"""One-time links: from the command line, at the first start, and by mail."""

import asyncio
import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from queue import SimpleQueue
from smtplib import SMTPNotSupportedError

import pytest

from retinue.auth.sign_in.links import BY_OPERATOR, add_link, remove_links
from retinue.auth.sign_in.mail import ResetMail, smtp_sender
from retinue.auth.throttle import Throttle
from retinue.core.errors import AuthRequired, ValidationFailed
from tests.auth.conftest import CLIENT, Site
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in, sign_in
from tests.conftest import NewServer, StartServer, User
from tests.support.client import Client, data, refuse, statuses_until_limited
from tests.support.server import Server
from tests.support.waiting import eventually

EMAIL = "ada@example.com"
LINK = re.compile(r"link_[A-Za-z0-9_-]{43}")
GONE = "invalid, has already been used, or has expired"


@dataclass
class Mailbox:
    """A mail server that stores its messages."""

    port: int
    messages: list[str] = field(default_factory=list)


@contextmanager
def running_mail_server() -> Iterator[Mailbox]:
    """Run an SMTP server (RFC 5321) with the minimum for a client that neither authenticates nor encrypts."""

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 mail.example.com\r\n")
            while line := self.rfile.readline():
                verb = line[:4].upper()
                if verb == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    lines = iter(self.rfile.readline, b".\r\n")
                    mailbox.messages.append(b"".join(lines).decode())
                self.wfile.write(b"221 bye\r\n" if verb == b"QUIT" else b"250 fine\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        mailbox = Mailbox(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield mailbox
        server.shutdown()
        thread.join(120)


def test_a_link_signs_in_once_and_may_set_a_password(user: User) -> None:
    server = user.server
    printed = server.cli("users", "link", user.email)
    link = printed.split()[-1]
    assert LINK.fullmatch(link)
    assert f"/sign-in/link?token={link}\n" in printed
    session = Client(server, data(post_sign_in(server, "/auth/link", {"token": link}))["token"])
    assert not data(session.get("/account"))["has_password"]
    refuse(post_sign_in(server, "/auth/link", {"token": link}), 401, GONE)
    data(session.put("/account/password", {"new_password": PASSWORD}))
    sign_in(server, user.email).close()
    session.close()


def test_a_reset_needs_a_new_password_and_the_old_one_works_until_then(user: User) -> None:
    server = user.server
    session = give_password(server, user.email)
    link = server.cli("users", "reset", user.email).split()[-1]
    refuse(post_sign_in(server, "/auth/link", {"token": link}), 400, "password")
    refuse(post_sign_in(server, "/auth/link", {"token": link, "password": "short"}), 400, "password")
    sign_in(server, user.email).close()
    fresh = post_sign_in(server, "/auth/link", {"token": link, "password": "a new password"})
    Client(server, data(fresh)["token"]).close()
    refuse(post_sign_in(server, "/auth.php", {"email": user.email, "password": PASSWORD}), 401)
    sign_in(server, user.email, "a new password").close()
    eventually(lambda: session.get("/agents").status_code == 401, within=1.0)
    session.close()


def test_a_reset_revokes_all_access_unless_the_user_keeps_it(user: User) -> None:
    server, key, test_key = user.server, user.client(), user.client(test=True)
    hook = data(key.post("/webhooks", {"url": "https://example.com/hook"}), 201)["id"]

    def reset(**fields: bool) -> Client:
        link = server.ask("users.reset", email=user.email)
        return Client(
            server, data(post_sign_in(server, "/auth/link", {"token": link, "password": PASSWORD, **fields}))["token"]
        )

    kept = reset(revoke_access=False)
    assert key.get("/agents").status_code == test_key.get("/agents").status_code == 200
    assert data(kept.get(f"/webhooks/{hook}"))["enabled"]
    fresh = reset()
    eventually(lambda: {one.get("/agents").status_code for one in (key, test_key, kept)} == {401}, within=1.0)
    endpoint = data(fresh.get(f"/webhooks/{hook}"))
    assert not endpoint["enabled"]
    assert "revoked" in endpoint["disabled_reason"]
    assert data(fresh.get("/keys")) == []
    assert [entry["action"] for entry in data(fresh.get("/audit"))][:3] == [
        "sign_in.succeeded",
        "user.revoked",
        "password.changed",
    ]
    for one in (kept, fresh):
        one.close()


def test_a_first_password_and_a_change_revoke_access_only_on_request(user: User) -> None:
    server, key = user.server, user.client()
    session, other = give_password(server, user.email), sign_in(server, user.email)
    assert key.get("/agents").status_code == 200
    change = {"current_password": PASSWORD, "new_password": "a new password", "revoke_access": True}
    data(session.put("/account/password", change))
    eventually(lambda: {one.get("/agents").status_code for one in (key, other)} == {401}, within=1.0)
    assert session.get("/agents").status_code == 200
    key = Client(server, server.new_key(user.email))
    link = server.ask("users.link", email=user.email)
    revoked = {"token": link, "password": PASSWORD, "revoke_access": True}
    session = Client(server, data(post_sign_in(server, "/auth/link", revoked))["token"])
    eventually(lambda: key.get("/agents").status_code == 401, within=1.0)
    for one in (session, other, key):
        one.close()


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_new_user_confirms_the_address_before_anything_else(start_server: StartServer, database: str) -> None:
    with running_mail_server() as mailbox:
        server = start_server(database, RETINUE_SIGN_UP="open", RETINUE_SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}")
        known = server.new_user()
        for email in ("victim@example.com", known):
            new = {"email": email, "password": "the choice of a stranger"}
            assert data(post_sign_in(server, "/auth/sign-up", new), 202) == {"accepted": True}
            refuse(post_sign_in(server, "/auth.php", new), 401)
        refuse(post_sign_in(server, "/auth/sign-up", {"email": "nonsense"}), 400, "e-mail")
        eventually(lambda: len(mailbox.messages) == 2)
        first, second = mailbox.messages
        assert "To: victim@example.com" in first
        assert "Subject: Confirm your e-mail address" in first
        assert "Subject: Reset your password" in second
        link = LINK.findall(first)[0]
        refuse(post_sign_in(server, "/auth/link", {"token": link}), 400, "password")
        data(post_sign_in(server, "/auth/link", {"token": link, "password": PASSWORD}))
        session = sign_in(server, "victim@example.com")
        assert data(session.get("/account"))["plan"] == "free"
        session.close()


@pytest.mark.parametrize("token", ["link_x", "sess_" + "A" * 43, "link_" + "A" * 43, "ĳ" * 43])
def test_invalid_links_are_refused(server: Server, token: str) -> None:
    refuse(post_sign_in(server, "/auth/link", {"token": token}), 401, GONE)


async def test_a_link_expires_and_is_removed(site: Site) -> None:
    await site.users.create(EMAIL)
    link = await site.users.link(EMAIL)
    site.clock.forward(hours=24)
    with pytest.raises(AuthRequired, match=GONE):
        await site.sign_in.with_link(link, None, None, CLIENT)
    await site.database.transact(lambda tx: remove_links(tx, site.clock.moment, None))
    fresh = await site.users.link(EMAIL)
    site.clock.forward(hours=23)
    await site.sign_in.with_link(fresh, None, None, CLIENT)
    site.passwords.close()


async def test_a_reset_without_a_password_uses_nothing_up(site: Site) -> None:
    await site.users.create(EMAIL)
    link = await site.users.link(EMAIL, "reset")
    with pytest.raises(ValidationFailed, match="password"):
        await site.sign_in.with_link(link, None, None, CLIENT)
    await site.sign_in.with_link(link, PASSWORD, None, CLIENT)
    site.passwords.close()


async def test_links_of_a_suspended_user_do_not_work(site: Site) -> None:
    await site.users.create("operator@example.com")  # The only operator cannot be suspended.
    user = await site.users.create(EMAIL)
    link = await site.database.transact(lambda tx: add_link(tx, user.id, "sign_in", BY_OPERATOR))
    await site.users.suspend(EMAIL)
    with pytest.raises(AuthRequired):
        await site.sign_in.with_link(link, None, None, CLIENT)


def test_the_first_start_shows_a_link_for_the_owner(new_server: NewServer) -> None:
    server = new_server().start()
    address, _, _ = server.first_link.partition(" ")
    assert address.startswith(f"{server.url}/sign-in/link?token=")
    token = address.partition("token=")[2]
    session = Client(server, data(post_sign_in(server, "/auth/link", {"token": token, "password": PASSWORD}))["token"])
    assert data(session.get("/account"))["email"] == "owner@localhost"
    session.close()
    server.restart()
    assert server.first_link == f"RETINUE_HOME={server.home} retinue users link owner@localhost"
    server.close()


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_forgotten_password_is_reset_by_mail(start_server: StartServer, database: str) -> None:
    with running_mail_server() as mailbox:
        server = start_server(
            database,
            RETINUE_SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}",
            RETINUE_MAIL_FROM="retinue@example.com",
            RETINUE_PUBLIC_URL="https://agents.example.com",
        )
        email = server.new_user()
        asked = [post_sign_in(server, "/auth/reset", {"email": one}) for one in ("nobody@example.com", email.upper())]
        assert [data(answer, 202) for answer in asked] == [{"accepted": True}] * 2
        (message,) = eventually(lambda: mailbox.messages)
        assert f"To: {email}" in message
        assert "From: retinue@example.com" in message
        (link,) = LINK.findall(message)
        assert f"https://agents.example.com/sign-in/link?token={link}" in message
        data(post_sign_in(server, "/auth/link", {"token": link, "password": PASSWORD}))
        sign_in(server, email).close()
        other = server.new_user()
        for one in (email, other):  # mails are sent in order, and a user gets one in five minutes
            data(post_sign_in(server, "/auth/reset", {"email": one}), 202)
        eventually(lambda: len(mailbox.messages) > 1)
        assert f"To: {other}" in mailbox.messages[1]
        statuses_until_limited(lambda: post_sign_in(server, "/auth/reset", {"email": email}))


async def test_a_mail_that_cannot_be_sent_stops_no_other(site: Site) -> None:
    sent: SimpleQueue[str] = SimpleQueue()

    def send(message: EmailMessage) -> None:
        if message["To"] == "first@example.com":
            raise AttributeError
        sent.put(message["To"])

    mail = ResetMail(site.users, Throttle(), send, "retinue@example.com", None)
    for email in ("first@example.com", "second@example.com"):
        await site.users.create(email, password_hash="x")
        mail.request(email, CLIENT.address)
    running = asyncio.create_task(mail.run())
    assert await asyncio.to_thread(sent.get, timeout=120) == "second@example.com"
    running.cancel()


def test_without_a_mail_server_the_answer_is_the_same(start_server: StartServer) -> None:
    server = start_server()
    for email in ("owner@localhost", "nobody@example.com"):
        assert data(post_sign_in(server, "/auth/reset", {"email": email}), 202) == {"accepted": True}
    refuse(post_sign_in(server, "/auth/reset", {}), 400, "email")


def test_a_mail_server_that_is_away_is_logged(start_server: StartServer) -> None:
    server = start_server(RETINUE_SMTP_URL="smtp://127.0.0.1:9")
    data(post_sign_in(server, "/auth/reset", {"email": "owner@localhost"}), 202)
    eventually(lambda: "reset_mail.not_sent" in server.log.read_text())


def test_a_password_is_not_sent_to_a_mail_server_that_does_not_encrypt() -> None:
    with running_mail_server() as mailbox:
        send = smtp_sender(f"smtp://user:secret@127.0.0.1:{mailbox.port}")
        with pytest.raises(SMTPNotSupportedError):
            send(EmailMessage())
        assert mailbox.messages == []
