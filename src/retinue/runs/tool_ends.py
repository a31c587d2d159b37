"""The end of a tool call as clients see it: how it ended, the files of its result, and what a person must connect."""

import orjson

from retinue.files.file_access import result_files

CONNECT_URL = "connect_url"
"""The field of a failed result with the page of the portal where a person connects the tool's server."""


def tool_end(tool: str, state: str, result: str) -> dict[str, object]:
    """Return the event for the end of a call."""
    event: dict[str, object] = {"type": "tool_end", "tool": tool, "status": state}
    if address := connect_url(state, result):
        event[CONNECT_URL] = address
    if files := call_files(state, result):
        event["files"] = files
    return event


def connect_url(state: str, result: str) -> str | None:
    """Return the page from the result of a call that failed because somebody must connect a server, or None."""
    if state != "failed" or CONNECT_URL not in result:
        return None
    address: str | None = orjson.loads(result).get(CONNECT_URL)
    return address


def call_files(state: str, result: str) -> list[str]:
    """Return the ids of the files that the result of a call names."""
    if state != "done" or '"file_' not in result:
        return []
    try:
        return result_files(orjson.loads(result))
    except orjson.JSONDecodeError:  # a result that was shortened
        return []
