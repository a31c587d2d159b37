"""Webhook signatures."""

import base64
import binascii
import hashlib
import hmac
import time
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Style = Annotated[
    Literal["standard", "stripe", "github", "slack", "shopify", "hex"],
    About("Signature scheme: standard is that of Standard Webhooks and Svix; hex is a plain HMAC-SHA256 of the body"),
]
Body = Annotated[str, About("Exact body, as sent or received", '{"type":"ping"}', max_length=1_000_000)]
Secret = Annotated[
    str, About("Secret shared by sender and receiver", "whsec_MfKQ9r8GKYqrTwjU", min_length=1, max_length=500)
]
MessageId = Annotated[
    str | None, About("Value of the webhook-id or svix-id header", "msg_p5jXN8AQM9LWM0D4loKWxJek", max_length=200)
]
Stamp = Annotated[
    int | None,
    About(
        "Time of the header in seconds since 1970; for stripe it is part of the signature",
        1_614_265_330,
        minimum=0,
        maximum=1e12,
    ),
]


class Verified(TypedDict):
    """Result of verifying a signature."""

    valid: Annotated[bool, About("Whether the signature matches the body, and is recent enough")]
    signature_matches: Annotated[bool, About("Whether the signature matches the body")]
    age_s: Annotated[int | None, About("Age of the message, if it states its time")]
    reason: Annotated[str, About("Reason why it is not valid")]


@tool(
    tags="webhook signature verify hmac stripe github svix slack shopify standard webhooks security",
    use_when=(
        "Is the signature of this Stripe webhook valid?",
        "Verify X-Hub-Signature-256 of a GitHub webhook.",
        "Why does my Svix webhook verification fail?",
    ),
    examples=(
        Example(
            {
                "style": "github",
                "body": "Hello, World!",
                "secret": "It's a Secret to Everybody",
                "signature": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
            },
            {"valid": True, "signature_matches": True, "age_s": None, "reason": ""},
            source="the documentation of GitHub webhooks, testing the validation",
        ),
        Example(
            {
                "style": "standard",
                "body": '{"test": 2432232314}',
                "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "message_id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                "timestamp": 1614265330,
            },
            {"valid": False, "signature_matches": True, "reason": "The message is older than 300 s."},
            source="the specification of Standard Webhooks and the tests of its libraries",
        ),
        Example(
            {
                "style": "hex",
                "body": "what do ya want for nothing?",
                "secret": "Jefe",
                "signature": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            },
            {"valid": True},
            source="RFC 4231, test case 2",
        ),
        Refusal({"style": "standard", "body": "x", "secret": "s", "signature": "v1,x"}, "message_id and timestamp"),
    ),
    reply={
        "valid": "Yes, the signature is valid.",
        "reason": "No, the signature is not valid: {reason}",
        "": "No, the signature is not valid.",
    },
    idempotent=False,
)
def webhook_verify_signature(
    style: Style,
    body: Body,
    secret: Secret,
    signature: Annotated[
        str, About("Signature header as received", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=", max_length=4000)
    ],
    message_id: MessageId = None,
    timestamp: Stamp = None,
    tolerance_s: Annotated[int, About("Maximum age of a message", minimum=1, maximum=1_000_000_000)] = 300,
) -> Verified:
    """Verify the signature of a webhook in the scheme of its sender, and that it is not too old.

    Use it to test a receiver or to find out why it rejects messages. The body must be exactly as received, not parsed
    and serialised again.
    """
    signatures, stamp = _parse(style, signature, timestamp)
    expected = _signature(style, body, secret, message_id, stamp)
    matches = any(hmac.compare_digest(expected.encode(), one.encode("utf-8", "replace")) for one in signatures)
    age = None if stamp is None else int(time.time()) - stamp
    late = age is not None and abs(age) > tolerance_s
    late_reason = f"The message is {'older than' if (age or 0) > 0 else 'ahead by more than'} {tolerance_s} s."
    reason = "The signature is not that of this body with this secret." if not matches else late_reason if late else ""
    return {"valid": matches and not late, "signature_matches": matches, "age_s": age, "reason": reason}


def _parse(style: str, header: str, timestamp: int | None) -> tuple[list[str], int | None]:
    """Return the signatures in a header, one of which must match, and their time."""
    text = header.strip()
    if style == "stripe":
        fields = [part.strip().partition("=") for part in text.split(",")]
        stamps = [value for name, _, value in fields if name == "t" and value.isdecimal() and len(value) < 16]
        if not stamps:
            raise ToolError("The header lacks the time: it must have the form t=…,v1=….")
        return [value for name, _, value in fields if name == "v1"], int(stamps[0])
    if style == "standard":
        return [part.removeprefix("v1,") for part in text.split() if part.startswith("v1,")], timestamp
    return [text.removeprefix("sha256=").removeprefix("v0=")], timestamp


def _signature(style: str, body: str, secret: str, message_id: str | None, stamp: int | None) -> str:
    if style == "standard" and (message_id is None or stamp is None):
        raise ToolError("Give message_id and timestamp: this scheme signs them with the body.")
    if style in ("slack", "stripe") and stamp is None:
        raise ToolError("Give timestamp: this scheme signs it with the body.")
    signed = {"standard": f"{message_id}.{stamp}.{body}", "stripe": f"{stamp}.{body}", "slack": f"v0:{stamp}:{body}"}
    key = _key(secret) if style == "standard" else secret.encode("utf-8", "replace")
    digest = hmac.new(key, signed.get(style, body).encode("utf-8", "replace"), hashlib.sha256)
    return base64.b64encode(digest.digest()).decode() if style in ("standard", "shopify") else digest.hexdigest()


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError("The secret of this scheme is Base64 after whsec_. Copy it again.") from error


class Signed(TypedDict):
    """Headers of a signed message."""

    headers: Annotated[dict[str, str], About("Headers to send with the body")]


@tool(
    tags="webhook sign signature hmac create test standard webhooks stripe github slack shopify",
    use_when=(
        "Sign this body as a Stripe webhook to test my receiver.",
        "Create the headers of a Standard Webhooks message.",
        "What must X-Hub-Signature-256 be for this payload?",
    ),
    examples=(
        Example(
            {"style": "github", "body": "Hello, World!", "secret": "It's a Secret to Everybody"},
            {
                "headers": {
                    "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
                }
            },
            source="the documentation of GitHub webhooks, testing the validation",
        ),
        Example(
            {
                "style": "standard",
                "body": '{"test": 2432232314}',
                "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "message_id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                "timestamp": 1614265330,
            },
            {
                "headers": {
                    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                    "webhook-timestamp": "1614265330",
                }
            },
            source="the specification of Standard Webhooks and the tests of its libraries",
        ),
        Refusal(
            {"style": "standard", "body": "x", "secret": "no base64!", "message_id": "m", "timestamp": 1}, "Base64"
        ),
    ),
    reply="The headers: {headers}",
    idempotent=False,
)
def webhook_sign_payload(
    style: Style, body: Body, secret: Secret, message_id: MessageId = None, timestamp: Stamp = None
) -> Signed:
    """Create (make) the signature headers of a webhook in the scheme of a well-known sender.

    Use it to test a receiver of webhooks. The default timestamp is the current time.
    """
    stamp = int(time.time()) if timestamp is None else timestamp
    name = message_id or f"msg_{hashlib.sha256(body.encode('utf-8', 'replace')).hexdigest()[:27]}"
    signature = _signature(style, body, secret, name, stamp)
    headers = {
        "standard": {"webhook-id": name, "webhook-timestamp": str(stamp), "webhook-signature": f"v1,{signature}"},
        "stripe": {"Stripe-Signature": f"t={stamp},v1={signature}"},
        "github": {"X-Hub-Signature-256": f"sha256={signature}"},
        "slack": {"X-Slack-Request-Timestamp": str(stamp), "X-Slack-Signature": f"v0={signature}"},
        "shopify": {"X-Shopify-Hmac-Sha256": signature},
        "hex": {"X-Signature": signature},
    }
    return {"headers": headers[style]}
