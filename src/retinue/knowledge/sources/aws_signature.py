"""Signatures of requests to Amazon S3 and compatible services: AWS Signature Version 4, in headers.

The clients of S3 libraries open connections of their own, past the guard of addresses; so requests are signed here and
sent by the guarded client. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote

_EMPTY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class AwsCredential:
    """An access key, and the region of the service."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    region: str = "us-east-1"


def uri_encode(text: str, safe: str = "") -> str:
    """Return a text as signatures expect it in addresses: only letters, digits and -._~ stay as they are."""
    return quote(text, safe=f"-._~{safe}")


def canonical_query(parameters: Mapping[str, str]) -> str:
    """Return parameters in the order and the form that are signed."""
    return "&".join(f"{uri_encode(name)}={uri_encode(parameters[name])}" for name in sorted(parameters))


def signed_headers(credential: AwsCredential, host: str, path: str, query: str, moment: datetime) -> dict[str, str]:
    """Return the headers of a GET request without a body. `path` and `query` are quoted, and `moment` is in UTC."""
    time = moment.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{time[:8]}/{credential.region}/s3/aws4_request"
    headers = {"host": host, "x-amz-content-sha256": _EMPTY, "x-amz-date": time}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = "\n".join(["GET", path, query, lines, names, _EMPTY])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{credential.secret_access_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    proof = f"Credential={credential.access_key_id}/{scope},SignedHeaders={names},Signature={signature}"
    return {name: value for name, value in headers.items() if name != "host"} | {
        "Authorization": f"AWS4-HMAC-SHA256 {proof}"
    }
