"""Check a tool's arguments against its schema, and explain each error in plain English."""

from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind, is_valid

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.tool import Tool, properties_of
from retinue.tools.catalogue.argument_groups import describe_groups

_KINDS = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {
    "minimum": "must be at least {limit}",
    "maximum": "must be at most {limit}",
    "exclusiveMinimum": "must be more than {limit}",
    "exclusiveMaximum": "must be less than {limit}",
    "minLength": "must have at least {limit} characters",
    "maxLength": "must have at most {limit} characters",
    "minItems": "must have at least {limit} items",
    "maxItems": "must have at most {limit} items",
    "minProperties": "must have at least {limit} fields",
    "maxProperties": "must have at most {limit} fields",
}
_RARE = {
    "wholeNumber": "must be an integer, without a decimal point",
    "anyOf": "must match one of the allowed types",
    "oneOf": "must match exactly one of the allowed types",
    "uniqueItems": "must not contain duplicate items",
}
_MISSING = "is missing"
_MOST_FAULTS = 20
_WHOLE = "wholeNumber"


class _WholeNumber:
    """A custom schema keyword: JSON Schema accepts 5.0 as an integer, the contract does not."""

    def __init__(self, schema: Mapping[str, object], value: object, path: list[str | int]) -> None:
        self.applies = bool(value)

    def validate(self, instance: object) -> None:
        if self.applies and isinstance(instance, float):
            raise ValueError("not an integer")


class ArgumentChecker:
    """The compiled schema of one tool."""

    def __init__(self, tool: Tool) -> None:
        self._name = tool.name
        self._properties = properties_of(tool.input_schema)
        self._required = frozenset(tool.input_schema.get("required", ()))
        self._defaults = {name: schema["default"] for name, schema in self._properties.items() if "default" in schema}
        self._alternatives = list(tool.alternatives)
        self._validator = Draft202012Validator(
            _strict(dict(tool.input_schema)), keywords={_WHOLE: _WholeNumber}, offline=True
        )

    def check(self, args: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments with defaults filled in; `null` for an optional one means absent. Raises
        `ValidationFailed`.
        """
        optional = self._properties.keys() - self._required
        present = {name: value for name, value in args.items() if value is not None or name not in optional}
        if not self._validator.is_valid(present):
            raise ValidationFailed(self._complaint(present))
        if self._alternatives and not is_valid({"anyOf": self._alternatives}, present):
            groups = describe_groups(self._alternatives)
            raise ValidationFailed(f"Arguments of {self._name}: send one of these groups: {groups}.")
        return {**self._defaults, **present}

    def _complaint(self, args: Mapping[str, object]) -> str:
        faults = dict.fromkeys(self._fault(error) for error in self._validator.iter_errors(args))
        listed = list(faults)[:_MOST_FAULTS]
        more = len(faults) - len(listed)
        return f"Arguments of {self._name}: " + "; ".join(listed) + (f"; and {more} more." if more else ".")

    def _fault(self, error: ValidationError) -> str:
        path, kind = _path(error.instance_path), error.kind
        if isinstance(kind, ValidationErrorKind.Required):
            return f"{_path([*error.instance_path, kind.property])} {_MISSING}"
        if isinstance(kind, ValidationErrorKind.AdditionalProperties):
            unknown = _list(_path([*error.instance_path, name]) for name in kind.unexpected)
            known = f" (it takes {_list(self._properties)})" if not error.instance_path and self._properties else ""
            verb = "is" if len(kind.unexpected) == 1 else "are"
            return f"{unknown} {verb} not known{known}"
        return f"{path} {_rule(kind, error.instance)}{self._hint(error) if kind.name == 'pattern' else ''}"

    def _hint(self, error: ValidationError) -> str:
        """Return an example for a text that does not match its pattern."""
        examples = (
            self._properties.get(str(error.instance_path[0]), {}).get("examples") if error.instance_path else None
        )
        return f", as in {examples[0]}" if examples else ""


def _rule(kind: ValidationErrorKind, instance: object) -> str:
    """Return the rule that a value broke, worded to follow its name."""
    match kind.name, kind.value:
        case "type", types:
            kinds = " or ".join(_KINDS[one] for one in types)
            return f"must be {kinds}, not {_kind_of(instance)}"
        case "enum", options:
            return f"must be one of {_list(options)}"
        case name, limit if name in _BOUNDS:
            text = _BOUNDS[name].format(limit=limit)
            return text[:-1] if limit == 1 and text.endswith("s") else text
        case "pattern", pattern:
            return f"must match the pattern {pattern}"
        case name, value:
            return _RARE.get(name, f"violates the rule {name}: {value}")


def _path(parts: Iterable[str | int]) -> str:
    """Return a path such as `rows[2].name`; long names are cut."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part[:60]}" if text else part[:60]
    return text or "args"


def _list(names: Iterable[object]) -> str:
    listed = [str(name) for name in names]
    return ", ".join(listed[:_MOST_FAULTS]) + (" and others" if len(listed) > _MOST_FAULTS else "")


def _kind_of(value: object) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return _KINDS[kinds.get(type(value), "null")]


def _strict(schema: object) -> Any:
    """Return a schema in which every integer must be written as one."""
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    return strict | {_WHOLE: True} if schema.get("type") == "integer" else strict
