"""Fills in the arguments of a tool with a small model, as one JSON object under the tool's schema.

The prompt shows the most similar examples of the tool as turns of a conversation. They also settle enum arguments by
vote, and show which optional arguments a similar request gives.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import mean
from typing import Any, Final

import orjson

from retinue.models.base import Candidate, Message, Role
from retinue_assistant.numbers import contains_value
from retinue_assistant.schemas import argument_lines, grammar_schema
from retinue_assistant.similar_examples import Example, likenesses
from retinue_assistant.slots import slots
from retinue_assistant.text_parsing.iso_dates import has_iso_dates, write_iso_dates
from retinue_assistant.text_parsing.numbers import MOST, numerals
from retinue_assistant.text_parsing.recurrence import stated_recurrence
from retinue_assistant.text_parsing.relative_dates import period_with_today
from retinue_assistant.votes import Ballot, Vote, refused_options

TOKENS = 256
"""Most tokens of the arguments, in addition to the tokens of the request."""
_FOLLOWED = 4
"""Examples in the prompt. Four instead of two answer two more of a hundred requests correctly."""
_SHOWN_CHARACTERS = 900
"""Most characters of an example in the prompt. Longer ones would fill the context window of a small model."""
_STUDIED = 12
"""Examples that decide whether an argument is always copied from the request."""
_OFTEN_GIVEN = 0.4
"""Minimum share of examples that give an optional argument for offering it to the model."""
_MOSTLY = 0.5
"""Minimum share of examples that copy an argument from the request for filling it from there (`slots`)."""
_ADDRESS = re.compile(r"https?://\S+")
_SHARE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?% of (\d[\d,]{0,20}(?:\.\d{1,9})?)", re.IGNORECASE)
_REMAINDER = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?% ?(\d{1,20}(?:\.\d{1,9})?)")
_ROLES: Final[tuple[Role, Role]] = ("user", "assistant")
_FILLER = (
    "You fill in the arguments of a tool from a request. Copy every value exactly as the request has it, and leave out "
    "optional arguments that the request does not speak of. Answer with one JSON object."
)


@dataclass(frozen=True, slots=True)
class ArgumentForm:
    """A partly filled call. `settled` are arguments that need no model; `missing` are the schemas of the others."""

    request: str
    candidate: Candidate
    settled: Mapping[str, Any]
    missing: Mapping[str, Any]
    followed: Sequence[Example]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the object that the model fills in."""
        input_schema = self.candidate.tool.input_schema
        required = [name for name in input_schema.get("required", ()) if name in self.missing]
        empty = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
        return empty | grammar_schema({**input_schema, "properties": self.missing, "required": required})

    def prompt(self, mistake: str = "") -> list[Message]:
        """Build the prompt. `mistake` describes the error in the previous arguments."""
        tool = self.candidate.tool
        lines = [_FILLER, f"Tool {tool.name}: {tool.description}", "Arguments:"]
        lines += argument_lines({**tool.input_schema, "properties": self.missing})
        turns = [
            Message(role, text)
            for example in self.followed
            for role, text in zip(_ROLES, self._example_text(example), strict=True)
        ]
        question = f"{self.request}\n\n{mistake}" if mistake else self.request
        return [Message("system", "\n".join(lines)), *turns, Message("user", question)]

    def complete(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments."""
        found = {**self.settled, **answer}
        return {
            name: value
            for name, value in found.items()
            if name in self.settled or not (self._is_taken(name, found) or self._is_unfounded_blank(name, value))
        }

    def _is_unfounded_blank(self, name: str, value: object) -> bool:
        """True for an optional argument that the model left empty, as none of the examples does."""
        if value not in ("", [], {}) or name in self.candidate.tool.input_schema.get("required", ()):
            return False
        return not any(orjson.loads(text).get(name, ...) == value for _, text in self.followed)

    def _is_taken(self, name: str, found: Mapping[str, Any]) -> bool:
        """True for an optional number or date that another argument already has."""
        value = found[name]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_copy = is_number or (isinstance(value, str) and has_iso_dates(value))
        required = self.candidate.tool.input_schema.get("required", ())
        return is_copy and name not in required and value in [found[other] for other in found if other != name]

    def _example_text(self, example: Example) -> Example:
        """Return an example with only the arguments that are missing."""
        arguments = orjson.loads(example[1])
        return example[0], orjson.dumps({name: arguments[name] for name in self.missing if name in arguments}).decode()


def form_for(request: str, candidate: Candidate, today: date, *, mistaken: bool = False) -> ArgumentForm:
    """Prepare the form for a request. If earlier arguments were `mistaken`, the model fills in all of them."""
    schema, near = candidate.tool.input_schema, likenesses(request, candidate.examples)[-_STUDIED:]
    properties = {name: value for name, value in schema.get("properties", {}).items() if "const" not in value}
    settled = {name: value["const"] for name, value in schema.get("properties", {}).items() if "const" in value}
    ballot, copies = Ballot(near), _copied_shares([example for example, _ in near])
    shares, required = ballot.shares(), schema.get("required", ())
    votes: dict[str, Vote] = {}
    if not mistaken:
        votes = ballot.choices(properties)
        named_choices = ballot.named_choices(candidate.tool.name, properties, request)
        votes |= {name: Vote(True, [value]) for name, value in named_choices.items()}
        settled |= {name: vote.values[0] for name, vote in votes.items() if vote.settled and vote.values}
        copied = [name for name in properties if copies.get(name, 0.0) >= _MOSTLY]
        settled |= slots(candidate, [name for name in copied if name in required or name in shares])
        settled |= refused_options(properties, request)
        settled |= period_with_today(request, schema, today)
        settled |= stated_recurrence(request, schema)
    followed = [example for example, _ in near if sum(map(len, example)) <= _SHOWN_CHARACTERS][-_FOLLOWED:]
    if any(has_iso_dates(text) for _, text in followed):
        request, followed = write_iso_dates(request), [(write_iso_dates(message), text) for message, text in followed]
    often_given = {name for _, text in followed for name in orjson.loads(text) if shares.get(name, 0.0) >= _OFTEN_GIVEN}
    to_fill = {*required, *often_given, *votes} if followed else {*properties}
    decided = settled.keys() | {name for name, vote in votes.items() if vote.settled}
    missing = {
        name: _narrow(value, votes.get(name), copies.get(name) == 1.0, request)
        for name, value in properties.items()
        if name in to_fill and name not in decided
    }
    return ArgumentForm(request, candidate, settled, missing, followed)


def move_address(found: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Move the address of a page to `url` if it stands where the tool expects the content of the page."""
    if "url" not in schema.get("properties", {}) or found.get("url"):
        return {**found}
    places = [name for name, value in found.items() if isinstance(value, str) and _ADDRESS.fullmatch(value)]
    if len(places) != 1:
        return {**found}
    return {
        **{name: value for name, value in found.items() if name != places[0]},
        "url": found[places[0]].rstrip("?!.,"),
    }


def write_shares(found: Mapping[str, Any], request: str) -> dict[str, Any]:
    """Write "15%640" as "15% of 640" in the arguments if the request has these words: alone, % is a remainder."""
    shares = {(share, whole.replace(",", "")) for share, whole in _SHARE.findall(request)}

    def write(value: Any) -> Any:
        remainder = _REMAINDER.fullmatch(value) if isinstance(value, str) else None
        return f"{remainder[1]}% of {remainder[2]}" if remainder and remainder.groups() in shares else value

    return {name: write(value) for name, value in found.items()}


def form_again(request: str, candidate: Candidate, earlier: Sequence[Example]) -> ArgumentForm:
    """Prepare the form for a message like "And Rome?", which repeats the last call of the tool with a change. `earlier`
    are messages with the arguments of their calls; the form asks for the same arguments as the last one.
    """
    previous = orjson.loads(earlier[-1][1])
    missing = {name: value for name, value in candidate.tool.input_schema["properties"].items() if name in previous}
    return ArgumentForm(request, candidate, {}, missing, earlier)


def _narrow(schema: Mapping[str, Any], vote: Vote | None, is_literal: bool, request: str) -> Mapping[str, Any]:
    """Restrict the schema of an argument to the voted values, or to the numbers of the request."""
    if vote and vote.values:
        return {**schema, "enum": vote.values}
    if is_literal and "enum" not in schema and schema.get("type") in ("number", "integer"):
        found = [one.value for one in numerals(request) if schema["type"] == "number" or isinstance(one.value, int)]
        return {**schema, "enum": found} if 0 < len(found) < MOST else schema
    return schema


def _copied_shares(near: Sequence[Example]) -> dict[str, float]:
    """Return for each argument the share of the examples with it that copy its value from the request."""
    found: dict[str, list[bool]] = {}
    for request, text in near:
        for name, value in orjson.loads(text).items():
            found.setdefault(name, []).append(_stands_in(value, request))
    return {name: mean(copied) for name, copied in found.items()}


def _stands_in(value: Any, request: str) -> bool:
    """Return whether the request contains a number, a text, or every text of a list."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return contains_value(request, value)
    texts = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) and text in request for text in texts)
