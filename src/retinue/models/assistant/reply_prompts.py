"""Builds the prompt for replies in the model's own words, and fixed replies to requests that no tool can serve."""

import re
from collections.abc import Sequence
from dataclasses import replace

from retinue.models.assistant.conversation_turn import ConversationTurn
from retinue.models.assistant.fixed_texts import fixed_text
from retinue.models.base import Message, ModelRequest, ToolOffer

RESULT_CHARACTERS = 2000
"""Most characters of a tool result in the prompt."""
_TOKENS = 192
"""Most tokens to state a result: a small model that continues after that writes nonsense."""
TOO_MANY = "I stopped before this one: one message takes eight calls of tools at most. Please ask it again by itself."
"""The reply to a request after the limit of tool calls."""
SENDS_NOTHING = (
    "I cannot send anything or pay for anything by myself. A tool that does has to be named: look for one with "
    "`GET /api/v1/tools?search=send`, and send its name among the `tools` of the message."
)
"""The reply to a request to send or buy something if no tool was found."""
OFFLINE = (
    "I cannot look that up: I have no connection to the internet, and what I learned may be out of date. If you know a "
    "page that has it, send its address with `web_extract_article` among the `tools` of the message."
)
"""The reply to a request for news or for the latest version of something."""
_FRESH = re.compile(
    r"\b(?:search|look|browse|google|check)\b.{0,30}\b(?:web|internet|online|google)\b"
    r"|\b(?:latest|newest|current|today'?s|this week'?s)\b.{0,30}\b(?:releases?|versions?|news|prices?|scores?|weather"
    r"|headlines|rates?)\b|\b(?:weather|forecast|rain|snow|sunny)\b.{0,30}\b(?:today|tonight|tomorrow|now)\b"
    r"|\bnews\b.{0,20}\btoday\b",
    re.IGNORECASE,
)
_SENDING = re.compile(
    r"^\W*(?:(?:please|can you|could you)\s+)*(?:(?:send|forward|mail|phone|ring|call|text|fax|post|pay|buy|book"
    r"|reserve|cancel|refund)\s+"
    r"(?:an?|my|the|some|this|that|it|him|her|them|me)\b|order\s(?:an?|me|us|some)\b|e-?mail\s)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\b(?:open|check|read|visit|summari[sz]e|look at|fetch|browse|go to|what(?:'s| is) (?:on|at)|what does)\s"
    r"(?:[\w']+\s){0,4}(?:https?://|www\.)",
    re.IGNORECASE,
)
"""Matches a request to open a page."""
_LIMITS = (
    "You cannot look anything up on the internet, and you cannot send or buy anything. Where a question needs news, "
    "prices or versions of today, say that you cannot look them up."
)
# A small model quotes a result correctly if it follows the question; from the system prompt it misquotes numbers.
_STATE = "In one short sentence, answer the question with the values of this result."


def refusal(request: str) -> str:
    """Return the reply to a request that neither a tool nor the model can serve; empty if the model may try."""
    if is_sending(request):
        return SENDS_NOTHING
    if is_fresh(request):
        return OFFLINE
    return fixed_text("no_pages", request) if is_opening(request) else ""


def is_opening(request: str) -> bool:
    """True for a request to open a page."""
    return _OPENING.search(request) is not None


def is_sending(request: str) -> bool:
    """True for a request to send, order, book or buy something."""
    return _SENDING.search(request) is not None


def is_fresh(request: str) -> bool:
    """True for a request for news, weather or the latest of something."""
    return _FRESH.search(request) is not None


def not_allowed(tool: ToolOffer) -> str:
    """Return the reply to a request that needs a tool that the caller did not name."""
    purpose = tool.description.partition(". ")[0].rstrip(".")
    return (
        f"I cannot do that by myself: it takes the tool `{tool.name}` ({purpose[:1].lower()}{purpose[1:]}), which I "
        f"may use only if you name it. Send the message again with `{tool.name}` among its `tools`."
    )


def missed_note(missed: Sequence[str]) -> str:
    """Return a note about what a reply leaves out of its request; empty if that is nothing."""
    again = f"\n\nI may have missed {', '.join(missed)}. If this is another question, please ask it by itself."
    return again if missed else ""


def reply_request(
    request: ModelRequest, turn: ConversationTurn, part: str, number: int, facts: Sequence[str]
) -> ModelRequest:
    """Build the request for a reply in the model's own words: the conversation without tool calls, and the question.

    The question is `part`, or the whole message if it is empty. A result that the model has to describe follows it.
    """
    spoken = [one for one in turn.before if one.role != "tool" and not one.tool_calls]
    known = ["The user asked you to remember: " + "; ".join(facts) + "."] if facts else []
    system = "\n".join([*(one.content for one in spoken if one.role == "system"), _LIMITS, *known])
    done, question = turn.attempt_of(number), part or turn.question
    asked = f"{question}\n\nResult: {done.result[:RESULT_CHARACTERS]}\n\n{_STATE}" if done else question
    others = [one for one in spoken if one.role != "system"]
    plain = replace(
        request, messages=[Message("system", system), *others, Message("user", asked)], tools=(), resources=None
    )
    if not (done or facts):
        return plain
    most = request.max_tokens
    return replace(plain, temperature=0.0, max_tokens=min(most or _TOKENS, _TOKENS) if done else most)
