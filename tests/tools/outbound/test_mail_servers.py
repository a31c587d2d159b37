"""Moving mail on IMAP servers that announce capabilities only after the login, as Dovecot and Gmail do."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from retinue.tools.authoring.declare import ToolError
from retinue.tools.authoring.import_stubs import absent_libraries
from retinue.tools.outbound import worker_sockets
from retinue.tools.verification import mock_servers
from retinue.tools.verification.mock_mail_servers import ImapHandler

with absent_libraries():  # Moving needs none of the libraries that reading does.
    from retinue_tools.workspace.mail_boxes import email_move_imap

ANSWERS = {"login": "bob secret", "folders": "INBOX Archive", "INBOX 7": "Subject: High\n\n.", "INBOX 9": "\n."}


class LateKeeping(ImapHandler):
    """Announces `late` only to users that have logged in, and records the commands about messages."""

    late = ""
    commands: list[str]
    _known = False

    def _capability(self, words: list[str]) -> str:
        self._say(f"* CAPABILITY IMAP4rev1 AUTH=PLAIN {self.late if self._known else ''}".rstrip())
        return "OK Done"

    def _authenticate(self, words: list[str]) -> str:
        answer = super()._authenticate(words)
        self._known = answer.startswith("OK")
        return answer

    def _uid(self, words: list[str]) -> str:
        self.commands.append(words[0])
        return super()._uid(words)


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A connection to a mail server."""
    monkeypatch.setattr(LateKeeping, "commands", [], raising=False)
    monkeypatch.setattr(mock_servers, "ImapHandler", LateKeeping)
    monkeypatch.setattr(worker_sockets, "connect", lambda host, port, _: socket.create_connection((host, port), 5))
    with mock_servers.listening("imap", ANSWERS) as port:
        place = {"host": "127.0.0.1", "port": port, "security": "none"}
        yield {"name": "work", "settings": {"user": "bob", "imap": place}, "secret": {"password": "secret"}}


@pytest.mark.parametrize(("late", "commands"), [("MOVE UIDPLUS", ["MOVE"]), ("UIDPLUS", ["COPY", "STORE", "EXPUNGE"])])
def test_capabilities_announced_after_the_login_are_used(
    mailbox: Any, monkeypatch: pytest.MonkeyPatch, late: str, commands: list[str]
) -> None:
    monkeypatch.setattr(LateKeeping, "late", late)
    assert email_move_imap(mailbox, [7], "Archive")["moved"] == [7]
    assert LateKeeping.commands[1:] == commands


def test_a_server_that_cannot_move_is_refused(mailbox: Any) -> None:
    with pytest.raises(ToolError, match="neither MOVE nor UIDPLUS"):
        email_move_imap(mailbox, [7], "Archive")


def test_the_messages_of_the_folder_are_listed_once(mailbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LateKeeping, "late", "MOVE")
    assert email_move_imap(mailbox, [9, 8, 7, 9], "Archive")["moved"] == [9, 7]
    assert LateKeeping.commands == ["SEARCH", "MOVE"]
