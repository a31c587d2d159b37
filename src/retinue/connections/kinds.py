"""The kinds of connections, with the schemas of their settings and secrets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, ValidationError, model_validator
from yarl import URL

from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import Body
from retinue.core.http.validation_messages import describe_fields
from retinue.core.network.url_checks import web_address
from retinue.language.translation import gettext_noop

Json = dict[str, Any]
Part = TypeVar("Part", bound=Body)

SHORTEST_SECRET = 8
"""Minimum length of a secret in characters: redacting a shorter one would damage unrelated words."""


def _address(text: str) -> str:
    checked = web_address(text, "put them into the secret")
    if "#" in checked:
        raise ValueError("must not have a fragment")
    return checked


def _base_address(text: str) -> str:
    if "?" in _address(text):
        raise ValueError("must not have a query")
    return str(URL(text)).rstrip("/")


BaseAddress = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_base_address)]
SecretAddress = Annotated[
    str, Field(min_length=1, max_length=2000, repr=False, description="Its address."), AfterValidator(_address)
]
Password = Annotated[
    str,
    Field(
        min_length=SHORTEST_SECRET,
        max_length=500,
        pattern=r"^[^\x00-\x1f\x7f]+$",
        repr=False,
        description="An app password, created for this purpose in the settings of the mail account.",
    ),
]
Token = Annotated[str, Field(min_length=SHORTEST_SECRET, max_length=4096, pattern=r"^[!-~]([ -~]*[!-~])?$", repr=False)]


class Settings(Body):
    """What is shown of a connection."""

    def destinations(self) -> Sequence[str]:
        """The servers that the secret is sent to."""
        return ()


class Secret(Body):
    """What is encrypted, and never shown."""


class HttpSettings(Settings):
    """An API, and how it knows its caller."""

    base_url: BaseAddress = Field(description="The secret is only sent to this address and the addresses below it.")
    type: Literal["bearer", "basic", "header", "query"] = Field(
        "bearer", description="How the secret is sent: as a bearer token, a password, a header, or a query parameter."
    )
    name: Annotated[str, Field(max_length=200, pattern=r"^[!-~]*$")] = Field(
        "", description="Name of the header, the query parameter or the user. Not used for bearer tokens."
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type != "bearer" and not self.name:
            raise ValueError("requires the name of the header, the query parameter or the user")
        if self.type == "header" and not all(one.isalnum() or one in "!#$%&'*+-.^_`|~" for one in self.name):
            raise ValueError("requires the name of a header")
        return self

    def destinations(self) -> Sequence[str]:
        """The API."""
        return (self.base_url,)


class HttpSecret(Secret):
    """What the API knows its caller by."""

    value: Token = Field(description="The token, the password, or the value of the header or the parameter.")


class MailServer(Body):
    """A mail server."""

    host: str = Field(min_length=1, max_length=253, pattern=r"^[^\s/@]+$", description="Host name.")
    port: int | None = Field(None, ge=1, le=65_535, description="Port. Defaults to the standard port.")
    security: Literal["tls", "starttls", "none"] = Field(
        "tls", description="`tls` for implicit TLS, `starttls`, or `none` within your own network."
    )


class MailSettings(Settings):
    """A mail account at its servers."""

    user: str = Field(
        min_length=1, max_length=320, pattern=r"^[^\x00-\x1f\x7f]+$", description="User name for the login."
    )
    smtp: MailServer | None = Field(None, description="SMTP server. Required for sending.")
    imap: MailServer | None = Field(None, description="IMAP server. Required for reading.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.smtp is None and self.imap is None:
            raise ValueError("requires smtp, imap, or both")
        return self

    def destinations(self) -> Sequence[str]:
        """Both servers, with the way to reach them: without TLS a password can be read on its way."""
        return [f"{server.host} {server.port} {server.security}" for server in (self.smtp, self.imap) if server]


class MailSecret(Secret):
    """The password of a mail account."""

    password: Password


class TelegramSettings(Settings):
    """Where Telegram's Bot API is."""

    api_url: BaseAddress = Field("https://api.telegram.org", description="Address of the Bot API.")

    def destinations(self) -> Sequence[str]:
        """The Bot API."""
        return (self.api_url,)


class TelegramSecret(Secret):
    """A bot."""

    token: str = Field(
        max_length=100,
        pattern=r"^[0-9]+:[A-Za-z0-9_-]{2,}$",
        repr=False,
        description="Token of the bot, from @BotFather.",
    )


class ChatWebhookSettings(Settings):
    """A chat service."""

    service: Literal["slack", "discord", "teams"] = Field(
        description="Service of the webhook. Mattermost and Rocket.Chat accept the same format as Slack."
    )


class ChatWebhookSecret(Secret):
    """The incoming webhook of a channel: the address alone lets a message in."""

    url: SecretAddress


class WebhookSettings(Settings):
    """A webhook has no settings."""


class WebhookSecret(Secret):
    """A webhook of a program: its address, and what its messages are signed with."""

    url: SecretAddress
    signing_key: Annotated[str, Field(max_length=500, repr=False)] = Field(
        "", description="Key for signing messages with HMAC-SHA256 in the header X-Signature-256."
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.signing_key and len(self.signing_key) < SHORTEST_SECRET:
            raise ValueError(f"requires a signing_key of at least {SHORTEST_SECRET} characters, or none")
        return self


class NtfySettings(Settings):
    """An ntfy server."""

    server: BaseAddress = Field("https://ntfy.sh", description="Address of the server.")

    def destinations(self) -> Sequence[str]:
        """The server."""
        return (self.server,)


class NtfySecret(Secret):
    """An account of an ntfy server."""

    token: Token = Field(description="Access token.")


class S3Settings(Settings):
    """An object storage."""

    endpoint: BaseAddress = Field(
        description="Address of Amazon S3 in a region, such as https://s3.eu-central-1.amazonaws.com, or of a "
        "compatible service. The bucket is named in the path."
    )
    region: str = Field(
        "us-east-1", max_length=60, pattern=r"^[a-z0-9-]+$", description="Region, which is part of the signature."
    )

    def destinations(self) -> Sequence[str]:
        """The service."""
        return (self.endpoint,)


class S3Secret(Secret):
    """An access key."""

    access_key_id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[!-~]+$", repr=False)] = Field(
        description="ID of the access key."
    )
    secret_access_key: Token = Field(description="Secret of the access key.")


KindName = Literal["http", "mail", "telegram", "chat_webhook", "webhook", "ntfy", "s3"]


@dataclass(frozen=True, slots=True)
class ConnectionKind:
    """A kind of connection. `testable` kinds can be tested without sending anything."""

    description: str
    settings: type[Settings]
    secret: type[Secret]
    testable: bool = True


KINDS: Mapping[str, ConnectionKind] = {
    "http": ConnectionKind(
        gettext_noop("A web API with a token, a password, or a key in a header or a query parameter."),
        HttpSettings,
        HttpSecret,
    ),
    "mail": ConnectionKind(
        gettext_noop("A mail account for sending with SMTP and reading with IMAP."), MailSettings, MailSecret
    ),
    "telegram": ConnectionKind(gettext_noop("A Telegram bot for sending messages."), TelegramSettings, TelegramSecret),
    "chat_webhook": ConnectionKind(
        gettext_noop("An incoming webhook of a chat: Slack, Mattermost, Rocket.Chat, Discord or Microsoft Teams."),
        ChatWebhookSettings,
        ChatWebhookSecret,
        testable=False,
    ),
    "webhook": ConnectionKind(
        gettext_noop("A webhook of a program or a workflow: its URL and an optional key that signs messages."),
        WebhookSettings,
        WebhookSecret,
        testable=False,
    ),
    "ntfy": ConnectionKind(
        gettext_noop("An account on an ntfy server, for protected topics."), NtfySettings, NtfySecret
    ),
    "s3": ConnectionKind(
        gettext_noop("An access key of Amazon S3 or a compatible service, for buckets of documents."),
        S3Settings,
        S3Secret,
        testable=False,
    ),
}


def check_settings(kind: str, settings: Mapping[str, Any]) -> Settings:
    """Validate the settings of a connection. Raises `ValidationFailed`."""
    return _validate(KINDS[kind].settings, settings, "settings")


def check_secret(kind: str, secret: Mapping[str, Any]) -> Json:
    """Validate the secret of a connection. Raises `ValidationFailed`, whose message does not contain the secret."""
    return _validate(KINDS[kind].secret, secret, "secret").model_dump()


def _validate(model: type[Part], values: Mapping[str, Any], field: str) -> Part:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ValidationFailed(describe_fields(error, field)) from None
