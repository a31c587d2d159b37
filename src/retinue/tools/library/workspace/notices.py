"""Notices to people and programs elsewhere: webhooks, chats, and telephones."""

import hmac
from typing import Annotated, Any, Literal

import orjson
from typing_extensions import TypedDict

from retinue.tools.declare import About, Example, Refusal, Served, ToolError, ToolUnavailable, tool
from retinue.tools.http import fetch

_JSON = {"Content-Type": "application/json"}
_ECHO = Served("{sent}", headers=_JSON)
"""A page that answers with what it was sent."""
_CARD = "application/vnd.microsoft.card.adaptive"
_SHOWN = 1000

HookUrl = Annotated[
    str,
    About(
        "Address of the webhook; whoever knows it can post, so keep it to yourself",
        "https://hooks.example.com/services/T0/B0/x",
        pattern="^https?://",
        max_length=2000,
    ),
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
        "Trigger the n8n workflow at https://n8n.example.com/webhook/build",
        "Notify our server that the report is ready",
    ),
    examples=(
        Example(
            {"url": "{site}/hook", "payload": {"event": "report.ready", "pages": 12}},
            {"status": 200, "answer": '{"event":"report.ready","pages":12}'},
            source="the stand-in answers with what it was sent",
            site={"/hook": _ECHO},
        ),
        Example(
            {"url": "{site}/hook", "payload": {"a": 1}, "secret": "It's a Secret to Everybody"},
            {"answer": "sha256=3aea7d9882012d69ea49b8443b94e755179f85ee830bfa901efb5dc673af63a3"},
            source="HMAC-SHA256 (RFC 2104), computed with openssl dgst",
            site={"/hook": Served("{x-signature-256}")},
        ),
        Refusal({"url": "{site}/hook", "payload": {"a": 1}}, "answered 404", site={"/other": _ECHO}),
        Refusal({"url": "ftp://example.com", "payload": {}}, "url"),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_webhook(
    url: HookUrl,
    payload: Annotated[dict[str, Any], About("JSON object to send", {"event": "report.ready", "pages": 12})],
    secret: Annotated[
        str, About("Sign the body with it: its HMAC-SHA256 goes into the header X-Signature-256", max_length=500)
    ] = "",
) -> Delivered:
    """Post a JSON object to a webhook, signed if you like.

    Use it to start workflows and to tell other programs that something happened. Returns what was answered.
    """
    body = orjson.dumps(payload)
    signed = {"X-Signature-256": f"sha256={hmac.digest(secret.encode(), body, 'sha256').hex()}"} if secret else {}
    return _posted("The webhook", url, body, signed)


@tool(
    tags="slack message post notify channel incoming webhook mattermost rocketchat chat",
    use_when=(
        "Post 'Deploy finished' to our Slack channel",
        "Tell the team on Slack that the report is ready",
        "Send a message to Mattermost by its incoming webhook",
    ),
    examples=(
        Example(
            {"url": "{site}/services/T0/B0/x", "text": "Deploy *finished*"},
            {"status": 200, "answer": '{"text":"Deploy *finished*"}'},
            source="Slack, Sending messages using incoming webhooks: a JSON object with text",
            site={"/services/T0/B0/x": _ECHO},
        ),
        Example(
            {"url": "{site}/services/T0/B0/x", "text": "Done", "title": "Backup"},
            {"answer": '{"text":"*Backup*\\nDone"}'},
            source="Slack, Formatting text: asterisks are bold",
            site={"/services/T0/B0/x": _ECHO},
        ),
        Refusal(
            {"url": "{site}/services/T0/B0/x", "text": "Hi"},
            "Slack answered 404: no_service",
            site={"/services/T0/B0/x": Served("no_service", status=404)},
        ),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_slack_webhook(url: HookUrl, text: Notice, title: Title = "") -> Delivered:
    """Post a message to a Slack channel by its incoming webhook; Mattermost and Rocket.Chat take the same.

    Use it to tell a team. *bold*, _italic_ and <https://example.com|links> are shown. Returns the answer, which is ok.
    """
    return _posted("Slack", url, orjson.dumps({"text": f"*{title}*\n{text}" if title else text}))


@tool(
    tags="discord message post notify channel webhook server chat",
    use_when=(
        "Post a message to our Discord channel",
        "Announce the release on Discord",
        "Send 'Server is back' to the Discord webhook",
    ),
    examples=(
        Example(
            {"url": "{site}/api/webhooks/1/x", "text": "Server is back"},
            {"answer": '{"content":"Server is back","allowed_mentions":{"parse":[]}}'},
            source="Discord, Execute Webhook: content, and mentions that are allowed",
            site={"/api/webhooks/1/x?wait=true": _ECHO},
        ),
        Example(
            {"url": "{site}/api/webhooks/1/x", "text": "Hi", "username": "Harbour bot"},
            {"answer": '{"content":"Hi","allowed_mentions":{"parse":[]},"username":"Harbour bot"}'},
            source="Discord, Execute Webhook: username",
            site={"/api/webhooks/1/x?wait=true": _ECHO},
        ),
        Refusal({"url": "{site}/api/webhooks/1/x", "text": "a" * 2001}, "2000", site={"/": _ECHO}),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_discord_webhook(
    url: HookUrl,
    text: Annotated[str, About("The message, in Markdown", "Server is back", min_length=1, max_length=2000)],
    username: Annotated[str, About("Name that it is shown under", max_length=80)] = "",
) -> Delivered:
    """Post a message to a Discord channel by its webhook; it notifies nobody by mentions.

    Use it for announcements and alarms. Returns the message as Discord keeps it.
    """
    message: dict[str, Any] = {"content": text, "allowed_mentions": {"parse": []}}
    named = {"username": username} if username else {}
    return _posted("Discord", f"{url}{'&' if '?' in url else '?'}wait=true", orjson.dumps(message | named))


@tool(
    tags="teams microsoft message post notify channel webhook workflow adaptive card chat",
    use_when=(
        "Post to our Microsoft Teams channel that the build failed",
        "Send a Teams message by the workflow webhook",
        "Tell the Teams channel 'Sales report is ready'",
    ),
    examples=(
        Example(
            {"url": "{site}/workflows/x", "text": "Sales report is ready"},
            {
                "answer": '{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive",'
                '"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard",'
                '"version":"1.4","body":[{"type":"TextBlock","text":"Sales report is ready","wrap":true}]}}]}'
            },
            source="Microsoft Learn, Create incoming webhooks with Workflows: an adaptive card",
            site={"/workflows/x": _ECHO},
        ),
        Example(
            {"url": "{site}/workflows/x", "text": "Red", "title": "Build"},
            {"status": 202},
            source="Microsoft Learn",
            site={"/workflows/x": Served("", status=202)},
        ),
        Refusal({"url": "{site}/gone", "text": "Hi"}, "Teams answered 404", site={"/": _ECHO}),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_teams_webhook(url: HookUrl, text: Notice, title: Title = "") -> Delivered:
    """Post a message to a Microsoft Teams channel or chat by the webhook of a workflow, as an adaptive card.

    Use it to tell a team; the text may hold Markdown. Make the address in Teams under Workflows. Returns the answer.
    """
    head = [{"type": "TextBlock", "text": title, "wrap": True, "weight": "Bolder", "size": "Medium"}] if title else []
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [*head, {"type": "TextBlock", "text": text, "wrap": True}],
    }
    message = {"type": "message", "attachments": [{"contentType": _CARD, "content": card}]}
    return _posted("Teams", url, orjson.dumps(message))


@tool(
    tags="telegram message bot send notify chat channel phone",
    use_when=(
        "Send me a Telegram message when it is done",
        "Post to the Telegram channel @harbournews by my bot",
        "Notify chat 123456789 on Telegram",
    ),
    examples=(
        Example(
            {"token": "1:abc", "chat_id": "@harbournews", "text": "High water at nine", "api_url": "{site}"},
            {"status": 200, "answer": '{"chat_id":"@harbournews","text":"High water at nine"}'},
            source="Telegram Bot API, sendMessage",
            site={"/bot1:abc/sendMessage": _ECHO},
        ),
        Example(
            {
                "token": "1:abc",
                "chat_id": "7",
                "text": "<b>Now</b>",
                "text_format": "html",
                "silent": True,
                "api_url": "{site}",
            },
            {"answer": '{"chat_id":"7","text":"<b>Now</b>","parse_mode":"HTML","disable_notification":true}'},
            source="Telegram Bot API, sendMessage",
            site={"/bot1:abc/sendMessage": _ECHO},
        ),
        Refusal(
            {"token": "1:abc", "chat_id": "7", "text": "Hi", "api_url": "{site}"},
            "Telegram answered 400: Bad Request: chat not found",
            site={
                "/bot1:abc/sendMessage": Served(
                    '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
                    status=400,
                    headers=_JSON,
                )
            },
        ),
    ),
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_telegram(
    token: Annotated[
        str,
        About(
            "Token of your bot, from @BotFather", "123456:ABC-DEF", pattern="^[0-9]+:[A-Za-z0-9_-]+$", max_length=100
        ),
    ],
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
    api_url: Annotated[str, About("Address of the Bot API", pattern="^https?://", max_length=300)] = (
        "https://api.telegram.org"
    ),
) -> Delivered:
    """Send a message by a Telegram bot to a chat, a group or a channel that it is in.

    Use it to reach a phone. Returns the message as Telegram keeps it.
    """
    message: dict[str, Any] = {"chat_id": chat_id, "text": text}
    if text_format != "plain":
        message["parse_mode"] = {"html": "HTML", "markdown": "MarkdownV2"}[text_format]
    if silent:
        message["disable_notification"] = True
    return _posted("Telegram", f"{api_url.rstrip('/')}/bot{token}/sendMessage", orjson.dumps(message))


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
            {"topic": "t", "text": "Hi", "title": "Note", "tags": ["wave"], "server": "{site}", "token": "tk_1"},
            {"answer": "Bearer tk_1"},
            source="ntfy, Access tokens",
            site={"/": Served("{authorization}")},
        ),
        Refusal({"topic": "no/topic", "text": "Hi", "server": "{site}"}, "topic", site={"/": _ECHO}),
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
        str, About("Address of the ntfy server", pattern="^https?://", max_length=300)
    ] = "https://ntfy.sh",
    token: Annotated[str, About("Access token, where the topic is protected", max_length=200)] = "",
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
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    return _posted("ntfy", f"{server.rstrip('/')}/", orjson.dumps(message), shown)


def _posted(whom: str, url: str, body: bytes, headers: dict[str, str] | None = None) -> Delivered:
    """Post JSON. Messages of errors do not name the address, which is a secret."""
    answer = fetch(url, "POST", headers={**_JSON, **(headers or {})}, body=body, follow=0, whole=False)
    said = answer.text[:_SHOWN]
    if 200 <= answer.status < 300:
        return {"status": answer.status, "answer": said}
    told = f"{whom} answered {answer.status}: {_reason(said) or answer.reason}"
    if answer.status == 429 or answer.status >= 500:
        raise ToolUnavailable(f"{told}. Try again later.")
    raise ToolError(f"{told}. Check the address and the message.")


def _reason(said: str) -> str:
    """Why a notice was refused: the description in a JSON object, or the text itself."""
    try:
        found = orjson.loads(said)
    except ValueError:
        return "" if said.lstrip().startswith("<") else said[:200]
    parts = found if isinstance(found, dict) else {}
    return str(parts.get("description") or parts.get("message") or parts.get("error") or said)[:200]
