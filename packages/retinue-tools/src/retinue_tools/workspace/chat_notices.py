"""Chat notices: Slack, Discord, Teams and Telegram."""

from typing import Annotated, Any, Literal

import orjson

from retinue.sdk import (
    About,
    Alias,
    Connection,
    Example,
    ExampleConnection,
    MockResponse,
    Refusal,
    ToolError,
    connection_argument,
    tool,
)
from retinue_tools.workspace._deliveries import (
    ECHO_PAGE,
    JSON_HEADERS,
    WEBHOOK_PATH,
    Delivered,
    Notice,
    Title,
    post_notice,
)

_CARD = "application/vnd.microsoft.card.adaptive"

_LONGEST_ON_DISCORD = 2000


def _hook(service: str) -> dict[str, ExampleConnection]:
    """Return an example connection to a channel of a chat service."""
    return {"team-chat": ExampleConnection("chat_webhook", {"service": service}, {"url": f"{{site}}{WEBHOOK_PATH}"})}


_SLACK, _DISCORD, _TEAMS = map(_hook, ("slack", "discord", "teams"))

_BOT = {"my-bot": ExampleConnection("telegram", {"api_url": "{site}"}, {"token": "1:abcdefgh"})}

ChatConnection = Annotated[
    Connection,
    connection_argument("chat_webhook", "Name of your connection to the channel: its incoming webhook", "team-chat"),
]


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
        "Write to our team on Slack",
    ),
    examples=(
        Example(
            {"connection": "team-chat", "text": "Deploy *finished*", "service": "slack"},
            {"status": 200, "answer": '{"text":"Deploy *finished*"}'},
            source="Slack, Sending messages using incoming webhooks: a JSON object with text",
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_SLACK,
        ),
        Example(
            {"connection": "team-chat", "text": "Done", "title": "Backup"},
            {"answer": '{"text":"*Backup*\\nDone"}'},
            source="Slack, Formatting text: asterisks are bold",
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_SLACK,
        ),
        Example(
            {"connection": "team-chat", "text": "Server is back", "service": "discord"},
            {"answer": '{"content":"Server is back","allowed_mentions":{"parse":[]}}'},
            source="Discord, Execute Webhook: content, and mentions that are allowed",
            site={f"{WEBHOOK_PATH}?wait=true": ECHO_PAGE},
            connections=_DISCORD,
        ),
        Example(
            {"connection": "team-chat", "text": "Hi", "title": "Fog", "username": "Harbour bot"},
            {"answer": '{"content":"**Fog**\\nHi","allowed_mentions":{"parse":[]},"username":"Harbour bot"}'},
            source="Discord, Execute Webhook: username; two asterisks are bold in Markdown",
            site={f"{WEBHOOK_PATH}?wait=true": ECHO_PAGE},
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
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_TEAMS,
        ),
        Example(
            {"connection": "team-chat", "text": "Red", "title": "Build"},
            {"status": 202},
            source="Microsoft Learn",
            site={WEBHOOK_PATH: MockResponse("", status=202)},
            connections=_TEAMS,
        ),
        Refusal(
            {"connection": "team-chat", "text": "Hi"},
            "Slack answered 404: no_service",
            site={WEBHOOK_PATH: MockResponse("no_service", status=404)},
            connections=_SLACK,
        ),
        Refusal(
            {"connection": "team-chat", "text": "Hi", "service": "slack"},
            "is a webhook of discord, not of slack",
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_DISCORD,
        ),
        Refusal(
            {"connection": "team-chat", "text": "a" * 2001},
            "2,000",
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_DISCORD,
        ),
        Refusal(
            {"connection": "team-chat", "text": "Hi"}, "Teams answered 404", site={"/": ECHO_PAGE}, connections=_TEAMS
        ),
        Refusal(
            {"connection": "team-chat", "text": "Hi", "username": "Bot"},
            "only Discord",
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_TEAMS,
        ),
    ),
    reply={
        "args.service": "I posted the message to {args.service}.",
        "": "I posted the message to {args.connection}.",
    },
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
    username: Annotated[str, About("Sender name of the message; only on Discord", max_length=80)] = "",
    service: Annotated[
        Literal["slack", "discord", "teams"] | None,
        About("Required service of the connection; default: any"),
    ] = None,
) -> Delivered:
    """Post a message to a channel of Slack, Discord or Microsoft Teams through a connection to its incoming webhook.

    Use it to inform a team, for announcements and alarms; Mattermost and Rocket.Chat accept Slack's format. Slack shows
    *bold* and <https://example.com|links>, the others Markdown; on Discord, mentions notify nobody. Returns the
    response.
    """
    configured = connection["settings"]["service"]
    if service not in (None, configured):
        raise ToolError(f"The connection {connection['name']} is a webhook of {configured}, not of {service}.")
    if username and configured != "discord":
        raise ToolError("username: only Discord supports one. Omit it.")
    url = connection["secret"]["url"]
    if configured == "slack":
        return post_notice("Slack", url, orjson.dumps({"text": f"*{title}*\n{text}" if title else text}))
    if configured == "teams":
        return post_notice("Teams", url, orjson.dumps(_card(text, title)))
    return post_notice(
        "Discord", f"{url}{'&' if '?' in url else '?'}wait=true", orjson.dumps(_discord_message(text, title, username))
    )


def _discord_message(text: str, title: str, username: str) -> dict[str, Any]:
    content = f"**{title}**\n{text}" if title else text
    if len(content) > _LONGEST_ON_DISCORD:
        raise ToolError(f"text: a message on Discord may have at most {_LONGEST_ON_DISCORD:,} characters. Shorten it.")
    message: dict[str, Any] = {"content": content, "allowed_mentions": {"parse": []}}
    return message | ({"username": username} if username else {})


def _card(text: str, title: str) -> dict[str, Any]:
    """Build a Teams message with an adaptive card."""
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
        "Message me on Telegram",
    ),
    examples=(
        Example(
            {"connection": "my-bot", "chat_id": "@harbournews", "text": "High water at nine"},
            {"status": 200, "answer": '{"chat_id":"@harbournews","text":"High water at nine"}'},
            source="Telegram Bot API, sendMessage",
            site={"/bot1:abcdefgh/sendMessage": ECHO_PAGE},
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
            site={"/bot1:abcdefgh/sendMessage": ECHO_PAGE},
            connections=_BOT,
        ),
        Refusal(
            {"connection": "my-bot", "chat_id": "7", "text": "Hi"},
            "Telegram answered 400: Bad Request: chat not found",
            site={
                "/bot1:abcdefgh/sendMessage": MockResponse(
                    '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
                    status=400,
                    headers=JSON_HEADERS,
                )
            },
            connections=_BOT,
        ),
    ),
    reply="I sent the Telegram message to {args.chat_id}.",
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_telegram(
    connection: Annotated[Connection, connection_argument("telegram", "Name of your connection to the bot", "my-bot")],
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
    text_format: Annotated[Literal["plain", "html", "markdown"], About("Format of the text")] = "plain",
    silent: Annotated[bool, About("Whether to send it without a sound")] = False,
) -> Delivered:
    """Send a message by a Telegram bot to a chat, a group or a channel that it belongs to.

    Use it to reach a phone. Returns the message as stored by Telegram.
    """
    settings, secret = connection["settings"], connection["secret"]
    message: dict[str, Any] = {"chat_id": chat_id, "text": text}
    if text_format != "plain":
        message["parse_mode"] = {"html": "HTML", "markdown": "MarkdownV2"}[text_format]
    if silent:
        message["disable_notification"] = True
    return post_notice("Telegram", f"{settings['api_url']}/bot{secret['token']}/sendMessage", orjson.dumps(message))
