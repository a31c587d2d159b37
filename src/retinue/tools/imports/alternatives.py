"""Merge the alternatives at the top of a schema (`oneOf`, `anyOf`) into one object.

Model providers refuse alternatives at the top of a tool's arguments. The model sees all properties of the
alternatives, and a sentence that says which of them belong together; a call must fit one of them.
"""

from collections.abc import Mapping, Sequence
from itertools import islice

from retinue.tools.catalogue.argument_groups import describe_groups
from retinue.tools.imports.schema_trimming import Schema, SchemaTrimmer, as_list, as_object, required_names

MOST = 30
"""Maximum number of alternatives. More are not checked."""

_SHOWN_OF_MANY = 5
"""How many alternatives are shown if there are more than `MOST`."""
_DEEPEST = 3
_MOST_PROPERTIES = 60


class FlattenedSchema:
    """A `declared` object schema that may have alternatives, and the same as one object: `schema`.

    `alternatives` are the objects from which it was merged. If there are too many, it is not `complete`.
    """

    def __init__(self, shaper: SchemaTrimmer, declared: object) -> None:
        self._shaper = shaper
        self.declared = shaper.merge(declared)
        self.alternatives = self._alternatives(self.declared, 0)
        self.complete = len(self.alternatives) <= MOST
        self._variants: dict[str, list[Schema]] = {}
        seen: set[tuple[str, str]] = set()
        for one in self.alternatives[: MOST if self.complete else _SHOWN_OF_MANY]:
            for name, schema in islice(as_object(one.get("properties")).items(), _MOST_PROPERTIES):
                merged = shaper.merge(schema)
                if (key := (name, _text(merged))) not in seen:
                    seen.add(key)
                    self._variants.setdefault(name, []).append(merged)
        self.schema = self._whole() if self.alternatives else self.declared

    def rules(self, names: Mapping[str, str]) -> list[Schema]:
        """Return a schema for each alternative, by the tool's `names` of the properties. Its properties have schemas
        only if they differ from those of the whole.
        """
        # `anyOf` even for a declared `oneOf`: a rule is a part of its alternative, so more than one may match.
        rules = [self._rule(one, names) for one in self.alternatives]
        useful = [rule for rule in rules if rule["required"] or rule["properties"]]
        return useful if self.complete and len(useful) == len(rules) > 1 else []

    def sentence(self, rules: Sequence[Mapping[str, object]]) -> str:
        """Return what to tell a model about the rules; empty without rules."""
        if not rules:
            return ""
        count = "one" if self.declared.get("oneOf") else "at least one"
        return f"Send {count} of these groups of arguments: {describe_groups(rules)}."

    def _rule(self, alternative: Schema, names: Mapping[str, str]) -> Schema:
        properties = {name: one for name, one in as_object(alternative.get("properties")).items() if name in names}
        common = as_object(self.declared.get("properties"))
        return {
            "required": [names[name] for name in required_names(alternative, names)],
            "properties": {
                names[name]: self._shaper.surface(self._shaper.merge(one))
                if name in common or len(self._variants.get(name, ())) > 1
                else {}
                for name, one in properties.items()
            },
        }

    def _alternatives(self, schema: Schema, depth: int) -> list[Schema]:
        """Return the alternatives of a schema, with nested alternatives in their place."""
        found: list[Schema] = []
        if depth > _DEEPEST:
            return found
        for one in (as_list(schema.get("oneOf")) or as_list(schema.get("anyOf")))[: MOST + 1]:
            merged = self._shaper.merge(one)
            inner = [] if merged.get("properties") else self._alternatives(merged, depth + 1)
            found += inner or [merged]
            if len(found) > MOST:
                break
        return found

    def _whole(self) -> Schema:
        declared = as_object(self.declared.get("properties"))
        found = {name: _union(variants) for name, variants in self._variants.items()}
        common = {name: one for name, one in declared.items() if name not in found or self._shaper.merge(one)}
        needed = [set(map(str, as_list(one.get("required")))) for one in self.alternatives]
        everywhere = set.intersection(*needed) if self.complete else set()
        rest = {key: value for key, value in self.declared.items() if key not in {"oneOf", "anyOf"}}
        return rest | {
            "properties": {**declared, **found, **common},
            "required": [*as_list(self.declared.get("required")), *sorted(everywhere)],
        }


def _text(schema: Schema) -> str:
    """Return the schema as a text, to compare it: 1 and true are equal in Python."""
    try:
        return repr(schema)
    except RecursionError:  # nested too deep
        return str(id(schema))


def _union(variants: Sequence[Schema]) -> Schema:
    """Return a schema for the values of all variants: one enumeration if they are constants, as for discriminators."""
    if len(variants) == 1:
        return variants[0]
    options = [[one["const"]] if "const" in one else as_list(one.get("enum")) for one in variants]
    if not all(options) or any(isinstance(one, (list, dict)) for values in options for one in values):
        return {"anyOf": list(variants)}
    unique = list({repr(one): one for values in options for one in values}.values())
    types = {one.get("type") if isinstance(one.get("type"), str) else None for one in variants}
    kind = types.pop() if len(types) == 1 else None
    return {"enum": unique} | ({"type": kind} if kind else {})
