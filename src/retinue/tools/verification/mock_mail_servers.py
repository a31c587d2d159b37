"""Loopback mail servers for the examples of tools: an SMTP server and an IMAP server.

Answers: `login` is a user name and a password, separated by a space. For IMAP, `folders` are names separated by
spaces, and `INBOX 7` is the message with the UID 7 in the INBOX.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from socketserver import StreamRequestHandler

Answers = Mapping[str, str]

_LITERAL = re.compile(rb"\{(\d+)\+?\}\r\n$")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def _is_permitted(answers: Answers, proof: str) -> bool:
    """Return whether the response of SASL PLAIN (RFC 4616) has the right name and password."""
    return base64.b64decode(proof).decode().split("\0")[1:] == answers["login"].split(" ", 1)


class SmtpHandler(StreamRequestHandler):
    """Accepts mail by SMTP (RFC 5321), and reports the received mail in its last answer."""

    answers: Answers

    def handle(self) -> None:
        """Answer commands until the client leaves."""
        recipients: list[str] = []
        self._say("220 mail.example.com ESMTP")
        for line in iter(self.rfile.readline, b""):
            command = line.decode().strip()
            match command.upper().split(" ")[0]:
                case "EHLO":
                    self._say("250-mail.example.com\r\n250-AUTH PLAIN\r\n250 8BITMIME")
                case "AUTH":
                    permitted = _is_permitted(self.answers, command.split()[2])
                    self._say("235 2.7.0 Welcome" if permitted else "535 5.7.8 Wrong name or password")
                case "RCPT":
                    recipients.append(command.partition(":")[2].strip("<> "))
                    self._say("550 5.1.1 No such user" if "nobody" in command else "250 2.1.5 Good")
                case "DATA":
                    self._say("354 Go on")
                    self._say(f"250 2.0.0 {_describe(self._message(), recipients)}")
                case "QUIT":
                    self._say("221 Bye")
                    return
                case _:
                    self._say("250 2.0.0 Good")

    def _message(self) -> bytes:
        return b"".join(iter(self.rfile.readline, b".\r\n"))

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")


def _describe(content: bytes, recipients: list[str]) -> str:
    message = message_from_bytes(content)
    files = [name for part in message.walk() if (name := part.get_filename())]
    return f"{message['Subject']} for {', '.join(recipients)} with {', '.join(files) or 'no files'}"


class ImapHandler(StreamRequestHandler):
    """Serves mail by IMAP (RFC 9051), limited to what the tools use; it confirms a move without making it."""

    answers: Answers
    folder = ""

    def handle(self) -> None:
        """Answer commands until the client leaves."""
        self._say("* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR MOVE UIDPLUS] Ready")
        while words := self._command():
            tag, verb = words[0], words[1].upper()
            answer = getattr(self, f"_{verb.lower()}", None)
            self._say(f"{tag} {answer(words[2:]) if answer else 'OK Done'}")
            if verb == "LOGOUT":
                return

    def _capability(self, words: list[str]) -> str:
        self._say("* CAPABILITY IMAP4rev1 AUTH=PLAIN MOVE UIDPLUS")
        return "OK Done"

    def _authenticate(self, words: list[str]) -> str:
        self._say("+ ")
        permitted = _is_permitted(self.answers, self.rfile.readline().decode().strip())
        return "OK Welcome" if permitted else "NO [AUTHENTICATIONFAILED] Wrong name or password"

    def _list(self, words: list[str]) -> str:
        for name in self.answers["folders"].split():
            self._say(f'* LIST (\\HasNoChildren) "/" "{name}"')
        return "OK Done"

    def _select(self, words: list[str]) -> str:
        self.folder = words[0]
        if self.folder not in self.answers["folders"].split():
            return "NO No such folder"
        self._say(f"* {len(list(self._uids()))} EXISTS\r\n* OK [UIDVALIDITY 1] Good")
        return "OK Done"

    _examine = _select

    def _uid(self, words: list[str]) -> str:
        requested = words[1].split(",")
        match words[0].upper():
            case "SEARCH":
                text = words[-1].lower() if "TEXT" in words or "SUBJECT" in words or "FROM" in words else ""
                found = [uid for uid in self._uids() if text in self.answers[f"{self.folder} {uid}"].lower()]
                self._say(f"* SEARCH {' '.join(found)}")
            case "FETCH":
                for number, uid in enumerate(self._uids(), 1):
                    if uid in requested:
                        self._fetch(number, uid, header="HEADER" in " ".join(words))
            case "MOVE":
                known = [uid for uid in self._uids() if uid in requested]
                self._say("".join(f"* OK [COPYUID 1 {uid} {uid}] Moved\r\n" for uid in known)[:-2])
        return "OK Done"

    def _fetch(self, number: int, uid: str, *, header: bool) -> None:
        content = self.answers[f"{self.folder} {uid}"].replace("\n", "\r\n").encode()
        body = content.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if header else content
        about = f"UID {uid} FLAGS (\\Seen) RFC822.SIZE {len(content)}"
        self.wfile.write(f"* {number} FETCH ({about} BODY[] {{{len(body)}}}\r\n".encode() + body + b")\r\n")

    def _uids(self) -> Iterator[str]:
        return (name.split(" ")[1] for name in self.answers if name.startswith(f"{self.folder} "))

    def _command(self) -> list[str]:
        """Return the words of a command, including literals (RFC 9051, section 4.3)."""
        line = self.rfile.readline()
        while found := _LITERAL.search(line):
            self._say("+ Go on")
            text = self.rfile.read(int(found[1])).decode()
            line = line[: found.start()] + f'"{text}"'.encode() + self.rfile.readline()
        return [quoted or plain for quoted, plain in _QUOTED.findall(line.decode().strip())]

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")
