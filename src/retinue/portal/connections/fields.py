"""Form fields of each kind of connection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retinue.language.translation import gettext_noop


@dataclass(frozen=True)
class Field:
    """An input. Its name is the path of its value, such as `settings.smtp.host`."""

    name: str
    label: str
    hint: str = ""
    example: str = ""
    required: bool = False
    usual: str = ""
    """Initial value in the form of a new connection."""
    choices: Mapping[str, str] = field(default_factory=dict)
    whole_number: bool = False
    form: str = ""
    """Error message for a value in the wrong format."""

    @property
    def secret(self) -> bool:
        """Return True if the value is encrypted and never shown."""
        return self.name.startswith("secret.")


@dataclass(frozen=True)
class KindForm:
    """Title, icon and fields of a kind."""

    title: str
    icon: str
    fields: Sequence[Field]


_SECURITY = {"tls": "TLS", "starttls": "STARTTLS", "none": gettext_noop("None, within your own network")}
_SECRET_FORM = gettext_noop("At least 8 characters, without spaces at its ends or line breaks.")


def _mail_server(name: str, labels: tuple[str, str, str], purpose: str, example: str) -> Sequence[Field]:
    """Return the fields of a mail server. `labels` are those of its host, its port and its encryption."""
    host, port, encryption = labels
    hint = gettext_noop("The name of a server, such as mail.example.com.")
    return (
        Field(f"settings.{name}.host", host, purpose, example, form=hint),
        Field(f"settings.{name}.port", port, example=gettext_noop("The usual"), whole_number=True),
        Field(f"settings.{name}.security", encryption, usual="tls", choices=_SECURITY),
    )


SHAPES: Mapping[str, KindForm] = {
    "http": KindForm(
        gettext_noop("API on the web"),
        "code",
        (
            Field(
                "settings.base_url",
                gettext_noop("Address"),
                gettext_noop("The secret is only sent to this address and the addresses below it."),
                "https://api.example.com/v1",
                required=True,
            ),
            Field(
                "settings.type",
                gettext_noop("The secret is"),
                usual="bearer",
                choices={
                    "bearer": gettext_noop("A bearer token"),
                    "basic": gettext_noop("A password, with a user's name"),
                    "header": gettext_noop("The value of a header"),
                    "query": gettext_noop("The value of a query parameter"),
                },
            ),
            Field(
                "settings.name",
                gettext_noop("Name of the user, header or parameter"),
                gettext_noop("Not needed for a bearer token."),
                "X-API-Key",
                form=gettext_noop("A name without spaces."),
            ),
            Field(
                "secret.value",
                gettext_noop("Secret"),
                gettext_noop("The token, the password, or the value."),
                required=True,
                form=_SECRET_FORM,
            ),
        ),
    ),
    "mail": KindForm(
        gettext_noop("Mail account"),
        "send",
        (
            Field(
                "settings.user",
                gettext_noop("User"),
                gettext_noop("User name for the login, often the e-mail address."),
                "ada@example.com",
                required=True,
                form=gettext_noop("A name on one line."),
            ),
            Field(
                "secret.password",
                gettext_noop("Password"),
                gettext_noop("An app password, created in the account settings for this purpose."),
                required=True,
                form=_SECRET_FORM,
            ),
            *_mail_server(
                "smtp",
                (gettext_noop("SMTP server"), gettext_noop("SMTP port"), gettext_noop("SMTP encryption")),
                gettext_noop("Required for sending."),
                "smtp.example.com",
            ),
            *_mail_server(
                "imap",
                (gettext_noop("IMAP server"), gettext_noop("IMAP port"), gettext_noop("IMAP encryption")),
                gettext_noop("Required for reading."),
                "imap.example.com",
            ),
        ),
    ),
    "telegram": KindForm(
        gettext_noop("Telegram bot"),
        "message-square",
        (
            Field(
                "secret.token",
                gettext_noop("Token"),
                gettext_noop("@BotFather provides it when you create the bot."),
                required=True,
                form=gettext_noop("It looks like 123456789:AAE… as provided by @BotFather."),
            ),
            Field(
                "settings.api_url",
                gettext_noop("Address of the Bot API"),
                usual="https://api.telegram.org",
                required=True,
            ),
        ),
    ),
    "chat_webhook": KindForm(
        gettext_noop("Chat channel"),
        "users",
        (
            Field(
                "settings.service",
                gettext_noop("Service"),
                gettext_noop("Mattermost and Rocket.Chat use the format of Slack."),
                usual="slack",
                choices={"slack": "Slack", "discord": "Discord", "teams": "Microsoft Teams"},
            ),
            Field(
                "secret.url",
                gettext_noop("Address of the incoming webhook"),
                gettext_noop("Anyone can send messages with it, so it is stored as a secret."),
                required=True,
            ),
        ),
    ),
    "webhook": KindForm(
        gettext_noop("Webhook of a program"),
        "webhook",
        (
            Field(
                "secret.url",
                gettext_noop("Address"),
                gettext_noop("It may contain a secret, so it is stored as one."),
                required=True,
            ),
            Field(
                "secret.signing_key",
                gettext_noop("Signing key"),
                gettext_noop(
                    "Signs messages with HMAC-SHA256 in X-Signature-256. Leave it empty to send them unsigned."
                ),
            ),
        ),
    ),
    "ntfy": KindForm(
        gettext_noop("ntfy server"),
        "zap",
        (
            Field("settings.server", gettext_noop("Address of the server"), usual="https://ntfy.sh", required=True),
            Field("secret.token", gettext_noop("Access token"), required=True, form=_SECRET_FORM),
        ),
    ),
    "s3": KindForm(
        gettext_noop("Bucket"),
        "folder",
        (
            Field(
                "settings.endpoint",
                gettext_noop("Address of the service"),
                gettext_noop("Of Amazon S3 in your region, or of a compatible service."),
                "https://s3.eu-central-1.amazonaws.com",
                required=True,
            ),
            Field("settings.region", gettext_noop("Region"), usual="us-east-1", required=True),
            Field("secret.access_key_id", gettext_noop("ID of the access key"), required=True),
            Field(
                "secret.secret_access_key", gettext_noop("Secret of the access key"), required=True, form=_SECRET_FORM
            ),
        ),
    ),
}
"""The kinds by name."""
