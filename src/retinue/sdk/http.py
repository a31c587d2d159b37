"""HTTP for tools that are declared with `open_world=True`: public addresses, and those that the operator allows.

`fetch` is a GET that follows redirects; `send` sends any `Request`. Both raise `ToolUnavailable` where nobody answers.
"""

from retinue.tools.http import Request, Response, decoded, fetch, send

__all__ = ["Request", "Response", "decoded", "fetch", "send"]
