"""Choices, as the likest precedents make them: a small model is worse at it than their vote."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from retinue.models.candidates import Candidate
from retinue.models.precedents import likenesses

_VOTERS = 5
_MAJORITY = 0.45
"""The share of all votes from which on there is nothing left to choose."""


class Vote(NamedTuple):
    """What may be given: none or one value where it is `settled`, else those among which to choose."""

    settled: bool
    values: list[Any]


def voted(question: str, tool: Candidate) -> dict[str, Vote]:
    """For each argument that is a choice, what the likest precedents give it. A vote counts as the square of the
    likeness.
    """
    voters = _voters(question, tool)
    choices = {
        name: schema.get("default")
        for name, schema in tool.input_schema.get("properties", {}).items()
        if "enum" in schema or schema.get("type") == "boolean"
    }
    return {
        name: _outcome([(meant.get(name, usual), weight) for meant, weight in voters], usual)
        for name, usual in choices.items()
    }


def given(question: str, tool: Candidate) -> dict[str, float]:
    """With what share of those votes each argument is given at all."""
    voters = _voters(question, tool)
    whole = sum(weight for _, weight in voters) or 1.0
    shares: dict[str, float] = {}
    for meant, weight in voters:
        for name in meant:
            shares[name] = shares.get(name, 0.0) + weight / whole
    return shares


def _voters(question: str, tool: Candidate) -> list[tuple[dict[str, Any], float]]:
    """The likest precedents: what each means, and what its vote counts."""
    near = likenesses(question, tool.precedents)[-_VOTERS:]
    return [(orjson.loads(arguments), likeness**2) for (_, arguments), likeness in near]


def _outcome(votes: Sequence[tuple[Any, float]], usual: Any) -> Vote:
    """What comes of weighted votes; what is left out and what is `usual` are one and the same."""
    counted: dict[bytes, float] = {}
    for value, weight in votes:
        counted[orjson.dumps(value)] = counted.get(orjson.dumps(value), 0.0) + weight
    best = max(counted, key=counted.__getitem__)
    settled = counted[best] >= _MAJORITY * sum(counted.values())
    values = [
        orjson.loads(value) for value in ([best] if settled else sorted(counted, key=counted.__getitem__, reverse=True))
    ]
    return Vote(settled, [value for value in values if value != usual])
