"""HTTP for tools that are declared with `open_world=True`: public addresses, and those that the operator allows.

`fetch` is a GET that follows redirects; `send` sends any `Request`, with an `HttpCredential` where it has one. Both
raise `ToolUnavailable` where nobody answers. `parsed` splits an address, and refuses what is no http or https address.
`verifying_context` is for TLS over a socket of `retinue.sdk.network`.
"""

from retinue.tools.http import LONGEST_URL, MIB, Request, Response, decode, fetch, parse, send, verifying_context
from retinue.tools.http_credentials import HttpCredential

__all__ = [
    "LONGEST_URL",
    "MIB",
    "HttpCredential",
    "Request",
    "Response",
    "decode",
    "fetch",
    "parse",
    "send",
    "verifying_context",
]
