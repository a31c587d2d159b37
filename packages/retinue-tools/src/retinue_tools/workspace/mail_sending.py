"""Sending e-mail."""

import mimetypes
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, getaddresses, make_msgid, parseaddr
from pathlib import Path
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleConnection, File, MailConnection, MockServer, Refusal, ToolError, tool
from retinue.sdk.mail import smtp

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_MOST_BYTES = 25_000_000
_SERVER = {"smtp": MockServer("smtp", {"login": "ann@example.com app-password"})}
_SMTP = {"host": "127.0.0.1", "port": "{smtp.port}", "security": "none"}
_RIGHT = {
    "work-mail": ExampleConnection("mail", {"user": "ann@example.com", "smtp": _SMTP}, {"password": "app-password"})
}
_WRONG = {
    "work-mail": ExampleConnection("mail", {"user": "ann@example.com", "smtp": _SMTP}, {"password": "the-wrong-one"})
}
_LOGIN = {"connection": "work-mail"}

Address = Annotated[
    str, About("Address, with or without a name", "Bob <bob@example.net>", min_length=3, max_length=320)
]


Addresses = Annotated[list[Address], About("Addresses", ["Bob <bob@example.net>"], max_items=50)]
Name = Annotated[str, About("Name", "tides.csv", max_length=200)]


class Copies(TypedDict, total=False):
    """Other addresses of a message besides its recipients."""

    cc: Annotated[Addresses, About("Copies to", ["carl@example.org"])]
    bcc: Annotated[Addresses, About("Blind copies to", ["dora@example.org"])]
    reply_to: Annotated[Addresses, About("Reply-To address", ["office@example.com"])]
    sender: Annotated[str, About("From address, if it differs from the login name", "ann@example.com", max_length=320)]


class Sent(TypedDict):
    """A sent message."""

    message_id: Annotated[str, About("Message ID")]
    recipients: Annotated[list[str], About("Accepted recipients")]
    refused: Annotated[list[str], About("Rejected recipients")]
    answer: Annotated[str, About("Final response of the server")]


@tool(
    tags="email send smtp mail message attachment write to deliver",
    use_when=(
        "Send an e-mail to bob@example.net that the report is ready",
        "Mail this PDF to the team",
        "Send a mail by my connection work-mail",
        "Send an email to my boss",
        "Email my teacher that I am ill",
        "Write an email to the landlord and send it",
        "Send a mail",
    ),
    examples=(
        Example(
            {**_LOGIN, "to": ["Bob <bob@example.net>"], "subject": "High water", "text": "At nine."},
            {
                "recipients": ["bob@example.net"],
                "refused": [],
                "answer": "2.0.0 High water for bob@example.net with no files",
            },
            source="the stand-in server tells what came",
            servers=_SERVER,
            connections=_RIGHT,
        ),
        Example(
            {
                **_LOGIN,
                "to": ["bob@example.net"],
                "copies": {"bcc": ["carl@example.org", "nobody@example.org"]},
                "subject": "Tides",
                "text": "See the table.",
                "html": "<p>See the <b>table</b>.</p>",
                "files": [_FILE],
                "file_names": ["tides.csv"],
            },
            {
                "recipients": ["bob@example.net", "carl@example.org"],
                "refused": ["nobody@example.org"],
                "answer": "2.0.0 Tides for bob@example.net, carl@example.org, nobody@example.org with tides.csv",
            },
            source="the stand-in server tells what came, and knows nobody",
            files={_FILE: "YSxiCg=="},
            servers=_SERVER,
            connections=_RIGHT,
        ),
        Refusal(
            {**_LOGIN, "to": ["bob@example.net"], "subject": "a", "text": "b"},
            "Check the user and the app password",
            servers=_SERVER,
            connections=_WRONG,
        ),
        Refusal(
            {**_LOGIN, "to": ["no address"], "subject": "a", "text": "b"},
            "not an address",
            servers=_SERVER,
            connections=_RIGHT,
        ),
        Refusal(
            {**_LOGIN, "to": ["bob@example.net"], "subject": "a", "text": "b"},
            "certificate",
            servers={"tls": MockServer("tls", {"name": "mail.example.com", "days": "30"})},
            connections={
                "work-mail": ExampleConnection(
                    "mail",
                    {"user": "ann@example.com", "smtp": {"host": "127.0.0.1", "port": "{tls.port}"}},
                    {"password": "app-password"},
                )
            },
        ),
        Refusal({**_LOGIN, "to": ["bob@example.net"], "subject": "a", "text": "b"}, "You have no connection work-mail"),
    ),
    reply={
        "refused, recipients": "I sent the e-mail to {recipients}, but the server refused {refused}.",
        "recipients": "I sent the e-mail \u201c{args.subject}\u201d to {recipients}.",
        "refused": "The server refused {refused}, so the e-mail was not sent.",
        "": "I sent the e-mail.",
    },
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="long",
)
def email_send_smtp(
    connection: MailConnection,
    to: Annotated[list[Address], About("Recipients", ["Bob <bob@example.net>"], min_items=1, max_items=50)],
    subject: Annotated[str, About("Subject", "High water", max_length=500)],
    text: Annotated[str, About("Body as plain text", "High water is at nine.", max_length=200_000)],
    html: Annotated[str, About("Optional HTML version of the body", max_length=200_000)] = "",
    copies: Annotated[Copies, About("Other addresses", {"cc": ["carl@example.org"]})] | None = None,
    files: Annotated[list[File], About("Files to attach", [_FILE], max_items=20)] | None = None,
    file_names: Annotated[list[Name], About("File names in the message", ["tides.csv"], max_items=20)] | None = None,
) -> Sent:
    """Send an e-mail through the SMTP server of your provider, with copies and attached files.

    Use it to send a message now; email_create_eml creates one without sending it. Returns the recipients that the
    server accepted.
    """
    more = copies or {}
    sender = more.get("sender") or connection["settings"]["user"]
    cc, bcc = more.get("cc", []), _check(more.get("bcc", []))
    message = _message({"From": [sender], "To": to, "Cc": cc, "Reply-To": more.get("reply_to", [])})
    _fill(message, subject, text, html)
    _attach(message, files or [], file_names or [])
    recipients = [address for _, address in getaddresses([*to, *cc, *bcc])]
    with smtp(connection) as server:
        server.ehlo_or_helo_if_needed()
        server.mail(parseaddr(sender)[1])
        refused = [whom for whom in recipients if server.rcpt(whom)[0] >= 300]
        if len(refused) == len(recipients):
            raise ToolError(f"The server does not accept mail for {', '.join(refused[:5])}. Check the addresses.")
        code, answer = server.data(message.as_bytes(policy=SMTP))
        if code != 250:
            raise ToolError(f"The server rejects the message: {code} {answer.decode(errors='replace')[:200]}.")
    return {
        "message_id": str(message["Message-ID"]),
        "recipients": [whom for whom in recipients if whom not in refused],
        "refused": refused,
        "answer": answer.decode(errors="replace")[:500],
    }


def _message(addresses: dict[str, list[str]]) -> EmailMessage:
    message = EmailMessage()
    try:
        for name, values in addresses.items():
            if values:
                message[name] = ", ".join(_check(values))
    except (ValueError, IndexError, MessageError) as error:
        raise ToolError(f"The addresses cannot be encoded: {str(error)[:200]}.") from error
    message["Date"] = formatdate(localtime=False)
    message["Message-ID"] = make_msgid(domain="retinue.invalid")
    return message


def _check(addresses: list[str]) -> list[str]:
    """Return the addresses. Raises `ToolError` for an invalid one."""
    for address in addresses:
        bare = parseaddr(address)[1]
        local, at, domain = bare.rpartition("@")
        if not (at and local and domain) or not bare.isprintable() or " " in bare or "\n" in address or "\r" in address:
            raise ToolError(f"{address[:100]!r} is not an address. Write it as Bob <bob@example.net>.")
    return addresses


def _fill(message: EmailMessage, subject: str, text: str, html: str) -> None:
    try:
        message["Subject"] = " ".join(subject.split())
        message.set_content(text)
        if html:
            message.add_alternative(html, subtype="html")
    except (ValueError, MessageError) as error:
        raise ToolError(f"The message cannot be encoded: {str(error)[:200]}.") from error


def _attach(message: EmailMessage, files: list[str], names: list[str]) -> None:
    if sum(Path(file).stat().st_size for file in files) > _MOST_BYTES:
        raise ToolError("The files exceed 25 MB in total, which mail servers do not accept. Send links.")
    for number, file in enumerate(files):
        name = names[number] if number < len(names) else f"file-{number + 1}"
        name = "".join(sign for sign in name if sign.isprintable()) or "file"
        kind, _, subtype = (mimetypes.guess_type(name)[0] or "application/octet-stream").partition("/")
        message.add_attachment(Path(file).read_bytes(), maintype=kind, subtype=subtype, filename=name)
