"""Creates the secrets, signatures and headers of deliveries.

Each delivery has two signatures: the platform's own `X-Webhook-Signature`, and Standard Webhooks 1.0 (`webhook-id`,
`webhook-timestamp`, `webhook-signature`), which the published libraries verify.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

USER_AGENT = "Retinue-Webhooks/1.0"
_PREFIX = "whsec_"
_SECRET_BYTES = 32


def new_secret() -> str:
    """Return a new secret: `whsec_` and 32 random bytes in Base64."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def body_signature(secret: str, body: bytes) -> str:
    """Return `X-Webhook-Signature`: the HMAC-SHA256 of the raw body in hex, keyed with the secret string itself."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret: str, event_id: str, timestamp: int, body: bytes) -> str:
    """Return one part of `webhook-signature`: over id, Unix seconds and body, keyed with the decoded secret."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    content = b"%b.%d.%b" % (event_id.encode(), timestamp, body)
    return "v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()


def headers(
    body: bytes, *, event: str, event_id: str, delivery_id: str, secrets_in_force: Sequence[str], timestamp: int
) -> dict[str, str]:
    """Return the headers of one attempt. The first secret signs the body; all sign for Standard Webhooks."""
    signatures = (standard_signature(secret, event_id, timestamp, body) for secret in secrets_in_force)
    return {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-Webhook-Event": event,
        "X-Webhook-Delivery": delivery_id,
        "X-Webhook-Signature": body_signature(secrets_in_force[0], body),
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
