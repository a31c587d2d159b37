"""JSON Schema: validation and inference."""

import re
from typing import Annotated, Any

import genson
import jsonschema
import referencing.exceptions
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._pointers import pointer_of
from retinue_tools.data_formats._values import Document, plain, read

_MOST_FAULTS = 100
Schema = Annotated[
    dict[str, Any] | bool | str,
    About(
        "JSON Schema, as a value or as JSON text; without $schema, draft 2020-12 applies",
        {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
        max_length=500_000,
    ),
]
Samples = Annotated[
    list[Any],
    About("Sample documents of the same kind", [{"id": 1, "name": "Tea"}, {"id": 2}], min_items=1, max_items=10_000),
]


class Fault(TypedDict):
    """A violated rule of a schema."""

    path: Annotated[str, About("JSON Pointer to the invalid value; empty for the whole document")]
    message: Annotated[str, About("Description of the error")]
    rule: Annotated[str, About("Violated keyword, such as type or required")]
    schema_path: Annotated[str, About("JSON Pointer to that keyword in the schema")]


class Validity(TypedDict):
    """Result of validating a document."""

    valid: Annotated[bool, About("Whether the document is valid")]
    faults: Annotated[list[Fault], About("Violations, at most 100")]


class Inferred(TypedDict):
    """A schema inferred from samples."""

    schema: Annotated[dict[str, Any], About("JSON Schema that all samples satisfy")]


@tool(
    tags="json schema validate check conform draft 2020-12 draft-07 errors",
    use_when=(
        "Does this document match this JSON Schema?",
        "Validate the payload against the schema and list all errors",
        "Which fields of this JSON break the schema?",
    ),
    examples=(
        Example(
            {
                "document": {"firstName": "John", "lastName": "Doe", "age": -21},
                "json_schema": {
                    "type": "object",
                    "properties": {
                        "firstName": {"type": "string"},
                        "age": {"description": "in years, not negative", "type": "integer", "minimum": 0},
                    },
                },
            },
            {"valid": False, "faults": [{"path": "/age", "rule": "minimum", "schema_path": "/properties/age/minimum"}]},
            source="the Person example of json-schema.org, with the age made negative",
        ),
        Example(
            {
                "document": {"a": [1, "x"]},
                "json_schema": {
                    "properties": {"a": {"items": {"$ref": "#/$defs/n"}}},
                    "$defs": {"n": {"type": "integer"}},
                },
            },
            {"valid": False, "faults": [{"path": "/a/1", "rule": "type"}]},
            source="JSON Schema 2020-12 Validation, section 6.1.1",
        ),
        Example(
            {"document": {"when": "2026-02-30"}, "json_schema": {"properties": {"when": {"format": "date"}}}},
            {"valid": False},
            source="RFC 3339, section 5.7: February has no 30th",
        ),
        Example(
            {
                "document": {"when": "2026-02-30"},
                "json_schema": {"properties": {"when": {"format": "date"}}},
                "check_formats": False,
            },
            {"valid": True, "faults": []},
            source="JSON Schema 2020-12 Validation, section 7.2.1: formats need not be asserted",
        ),
        Refusal({"document": {}, "json_schema": {"type": "text"}}, "not a JSON Schema"),
        Refusal({"document": {}, "json_schema": {"$ref": "https://example.com/s"}}, "not fetched"),
    ),
    reply={
        "valid": "The document matches the schema.",
        "faults": "The document does not match the schema: {faults}",
        "": "The document does not match the schema.",
    },
)
def json_validate_schema(
    document: Document,
    json_schema: Schema,
    check_formats: Annotated[bool, About("Whether to check formats such as date, email and ipv4")] = True,
) -> Validity:
    """Validate a JSON document against a JSON Schema of draft 4 to 2020-12 and report every error (fault).

    Use it to check payloads and settings. Returns whether it is valid, and for each error its location, the violated
    rule and a message. References to other documents are not fetched.
    """
    rules, value = read(json_schema), read(document)
    kind = jsonschema.validators.validator_for(rules, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(rules)
        formats = kind.FORMAT_CHECKER if check_formats else None
        found = [
            _fault(error)
            for error, _ in zip(
                kind(rules, format_checker=formats).iter_errors(value), range(_MOST_FAULTS), strict=False
            )
        ]
    except jsonschema.SchemaError as error:
        place = pointer_of(error.absolute_path) or "its root"
        raise ToolError(f"This is not a JSON Schema: at {place}, {plain(error.message)[:300]}.") from error
    except referencing.exceptions.Unresolvable as error:
        raise ToolError(
            f"The reference {str(error.ref)[:200]} cannot be resolved. Other documents are not fetched."
        ) from error
    except re.error as error:
        raise ToolError(f"A pattern of the schema is not a valid regular expression: {error}.") from error
    return {"valid": not found, "faults": found}


@tool(
    tags="json schema infer generate from sample samples types",
    use_when=(
        "Generate a JSON Schema from this sample",
        "Which schema describes these API responses?",
        "Infer required fields from several example objects",
    ),
    examples=(
        Example(
            {"samples": [{"id": 1, "name": "Tea"}, {"id": 2.5}]},
            {
                "schema": {
                    "type": "object",
                    "properties": {"id": {"type": "number"}, "name": {"type": "string"}},
                    "required": ["id"],
                }
            },
            source="by hand: a number where integers and fractions meet, required what all have",
        ),
        Example(
            {"samples": [[1, None]], "title": "Readings"},
            {
                "schema": {
                    "$schema": "http://json-schema.org/schema#",
                    "title": "Readings",
                    "type": "array",
                    "items": {"type": ["integer", "null"]},
                }
            },
            source="by hand",
        ),
        Refusal({"samples": []}, "at least 1 item"),
    ),
    reply="The schema: {schema}",
)
def json_infer_schema(
    samples: Samples, title: Annotated[str, About("Title of the schema", "Order", max_length=200)] = ""
) -> Inferred:
    """Infer a JSON Schema from sample documents, with types, nested objects and required members.

    Use it to document an API or to start a schema for validation. Returns a schema that every sample satisfies.
    """
    builder = genson.SchemaBuilder()
    for sample in samples:
        builder.add_object(sample)
    schema = builder.to_schema()
    return {"schema": {"$schema": schema.pop("$schema"), "title": title, **schema} if title else schema}


def _fault(error: Any) -> Fault:
    return {
        "path": pointer_of(error.absolute_path),
        "message": plain(error.message)[:500],
        "rule": str(error.validator),
        "schema_path": pointer_of(error.absolute_schema_path),
    }
