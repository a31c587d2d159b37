"""Tracing of mails by their headers (RFC 5321, RFC 8601)."""

import re
from datetime import datetime
from email import message_from_string
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SAMPLE = """Received: from mx.example.net (mx.example.net [198.51.100.7])
\tby mail.example.com with ESMTPS id abc; Tue, 03 Mar 2026 10:00:07 +0000
Received: from laptop (unknown [192.0.2.4])
\tby mx.example.net with ESMTPA; Tue, 03 Mar 2026 11:00:05 +0100
Authentication-Results: mail.example.com; spf=pass smtp.mailfrom=example.net; dkim=fail header.d=example.net; dmarc=pass
From: "Ann" <ann@example.net>
Reply-To: other@example.org
Return-Path: <bounce@example.net>
Subject: Hello
Date: Tue, 03 Mar 2026 11:00:04 +0100
Message-ID: <1@example.net>
"""


class Hop(TypedDict):
    """A server that relayed the mail."""

    sender: Annotated[str, About("Sending server, as stated by itself")]
    ip: Annotated[str | None, About("Address of the sending server, as seen by the receiver")]
    receiver: Annotated[str, About("Receiving server")]
    protocol: Annotated[str, About("Protocol, such as ESMTPS; S means encryption, A means a login")]
    encrypted: Annotated[bool, About("Whether the hop was encrypted, as stated by the server")]
    time: Annotated[str | None, About("Time in ISO 8601")]
    delay_s: Annotated[int | None, About("Seconds since the previous hop")]


class Trace(TypedDict):
    """Path of a mail and its authentication results."""

    hops: Annotated[list[Hop], About("Servers from the sender to the receiver")]
    total_s: Annotated[int | None, About("Seconds from the first to the last hop")]
    origin_ip: Annotated[str | None, About("Address of the first hop that states one")]
    authentication: Annotated[
        dict[str, str], About("Results of spf, dkim, dmarc and arc in the topmost authentication header")
    ]
    from_address: Annotated[str, About("Address of the From header")]
    return_path: Annotated[str, About("Return path address")]
    reply_to: Annotated[str, About("Reply-To address")]
    subject: Annotated[str, About("Subject")]
    warnings: Annotated[list[str], About("Suspicious observations")]


@tool(
    tags="email header trace received spf dkim dmarc hops delay phishing spoof origin ip",
    use_when=(
        "Trace the route of this email by its headers",
        "Did the mail pass SPF, DKIM and DMARC?",
        "Where was the message delayed, and which IP did it come from?",
        "Is this email real or fake?",
    ),
    examples=(
        Example(
            {"headers": _SAMPLE},
            {
                "hops": [
                    {
                        "sender": "laptop",
                        "ip": "192.0.2.4",
                        "receiver": "mx.example.net",
                        "protocol": "ESMTPA",
                        "encrypted": False,
                        "time": "2026-03-03T11:00:05+01:00",
                        "delay_s": None,
                    },
                    {
                        "sender": "mx.example.net",
                        "ip": "198.51.100.7",
                        "receiver": "mail.example.com",
                        "protocol": "ESMTPS",
                        "encrypted": True,
                        "time": "2026-03-03T10:00:07+00:00",
                        "delay_s": 2,
                    },
                ],
                "total_s": 2,
                "origin_ip": "192.0.2.4",
                "authentication": {"spf": "pass", "dkim": "fail", "dmarc": "pass"},
                "warnings": [
                    "DKIM failed.",
                    "Answers go to another domain than that of From: example.org.",
                    "A hop was not encrypted.",
                ],
            },
            source="by hand, in the forms of RFC 5321, section 4.4, and RFC 8601",
        ),
        Refusal({"headers": "just a text"}, "no mail headers"),
    ),
    reply={
        "origin_ip, hops": "The mail came from {origin_ip} by these servers: {hops}",
        "hops": "The mail came by these servers: {hops}",
        "origin_ip": "The mail came from {origin_ip}.",
        "": "The headers do not name any servers.",
    },
)
def email_trace_headers(
    headers: Annotated[str, About("Headers from the source of a mail", _SAMPLE, max_length=200_000)],
) -> Trace:
    """Trace a mail by its headers: servers, delays, origin, SPF, DKIM and DMARC results, and signs of forgery.

    Use it to check a suspicious mail. Headers below those of your own server may be forged.
    """
    mail = message_from_string(headers.strip() + "\n\n")
    if not mail.keys():
        raise ToolError("The text contains no mail headers. Copy them from the source of the mail.")
    hops = _time_of([_hop(" ".join(str(value).split())) for value in reversed(mail.get_all("Received", [])[:100])])
    times = [datetime.fromisoformat(hop["time"]) for hop in hops if hop["time"]]
    verdicts = _verdicts(str(mail.get("Authentication-Results", "")))
    addresses = {name: _address(mail, name) for name in ("From", "Return-Path", "Reply-To")}
    return {
        "hops": hops,
        "total_s": int((times[-1] - times[0]).total_seconds()) if len(times) > 1 else None,
        "origin_ip": next((hop["ip"] for hop in hops if hop["ip"]), None),
        "authentication": verdicts,
        "from_address": addresses["From"],
        "return_path": addresses["Return-Path"],
        "reply_to": addresses["Reply-To"],
        "subject": str(mail.get("Subject", "")),
        "warnings": _warnings(hops, verdicts, addresses),
    }


def _hop(value: str) -> Hop:
    route, _, date = value.rpartition(";")
    sender, receiver, protocol = (re.search(rf"\b{word}\s+([^\s;()]+)", route) for word in ("from", "by", "with"))
    address = re.search(r"\[(?:IPv6:)?([0-9A-Fa-f.:]{3,45})\]", route)
    kind = protocol[1].upper() if protocol else ""
    return {
        "sender": sender[1] if sender else "",
        "ip": address[1] if address else None,
        "receiver": receiver[1] if receiver else "",
        "protocol": kind,
        "encrypted": kind in ("ESMTPS", "ESMTPSA", "LMTPS", "LMTPSA", "UTF8SMTPS", "HTTPS") or "TLS" in route,
        "time": _time(date),
        "delay_s": None,
    }


def _time(text: str) -> str | None:
    try:
        moment = parsedate_to_datetime(re.sub(r"\([^)]*\)", "", text).strip())
        return moment.astimezone().isoformat() if moment.tzinfo is None else moment.isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _time_of(hops: list[Hop]) -> list[Hop]:
    """Return hops, with the delays between hops that state their time."""
    before: datetime | None = None
    for hop in hops:
        moment = datetime.fromisoformat(hop["time"]) if hop["time"] else None
        if moment and before:
            hop["delay_s"] = int((moment - before).total_seconds())
        before = moment or before
    return hops


def _verdicts(value: str) -> dict[str, str]:
    found = re.findall(r"\b(spf|dkim|dmarc|arc)\s*=\s*([a-z]+)", value.lower())
    return dict(reversed(found))


def _address(mail: Message, name: str) -> str:
    values = [str(value) for value in mail.get_all(name, [])]
    return next((address for _, address in getaddresses(values) if address), "")


def _warnings(hops: list[Hop], verdicts: dict[str, str], addresses: dict[str, str]) -> list[str]:
    domains = {name: address.rpartition("@")[2].lower() for name, address in addresses.items()}
    checks = {
        f"{name.upper()} failed.": verdicts.get(name) in ("fail", "softfail", "permerror")
        for name in ("spf", "dkim", "dmarc")
    }
    for name, text in (("Reply-To", "Answers go"), ("Return-Path", "Errors go")):
        other = domains[name]
        related = other.endswith(domains["From"]) or domains["From"].endswith(other)
        checks[f"{text} to another domain than that of From: {other}."] = bool(other) and not related
    checks["A hop was not encrypted."] = any(not hop["encrypted"] and hop["protocol"] for hop in hops)
    checks["A hop lies before the one that came earlier: a clock is wrong, or a header forged."] = any(
        (hop["delay_s"] or 0) < -60 for hop in hops
    )
    return [text for text, found in checks.items() if found]
