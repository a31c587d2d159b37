"""Reading an OpenAPI document: JSON or YAML, of bounded size, depth and effort."""

from typing import Any

import orjson
import yaml

from retinue.core.errors import ValidationFailed

DOCUMENT_BYTES = 20 << 20
"""How large a document may be."""

_YAML_BYTES = 4 << 20
"""YAML takes a hundred times as long to read as JSON."""

_DEEPEST = 100

_Loader = yaml.CSafeLoader
"""libyaml's parser builds neither Python objects nor anything else that the document might ask for."""


def read(raw: bytes) -> dict[str, Any]:
    """The document as JSON values. Raises `ValidationFailed` saying why it cannot be read."""
    if len(raw) > DOCUMENT_BYTES:
        raise ValidationFailed(f"The document is larger than {DOCUMENT_BYTES >> 20} MiB.")
    found = _json(raw) if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else _yaml(raw)
    if not isinstance(found, dict):
        raise ValidationFailed("The document is not an OpenAPI document: it must be an object in JSON or YAML.")
    return found


def _json(raw: bytes) -> Any:
    try:
        return orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise ValidationFailed(f"The document is not valid JSON: {error}.") from error


def _yaml(raw: bytes) -> Any:
    if len(raw) > _YAML_BYTES:
        raise ValidationFailed(f"The document is YAML of more than {_YAML_BYTES >> 20} MiB. Import it as JSON.")
    try:
        _check_events(raw)
        value = yaml.load(raw, Loader=_Loader)  # noqa: S506  a safe loader
        return orjson.loads(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS))
    except yaml.YAMLError as error:
        where = f" (line {error.problem_mark.line + 1})" if getattr(error, "problem_mark", None) else ""
        reason = getattr(error, "problem", None) or "it is neither JSON nor YAML"
        raise ValidationFailed(f"The document cannot be read: {reason}{where}.") from error
    except (TypeError, ValueError, UnicodeError) as error:
        raise ValidationFailed(f"The document holds a value that JSON has no form for: {error}.") from error


def _check_events(raw: bytes) -> None:
    """Refuse what would grow on being built (aliases, which bombs are made of), or is nested too deeply."""
    depth = 0
    for event in yaml.parse(raw, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise ValidationFailed("The document uses YAML aliases, which are not read. Write them out, or send JSON.")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise ValidationFailed(f"The document is nested more than {_DEEPEST} levels deep.")
