"""The end of a tool call as clients see it, with the page where a person can connect what the tool needs."""

import orjson

CONNECT_URL = "connect_url"
"""The field of a failed result with the page of the portal where a person connects the tool's server."""


def tool_end(tool: str, state: str, result: str) -> dict[str, str]:
    """Return the event for the end of a call."""
    address = connect_url(state, result)
    return {"type": "tool_end", "tool": tool, "status": state} | ({CONNECT_URL: address} if address else {})


def connect_url(state: str, result: str) -> str | None:
    """Return the page from the result of a call that failed because somebody must connect a server, or None."""
    if state != "failed" or CONNECT_URL not in result:
        return None
    address: str | None = orjson.loads(result).get(CONNECT_URL)
    return address
