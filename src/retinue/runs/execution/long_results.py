"""The tool with which a model reads the rest of a tool result that is too long for its context."""

import re

import orjson

from retinue.core.runtime.clock import now
from retinue.models.base import ToolCall, ToolOffer
from retinue.runs.context_window import READ_RESULT
from retinue.runs.journal import Journal
from retinue.runs.run_journal import ToolOutcome
from retinue.runs.run_options import Run

OFFER = ToolOffer(
    READ_RESULT,
    "Read on in a tool result of which you only see the beginning and the end.",
    {
        "type": "object",
        "properties": {
            "call": {"type": "string", "description": "The result, as named where it was left out."},
            "offset": {"type": "integer", "minimum": 0, "description": "The character to begin with."},
        },
        "required": ["call", "offset"],
        "additionalProperties": False,
    },
)
_HANDLE = re.compile(r"([0-9]{1,18})-([0-9]{1,9})")


async def read_result(journal: Journal, run: Run, call: ToolCall, limit: int) -> ToolOutcome:
    """Return the next part of a tool result of the run or its conversation. `limit` is that of a result."""
    began = now()
    try:
        arguments = orjson.loads(call.arguments)
        match, offset = _HANDLE.fullmatch(arguments["call"]), int(arguments["offset"])
    except (ValueError, KeyError, TypeError):
        match, offset = None, -1
    content = await journal.result_of(run, int(match[1]), int(match[2])) if match else None
    if content is None or not 0 <= offset < len(content):
        message = "There is no such place. Send the call and an offset as named where the result was left out."
        return ToolOutcome({"error": message}, False, began)
    end = min(offset + limit // 2, len(content))
    result = {"content": content[offset:end], "next_offset": end if end < len(content) else None}
    return ToolOutcome(result, True, began)
