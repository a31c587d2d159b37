"""Arguments that are a choice: the request names one, or the nearest examples vote; a small model does worse."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from retinue.models.assistant.neighbours import Example

_NAMED = 3
"""Characters of a value that a request may name: shorter ones stand in other words."""
_VOTERS = 5
_MAJORITY = 0.45
"""The share of all votes from which on there is nothing left to choose."""


class Vote(NamedTuple):
    """What may be given: none or one value where it is `settled`, else those among which to choose."""

    settled: bool
    values: list[Any]


def choices_in(properties: Mapping[str, Any], request: str) -> dict[str, str]:
    """For each argument that is a choice, the only one of its values that stands in the request, if one does."""
    said = request.lower().replace("sha-", "sha")
    found = {
        name: [one for one in schema["enum"] if isinstance(one, str) and len(one) >= _NAMED and _stands_in(one, said)]
        for name, schema in properties.items()
        if "enum" in schema
    }
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _stands_in(value: str, said: str) -> bool:
    spelled = re.escape(value.lower()).replace("_", "[ _-]?")
    return re.search(rf"(?<![a-z0-9]){spelled}(?![a-z0-9])", said) is not None


class Ballot:
    """The nearest examples of a tool to a request. A vote counts as the square of the likeness."""

    def __init__(self, near: Sequence[tuple[Example, float]]) -> None:
        """`near` are examples with their likeness to the request, the nearest one last."""
        self._voters = [(orjson.loads(arguments), likeness**2) for (_, arguments), likeness in near[-_VOTERS:]]

    def choices(self, properties: Mapping[str, Any]) -> dict[str, Vote]:
        """For each argument that is a choice, what the examples give it."""
        if not self._voters:
            return {}
        usual = {
            name: schema.get("default")
            for name, schema in properties.items()
            if "enum" in schema or schema.get("type") == "boolean"
        }
        return {name: self._vote(name, default) for name, default in usual.items()}

    def shares(self) -> dict[str, float]:
        """With what share of the votes each argument is given at all."""
        whole = sum(weight for _, weight in self._voters) or 1.0
        shares: dict[str, float] = {}
        for meant, weight in self._voters:
            for name in meant:
                shares[name] = shares.get(name, 0.0) + weight / whole
        return shares

    def _vote(self, name: str, usual: Any) -> Vote:
        """What is left out and what is `usual` are one and the same."""
        counted: dict[bytes, float] = {}
        for meant, weight in self._voters:
            value = orjson.dumps(meant.get(name, usual))
            counted[value] = counted.get(value, 0.0) + weight
        ranked = sorted(counted, key=counted.__getitem__, reverse=True)
        settled = counted[ranked[0]] >= _MAJORITY * sum(counted.values())
        values = [orjson.loads(value) for value in (ranked[:1] if settled else ranked)]
        return Vote(settled, [value for value in values if value != usual])
