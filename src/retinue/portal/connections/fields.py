"""Form fields of each kind of connection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


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


_SECURITY = {"tls": "TLS", "starttls": "STARTTLS", "none": "None, within your own network"}
_SECRET_FORM = "At least 8 characters, without spaces at its ends or line breaks."  # noqa: S105 - a hint


def _mail_server(name: str, label: str, purpose: str, example: str) -> Sequence[Field]:
    return (
        Field(f"settings.{name}.host", f"{label} server", purpose, example,
              form="The name of a server, such as mail.example.com."),
        Field(f"settings.{name}.port", f"{label} port", example="The usual", whole_number=True),
        Field(f"settings.{name}.security", f"{label} encryption", usual="tls", choices=_SECURITY),
    )  # fmt: skip


SHAPES: Mapping[str, KindForm] = {
    "http": KindForm("API on the web", "code", (
        Field("settings.base_url", "Address", "The secret is only sent to this address and the addresses below it.",
              "https://api.example.com/v1", required=True),
        Field("settings.type", "The secret is", usual="bearer", choices={
            "bearer": "A bearer token", "basic": "A password, with a user's name",
            "header": "The value of a header", "query": "The value of a query parameter",
        }),
        Field("settings.name", "Name of the user, header or parameter", "Not needed for a bearer token.", "X-API-Key",
              form="A name without spaces."),
        Field("secret.value", "Secret", "The token, the password, or the value.", required=True, form=_SECRET_FORM),
    )),
    "mail": KindForm("Mail account", "send", (
        Field("settings.user", "User", "User name for the login, often the e-mail address.", "ada@example.com",
              required=True, form="A name on one line."),
        Field("secret.password", "Password",
              "An app password, created in the account settings for this purpose.", required=True, form=_SECRET_FORM),
        *_mail_server("smtp", "SMTP", "Required for sending.", "smtp.example.com"),
        *_mail_server("imap", "IMAP", "Required for reading.", "imap.example.com"),
    )),
    "telegram": KindForm("Telegram bot", "message-square", (
        Field("secret.token", "Token", "@BotFather provides it when you create the bot.", required=True,
              form="It looks like 123456789:AAE… as provided by @BotFather."),
        Field("settings.api_url", "Address of the Bot API", usual="https://api.telegram.org", required=True),
    )),
    "chat_webhook": KindForm("Chat channel", "users", (
        Field("settings.service", "Service", "Mattermost and Rocket.Chat use the format of Slack.", usual="slack",
              choices={"slack": "Slack", "discord": "Discord", "teams": "Microsoft Teams"}),
        Field("secret.url", "Address of the incoming webhook",
              "Anyone can send messages with it, so it is stored as a secret.", required=True),
    )),
    "webhook": KindForm("Webhook of a program", "webhook", (
        Field("secret.url", "Address", "It may contain a secret, so it is stored as one.", required=True),
        Field("secret.signing_key", "Signing key",
              "Signs messages with HMAC-SHA256 in X-Signature-256. Leave it empty to send them unsigned."),
    )),
    "ntfy": KindForm("ntfy server", "zap", (
        Field("settings.server", "Address of the server", usual="https://ntfy.sh", required=True),
        Field("secret.token", "Access token", required=True, form=_SECRET_FORM),
    )),
    "s3": KindForm("Bucket", "folder", (
        Field("settings.endpoint", "Address of the service", "Of Amazon S3 in your region, or of a compatible service.",
              "https://s3.eu-central-1.amazonaws.com", required=True),
        Field("settings.region", "Region", usual="us-east-1", required=True),
        Field("secret.access_key_id", "ID of the access key", required=True),
        Field("secret.secret_access_key", "Secret of the access key", required=True, form=_SECRET_FORM),
    )),
}  # fmt: skip
"""The kinds by name."""
