"""Parts of e-mail messages: headers, addresses, dates and text."""

import email.policy
import re
from email import message_from_bytes
from email.errors import MessageError
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path

from retinue.sdk import ToolError
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._samples import FILE

_MOST_BYTES = 60_000_000

_EML = (
    "From: =?utf-8?q?Ann_=C3=96ther?= <ann@example.org>\r\nTo: Bob <bob@example.net>, carl@example.com\r\n"
    "Subject: =?utf-8?b?RWJiZSDinJM=?=\r\nDate: Fri, 02 Jan 2026 03:04:05 +0100\r\nMessage-ID: <1@example.org>\r\n"
    'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    "--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    'Gr=FC=DFe\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="t.csv"\r\n'
    "Content-Transfer-Encoding: base64\r\n\r\nYSxiCg==\r\n--b--\r\n"
)
SAMPLE_FILE = {FILE: samples.encode(_EML)}


def read_content(file: str) -> bytes:
    if Path(file).stat().st_size > _MOST_BYTES:
        raise ToolError("The file has more than 60 MB. Split it first.")
    return Path(file).read_bytes()


def parse_message(content: bytes, *, headers_only: bool = False) -> EmailMessage:
    """Parse a message. The parser accepts any text; without a known header it is not a message."""
    if headers_only:
        content = re.split(rb"\r?\n\r?\n", content, maxsplit=1)[0] + b"\n\n"
    message = message_from_bytes(content, policy=email.policy.default)
    known = ("from", "to", "subject", "date", "message-id", "received", "content-type", "return-path")
    if not headers_only and not any(message.keys() and name in message for name in known):
        raise ToolError("The file is not an e-mail: it has no headers such as From and Subject.")
    return message


def header_of(message: EmailMessage, name: str) -> str | None:
    """Return a decoded header, or the raw header if it is invalid. Half of a surrogate pair is shown as a replacement
    mark.
    """
    try:
        value = str(message[name] or "")
    except (MessageError, ValueError, LookupError, AttributeError, TypeError):
        value = next((str(raw) for key, raw in message.raw_items() if key.lower() == name), "")
    clean = " ".join(value.encode("utf-8", "replace").decode().replace("\0", "").split())
    return clean[:5000] or None


def addresses_of(message: EmailMessage, name: str) -> list[str]:
    header = header_of(message, name)
    pairs = getaddresses([header or ""])
    found = [f"{person} <{address}>" if person else address for person, address in pairs if address or person]
    return found[:500] or ([header] if header else [])


def date_of(message: EmailMessage) -> str | None:
    try:
        return parsedate_to_datetime(header_of(message, "date") or "").isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
