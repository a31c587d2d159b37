"""Parses call destinations (E.164 numbers and SIP URIs), and checks them against the operator's allow-list."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from retinue.core.errors import ValidationFailed
from retinue.voice.calls.phone_numbers import is_e164, is_too_short, to_e164

_SIP = re.compile(
    r"(?P<scheme>sips?):(?P<user>[A-Za-z0-9_.!~*'()&=+$,/-]{1,64})@"
    r"(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)"
    r"(?::(?P<port>[0-9]{1,5}))?(?:;transport=(?P<transport>udp|tcp|tls))?",
    re.IGNORECASE,
)
"""RFC 3261, section 19.1, without passwords, headers, escapes and parameters other than the transport."""

_PORTS = {"sip": 5060, "sips": 5061}

Transport = Literal["udp", "tcp", "tls"]


@dataclass(frozen=True, slots=True)
class SipAddress:
    """A parsed SIP URI."""

    user: str
    host: str
    port: int
    transport: Transport

    def uri(self, host: str | None = None) -> str:
        """Return the URI, with `host` instead of its own host if given."""
        return f"sip:{self.user}@{host or self.host}:{self.port};transport={self.transport}"

    @property
    def plain(self) -> str:
        """The form that patterns match."""
        return f"sip:{self.user}@{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class PhoneNumber:
    """A number in E.164 form, with the plus sign."""

    digits: str

    @property
    def plain(self) -> str:
        """The form that patterns match."""
        return self.digits


Destination = SipAddress | PhoneNumber


def parse_destination(text: str, field: str = "to") -> Destination:
    """Parse a destination that is dialled as it is. Raises `ValidationFailed` naming the field.

    Must not run on the event loop.
    """
    if is_too_short(text, None):
        raise _too_short(text, None, field)
    destination = PhoneNumber(text) if is_e164(text) else _parse_address(text)
    if destination is None:
        raise ValidationFailed(
            f"{field}: must be a phone number in E.164 format, such as +441632960123, or a SIP URI, such as "
            "sip:alice@example.com or sip:alice@example.com:5070;transport=tcp."
        )
    return destination


def parse_written_destination(text: str, country: str | None, field: str = "to") -> Destination:
    """Parse a destination as people write it, with numbers of `country` in national format.

    Raises `ValidationFailed` naming the field. Must not run on the event loop.
    """
    if destination := _parse_address(text):
        return destination
    if number := to_e164(text, country):
        return PhoneNumber(number)
    if is_too_short(text, country):
        raise _too_short(text, country, field)
    if country:
        raise ValidationFailed(
            f"{field}: must be a phone number of {country}, one with a plus sign and a country code, such as "
            "+44 1632 960123, or a SIP URI, such as sip:alice@example.com."
        )
    raise ValidationFailed(
        f"{field}: must be a phone number with a plus sign and a country code, such as +44 1632 960123, or a SIP URI, "
        "such as sip:alice@example.com. Send a number without a country code together with its country, such as GB."
    )


def _too_short(text: str, country: str | None, field: str) -> ValidationFailed:
    if country:
        return ValidationFailed(
            f"{field}: {text} is too short for a phone number of {country}. Send it with its area code, or with a plus "
            "sign and a country code, such as +44 1632 960123."
        )
    return ValidationFailed(
        f"{field}: {text} is too short for a phone number. Send it with its country code and all its digits, such as "
        "+441632960123."
    )


def _parse_address(text: str) -> SipAddress | None:
    match = _SIP.fullmatch(text)
    port = int(match["port"] or _PORTS[match["scheme"].lower()]) if match else 0
    if not match or not 0 < port < 65_536:
        return None
    return SipAddress(match["user"], match["host"].lower(), port, _transport(match))


def _transport(match: re.Match[str]) -> Transport:
    if match["scheme"].lower() == "sips":
        return "tls"
    named = (match["transport"] or "udp").lower()
    return "tls" if named == "tls" else "tcp" if named == "tcp" else "udp"


class AllowedDestinations:
    """The operator's patterns, such as `sip:*@example.com:*` and `+44*`. Without patterns, no calls are allowed.

    `*` matches any characters except `@` and `:`, so that a user part cannot imitate a host. A URI pattern without a
    port allows the standard ports.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = [_compile(pattern) for pattern in patterns]

    def check(self, destination: Destination) -> None:
        """Raise `ValidationFailed` if no pattern allows the destination."""
        if not any(pattern.fullmatch(destination.plain) for pattern in self._patterns):
            raise ValidationFailed(
                f"to: calls to {destination.plain} are not allowed on this server. The operator can allow "
                "destinations with RETINUE_SIP_DESTINATIONS."
            )


def _compile(pattern: str) -> re.Pattern[str]:
    scheme, _, rest = pattern.strip().partition(":")
    if scheme.lower() not in _PORTS:
        return re.compile("[0-9]*".join(map(re.escape, pattern.strip().split("*"))))
    user, _, place = rest.partition("@")
    has_port = ":" in place.rpartition("]")[2]
    ports = "" if has_port else ":506[01]"
    if place.startswith("*"):
        # An IPv6 address in brackets contains colons, which `*` otherwise does not match.
        return re.compile(f"sip:{_parts(user)}@(?:[^@:]*|\\[[0-9a-f:.]*\\]){_parts(place[1:].lower())}{ports}")
    return re.compile(f"sip:{_parts(user)}@{_parts(place.lower())}{ports}")


def _parts(pattern: str) -> str:
    return "[^@:]*".join(map(re.escape, pattern.split("*")))
