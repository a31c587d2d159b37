"""Schemas of somebody else's document, cut down to what a model needs and every validator takes."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import orjson

from retinue.tools.imports.references import References

Schema = dict[str, Any]

ROOM = 8_000
"""Characters of JSON that the schemas of one tool may take: what is beyond becomes "anything"."""

_DEEPEST = 4
_MOST_PROPERTIES, _MOST_CHOICES = 60, 8
_A_NODE = 100
"""What each schema costs of the room at least, so that circles end soon."""

_DESCRIPTION, _ENUM = 400, 3000
"""Characters of a description, and of an enumeration, at most."""

_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_FORMATS = frozenset(
    {"date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "binary", "byte"}
)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(_LIMITS, _number),
    "format": lambda value: isinstance(value, str) and value in _FORMATS,
}
"""Keywords that are kept as they are, where their values are what they must be. Patterns are not: the far side checks
them, and one that takes for ever to match would stop this side.
"""


class Shaper:
    """Shapes the schemas of one tool, within one allowance of room. Circles end where the room or the depth does."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._room = ROOM

    def merge(self, schema: Any, depth: int = 0) -> Schema:
        """The schema with its reference resolved and its `allOf` put together."""
        found = self._references.resolve(schema)
        parts = found.get("allOf")
        if not isinstance(parts, list) or depth > _DEEPEST or self._room < 0:
            return found
        self._room -= _A_NODE
        whole = {key: value for key, value in found.items() if key != "allOf"}
        for part in parts[:_MOST_CHOICES]:
            other = self.merge(part, depth + 1)
            properties = {**_object(other.get("properties")), **_object(whole.get("properties"))}
            required = [*_list(whole.get("required")), *_list(other.get("required"))]
            whole = {**other, **whole} | ({"properties": properties, "required": required} if properties else {})
        return whole

    def shape(self, schema: Any, depth: int = 0) -> Schema:
        """The schema in a small part of JSON Schema 2020-12, without references."""
        found = self.merge(schema)
        return self._surface(found) | self._inside(found, depth)

    def _surface(self, found: Schema) -> Schema:
        """The part of a schema that holds no other schemas; nothing but the type where there is no more room."""
        if self._room < 0:
            return {"type": types} if (types := _types(found)) else {}
        shaped = _plain(found)
        self._room -= max(len(orjson.dumps(shaped)), _A_NODE)
        return shaped

    def _inside(self, found: Schema, depth: int) -> Schema:
        """The part of a schema that holds other schemas; nothing where there is no more room."""
        return dict(self._parts(found, depth + 1)) if depth < _DEEPEST and self._room > 0 else {}

    def _parts(self, found: Schema, depth: int) -> Iterator[tuple[str, Any]]:
        if properties := _object(found.get("properties")):
            kept = self.properties(found, properties, depth)
            yield "properties", kept
            yield "required", required_names(found, kept)
        if isinstance(found.get("additionalProperties"), dict):
            yield "additionalProperties", self.shape(found["additionalProperties"], depth)
        if isinstance(found.get("items"), dict):
            yield "items", self.shape(found["items"], depth)
        choices = _list(found.get("anyOf")) or _list(found.get("oneOf"))
        # Choices beside properties mostly tell which of them go together: too much for a model, and a matter of theirs.
        if choices and not properties:
            yield "anyOf", [self.shape(choice, depth) for choice in choices[:_MOST_CHOICES]]

    def properties(self, found: Schema, properties: Schema, depth: int) -> dict[str, Schema]:
        """The schemas of an object's properties that may be sent: those it must have first, then as they come."""
        must = {str(name) for name in _list(found.get("required"))}
        names = sorted((name for name in properties if len(name) <= 200), key=lambda name: name not in must)
        shown = (name for name in names if self._references.resolve(properties[name]).get("readOnly") is not True)
        found_there = {name: self.merge(properties[name]) for name in islice(shown, _MOST_PROPERTIES)}
        # All surfaces before anything inside: the first property does not take the room of the others.
        surfaces = {name: self._surface(one) for name, one in found_there.items()}
        return {name: surfaces[name] | self._inside(one, depth) for name, one in found_there.items()}


def required_names(found: Schema, kept: Mapping[str, Any]) -> list[str]:
    """The names of properties that must be sent, of those that were kept."""
    return list(dict.fromkeys(name for name in _list(found.get("required")) if isinstance(name, str) and name in kept))


def text(value: Any, most: int) -> str:
    """One line of at most so many characters, or nothing where there is no text."""
    words = " ".join(value.replace("\x00", "").split()) if isinstance(value, str) else ""
    return words if len(words) <= most else words[: most - 1] + "…"


def _plain(found: Schema) -> Schema:
    """The part of a schema that holds no other schemas."""
    shaped = {key: value for key, value in found.items() if key in _PLAIN and _PLAIN[key](value)}
    if types := _types(found):
        shaped["type"] = types
    if options := _options(found):
        shaped["enum"] = options
    if description := _describe(found):
        shaped["description"] = description
    return shaped


def _types(found: Schema) -> str | list[str] | None:
    """The type, or several, as JSON Schema 2020-12 writes them; OpenAPI 3.0 says `nullable` where null is one."""
    declared = found.get("type")
    types = [one for one in _list(declared) or [declared] if isinstance(one, str) and one in _TYPES]
    if not types and isinstance(found.get("properties"), dict):
        types = ["object"]
    if types and found.get("nullable") is True:
        types.append("null")
    unique = list(dict.fromkeys(types))
    return unique[0] if len(unique) == 1 else unique or None


def _options(found: Schema) -> list[Any]:
    declared = [found["const"]] if "const" in found else _list(found.get("enum"))
    options = [one for one in declared if one is None or isinstance(one, (str, int, float, bool))]
    if not options or len(options) != len(declared) or len(orjson.dumps(options)) > _ENUM:
        return []
    return [*options, None] if found.get("nullable") is True and None not in options else options


def _describe(found: Schema) -> str:
    """What it is, with the default: that is the far side's to fill in, so that a change changes nothing else."""
    about = text(found.get("description"), _DESCRIPTION)
    default = found.get("default")
    if default is None or not isinstance(default, (str, int, float, bool)) or len(str(default)) > 80:
        return about
    return f"{about} Default: {text(str(default), 80)}.".strip()


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
