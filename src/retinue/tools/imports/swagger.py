"""Convert a Swagger 2.0 document to the parts of OpenAPI 3 that become tools: servers, paths and their operations.

`definitions`, `parameters` and `responses` stay where they are, so references to them remain valid.
"""

from collections.abc import Mapping, Sequence

from retinue.tools.imports.references import References

Fields = dict[str, object]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
_PLACES = ("path", "query", "header")
_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_OF_SCHEMA = (
    "type", "format", "items", "default", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "multipleOf",
)  # fmt: skip
_STYLES = {"ssv": "spaceDelimited", "tsv": "tabDelimited", "pipes": "pipeDelimited"}
"""Styles by `collectionFormat`. OpenAPI 3 has none for tabs; `requests` knows it by this name."""


def to_openapi_3(document: Fields) -> Fields:
    """Return the document as OpenAPI 3.0. Parts that are not as the specification wants them are left out."""
    references = References(document)
    paths = document.get("paths")
    if isinstance(paths, dict):
        paths = {path: _path_item(references, document, item) for path, item in paths.items()}
    return {**document, "openapi": "3.0.3", "servers": [{"url": _address(document)}], "paths": paths}


def _address(document: Fields) -> str:
    """Return the base URL; relative to the address of the document if it names no host or no scheme."""
    host, base = (text if isinstance(text := document.get(key), str) else "" for key in ("host", "basePath"))
    path = f"/{base.strip('/')}"
    if not host:
        return path
    schemes = _texts(document.get("schemes"))
    scheme = next((f"{one}:" for one in ("https", "http") if one in schemes), "")
    return f"{scheme}//{host}{path}".rstrip("/")


def _path_item(references: References, document: Fields, item: object) -> object:
    """Return a path with its shared parameters moved into its operations, because those of bodies become part of
    them.
    """
    shared = references.resolve(item)
    operations = {method: fields for method in _METHODS if isinstance(fields := shared.get(method), dict)}
    if not operations:
        return item
    return {
        method: _operation(_parameters(references, shared, fields), document, fields)
        for method, fields in operations.items()
    }


def _parameters(references: References, *owners: Fields) -> list[Fields]:
    """Return the parameters of a path and of its operation, which replace those of the path."""
    found: dict[tuple[str, str], Fields] = {}
    for owner in owners:
        listed = owner.get("parameters")
        for one in listed if isinstance(listed, list) else ():
            parameter = references.resolve(one)
            found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
    return list(found.values())


def _operation(parameters: Sequence[Fields], document: Fields, fields: Fields) -> Fields:
    media_types = _texts(fields.get("consumes", document.get("consumes")))
    body = next((one for one in parameters if one.get("in") == "body"), None)
    form = [one for one in parameters if one.get("in") == "formData" and isinstance(one.get("name"), str)]
    others = [_parameter(one) for one in parameters if one.get("in") in _PLACES]
    converted = {**fields, "parameters": others}
    if body is not None:
        content = {media_type: {"schema": body.get("schema")} for media_type in media_types or ["application/json"]}
        converted["requestBody"] = {"content": content, "required": body.get("required") is True}
    elif form:
        converted["requestBody"] = _form(form, media_types)
    return converted


def _parameter(parameter: Fields) -> Fields:
    fields: Fields = {key: parameter[key] for key in ("name", "in", "description", "required") if key in parameter}
    return {**fields, **_style(parameter), "schema": _schema(parameter)}


def _form(fields: Sequence[Fields], media_types: Sequence[str]) -> Fields:
    """Return the body of a form: an object with the fields as its properties. Files need multipart."""
    files = any(one.get("type") == "file" for one in fields)
    required = [one["name"] for one in fields if one.get("required") is True]
    properties = {one["name"]: {**_about(one), **_schema(one)} for one in fields}
    encoding = {one["name"]: style for one in fields if (style := _style(one))}
    schema = {"type": "object", "properties": properties, "required": required}
    media_type = _MULTIPART if files or (_MULTIPART in media_types and _FORM not in media_types) else _FORM
    return {"content": {media_type: {"schema": schema, "encoding": encoding}}, "required": bool(required)}


def _about(parameter: Fields) -> Fields:
    return {"description": parameter["description"]} if "description" in parameter else {}


def _schema(parameter: Fields) -> Fields:
    """Return the schema of a parameter that is no body: its fields are beside the others. A file is a binary string."""
    schema = {key: parameter[key] for key in _OF_SCHEMA if key in parameter}
    return {**schema, "type": "string", "format": "binary"} if schema.get("type") == "file" else schema


def _style(parameter: Mapping[str, object]) -> Fields:
    """Return how to serialize a list (`collectionFormat`, which defaults to comma-separated values)."""
    if parameter.get("type") != "array":
        return {}
    how = parameter.get("collectionFormat")
    if how == "multi":
        return {"style": "form", "explode": True}
    usual = "form" if parameter.get("in") in ("query", "formData") else "simple"
    return {"style": _STYLES.get(str(how), usual), "explode": False}


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
