"""Redact secrets from results: a server may echo the token that it received.

This module imports only the standard library, because the tools' worker processes use it too.
"""

import base64
import html
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

_SHORTEST_CUT = 8
"""Minimum characters of a truncated secret to redact; for longer secrets it is half their length."""

_SHORTEST_CHANGED = 12
"""Minimum characters of a secret to redact in another case: a shorter one may be an ordinary word."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """Secrets in each encoding in which they are sent, with their replacements. Longer forms come first."""

    forms: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, secrets: Iterable[str], owner: str, user: str = "") -> "Redaction":
        """Build a redaction such as "[secret of connection work-api]". `user` is the name that is sent with the
        secrets.
        """
        forms = {form for secret in secrets if secret for form in _forms(secret, user)}
        return cls(tuple((form, f"[secret of {owner}]") for form in sorted(forms, key=len, reverse=True)))

    def __add__(self, other: "Redaction") -> "Redaction":
        """Combine both redactions."""
        return Redaction(tuple(sorted({*self.forms, *other.forms}, key=lambda form: len(form[0]), reverse=True)))

    def __repr__(self) -> str:
        return f"Redaction({len(self.forms)} forms)"

    def text(self, text: str) -> str:
        """Redact a text, including truncated secrets."""
        for form, mark in self.forms:
            text = text.replace(form, mark)
        for form, mark in self.forms:
            text = _without_cut(text, form, mark)
        return text

    def content(self, content: bytes) -> bytes:
        """Redact bytes."""
        for form, mark in self.forms:
            content = content.replace(form.encode(), mark.encode())
        return content

    def value(self, value: Any) -> Any:
        """Redact all texts of a JSON value."""
        if not self.forms:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self.value(part) for name, part in value.items()}
        return [self.value(part) for part in value] if isinstance(value, list | tuple) else value


def _forms(secret: str, user: str) -> Iterator[str]:
    """Yield a secret as plain text, JSON, HTML, URL encoding, hex and Base64, alone or inside other bytes.

    A long secret is also covered in lower case, in upper case and backwards. Other transformations are not, such as
    compression, encryption, two encodings on top of each other, or a part that is shorter than half of the secret.
    """
    yield from (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], html.escape(secret))
    yield from (quote(secret), quote(secret, safe=""), quote_plus(secret))
    pairs = (secret, f"{user}:{secret}", f"\0{user}\0{secret}") if user else (secret,)
    yield from (base64.b64encode(pair.encode()).decode() for pair in pairs)
    content = secret.encode()
    if len(content) >= _SHORTEST_CUT:
        yield from (content.hex(), content.hex().upper())
        yield from _inside_base64(content)
    if len(secret) >= _SHORTEST_CHANGED:
        yield from (secret.lower(), secret.upper(), secret[::-1])
    if secret.startswith(("http://", "https://")) and len(rest := _after_host(secret)) >= _SHORTEST_CUT:
        yield rest


def _inside_base64(content: bytes) -> Iterator[str]:
    """Yield the characters that these bytes alone decide, for each position in a group of three bytes (RFC 4648).

    They are part of the Base64 of every text that contains the secret, such as "Bearer " and the secret.
    """
    for before in range(3):
        bits = 8 * (before + len(content))
        first, last = -(-8 * before // 6), bits // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(bytes(before) + content).decode()[first:last]


def _after_host(address: str) -> str:
    """Return the path and query of an address, its secret part."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _without_cut(text: str, form: str, mark: str) -> str:
    """Redact occurrences of the beginning of `form` that contain at least half of it."""
    if form.startswith(("http://", "https://")):
        return text
    head = form[: max(_SHORTEST_CUT, len(form) // 2)]
    at = text.find(head)
    while len(form) > _SHORTEST_CUT and at >= 0:
        end = at + len(head)
        while end < len(text) and end - at < len(form) and text[end] == form[end - at]:
            end += 1
        text = text[:at] + mark + text[end:]
        at = text.find(head, at + len(mark))
    return text
