"""E-mail messages in .eml files: parsing, creation, and removal of quoted text."""

import email.policy
import mimetypes
import re
from collections.abc import Iterator, Sequence
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import getaddresses
from pathlib import Path
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, Text, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._html_trees import text_lines, tree_of
from retinue_tools.documents._mail_parsing import (
    SAMPLE_FILE,
    addresses_of,
    date_of,
    header_of,
    parse_message,
    read_content,
)
from retinue_tools.documents._samples import FILE, FILE_2

_MOST_PARTS = 500

_LONGEST_BODY = 1_000_000

_NO_MAIL = {FILE: samples.encode("no headers here\n")}

MailAddress = Annotated[
    str, About("Address, with or without a name", "Bob <bob@example.net>", min_length=3, max_length=320)
]
Addresses = Annotated[list[MailAddress], About("Addresses", ["Bob <bob@example.net>"], max_items=100)]


class Attachment(TypedDict):
    """A file in a message."""

    name: Annotated[str | None, About("Name in the message")]
    media_type: Annotated[str, About("Declared media type")]
    size: Annotated[int, About("Size in bytes")]
    inline: Annotated[bool, About("Whether it is displayed inline, such as pictures")]


class Message(TypedDict):
    """A message."""

    subject: Annotated[str | None, About("Subject")]
    sender: Annotated[str | None, About("From, name and address")]
    to: Annotated[list[str], About("To, names and addresses")]
    cc: Annotated[list[str], About("Copies to")]
    reply_to: Annotated[list[str], About("Reply-To address")]
    date: Annotated[str | None, About("Date of the message, ISO 8601")]
    message_id: Annotated[str | None, About("Message ID")]
    in_reply_to: Annotated[str | None, About("ID of the message that it answers")]
    text: Annotated[
        str, About("Plain-text body, converted from HTML if there is no other; at most 1,000,000 characters")
    ]
    html: Annotated[str | None, About("Original HTML body; not safe to display")]
    attachments: Annotated[list[Attachment], About("Attachments of the message")]
    files: Annotated[list[OutputFile], About("The saved attachments, in the same order; empty unless requested")]


class MadeMessage(TypedDict):
    """A created message."""

    file: OutputFile
    size: Annotated[int, About("Size in bytes")]


class Stripped(TypedDict):
    """A message without quoted text."""

    text: Annotated[str, About("Text of the author")]
    quoted: Annotated[str, About("Quoted earlier messages")]
    signature: Annotated[str, About("Signature")]


@tool(
    tags="email eml mail parse read message headers body attachments save",
    use_when=(
        "What does this .eml file say?",
        "Save the attachments of the e-mail",
        "Who sent this message, and when?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "subject": "Ebbe ✓", "sender": "Ann Öther <ann@example.org>",
                "to": ["Bob <bob@example.net>", "carl@example.com"], "date": "2026-01-02T03:04:05+01:00",
                "text": "Grüße", "html": None, "files": [],
                "attachments": [{"name": "t.csv", "media_type": "text/csv", "size": 4, "inline": False}],
            },
            source="RFC 2047 and RFC 2045 by hand: FC and DF are ü and ß in ISO 8859-1; YSxiCg== is a,b and a line end",
            files=SAMPLE_FILE,
        ),
        Example({"file": FILE, "save_attachments": True}, {"files": ["t.csv"]}, source="by hand", files=SAMPLE_FILE),
        Refusal({"file": FILE}, "not an e-mail", files=_NO_MAIL),
    ),
    reply={
        "subject, sender, text": "“{subject}” from {sender}: {text}",
        "subject, sender": "“{subject}” is from {sender} and has no text.",
        "sender, text": "The message from {sender}: {text}",
        "": "The message: {text}",
    },
    pace="normal",
)  # fmt: skip
def email_parse_eml(
    file: File, save_attachments: Annotated[bool, About("Whether to save the attachments")] = False
) -> Message:
    """Read an e-mail file (.eml): headers, body as text and HTML, and its attachments.

    Use it for exported or attached messages. Attachments are listed, and saved as files on request. Returns the message
    with decoded headers; for .mbox files with several messages, see email_list_mbox.
    """
    message = parse_message(read_content(file))
    parts = list(_attachments_of(message))
    files = (
        [save(part.get_filename() or f"part-{n}", _payload(part)) for n, part in enumerate(parts, 1)]
        if save_attachments
        else []
    )
    text, html = _body(message, "plain"), _body(message, "html")
    if text is None and html:
        text = _text_of_html(html)
    return {
        "subject": header_of(message, "subject"),
        "sender": next(iter(addresses_of(message, "from")), None),
        "to": addresses_of(message, "to"),
        "cc": addresses_of(message, "cc"),
        "reply_to": addresses_of(message, "reply-to"),
        "date": date_of(message),
        "message_id": header_of(message, "message-id"),
        "in_reply_to": header_of(message, "in-reply-to"),
        "text": (text or "").replace("\r\n", "\n").strip()[:_LONGEST_BODY],
        "html": html.replace("\r\n", "\n").strip()[:_LONGEST_BODY] if html else None,
        "attachments": [_describe(part) for part in parts],
        "files": files,
    }


@tool(
    tags="email eml create compose message attachments draft mime",
    use_when=(
        "Make an .eml file that I can open in my mail program",
        "Create an e-mail with two attachments as a file",
        "Build a draft with text and HTML",
    ),
    examples=(
        Example(
            {
                "sender": "Ann Öther <ann@example.org>",
                "to": ["bob@example.net"],
                "subject": "Ebbe ✓",
                "text": "Grüße\n",
                "attachments": [FILE_2],
                "attachment_names": ["t.csv"],
            },
            {"file": "message.eml"},
            source="by hand",
            files={FILE_2: samples.encode("a,b\n")},
            then=(
                ExampleCall(
                    "email_parse_eml",
                    {"file": "{made}"},
                    {
                        "sender": "Ann Öther <ann@example.org>", "to": ["bob@example.net"], "subject": "Ebbe ✓",
                        "text": "Grüße", "date": None,
                        "attachments": [{"name": "t.csv", "media_type": "text/csv", "size": 4}],
                    },
                ),
            ),
        ),
        Example(
            {"sender": "a@example.org", "to": ["b@example.net"], "subject": "S", "text": "t", "html": "<b>t</b>"},
            {"file": "message.eml"},
            source="by hand",
            then=(ExampleCall("email_parse_eml", {"file": "{made}"}, {"text": "t", "html": "<b>t</b>", "date": None}),),
        ),
        Refusal({"sender": "nobody", "to": ["b@example.net"], "subject": "S", "text": "t"}, "not an e-mail address"),
        Refusal({"sender": "a@b.c", "to": [], "subject": "x\r\nBcc: all@example.org", "text": "t"}, "line end"),
    ),
    reply="The e-mail as a file; it was not sent: {file}",
)  # fmt: skip
def email_create_eml(
    sender: Annotated[MailAddress, About("Sender", "Ann Other <ann@example.org>", min_length=3, max_length=320)],
    to: Addresses,
    subject: Annotated[str, About("Subject, one line", "Minutes of Monday", max_length=500)],
    text: Annotated[Text, About("Body as plain text")],
    html: Annotated[str | None, About("HTML version of the body", "<p>Dear Bob</p>", max_length=500_000)] = None,
    cc: Addresses | None = None,
    attachments: Annotated[list[File] | None, About("IDs of files to attach", [FILE_2], max_items=20)] = None,
    attachment_names: Annotated[
        list[Annotated[str, About("File name", "minutes.pdf", min_length=1, max_length=150)]] | None,
        About("Their names, in the same order", ["minutes.pdf"], max_items=20),
    ] = None,
) -> MadeMessage:
    """Create an e-mail message as an .eml file with text, HTML and attachments. It is not sent.

    Use it for drafts that people open in their mail program. Returns the file.
    """
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"] = _address(sender)
    message["To"] = [_address(one) for one in to]
    if cc:
        message["Cc"] = [_address(one) for one in cc]
    if re.search(r"[\r\n\x00]", subject):
        raise ToolError("The subject contains a line end. Write it on one line.")
    message["Subject"] = subject
    message.set_content(_encodable(text))
    if html is not None:
        message.add_alternative(_encodable(html), subtype="html")
    _attach(message, attachments or [], attachment_names or [])
    content = message.as_bytes()
    return {"file": save("message.eml", content), "size": len(content)}


@tool(
    tags="email quotes strip reply thread signature remove text clean",
    use_when=(
        "Remove the quoted messages from this reply",
        "What did she actually write in the mail?",
        "Cut signature and thread off the e-mail text",
    ),
    examples=(
        Example(
            {
                "text": "Fine with me.\n\n-- \nAnn Other\nHarbour office\n\n"
                "On Fri, 2 Jan 2026 at 03:04, Bob <bob@example.net> wrote:\n> Shall we sail?\n"
            },
            {
                "text": "Fine with me.", "signature": "Ann Other\nHarbour office",
                "quoted": "On Fri, 2 Jan 2026 at 03:04, Bob <bob@example.net> wrote:\n> Shall we sail?",
            },
            source="RFC 3676, sections 4.3 and 4.5: -- and a space begins a signature, > quotes",
        ),
        Example(
            {"text": "> Shall we?\nYes.\n\nVon: Bob\nGesendet: Montag\nAn: Ann\nBetreff: x\n\nalt\n"},
            {"text": "> Shall we?\nYes.", "quoted": "Von: Bob\nGesendet: Montag\nAn: Ann\nBetreff: x\n\nalt"},
            source="by hand: an answer between the lines keeps what it answers",
        ),
        Refusal({"text": "x" * 500_001}, "at most 500000"),
    ),
    reply={
        "text": "The author wrote: {text}",
        "": "The author wrote nothing besides the quoted text.",
    },
)  # fmt: skip
def email_strip_quotes(text: Text) -> Stripped:
    """Separate what the author of an e-mail wrote from quoted messages and the signature.

    Use it before summarising or classifying replies. It recognises the usual introductions of quotes in English,
    German, French, Spanish, Italian and Dutch.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    start = _quote_start(lines)
    own, quoted = lines[:start], lines[start:]
    mark = next((index for index, line in enumerate(own) if line in ("-- ", "--")), len(own))
    return {
        "text": "\n".join(own[:mark]).strip(),
        "quoted": "\n".join(quoted).strip(),
        "signature": "\n".join(own[mark + 1 :]).strip(),
    }


def _leaves(message: EmailMessage) -> Iterator[EmailMessage]:
    """Return the parts with content; an embedded message counts as one."""
    waiting: list[EmailMessage] = [message]
    seen = 0
    while waiting:
        part = waiting.pop(0)
        seen += 1
        if seen > _MOST_PARTS:
            raise ToolError(f"The message has more than {_MOST_PARTS} parts.")
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            waiting = [*inner, *waiting]
        else:
            yield part


def _attachments_of(message: EmailMessage) -> Iterator[EmailMessage]:
    for part in _leaves(message):
        body = part.get_content_type() in ("text/plain", "text/html")
        if part.get_filename() or part.get_content_disposition() == "attachment" or not body:
            yield part


def _payload(part: EmailMessage) -> bytes:
    if part.get_content_maintype() == "message" and part.is_multipart():
        return b"".join(inner.as_bytes() for inner in part.iter_parts())
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _describe(part: EmailMessage) -> Attachment:
    return {
        "name": part.get_filename(),
        "media_type": part.get_content_type(),
        "size": len(_payload(part)),
        "inline": part.get_content_disposition() != "attachment" and "content-id" in part,
    }


def _body(message: EmailMessage, subtype: str) -> str | None:
    """Return the first text part of a kind that is not an attachment."""
    for part in _leaves(message):
        if part.get_content_type() == f"text/{subtype}" and part.get_content_disposition() != "attachment":
            content, charset = _payload(part), part.get_content_charset() or "utf-8"
            try:
                return content.decode(charset, "replace").replace("\0", "")
            except (LookupError, ValueError):
                return content.decode("utf-8", "replace").replace("\0", "")
    return None


def _text_of_html(html: str) -> str:
    try:
        return text_lines(tree_of(html))
    except ToolError:
        return ""


def _address(text: str) -> Address:
    refusal = ToolError(f"{text[:100]} is not an e-mail address. Write it as bob@example.net or Bob <bob@example.net>.")
    pairs = getaddresses([text])
    if len(pairs) != 1 or not re.fullmatch(r"[^@\s]+@[^@\s]+", pairs[0][1]):
        raise refusal
    try:
        return Address(pairs[0][0], addr_spec=pairs[0][1])
    except (ValueError, IndexError, MessageError) as error:
        raise refusal from error


def _encodable(text: str) -> str:
    """Remove halves of surrogate pairs, which no charset can encode."""
    return text.encode("utf-8", "replace").decode()


def _attach(message: EmailMessage, files: Sequence[str], names: Sequence[str]) -> None:
    if len(files) != len(names):
        raise ToolError(f"There are {len(files)} attachments and {len(names)} names. Give one name for each.")
    if sum(Path(file).stat().st_size for file in files) > 25_000_000:
        raise ToolError("The attachments exceed 25 MB in total, which mail servers reject.")
    for file, name in zip(files, names, strict=True):
        if re.search(r"[\r\n\x00/\\]", name):
            raise ToolError(f"{name[:100]!r} is not a file name.")
        main, _, sub = (mimetypes.guess_type(name)[0] or "application/octet-stream").partition("/")
        message.add_attachment(Path(file).read_bytes(), maintype=main, subtype=sub, filename=_encodable(name))


_INTRODUCTION = re.compile(
    r"^\s*(?:On\b.{5,200}\bwrote|Am\b.{5,200}\bschrieb.*|Le\b.{5,200}\ba écrit|El\b.{5,200}\bescribió"
    r"|Il\b.{5,200}\bha scritto|Op\b.{5,200}\bschreef.*)\s?:\s*$"
)
_RULE = re.compile(
    r"^\s*-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Forwarded message)\s*-{2,}\s*$"
)
_HEADERS = re.compile(r"^\s*\*?(?:From|Von|De|Da|Van)\*?:\s")
_FURTHER = re.compile(r"^\s*\*?(?:Sent|Date|To|Gesendet|Datum|An|Envoyé|À|Enviado|Para|Inviato|Verzonden|Aan)\*?:\s")


def _quote_start(lines: Sequence[str]) -> int:
    """Return the first line from which on all text is earlier messages; the number of lines if there are none."""
    trailing = len(lines)
    while trailing and (lines[trailing - 1].startswith(">") or not lines[trailing - 1].strip()):
        trailing -= 1
    marked = next((index for index in range(trailing, len(lines)) if lines[index].startswith(">")), len(lines))
    return next((index for index in range(marked) if _introduces(lines[index : index + 4])), marked)


def _introduces(lines: Sequence[str]) -> bool:
    """Return whether the first of these lines, with the lines after it, introduces an earlier message."""
    first = lines[0]
    if len(first) > 500:
        return False
    if _RULE.match(first) or _INTRODUCTION.match(first) or _INTRODUCTION.match(" ".join(lines[:2])[:500]):
        return True
    return bool(_HEADERS.match(first)) and any(_FURTHER.match(other) for other in lines[1:])
