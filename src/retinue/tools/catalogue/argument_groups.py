"""Describe which arguments of a tool belong together, as its `alternatives` say."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

_MOST_CHARACTERS = 700
_SHOWN_OPTIONS = 3


def describe_groups(rules: Sequence[Mapping[str, object]]) -> str:
    """Return the groups of arguments, one for each alternative."""
    described = "; or ".join(dict.fromkeys(map(_describe_one, rules)))
    return described if len(described) <= _MOST_CHARACTERS else f"{described[:_MOST_CHARACTERS]}…"


def _describe_one(rule: Mapping[str, Any]) -> str:
    properties, required = rule["properties"], rule["required"]
    needed = [_describe_argument(name, properties.get(name, {})) for name in required]
    more = [_describe_argument(name, one) for name, one in properties.items() if name not in required]
    optional = f"optionally {', '.join(more)}" if more else ""
    return ", ".join([*needed, *filter(None, [optional])])


def _describe_argument(name: str, schema: Mapping[str, Any]) -> str:
    """Return the name, with its values if they are few."""
    options = schema.get("enum", [])
    listed = "|".join(orjson.dumps(option).decode() for option in options[:_SHOWN_OPTIONS])
    return f"{name}={listed}" if 0 < len(options) <= _SHOWN_OPTIONS else name
