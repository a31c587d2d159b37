"""Reduce the schemas of third-party documents to what models need and every validator accepts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

import orjson

from retinue.tools.imports.references import References

Schema = dict[str, object]

ROOM = 8_000
"""Maximum characters of JSON for the schemas of one tool; anything beyond becomes "anything"."""

_DEEPEST = 4
_MOST_PROPERTIES, _MOST_CHOICES = 60, 8
_A_NODE = 100
"""The minimum cost of each schema, so that circular references end soon."""

_DESCRIPTION, _ENUM = 400, 3000
"""Maximum characters of a description, and of an enumeration."""

_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_FORMATS = frozenset(
    {"date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "binary", "byte"}
)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PLAIN: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(_LIMITS, _number),
    "format": lambda value: isinstance(value, str) and value in _FORMATS,
}
"""Keywords that stay if their values are valid. Patterns do not: the remote API checks them, and a pattern that never
finishes would block this side.
"""


class SchemaTrimmer:
    """Shapes the schemas of one tool within a common size limit. Circular references end at that limit or at the
    maximum depth.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._room = ROOM

    def merge(self, schema: object, depth: int = 0) -> Schema:
        """Return the schema with its reference resolved and its `allOf` merged."""
        found = self._references.resolve(schema)
        parts = found.get("allOf")
        if not isinstance(parts, list) or depth > _DEEPEST or self._room < 0:
            return found
        self._room -= _A_NODE
        merged = {key: value for key, value in found.items() if key != "allOf"}
        for part in parts[:_MOST_CHOICES]:
            other = self.merge(part, depth + 1)
            properties = {**as_object(other.get("properties")), **as_object(merged.get("properties"))}
            required = [*as_list(merged.get("required")), *as_list(other.get("required"))]
            merged = {**other, **merged} | ({"properties": properties, "required": required} if properties else {})
        return merged

    def shape(self, schema: object, depth: int = 0) -> Schema:
        """Return the schema in a small part of JSON Schema 2020-12, without references."""
        found = self.merge(schema)
        return self.surface(found) | self._inside(found, depth)

    def surface(self, found: Schema) -> Schema:
        """Return the part of a schema without nested schemas; only the type once the limit is reached."""
        if self._room < 0:
            return {"type": types} if (types := _types(found)) else {}
        shaped = _plain(found)
        self._room -= max(len(orjson.dumps(shaped)), _A_NODE)
        return shaped

    def _inside(self, found: Schema, depth: int) -> Schema:
        """Return the nested schemas of a schema; nothing once the limit is reached."""
        return dict(self._parts(found, depth + 1)) if depth < _DEEPEST and self._room > 0 else {}

    def _parts(self, found: Schema, depth: int) -> Iterator[tuple[str, object]]:
        if properties := as_object(found.get("properties")):
            trimmed = self.properties(found, properties, depth)
            yield "properties", trimmed
            yield "required", required_names(found, trimmed)
        if isinstance(found.get("additionalProperties"), dict):
            yield "additionalProperties", self.shape(found["additionalProperties"], depth)
        if isinstance(found.get("items"), dict):
            yield "items", self.shape(found["items"], depth)
        choices = as_list(found.get("anyOf")) or as_list(found.get("oneOf"))
        # Choices beside properties mostly say which of them go together: too much for a model, and checked by the
        # remote API.
        if choices and not properties:
            options = [self.shape(choice, depth) for choice in choices[:_MOST_CHOICES]]
            yield "anyOf", options if len(choices) <= _MOST_CHOICES else [*options, {}]

    def properties(self, found: Schema, properties: Schema, depth: int) -> dict[str, Schema]:
        """Return the schemas of an object's writable properties: required ones first, then in order."""
        must = {str(name) for name in as_list(found.get("required"))}
        names = sorted((name for name in properties if len(name) <= 200), key=lambda name: name not in must)
        writable = (name for name in names if self._references.resolve(properties[name]).get("readOnly") is not True)
        found_there = {name: self.merge(properties[name]) for name in islice(writable, _MOST_PROPERTIES)}
        # Process all surfaces before nested schemas, so that the first property does not use up the limit of the
        # others.
        surfaces = {name: self.surface(one) for name, one in found_there.items()}
        return {name: surfaces[name] | self._inside(one, depth) for name, one in found_there.items()}


def required_names(found: Schema, properties: Mapping[str, object]) -> list[str]:
    """Return the names of the kept properties that are required."""
    return list(
        dict.fromkeys(name for name in as_list(found.get("required")) if isinstance(name, str) and name in properties)
    )


def text(value: object, most: int) -> str:
    """One line of at most `most` characters; empty if the value is no text."""
    words = " ".join(value.replace("\x00", "").split()) if isinstance(value, str) else ""
    return words if len(words) <= most else words[: most - 1] + "…"


def _plain(found: Schema) -> Schema:
    """Return the part of a schema without nested schemas."""
    shaped = {key: value for key, value in found.items() if key in _PLAIN and _PLAIN[key](value)}
    if types := _types(found):
        shaped["type"] = types
    if options := _options(found):
        shaped["enum"] = options
    if description := _describe(found):
        shaped["description"] = description
    return shaped


def _types(found: Schema) -> str | list[str] | None:
    """Return the type or types as in JSON Schema 2020-12; OpenAPI 3.0 uses `nullable` for null."""
    declared = found.get("type")
    types = [one for one in as_list(declared) or [declared] if isinstance(one, str) and one in _TYPES]
    if not types and isinstance(found.get("properties"), dict):
        types = ["object"]
    if types and found.get("nullable") is True:
        types.append("null")
    unique = list(dict.fromkeys(types))
    return unique[0] if len(unique) == 1 else unique or None


def _options(found: Schema) -> Sequence[object]:
    declared = [found["const"]] if "const" in found else as_list(found.get("enum"))
    options = [one for one in declared if one is None or isinstance(one, (str, int, float, bool))]
    if not options or len(options) != len(declared) or len(orjson.dumps(options)) > _ENUM:
        return []
    return [*options, None] if found.get("nullable") is True and None not in options else options


def _describe(found: Schema) -> str:
    """Return the description with the default. The remote API fills in defaults, so that it can change them without an
    import.
    """
    about = text(found.get("description"), _DESCRIPTION)
    default = found.get("default")
    if default is None or not isinstance(default, (str, int, float, bool)) or len(str(default)) > 80:
        return about
    return f"{about} Default: {text(str(default), 80)}.".strip()


def as_object(value: object) -> dict[str, object]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
