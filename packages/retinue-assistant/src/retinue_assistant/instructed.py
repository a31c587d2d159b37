"""Replies for an agent that has instructions: by a fixed text, by a quotation of the instructions, or by the model."""

import re
from collections.abc import Sequence
from dataclasses import replace

from retinue.models.base import Message, ModelRequest, Persona
from retinue_assistant import constraints, fixed_texts, passages, prices
from retinue_assistant.conversation_turn import ConversationTurn
from retinue_assistant.fixed_texts import fixed_text
from retinue_assistant.followups import follows_on
from retinue_assistant.references import refers
from retinue_assistant.reply_prompts import (
    asks_for_text,
    is_fresh,
    is_opening,
    is_sending,
    moderate_temperature,
    without_needless_day,
)
from retinue_assistant.tool_choice import ADDRESS

_ROOM = 6000
"""Most characters of a system message: a small model needs seconds for a thousand, and follows a short one better."""
_TOKENS = 200
_HISTORY = 6
"""Most earlier messages, so that the instructions stay in sight."""
_SHORT = 8
"""Most words of a message that the one before it may complete."""
_LIVE = re.compile(
    r"\b(?:where(?:'s| is| are)|status of|track(?:ing)?|has|have|when (?:will|does)|did) (?:my|our)\b"
    r"|\bmy (?:account )?balance\b"
    r"|\b(?:is|are|will) (?:my|our) .{1,30}?\b(?:arrive|back|collected|confirmed|delivered|done|finished|fixed|here"
    r"|ready|repaired|shipped)\b|\bwhen can (?:i|we) (?:collect|fetch|get|have|pick up) (?:my|our)\b"
    r"|\bin stock\b|\bright now\b|\bat the moment\b|\bcurrently\b|\bin today\b|\bavailable (?:today|tonight|tomorrow)\b"
    r"|\bhow (?:busy|full)\b|\bwo (?:ist|bleibt|sind) (?:mein|unser)|\bauf lager\b"
    r"|\bd\u00f3nde est\u00e1 mi\b|\bo\u00f9 est m(?:a|on)\b",
    re.IGNORECASE,
)
"""Matches a question for the state of an order, of a stock or the like."""
_LIMIT = re.compile(r"\bI (?:cannot|can't|do not|don't|never)\b|\bplease \w+")
"""Matches a rule about what the agent cannot do, in its own words: it answers a question for the state of an order."""
_OWN_LIMIT = re.compile(r"I (?:cannot|can't|do not|don't|never)\b")
_FAVOUR = re.compile(
    r"\b(?:can|could|would|will) you (?:please )?(?!answer|calculate|describe|explain|give|help|say|show|tell)\w+\b"
    r".{0,60}\b(?:for|to) me\b",
    re.IGNORECASE,
)
"""Matches a request to do something that takes more than words."""
_EMERGENCY = re.compile(
    r"\b(?:can(?:no|')?t breathe|chest pain|heart attack|unconscious|not breathing|bleeding (?:heavily|badly)|overdose"
    r"|suicid\w+|kill myself|on fire|stroke|bewusstlos|atmet nicht|brustschmerz\w*|blutet stark)\b",
    re.IGNORECASE,
)


def fixed_reply(message: str, persona: Persona) -> str:
    """Return the reply to a greeting, to thanks, or to a question for identity; else an empty string."""
    if fixed_texts.asks_identity(message):
        return fixed_texts.identity(message, persona)
    return fixed_texts.reply_to_courtesy(message, persona)


def reads_facts(message: str, persona: Persona) -> bool:
    """Return whether a message is to be answered by the facts in the instructions, not by a text of the model."""
    return passages.has_facts(persona.instructions) and not asks_for_text(message)


def quote(message: str, english: str, found: Sequence[str], persona: Persona, *, is_foreign: bool) -> str:
    """Return the reply by the facts in the instructions that were found, or else a refusal that says whom to ask.

    `english` is the message in the language of the instructions. `is_foreign` says that its own language is another.
    """
    instructions = persona.instructions
    statements = "\n\n".join(found)
    if statements and is_foreign:
        statements = f"{fixed_text('on_this', message)} {statements}"
    address = passages.contact(english, instructions)
    contact = fixed_texts.where_to_ask(message, address)
    further = f" {contact}" if address and address not in statements else ""
    if _EMERGENCY.search(english):
        return f"{fixed_text('emergency', message)} {statements}".strip()
    if is_fresh(english):
        return f"{fixed_text('not_live', message)} {fixed_texts.where_to_ask(message, '')}"
    states_limits = all(map(_OWN_LIMIT.match, found))
    if states_limits and ADDRESS.search(message):
        return fixed_text("no_pages", message)
    if is_sending(english) or _FAVOUR.search(english):
        return f"{fixed_text('no_acts', message)} {statements + further if statements else contact}"
    if _LIVE.search(message) or _LIVE.search(english):
        limits = [one for one in found if _LIMIT.search(one)] or passages.limits(instructions)
        own = "" if is_foreign else "\n\n".join(limits)
        return own or f"{fixed_text('not_live', message)} {contact}"
    if found and states_limits:
        return statements + further
    total = prices.total(english, instructions)
    return "\n\n".join(filter(None, [statements, total])) or f"{fixed_text('unknown', message)} {contact}"


def refusal(message: str, persona: Persona) -> str:
    """Return the refusal of what an agent without facts cannot do or know, or may not say; else an empty string."""
    if constraints.withholds(message, persona.instructions):
        return fixed_text("withheld", message)
    if is_opening(message):
        return fixed_text("no_pages", message)
    if is_sending(message):
        return _with_contact(fixed_text("no_acts", message), message, persona)
    asks_news = is_fresh(message) and message.rstrip().endswith("?")
    return f"{fixed_text('not_live', message)} {fixed_texts.where_to_ask(message, '')}" if asks_news else ""


def nothing_found(message: str, persona: Persona | None) -> str:
    """Return the reply of an agent whose documents have no answer."""
    return _with_contact(fixed_text("nothing_found", message), message, persona)


def _with_contact(reply: str, message: str, persona: Persona | None) -> str:
    """Add whom to ask, if the instructions have an address or a telephone number."""
    address = passages.contact(message, persona.instructions) if persona else ""
    return f"{reply} {fixed_texts.where_to_ask(message, address)}" if address else reply


def reply_request(
    request: ModelRequest, turn: ConversationTurn, persona: Persona, facts: Sequence[str] = ()
) -> ModelRequest:
    """Build the request for a reply in the model's words. `facts` are those that the agent remembers.

    A small model follows the rules best if they are next to the message.
    """
    system = "\n".join(one.content for one in turn.before if one.role == "system") or persona.instructions
    known = without_needless_day(system, turn.question, persona.instructions)
    dialogue = [one for one in turn.before if one.role in ("user", "assistant") and one.content and not one.tool_calls]
    rules = " ".join(passages.rules(persona.instructions))[: _ROOM // 4]
    prompt = f'{rules}\n\nThe message: "{turn.question}"\n\nWrite your reply to it now, and nothing else.'
    remembered = f'\n\nThe user told you earlier: "{"; ".join(facts)}"' if facts else ""
    messages = [
        Message("system", passages.excerpt(turn.question, known, _ROOM) + remembered),
        *dialogue[-_HISTORY:],
        Message("user", prompt if rules else turn.question),
    ]
    length = constraints.length_of(persona.instructions)
    most = min(request.max_tokens or _TOKENS, length.tokens if length else _TOKENS, _TOKENS)
    temperature = moderate_temperature(request)
    return replace(request, messages=messages, tools=(), resources=None, max_tokens=most, temperature=temperature)


def earlier_question(message: str, turn: ConversationTurn) -> str:
    """Return the message before a short one such as "And on Sunday?", which completes it; else an empty string."""
    earlier = [one.content for one in turn.before if one.role == "user"][-1:]
    is_short = len(message.split()) <= _SHORT and (follows_on(message) or refers(message))
    return earlier[0] if earlier and is_short else ""
