"""Mailbox files (mbox): listing, and extraction of messages."""

import re
from collections.abc import Iterator
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._mail_parsing import (
    SAMPLE_FILE,
    addresses_of,
    date_of,
    header_of,
    parse_message,
    read_content,
)
from retinue_tools.documents._samples import FILE

_MOST_MESSAGES = 50_000

_BOX = {
    FILE: samples.encode(
        "From ann@example.org Fri Jan  2 03:04:05 2026\nFrom: ann@example.org\nSubject: One\n\nfirst\n>From here\n\n"
        "From bob@example.net Sat Jan  3 03:04:05 2026\nFrom: bob@example.net\nSubject: Two\n"
        "Date: Sat, 03 Jan 2026 03:04:05 +0000\n\nsecond\n"
    )
}


class Listed(TypedDict):
    """A message of a mailbox."""

    number: Annotated[int, About("Position in the mailbox, from 1")]
    subject: Annotated[str | None, About("Subject")]
    sender: Annotated[str | None, About("Sender")]
    date: Annotated[str | None, About("Date of the message, ISO 8601")]
    size: Annotated[int, About("Size in bytes")]


class Mailbox(TypedDict):
    """A mailbox."""

    messages: Annotated[list[Listed], About("Requested messages")]
    total: Annotated[int, About("Number of matching messages")]


class Extracted(TypedDict):
    """Messages as files."""

    files: Annotated[list[OutputFile], About("One .eml file for each message")]


@tool(
    tags="email mbox mailbox list messages archive search subject sender",
    use_when=(
        "Which messages are in this .mbox file?",
        "Find the mails of bob@example.net in the mailbox export",
        "How many messages has the archive?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "messages": [
                    {"number": 1, "subject": "One", "sender": "ann@example.org", "date": None},
                    {"number": 2, "subject": "Two", "sender": "bob@example.net", "date": "2026-01-03T03:04:05+00:00"},
                ],
                "total": 2,
            },
            source="the messages that the file was written with (RFC 4155)",
            files=_BOX,
        ),
        Example(
            {"file": FILE, "query": "BOB", "limit": 1},
            {"messages": [{"number": 2, "subject": "Two"}], "total": 1},
            source="by hand",
            files=_BOX,
        ),
        Refusal({"file": FILE}, "not an mbox", files=SAMPLE_FILE),
    ),
    reply={
        "messages": "I found {total|message}: {messages}",
        "": "There is no such message in the mailbox.",
    },
    pace="normal",
)
def email_list_mbox(
    file: File,
    query: Annotated[
        str, About("Only messages with this text in subject or sender, ignoring case", max_length=200)
    ] = "",
    first: Annotated[int, About("Position of the first match to list", minimum=1, maximum=_MOST_MESSAGES)] = 1,
    limit: Annotated[int, About("Maximum number of messages", minimum=1, maximum=1000)] = 100,
) -> Mailbox:
    """List the messages of an mbox mailbox with subject, sender and date; search by words of subject or sender.

    Use it for mail exports. Use the numbers with email_extract_mbox, which returns whole messages.
    """
    found: list[Listed] = []
    for number, content in enumerate(_messages(read_content(file)), 1):
        head = parse_message(content, headers_only=True)
        subject, sender = header_of(head, "subject"), next(iter(addresses_of(head, "from")), None)
        if query.lower() in f"{subject}\n{sender}".lower():
            found.append(
                {"number": number, "subject": subject, "sender": sender, "date": date_of(head), "size": len(content)}
            )
    return {"messages": found[first - 1 : first - 1 + limit], "total": len(found)}


@tool(
    tags="email mbox extract message eml split mailbox export",
    use_when=(
        "Extract message 2 of the mailbox as an .eml file",
        "Split the mbox into single messages",
        "Get three mails out of the archive",
    ),
    examples=(
        Example(
            {"file": FILE, "numbers": [1]},
            {"files": ["message-1.eml"]},
            source="RFC 4155: the > before From is taken away",
            files=_BOX,
            then=(ExampleCall("email_parse_eml", {"file": "{made}"}, {"subject": "One", "text": "first\nFrom here"}),),
        ),
        Example(
            {"file": FILE},
            {"files": ["message-1.eml", "message-2.eml"]},
            source="both messages",
            files=_BOX,
        ),
        Refusal({"file": FILE, "numbers": [3]}, "has 2 messages", files=_BOX),
    ),
    reply={
        "files": "The messages as files: {files}",
        "": "There is no such message in the mailbox.",
    },
    pace="normal",
)
def email_extract_mbox(
    file: File,
    numbers: Annotated[
        list[Annotated[int, About("Position in the mailbox, from 1", 2, minimum=1, maximum=_MOST_MESSAGES)]] | None,
        About("Numbers of messages; default: the first 200", [2, 5], min_items=1, max_items=200),
    ] = None,
) -> Extracted:
    """Extract messages of an mbox mailbox as .eml files, which mail programs and email_parse_eml can open.

    Use email_list_mbox first for the numbers.
    """
    messages = list(_messages(read_content(file)))
    selected = numbers or range(1, min(len(messages), 200) + 1)
    if max(selected) > len(messages):
        raise ToolError(f"The mailbox has {len(messages)} messages.")
    return {"files": [save(f"message-{number}.eml", messages[number - 1]) for number in selected]}


def _messages(content: bytes) -> Iterator[bytes]:
    """Return the messages of a mailbox: each begins with a From line at the start or after an empty line (RFC 4155)."""
    starts = [match.start() for match in re.finditer(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\r\n]*\r?\n", content)]
    if starts[:1] != [0]:
        raise ToolError(
            "The file is not an mbox: it does not begin with a From line. For a single message, use email_parse_eml."
        )
    if len(starts) > _MOST_MESSAGES:
        raise ToolError(f"The mailbox has more than {_MOST_MESSAGES:,} messages. Split it first.")
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        message = content[content.index(b"\n", start) + 1 : end]
        yield re.sub(rb"(?m)^>(>*From )", rb"\1", message)
