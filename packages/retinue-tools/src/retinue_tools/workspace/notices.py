"""Notices to people and programs elsewhere: webhooks, chats, and telephones."""

import hmac
from typing import Annotated, Any, Literal

import orjson
from typing_extensions import TypedDict

from retinue.sdk import (
    About,
    Alias,
    Connection,
    Example,
    Given,
    Refusal,
    Served,
    ToolError,
    ToolUnavailable,
    connection_of,
    tool,
)
from retinue.sdk.http import fetch

_JSON = {"Content-Type": "application/json"}
_ECHO = Served("{sent}", headers=_JSON)
"""A page that answers with what it was sent."""
_CARD = "application/vnd.microsoft.card.adaptive"
_SHOWN = 1000
_LONGEST_ON_DISCORD = 2000

_PLACE = "/services/T0/B0/secret"


def _hook(service: str) -> dict[str, Given]:
    """The connection of an example to a channel of a chat service."""
    return {"team-chat": Given("chat_webhook", {"service": service}, {"url": f"{{site}}{_PLACE}"})}


_SLACK, _DISCORD, _TEAMS = map(_hook, ("slack", "discord", "teams"))
_PROGRAM = {"build-hook": Given("webhook", {}, {"url": f"{{site}}{_PLACE}"})}
_SIGNED = {
    "build-hook": Given("webhook", {}, {"url": f"{{site}}{_PLACE}", "signing_key": "It's a Secret to Everybody"})
}
_BOT = {"my-bot": Given("telegram", {"api_url": "{site}"}, {"token": "1:abcdefgh"})}
_NTFY = {"my-ntfy": Given("ntfy", {"server": "{site}"}, {"token": "tk_12345678"})}

ChatConnection = Annotated[
    Connection,
    connection_of("chat_webhook", "Name of your connection to the channel: its incoming webhook", "team-chat"),
]
Notice = Annotated[str, About("The message", "The nightly backup is done.", min_length=1, max_length=4000)]
Title = Annotated[str, About("A line above the message", "Backup", max_length=200)]


class Delivered(TypedDict):
    """A notice that was taken."""

    status: Annotated[int, About("HTTP status of the answer, 200 to 299")]
    answer: Annotated[str, About("What was answered, its first 1,000 characters")]


@tool(
    tags="webhook post json notify send http callback trigger zapier n8n ifttt signed",
    use_when=(
        "Send this JSON to my webhook",
        "Trigger the n8n workflow of my connection build-hook",
        "Notify our server that the report is ready",
    ),
    examples=(
        Example(
            {"connection": "build-hook", "payload": {"event": "report.ready", "pages": 12}},
            {"status": 200, "answer": '{"event":"report.ready","pages":12}'},
            source="the stand-in answers with what it was sent",
            site={_PLACE: _ECHO},
            connections=_PROGRAM,
        ),
        Example(
            {"connection": "build-hook", "payload": {"a": 1}},
            {"answer": "sha256=3aea7d9882012d69ea49b8443b94e755179f85ee830bfa901efb5dc673af63a3"},
            source="HMAC-SHA256 (RFC 2104), computed with openssl dgst",
            site={_PLACE: Served("{x-signature-256}")},
            connections=_SIGNED,
        ),
        Refusal(
            {"connection": "build-hook", "payload": {"a": 1}},
            "answered 404",
            site={"/other": _ECHO},
            connections=_PROGRAM,
        ),
        Refusal({"connection": "https://example.com/hook", "payload": {}}, "connection must match the pattern"),
        Refusal({"connection": "build-hook", "payload": {}}, "You have no connection build-hook"),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_webhook(
    connection: Annotated[Connection, connection_of("webhook", "Name of your connection to the webhook", "build-hook")],
    payload: Annotated[dict[str, Any], About("JSON object to send", {"event": "report.ready", "pages": 12})],
) -> Delivered:
    """Post a JSON object to a webhook, signed where the connection has a key for it.

    Use it to start workflows and to tell other programs that something happened. Returns what was answered.
    """
    body, secret = orjson.dumps(payload), connection["secret"]
    key = secret["signing_key"].encode()
    signed = {"X-Signature-256": f"sha256={hmac.digest(key, body, 'sha256').hex()}"} if key else {}
    return _post("The webhook", secret["url"], body, signed)


@tool(
    tags="slack discord teams microsoft mattermost rocketchat chat message post notify channel server incoming webhook "
    "workflow adaptive card",
    use_when=(
        "Post 'Deploy finished' to our Slack channel",
        "Tell the team on Slack that the report is ready",
        "Send a message to Mattermost by its incoming webhook",
        "Post a message to our Discord channel",
        "Announce the release on Discord",
        "Send 'Server is back' to the Discord webhook",
        "Post to our Microsoft Teams channel that the build failed",
        "Send a Teams message by the workflow webhook",
        "Tell the Teams channel 'Sales report is ready'",
    ),
    examples=(
        Example(
            {"connection": "team-chat", "text": "Deploy *finished*", "service": "slack"},
            {"status": 200, "answer": '{"text":"Deploy *finished*"}'},
            source="Slack, Sending messages using incoming webhooks: a JSON object with text",
            site={_PLACE: _ECHO},
            connections=_SLACK,
        ),
        Example(
            {"connection": "team-chat", "text": "Done", "title": "Backup"},
            {"answer": '{"text":"*Backup*\\nDone"}'},
            source="Slack, Formatting text: asterisks are bold",
            site={_PLACE: _ECHO},
            connections=_SLACK,
        ),
        Example(
            {"connection": "team-chat", "text": "Server is back", "service": "discord"},
            {"answer": '{"content":"Server is back","allowed_mentions":{"parse":[]}}'},
            source="Discord, Execute Webhook: content, and mentions that are allowed",
            site={f"{_PLACE}?wait=true": _ECHO},
            connections=_DISCORD,
        ),
        Example(
            {"connection": "team-chat", "text": "Hi", "title": "Fog", "username": "Harbour bot"},
            {"answer": '{"content":"**Fog**\\nHi","allowed_mentions":{"parse":[]},"username":"Harbour bot"}'},
            source="Discord, Execute Webhook: username; two asterisks are bold in Markdown",
            site={f"{_PLACE}?wait=true": _ECHO},
            connections=_DISCORD,
        ),
        Example(
            {"connection": "team-chat", "text": "Sales report is ready", "service": "teams"},
            {
                "answer": '{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive",'
                '"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard",'
                '"version":"1.4","body":[{"type":"TextBlock","text":"Sales report is ready","wrap":true}]}}]}'
            },
            source="Microsoft Learn, Create incoming webhooks with Workflows: an adaptive card",
            site={_PLACE: _ECHO},
            connections=_TEAMS,
        ),
        Example(
            {"connection": "team-chat", "text": "Red", "title": "Build"},
            {"status": 202},
            source="Microsoft Learn",
            site={_PLACE: Served("", status=202)},
            connections=_TEAMS,
        ),
        Refusal(
            {"connection": "team-chat", "text": "Hi"},
            "Slack answered 404: no_service",
            site={_PLACE: Served("no_service", status=404)},
            connections=_SLACK,
        ),
        Refusal(
            {"connection": "team-chat", "text": "Hi", "service": "slack"},
            "is a webhook of discord, not of slack",
            site={_PLACE: _ECHO},
            connections=_DISCORD,
        ),
        Refusal({"connection": "team-chat", "text": "a" * 2001}, "2,000", site={_PLACE: _ECHO}, connections=_DISCORD),
        Refusal({"connection": "team-chat", "text": "Hi"}, "Teams answered 404", site={"/": _ECHO}, connections=_TEAMS),
        Refusal(
            {"connection": "team-chat", "text": "Hi", "username": "Bot"},
            "only Discord",
            site={_PLACE: _ECHO},
            connections=_TEAMS,
        ),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
    aliases=(
        Alias("notify_slack_webhook", constants={"service": "slack"}),
        Alias("notify_discord_webhook", constants={"service": "discord"}),
        Alias("notify_teams_webhook", constants={"service": "teams"}),
    ),
)
def notify_chat_webhook(
    connection: ChatConnection,
    text: Notice,
    title: Title = "",
    username: Annotated[str, About("Name that the message is shown under; on Discord alone", max_length=80)] = "",
    service: Annotated[
        Literal["slack", "discord", "teams"] | None,
        About("Which service the connection must be of; that of the connection if left out"),
    ] = None,
) -> Delivered:
    """Post a message to a channel of Slack, Discord or Microsoft Teams by a connection to its incoming webhook.

    Use it to tell a team, for announcements and alarms; Mattermost and Rocket.Chat take what Slack takes. Slack shows
    *bold* and <https://example.com|links>, the others Markdown; on Discord nobody is notified by mentions. Returns the
    answer.
    """
    held = connection["settings"]["service"]
    if service not in (None, held):
        raise ToolError(f"The connection {connection['name']} is a webhook of {held}, not of {service}.")
    if username and held != "discord":
        raise ToolError("username: only Discord shows one. Leave it out.")
    url = connection["secret"]["url"]
    if held == "slack":
        return _post("Slack", url, orjson.dumps({"text": f"*{title}*\n{text}" if title else text}))
    if held == "teams":
        return _post("Teams", url, orjson.dumps(_card(text, title)))
    return _post(
        "Discord", f"{url}{'&' if '?' in url else '?'}wait=true", orjson.dumps(_discord_message(text, title, username))
    )


def _discord_message(text: str, title: str, username: str) -> dict[str, Any]:
    content = f"**{title}**\n{text}" if title else text
    if len(content) > _LONGEST_ON_DISCORD:
        raise ToolError(f"text: a message on Discord may have {_LONGEST_ON_DISCORD:,} characters. Make it shorter.")
    message: dict[str, Any] = {"content": content, "allowed_mentions": {"parse": []}}
    return message | ({"username": username} if username else {})


def _card(text: str, title: str) -> dict[str, Any]:
    """A message of Teams with an adaptive card."""
    head = [{"type": "TextBlock", "text": title, "wrap": True, "weight": "Bolder", "size": "Medium"}] if title else []
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [*head, {"type": "TextBlock", "text": text, "wrap": True}],
    }
    return {"type": "message", "attachments": [{"contentType": _CARD, "content": card}]}


@tool(
    tags="telegram message bot send notify chat channel phone",
    use_when=(
        "Send me a Telegram message when it is done",
        "Post to the Telegram channel @harbournews by my bot",
        "Notify chat 123456789 on Telegram",
    ),
    examples=(
        Example(
            {"connection": "my-bot", "chat_id": "@harbournews", "text": "High water at nine"},
            {"status": 200, "answer": '{"chat_id":"@harbournews","text":"High water at nine"}'},
            source="Telegram Bot API, sendMessage",
            site={"/bot1:abcdefgh/sendMessage": _ECHO},
            connections=_BOT,
        ),
        Example(
            {
                "connection": "my-bot",
                "chat_id": "7",
                "text": "<b>Now</b>",
                "text_format": "html",
                "silent": True,
            },
            {"answer": '{"chat_id":"7","text":"<b>Now</b>","parse_mode":"HTML","disable_notification":true}'},
            source="Telegram Bot API, sendMessage",
            site={"/bot1:abcdefgh/sendMessage": _ECHO},
            connections=_BOT,
        ),
        Refusal(
            {"connection": "my-bot", "chat_id": "7", "text": "Hi"},
            "Telegram answered 400: Bad Request: chat not found",
            site={
                "/bot1:abcdefgh/sendMessage": Served(
                    '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
                    status=400,
                    headers=_JSON,
                )
            },
            connections=_BOT,
        ),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_telegram(
    connection: Annotated[Connection, connection_of("telegram", "Name of your connection to the bot", "my-bot")],
    chat_id: Annotated[
        str,
        About(
            "Number of the chat, or @name of a channel",
            "123456789",
            pattern="^(-?[0-9]+|@[A-Za-z0-9_]+)$",
            max_length=64,
        ),
    ],
    text: Notice,
    text_format: Annotated[Literal["plain", "html", "markdown"], About("What the text is written in")] = "plain",
    silent: Annotated[bool, About("Whether it comes without a sound")] = False,
) -> Delivered:
    """Send a message by a Telegram bot to a chat, a group or a channel that it is in.

    Use it to reach a phone. Returns the message as Telegram keeps it.
    """
    settings, secret = connection["settings"], connection["secret"]
    message: dict[str, Any] = {"chat_id": chat_id, "text": text}
    if text_format != "plain":
        message["parse_mode"] = {"html": "HTML", "markdown": "MarkdownV2"}[text_format]
    if silent:
        message["disable_notification"] = True
    return _post("Telegram", f"{settings['api_url']}/bot{secret['token']}/sendMessage", orjson.dumps(message))


@tool(
    tags="ntfy push notification phone notify alert topic mobile",
    use_when=(
        "Send a push notification to my phone by ntfy",
        "Push 'Backup failed' to the ntfy topic harbour-alerts with high priority",
        "Alert me on my phone",
    ),
    examples=(
        Example(
            {"topic": "harbour-alerts", "text": "Backup failed", "priority": "high", "server": "{site}"},
            {"answer": '{"topic":"harbour-alerts","message":"Backup failed","priority":4}'},
            source="ntfy, Publish as JSON: priority 4 is high",
            site={"/": _ECHO},
        ),
        Example(
            {"topic": "t", "text": "Hi", "title": "Note", "tags": ["wave"], "connection": "my-ntfy"},
            {"answer": "Bearer [secret of connection my-ntfy]"},
            source="ntfy, Access tokens",
            site={"/": Served("{authorization}")},
            connections=_NTFY,
        ),
        Refusal({"topic": "no/topic", "text": "Hi", "server": "{site}"}, "topic", site={"/": _ECHO}),
        Refusal(
            {"topic": "t", "text": "Hi", "server": "https://example.com", "connection": "my-ntfy"},
            "Leave server out",
            site={"/": _ECHO},
            connections=_NTFY,
        ),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_ntfy(
    topic: Annotated[
        str,
        About("Topic; whoever knows it can read it", "harbour-alerts", pattern="^[-_A-Za-z0-9]{1,64}$", max_length=64),
    ],
    text: Notice,
    title: Title = "",
    priority: Annotated[Literal["min", "low", "default", "high", "max"], About("How loud it is")] = "default",
    tags: Annotated[
        list[Annotated[str, About("Tag, or the name of an emoji", "warning", max_length=50)]],
        About("Tags", ["warning"], max_items=10),
    ]
    | None = None,
    server: Annotated[
        str | None,
        About(
            "Address of the ntfy server, where it is not ntfy.sh",
            "https://ntfy.example.com",
            pattern="^https?://",
            max_length=300,
        ),
    ] = None,
    connection: Annotated[
        Connection, connection_of("ntfy", "Name of your connection to ntfy, where the topic is protected", "my-ntfy")
    ]
    | None = None,
) -> Delivered:
    """Send a push notification to telephones and browsers that listen to a topic of ntfy.

    Use it for alarms to yourself. Returns the notice as the server keeps it.
    """
    message: dict[str, Any] = {"topic": topic, "message": text}
    if title:
        message["title"] = title
    if priority != "default":
        message["priority"] = {"min": 1, "low": 2, "high": 4, "max": 5}[priority]
    if tags:
        message["tags"] = tags
    if connection is None:
        return _post("ntfy", f"{(server or 'https://ntfy.sh').rstrip('/')}/", orjson.dumps(message))
    if server:
        raise ToolError("Leave server out: the connection has its own, and its token goes nowhere else.")
    proof = {"Authorization": f"Bearer {connection['secret']['token']}"}
    return _post("ntfy", f"{connection['settings']['server']}/", orjson.dumps(message), proof)


def _post(whom: str, url: str, body: bytes, headers: dict[str, str] | None = None) -> Delivered:
    """Post JSON. The errors do not name the address, which may be a secret."""
    answer = fetch(url, "POST", headers={**_JSON, **(headers or {})}, body=body, follow=0, whole=False)
    said = answer.text[:_SHOWN]
    if 200 <= answer.status < 300:
        return {"status": answer.status, "answer": said}
    told = f"{whom} answered {answer.status}: {_reason(said) or answer.reason}"
    if answer.status == 429 or answer.status >= 500:
        raise ToolUnavailable(f"{told}. Try again later.")
    raise ToolError(f"{told}. Check the connection and the message.")


def _reason(said: str) -> str:
    """Why a notice was refused: the description in a JSON object, or the text itself."""
    try:
        found = orjson.loads(said)
    except ValueError:
        return "" if said.lstrip().startswith("<") else said[:200]
    parts = found if isinstance(found, dict) else {}
    return str(parts.get("description") or parts.get("message") or parts.get("error") or said)[:200]
