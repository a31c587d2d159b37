"""HTTP for tools that are declared with `open_world=True`, to public addresses and to networks the operator allows.

`fetch` sends a GET request and follows redirects. `send` sends any `Request`, with its `HttpCredential` if it has one.
Both raise `ToolUnavailable` if there is no response. `parse` splits a URL, and raises `ToolError` for schemes other
than http and https. `create_ssl_context` returns an SSL context for sockets of `retinue.sdk.network`.
"""

from retinue.tools.outbound.http import (
    LONGEST_URL,
    MIB,
    Request,
    Response,
    create_ssl_context,
    decode,
    fetch,
    parse,
    send,
)
from retinue.tools.outbound.http_credentials import HttpCredential

__all__ = [
    "LONGEST_URL",
    "MIB",
    "HttpCredential",
    "Request",
    "Response",
    "create_ssl_context",
    "decode",
    "fetch",
    "parse",
    "send",
]
