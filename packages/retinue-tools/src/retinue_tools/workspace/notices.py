"""Notices to webhooks and phones (ntfy)."""

import hmac
from typing import Annotated, Any, Literal

import orjson

from retinue.sdk import (
    About,
    Connection,
    Example,
    ExampleConnection,
    MockResponse,
    Refusal,
    ToolError,
    connection_argument,
    tool,
)
from retinue_tools.workspace._deliveries import ECHO_PAGE, WEBHOOK_PATH, Delivered, Notice, Title, post_notice

_PROGRAM = {"build-hook": ExampleConnection("webhook", {}, {"url": f"{{site}}{WEBHOOK_PATH}"})}
_SIGNED = {
    "build-hook": ExampleConnection(
        "webhook", {}, {"url": f"{{site}}{WEBHOOK_PATH}", "signing_key": "It's a Secret to Everybody"}
    )
}

_NTFY = {"my-ntfy": ExampleConnection("ntfy", {"server": "{site}"}, {"token": "tk_12345678"})}


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
            site={WEBHOOK_PATH: ECHO_PAGE},
            connections=_PROGRAM,
        ),
        Example(
            {"connection": "build-hook", "payload": {"a": 1}},
            {"answer": "sha256=3aea7d9882012d69ea49b8443b94e755179f85ee830bfa901efb5dc673af63a3"},
            source="HMAC-SHA256 (RFC 2104), computed with openssl dgst",
            site={WEBHOOK_PATH: MockResponse("{x-signature-256}")},
            connections=_SIGNED,
        ),
        Refusal(
            {"connection": "build-hook", "payload": {"a": 1}},
            "answered 404",
            site={"/other": ECHO_PAGE},
            connections=_PROGRAM,
        ),
        Refusal({"connection": "https://example.com/hook", "payload": {}}, "connection must match the pattern"),
        Refusal({"connection": "build-hook", "payload": {}}, "You have no connection build-hook"),
    ),
    reply="I sent the data to {args.connection}; it answered with {status}.",
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_webhook(
    connection: Annotated[
        Connection, connection_argument("webhook", "Name of your connection to the webhook", "build-hook")
    ],
    payload: Annotated[dict[str, Any], About("JSON object to send", {"event": "report.ready", "pages": 12})],
) -> Delivered:
    """Post a JSON object to a webhook, signed if the connection has a key.

    Use it to start workflows and to notify other programs. Returns the response.
    """
    body, secret = orjson.dumps(payload), connection["secret"]
    key = secret["signing_key"].encode()
    signed = {"X-Signature-256": f"sha256={hmac.digest(key, body, 'sha256').hex()}"} if key else {}
    return post_notice("The webhook", secret["url"], body, signed)


@tool(
    tags="ntfy push notification phone notify alert topic mobile",
    use_when=(
        "Send a push notification to my phone by ntfy",
        "Push 'Backup failed' to the ntfy topic harbour-alerts with high priority",
        "Alert me on my phone",
        "Send a notification to my phone",
    ),
    examples=(
        Example(
            {"topic": "harbour-alerts", "text": "Backup failed", "priority": "high", "server": "{site}"},
            {"answer": '{"topic":"harbour-alerts","message":"Backup failed","priority":4}'},
            source="ntfy, Publish as JSON: priority 4 is high",
            site={"/": ECHO_PAGE},
        ),
        Example(
            {"topic": "t", "text": "Hi", "title": "Note", "tags": ["wave"], "connection": "my-ntfy"},
            {"answer": "Bearer [secret of connection my-ntfy]"},
            source="ntfy, Access tokens",
            site={"/": MockResponse("{authorization}")},
            connections=_NTFY,
        ),
        Refusal({"topic": "no/topic", "text": "Hi", "server": "{site}"}, "topic", site={"/": ECHO_PAGE}),
        Refusal(
            {"topic": "t", "text": "Hi", "server": "https://example.com", "connection": "my-ntfy"},
            "Omit server",
            site={"/": ECHO_PAGE},
            connections=_NTFY,
        ),
    ),
    reply="I sent the notification to the topic {args.topic}.",
    read_only=False,
    idempotent=False,
    open_world=True,
    pace="normal",
)
def notify_ntfy(
    topic: Annotated[
        str,
        About(
            "Topic; anyone who knows it can read it", "harbour-alerts", pattern="^[-_A-Za-z0-9]{1,64}$", max_length=64
        ),
    ],
    text: Notice,
    title: Title = "",
    priority: Annotated[
        Literal["min", "low", "default", "high", "max"], About("Priority of the notification")
    ] = "default",
    tags: Annotated[
        list[Annotated[str, About("Tag, or the name of an emoji", "warning", max_length=50)]],
        About("Tags", ["warning"], max_items=10),
    ]
    | None = None,
    server: Annotated[
        str | None,
        About(
            "Address of the ntfy server; default: ntfy.sh",
            "https://ntfy.example.com",
            pattern="^https?://",
            max_length=300,
        ),
    ] = None,
    connection: Annotated[
        Connection,
        connection_argument("ntfy", "Name of your connection to ntfy, where the topic is protected", "my-ntfy"),
    ]
    | None = None,
) -> Delivered:
    """Send a push notification to telephones and browsers that are subscribed to a topic of ntfy.

    Use it for alarms to yourself. Returns the notification as stored by the server.
    """
    message: dict[str, Any] = {"topic": topic, "message": text}
    if title:
        message["title"] = title
    if priority != "default":
        message["priority"] = {"min": 1, "low": 2, "high": 4, "max": 5}[priority]
    if tags:
        message["tags"] = tags
    if connection is None:
        return post_notice("ntfy", f"{(server or 'https://ntfy.sh').rstrip('/')}/", orjson.dumps(message))
    if server:
        raise ToolError("Omit server: the connection has its own, and its token is not sent to any other.")
    proof = {"Authorization": f"Bearer {connection['secret']['token']}"}
    return post_notice("ntfy", f"{connection['settings']['server']}/", orjson.dumps(message), proof)
