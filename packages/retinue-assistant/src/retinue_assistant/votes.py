"""Settles enum and boolean arguments by a value that the request names, or by a vote of the most similar examples.

Both are more accurate than a small model.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from retinue.language.text_normalization import stems
from retinue_assistant.similar_examples import Example

_NAMED = 3
"""Minimum characters of an enum value to search for: shorter values occur inside other words."""
_WITHOUT = re.compile(
    r"\b(?:without|excluding|don'?t (?:use|include|show|add)|no)\s"
    r"(?=([a-z][a-z ]{1,60}?)(?:[^a-z ]|$|\s(?:and )?(?:but|with)\s))",
    re.IGNORECASE,
)
"""Matches what a request refuses."""
_KEEPING = stems("keep show with use")
"""Words of an option's name that do not say what it keeps."""
_VOTERS = 5
_MAJORITY = 0.45
"""Minimum share of the votes that settles an argument."""


class Vote(NamedTuple):
    """The outcome for one argument. `values` has the winner if `settled` (none for the default), else the options."""

    settled: bool
    values: list[Any]


def choices_in(tool: str, properties: Mapping[str, Any], request: str) -> dict[str, str]:
    """Return the enum arguments for which the request names exactly one value, with that value.

    A word of the tool's own name, such as "url" for `url_encode_percent`, does not name a value.
    """
    text = request.lower().replace("sha-", "sha")
    found = {
        name: [one for one in schema["enum"] if _is_named(one, text) and one not in tool.split("_")]
        for name, schema in properties.items()
        if "enum" in schema
    }
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def refused_options(properties: Mapping[str, Any], request: str) -> dict[str, bool]:
    """Return False for each option that is on by default and that the request refuses: "without symbols"."""
    refused = {word for found in _WITHOUT.finditer(request) for word in stems(found[1])}
    return {
        name: False
        for name, schema in properties.items()
        if schema.get("type") == "boolean" and schema.get("default") is True and (stems(name) - _KEEPING) <= refused
    }


def _is_named(value: Any, text: str) -> bool:
    if not isinstance(value, str) or len(value) < _NAMED:
        return False
    spelled = re.escape(value.lower()).replace("_", "[ _-]?")
    return re.search(rf"(?<![a-z0-9]){spelled}(?:case)?(?![a-z0-9])", text) is not None


class Ballot:
    """A vote of the examples most similar to a request. A vote has the weight of the squared similarity."""

    def __init__(self, near: Sequence[tuple[Example, float]]) -> None:
        """`near` are examples with their similarity to the request, the most similar last."""
        self._near = [(request, orjson.loads(arguments), likeness**2) for (request, arguments), likeness in near]
        self._voters = [(arguments, weight) for _, arguments, weight in self._near[-_VOTERS:]]

    def named_choices(self, tool: str, properties: Mapping[str, Any], request: str) -> dict[str, str]:
        """Return the choices that the request names. A choice is left out if most similar examples that name it mean
        another one.

        "Net price of 119 including 19% tax" names "net", but 119 is the gross price.
        """
        named = choices_in(tool, properties, request)
        doubted = dict.fromkeys(named, 0.0)
        for message, arguments, weight in self._near:
            for name, value in choices_in(tool, properties, message).items():
                if named.get(name) == value:
                    meant = arguments.get(name, properties[name].get("default"))
                    doubted[name] += -weight if meant == value else weight
        return {name: value for name, value in named.items() if doubted[name] <= 0}

    def choices(self, properties: Mapping[str, Any]) -> dict[str, Vote]:
        """Return the vote on each enum or boolean argument."""
        if not self._voters:
            return {}
        usual = {
            name: schema.get("default")
            for name, schema in properties.items()
            if "enum" in schema or schema.get("type") == "boolean"
        }
        return {name: self._vote(name, default) for name, default in usual.items()}

    def shares(self) -> dict[str, float]:
        """Return for each argument the weighted share of examples that give it."""
        total = sum(weight for _, weight in self._voters) or 1.0
        names = {name for arguments, _ in self._voters for name in arguments}
        return {name: sum(weight for arguments, weight in self._voters if name in arguments) / total for name in names}

    def _vote(self, name: str, usual: Any) -> Vote:
        """Count the votes. An omitted argument counts as its default, `usual`."""
        counted: dict[bytes, float] = {}
        for arguments, weight in self._voters:
            value = orjson.dumps(arguments.get(name, usual))
            counted[value] = counted.get(value, 0.0) + weight
        ranked = sorted(counted, key=counted.__getitem__, reverse=True)
        settled = counted[ranked[0]] >= _MAJORITY * sum(counted.values())
        values = [orjson.loads(value) for value in (ranked[:1] if settled else ranked)]
        return Vote(settled, [value for value in values if value != usual])
