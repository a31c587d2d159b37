"""JSON Schema: validation, inference, types for programs."""

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
        "JSON Schema, as a value or as JSON text; without $schema it is draft 2020-12",
        {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
        max_length=500_000,
    ),
]
Samples = Annotated[
    list[Any],
    About("Sample documents of the same kind", [{"id": 1, "name": "Tea"}, {"id": 2}], min_items=1, max_items=10_000),
]


class Fault(TypedDict):
    """A rule of a schema that a document breaks."""

    path: Annotated[str, About("JSON Pointer to the value that is wrong; empty for the whole document")]
    message: Annotated[str, About("What is wrong with it")]
    rule: Annotated[str, About("The keyword that is broken, such as type or required")]
    schema_path: Annotated[str, About("JSON Pointer to that keyword in the schema")]


class Validity(TypedDict):
    """Whether a document keeps a schema."""

    valid: Annotated[bool, About("Whether it does")]
    faults: Annotated[list[Fault], About("What is broken, at most 100")]


class Inferred(TypedDict):
    """A schema made of samples."""

    schema: Annotated[dict[str, Any], About("JSON Schema that all samples keep")]


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
)
def json_validate_schema(
    document: Document,
    json_schema: Schema,
    check_formats: Annotated[bool, About("Whether formats such as date, email and ipv4 are checked")] = True,
) -> Validity:
    """Validate a JSON document against a JSON Schema of draft 4 to 2020-12 and report every fault.

    Use it to check payloads and settings. Returns whether it is valid, and for each fault its place, the rule broken
    and a message. References to other documents are not fetched.
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
            f"The reference {str(error.ref)[:200]} leads nowhere. Others' documents are not fetched."
        ) from error
    except re.error as error:
        raise ToolError(f"A pattern of the schema is not a regular expression: {error}.") from error
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
)
def json_infer_schema(
    samples: Samples, title: Annotated[str, About("Title of the schema", "Order", max_length=200)] = ""
) -> Inferred:
    """Infer a JSON Schema from sample documents, with types, nested objects and the members that all have.

    Use it to document an API or to start a schema for validation. Returns a schema that every sample keeps.
    """
    builder = genson.SchemaBuilder()
    for sample in samples:
        builder.add_object(sample)
    made = builder.to_schema()
    return {"schema": {"$schema": made.pop("$schema"), "title": title, **made} if title else made}


def _fault(error: Any) -> Fault:
    return {
        "path": pointer_of(error.absolute_path),
        "message": plain(error.message)[:500],
        "rule": str(error.validator),
        "schema_path": pointer_of(error.absolute_schema_path),
    }
