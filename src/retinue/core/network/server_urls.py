"""Types of the addresses in settings. A refusal is one line without the value, which may contain a password."""

import re
from collections.abc import Callable
from email.utils import parseaddr
from typing import Annotated

from pydantic import AfterValidator, SecretStr
from yarl import URL

from retinue.core.network.url_checks import is_url

_ROOT = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?/?")
"""A host and a port alone. The address becomes part of headers and pages, so its characters are few."""

_DATABASE_NUMBER = re.compile(r"(/\d*)?")
_BUCKET = re.compile(r"s3://[a-z0-9][a-z0-9.-]+[a-z0-9](/[^/]+)*")
_MAIL_ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}")
"""Matches a mail address, by the lengths of RFC 5321 (section 4.5.3.1)."""


def _rule(accepts: Callable[[str], bool], message: str) -> AfterValidator:
    """Return a validator that refuses a text with `message` unless it is accepted."""

    def check(text: str) -> str:
        if not accepts(text):
            raise ValueError(message)
        return text

    return AfterValidator(check)


def _secret_rule(accepts: Callable[[str], bool], message: str) -> AfterValidator:
    """Return the same for a secret text."""

    def check(secret: SecretStr) -> SecretStr:
        if not accepts(secret.get_secret_value()):
            raise ValueError(message)
        return secret

    return AfterValidator(check)


def _is_web_url(text: str) -> bool:
    return is_url(text, "http", "https") and not set("?#") & set(text)


def _is_root_url(text: str) -> bool:
    return is_url(text, "http", "https") and bool(_ROOT.fullmatch(text))


def _is_redis_url(text: str) -> bool:
    if text.startswith("unix://"):
        return text.startswith("unix:///") or "@/" in text
    return is_url(text, "redis", "rediss") and bool(_DATABASE_NUMBER.fullmatch(URL(text).path))


def _is_smtp_url(text: str) -> bool:
    return is_url(text, "smtp", "smtps") and not set("?#") & set(text) and URL(text).path in ("", "/")


def _is_sender(text: str) -> bool:
    return text.isprintable() and bool(_MAIL_ADDRESS.fullmatch(parseaddr(text)[1]))


WebUrl = Annotated[
    str, _rule(_is_web_url, "must be a URL such as https://example.com/v1, with http or https and without a query")
]
MirrorUrl = Annotated[
    str,
    _rule(
        lambda text: _is_web_url(text) and not text.endswith("/"),
        "must be a URL such as https://hub.example.com, without a query and without a slash at the end",
    ),
]
PublicUrl = Annotated[
    str,
    _rule(
        _is_root_url,
        "must be an address such as https://agents.example.com, without a path, a query or a user: serve Retinue at "
        "the root of a host",
    ),
]
LiveKitUrl = Annotated[
    str,
    _rule(lambda text: is_url(text, "ws", "wss", "http", "https"), "must be a URL such as wss://livekit.example.com"),
]
BucketUrl = Annotated[
    str, _rule(lambda text: bool(_BUCKET.fullmatch(text)), "must be s3://bucket or s3://bucket/prefix")
]
RedisUrl = Annotated[
    SecretStr,
    _secret_rule(
        _is_redis_url,
        "must be a URL such as redis://host:6379/0 or rediss://user:password@host, or unix:///path/of/the/socket",
    ),
]
SmtpUrl = Annotated[
    SecretStr,
    _secret_rule(
        _is_smtp_url,
        "must be a URL such as smtp://user:password@host:587 or smtps://host. Write @ and / in the password as %40 "
        "and %2F",
    ),
]
Sender = Annotated[str, _rule(_is_sender, "must be a mail address such as retinue@example.com")]
