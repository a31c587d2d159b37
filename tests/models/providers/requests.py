"""Requests that exercise all that clients send: tools, files, structured output, and reasoning over three turns."""

from retinue.models.base import Message, ModelRequest, ProviderItem, ToolCall, ToolOffer
from retinue.models.providers.endpoint import DEFAULT_ORIGIN
from tests.models.streams.replay import PAPER, PICTURE

TOOLS = (
    ToolOffer("calculate", "Calculates.", {"type": "object", "properties": {"cidr": {"type": "string"}}}),
    ToolOffer("show", "Shows.", {"type": "object", "properties": {}}),
)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

_KEPT = {
    "chat": (
        {"message": {"reasoning_content": "hm"}, "calls": [{}, {}]},
        {"message": {"reasoning": "ah"}, "calls": []},
    ),
    "responses": (
        [{"kept": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}}, {"call": 0}],
        [{"text": 3, "phase": "final_answer"}],
    ),
    "anthropic": (
        [{"kept": {"type": "thinking", "thinking": "hm", "signature": "s"}}, {"call": 0}, {"call": 1}],
        [{"kept": {"type": "redacted_thinking", "data": "x"}}, {"text": 3}],
    ),
    "gemini": ([{"call": 0, "signature": "c2ln"}, {"call": 1}], [{"text": 3, "signature": "c2ln"}]),
}


def kept(protocol: str, turn: int, origin: str = DEFAULT_ORIGIN) -> tuple[ProviderItem, ...]:
    """Return what the provider wants back of a turn."""
    return (ProviderItem(origin, {protocol: _KEPT[protocol][turn]}),)


def three_turns(protocol: str, origin: str = DEFAULT_ORIGIN) -> list[Message]:
    """Return a conversation of three turns with reasoning, parallel calls, and a result with a picture."""
    calls = (ToolCall("c1", "calculate", '{"cidr":"10.0.0.0/24"}'), ToolCall("c2", "show", '{"cut'))
    return [
        Message("system", "Be brief."),
        Message("user", "Calculate and show."),
        Message("assistant", "", calls, opaque=kept(protocol, 0, origin)),
        Message("tool", '{"size": 256}', tool_call_id="c1", tool_name="calculate"),
        Message("tool", "Here.", tool_call_id="c2", tool_name="show", media=(PICTURE,)),
        Message("assistant", "256", opaque=kept(protocol, 1, origin)),
        Message("user", "And the next?"),
    ]


def requests(protocol: str) -> dict[str, ModelRequest]:
    """Return the requests by name."""
    look = Message("user", "Look.", media=(PICTURE, PAPER))
    return {
        "text": ModelRequest([Message("system", "Be brief."), Message("user", "Hello")], max_tokens=64, stop=["END"]),
        "no user": ModelRequest([Message("system", "Be brief."), Message("assistant", "Hello"), Message("user", "")]),
        "tools": ModelRequest([Message("user", "Hello")], TOOLS),
        "a demanded call": ModelRequest([Message("user", "Hello")], TOOLS, must_call=True),
        "a single call": ModelRequest([Message("user", "Hello")], TOOLS, single_call=True),
        "files": ModelRequest([look], temperature=None),
        "structured output": ModelRequest([Message("user", "Where?")], TOOLS, output_schema=SCHEMA),
        "reasoning": ModelRequest(three_turns(protocol), TOOLS, max_tokens=9000, reasoning_effort="high"),
        "no reasoning": ModelRequest(three_turns(protocol), TOOLS, reasoning_effort="none"),
    }
