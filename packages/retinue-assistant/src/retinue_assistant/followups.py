"""Completes a message like "And 25?" from the user's previous one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from retinue_assistant.conversation_turn import ToolAttempt, read_result
from retinue_assistant.passages import subject_words
from retinue_assistant.references import LONGEST, refers
from retinue_assistant.splitting import OPENERS
from retinue_assistant.text_parsing.numbers import numerals
from retinue_assistant.text_parsing.relative_dates import WEEKDAYS
from retinue_assistant.utterance_alignment import Word, begins_with_preposition, replace_span, words_of

_SHORT, _BARE = 8, 4
"""Most words of a follow-up such as "And 25?", and of one without a joining word, such as "London?"."""
_ANSWER = 10
"""Most words of the answer to a reply that asked for something."""
_INTERJECTION = 2
"""Most words of a message between a request and its follow-up that changes nothing: "Thanks!"."""
_JOINING = (
    r"\W{0,9}(?:[a-z]{2,9}[,!.]\s)?"
    r"(?:and|or|what about|what if|how about|(?:now )?(?:the )?same(?: thing| one)?(?:,? but)?"
    r"|und|oder|was ist mit|y|qu\u00e9 tal|et)\b"
)
_CORRECTING = (
    r"\W{0,9}(?:(?:no|actually|sorry|wait|rather|i mean[t]?|make (?:it|that)|change (?:it|that) to)\b\W{1,3}){1,2}"
)
_CORRECTION = re.compile(_CORRECTING, re.IGNORECASE)
_ELLIPSIS = re.compile(_JOINING, re.IGNORECASE)
_LEADS = re.compile(
    rf"(?:{_CORRECTING}|{_JOINING}[\s,]{{0,3}})(?:(?:then|also|now)\W{{1,3}})?"
    r"(?:(?:what )?if\s)?(?:(?:i|we|you|it|they|there)(?:'s|'m|'re| am| is| are| was| were| had| have| has)?\s"
    r"(?:(?:borrow|choose|get|had|have|invest|only|pay|take|took|use|used|want|wanted|weigh|weighed|were)\s)?)?",
    re.IGNORECASE,
)
"""Matches what introduces the words that replace others: "and", "what about", "no,", "what if I take"."""
_REQUEST = re.compile(
    rf"\W{{0,9}}(?:please\s)?(?:{OPENERS}\b|-?\d[\d.,]{{0,20}}\s?[a-z\u00b0]{{1,12}}\s(?:in|to|into)\s[a-z\u00b0]{{1,12}}\W*$)",
    re.IGNORECASE,
)
_OPERATOR = re.compile(
    r"^(?:(?:and|then|now)\s){0,2}(?:(?P<minus>(?:subtract|deduct|take off|take away|knock off))|(?P<plus>add)"
    r"|(?P<operator>plus|minus|times|multiplied by|divided by|mal|geteilt durch|[-+*/\u00d7\u00f7]))\s?"
    r"(?P<operand>-?\d[\d.,]{0,20}%?)\W*$",
    re.IGNORECASE,
)
"""Matches a message that continues to calculate: "plus 10", "now take off 10%"."""
_DIFFERENCE = re.compile(
    r"\b(?:(?P<less>lose|lost|drop|remove|subtract)|gain|add|put on)"
    r"\s(?P<size>\d{1,9}(?:\.\d{1,6})?)\s(?P<unit>[a-z]{1,12})\b"
    r"|\b(?P<count>\d{1,9}|one|two|three)\s(?:more|(?P<fewer>fewer|less))\s(?P<counted>[a-z]{1,12})\b",
    re.IGNORECASE,
)
"""Matches a change by a difference: "if I lose 5 kg", "with two more people"."""
_AGAIN = re.compile(
    r"^\W*(?:(?:please|and|ok(?:ay)?|now)\W+)?"
    r"(?:another(?: one)?|one more(?: time)?|again|once more|do (?:it|that) again"
    r"|noch (?:eine?[ns]?|einmal|mal)|nochmals?|otr[oa](?: vez)?|encore(?: une? fois)?)"
    r"(?:\W+(?:please|bitte|por favor))?\W*$",
    re.IGNORECASE,
)
_LEAD = r"^\W*(?:(?:no|please|ok(?:ay)?|now|actually|oh|sorry|wait)\W+){0,2}"
_UNDOING = re.compile(
    rf"{_LEAD}(?:undo|revert|take (?:it|that) back"
    r"|(?:cancel|delete|drop|remove) (?:it|that|them|the (?:first|second|third|fourth|last|other)(?: one)?))"
    r"(?: (?:again|please))?\W*$",
    re.IGNORECASE,
)
_CHANGING = re.compile(
    rf"{_LEAD}(?:make|move|change|put|set|postpone|shift|rename) (?:it|that|this)\b.{{0,60}}$", re.IGNORECASE
)
_MOMENT = re.compile(
    rf"^\W*(?:(?:(?:on|at|by|for|in|next|this|the|um|am|a|las)\s)?(?:today|tonight|tomorrow|morning|afternoon|evening|noon"
    rf"|{'|'.join(WEEKDAYS)}|\d{{1,2}}(?:[:.]\d\d)?(?:\s?[ap]\.?m\b\.?|\s?uhr)?)[,\s]{{0,2}}){{1,4}}\W*$",
    re.IGNORECASE,
)
"""Matches a message that is only a time: "tomorrow at 5 pm"."""
_ACTING = re.compile(r"_(?:add|create|delete|log|put|remember|save|set|update)(?:_|$)")
"""Matches the name of a tool that stores something."""
_SENTENCE_END = re.compile(r"(?<=[^\d\s][.!?])\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user. `has_call` says that it needed one call, which succeeded; `lacks_value`, that the reply
    asked for what the message does not state.
    """

    text: str
    has_call: bool = False
    lacks_value: bool = False


def complete(messages: Sequence[Said]) -> str:
    """Return the last of the user's messages, completed from the ones before it where that is unambiguous."""
    previous = Said("")
    for one in messages:
        completed = substitute(one.text, previous)
        if completed or one.has_call or one is messages[-1] or len(one.text.split()) > _INTERJECTION:
            has_call = one.has_call or bool(completed and previous.has_call)
            previous = replace(one, text=completed or one.text, has_call=has_call)
    return previous.text


def substitute(message: str, previous: Said) -> str:
    """Repeat the previous request with the values of an elliptical message: "And of 90?" after "What is 20% of 150?"
    becomes "What is 20% of 90?", and "And in feet?" after "3 m in cm" becomes "3 m in feet?". Returns "" if it is
    unclear what is replaced.
    """
    if not previous.text or len(previous.text) > LONGEST or asks_again(message):
        return ""
    sentence = _last_sentence(message)
    lead = _LEADS.match(sentence)
    rest = sentence[lead.end() :] if lead else sentence
    new, old = words_of(rest, begins_sentence=False), words_of(previous.text)
    if asks_itself(rest):
        return ""
    is_joined = is_elliptical(message) or (lead is not None and len(new) <= _BARE)
    if previous.lacks_value and not is_joined:
        return _with_addition(previous.text, rest) if len(new) <= _ANSWER else ""
    if not is_joined and not (previous.has_call and _may_be_bare(new)):
        return ""
    changed = _with_difference(rest, old) or replace_span(old, new, strict=not is_joined)
    repeats = lead is not None and "same" in lead[0].lower()
    is_addition = previous.has_call and not repeats and begins_with_preposition(new) and len(new) <= _BARE + 1
    return changed or (_with_addition(previous.text, rest) if is_addition else "")


def follows_on(message: str) -> bool:
    """Return whether a short message continues the one before it: "And 25?", "And how much are they?"."""
    sentence = _last_sentence(message)
    has_form = len(sentence.split()) <= _SHORT and _ELLIPSIS.match(sentence) is not None
    return has_form and ("what if" in sentence.lower() or not refers(sentence))


def is_elliptical(message: str) -> bool:
    """Return whether a message only names a replacement for part of an earlier one: "And 25?", "What about Rome?"."""
    sentence = _last_sentence(message)
    joining = _ELLIPSIS.match(sentence)
    return joining is not None and follows_on(message) and not asks_itself(sentence[joining.end() :])


def asks_itself(text: str) -> bool:
    """Return whether the rest of a message is a request of its own: "(and) who wrote it?", "(and) 180 C to F"."""
    return _REQUEST.match(text) is not None


def with_operand(message: str) -> str:
    """Return "What is it plus 10?" for "plus 10", which continues to calculate; empty for any other message."""
    if (found := _OPERATOR.match(message.strip())) is None:
        return ""
    operator = found["operator"] or ("plus" if found["plus"] else "minus")
    return f"What is it {operator} {found['operand'].rstrip('.,')}?"


def asks_again(message: str) -> bool:
    """Return whether a message asks for the same once more, as in "Another one"."""
    return _AGAIN.match(message) is not None


def acts(tool: str) -> bool:
    """Return whether the name of a tool says that it stores something."""
    return _ACTING.search(tool) is not None


def has_record(attempt: ToolAttempt) -> bool:
    """Return whether a call returned a record that it stored."""
    return {"id", "created_at"} <= (read_result(attempt.result) or {}).keys()


def asks_change(message: str, attempt: ToolAttempt) -> bool:
    """Return whether a message asks to undo or to change what a call stored: "Undo", "Make it 7pm", "no, at 8"."""
    if _UNDOING.match(message):
        return True
    if acts(attempt.tool) and _CHANGING.match(message):
        return True
    words = words_of(message)
    corrects = bool(_CORRECTION.match(message) or _MOMENT.match(message)) or begins_with_preposition(words)
    return has_record(attempt) and corrects and len(words) <= _BARE + 1


def states_change(message: str, earlier: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a message states how the arguments of a repeated call differ from the `earlier` ones, in JSON.

    A small model also changes what the message does not name, or changes nothing.
    """
    before: Mapping[str, Any] = orjson.loads(earlier)
    changed = [value for name, value in arguments.items() if value != before.get(name)]
    stated, known = {one.value for one in numerals(message)}, set(_numbers([*before.values()]))
    used = set(_numbers([*arguments.values()]))
    return bool(changed) and set(_numbers(changed)) <= stated | known and stated <= used


def _numbers(values: Sequence[Any]) -> Iterator[float]:
    """Yield the numbers in values, and in the lists, objects and texts among them."""
    for value in values:
        if isinstance(value, str):
            yield from (one.value for one in numerals(value))
        elif isinstance(value, list | dict):
            yield from _numbers(value if isinstance(value, list) else [*value.values()])
        elif not isinstance(value, bool) and value is not None:
            yield value


def _last_sentence(message: str) -> str:
    """Return the last sentence of a message: "Thanks! And 25?" ends with "And 25?"."""
    return _SENTENCE_END.split(message)[-1]


def _may_be_bare(words: Sequence[Word]) -> bool:
    """Return whether a message may be a follow-up without a joining word: "London?", "400?", "in feet", "at 3.5%?"."""
    if not words or len(words) > _BARE + begins_with_preposition(words):
        return False
    values = [one for one in words if one.is_value and (one.kind != "name" or subject_words(one.core))]
    return begins_with_preposition(words) or bool(values)  # "Thanks!" names nothing.


def _with_difference(text: str, old: Sequence[Word]) -> str:
    """Return a request with the difference that a text states: "if I lose 5 kg" makes 77 kg of 82 kg. Returns an empty
    string if the text states none, or if not exactly one number of the request has its unit.
    """
    if (found := _DIFFERENCE.search(text)) is None:
        return ""
    [size, *_], is_less = numerals(found["size"] or found["count"]), bool(found["less"] or found["fewer"])
    unit = (found["unit"] or found["counted"]).casefold()
    places = [at for at, one in enumerate(old[:-1]) if one.kind == "number" and old[at + 1].core.casefold() == unit]
    values = numerals(old[places[0]].core) if len(places) == 1 else []
    if not values:
        return ""
    value = round(values[0].value + (-size.value if is_less else size.value), 6)
    return " ".join(f"{value:.10g}" if at == places[0] else one.text for at, one in enumerate(old))


def _with_addition(request: str, addition: str) -> str:
    """Return a request with a further condition: before its data if a colon introduces them, else at its end."""
    body, ending = request.rstrip("?.! "), "?" if request.rstrip().endswith("?") else ""
    addition = addition.rstrip("?.! ")
    opening, colon, data = body.partition(": ")
    return f"{opening} {addition}: {data}{ending}" if colon else f"{body} {addition}{ending}"
