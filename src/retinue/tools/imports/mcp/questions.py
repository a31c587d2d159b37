"""Questions of an MCP server to a person before it completes a call (revision 2026-07-28, "Multi Round-Trip Requests").

The server ends the call with `input_required` and gets the answers with the next attempt. Several questions of one call
are put to the person as one form. Older revisions ask within the connection of the call, which no person could answer
in time: those questions are declined.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.schema_trimming import text

ELICIT = "elicitation/create"
_MOST_QUESTIONS, _MOST_FIELDS, _MOST_CHOICES = 10, 50, 200
_NAME, _MESSAGE, _ABOUT = 100, 4000, 1000
_SIZES, _BOUNDS = ("minLength", "maxLength", "minItems", "maxItems"), ("minimum", "maximum")
_TYPES = ("string", "number", "integer", "boolean", "array")


class StoredQuestion(TypedDict):
    """A question as `Question.as_json` returns it."""

    message: str
    schema: Json
    places: Mapping[str, Sequence[str]]
    requests: Sequence[str]
    state: object


@dataclass(frozen=True, slots=True)
class Question:
    """What a server asks: a message, and the JSON Schema of a flat object that answers it.

    `places` has the request and the field of the server for each property. `state` goes back with the answer.
    """

    message: str
    schema: Json
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    requests: tuple[str, ...] = ()
    state: object = None

    def as_json(self) -> StoredQuestion:
        """Return all fields, to be stored."""
        return {
            "message": self.message,
            "schema": self.schema,
            "places": {name: list(place) for name, place in self.places.items()},
            "requests": list(self.requests),
            "state": self.state,
        }


class InputRequired(ValidationFailed):
    """A server asks a person a question before it completes a call."""

    def __init__(self, tool: str, question: Question) -> None:
        super().__init__(
            f"{tool} asks a person: {question.message} Let an agent call the tool: its run waits for the answer, which "
            "you give under Approvals."
        )
        self.question = question


def read_question(answer: Json, tool: str) -> Question:
    """Return the question of a result that requires input. Raises `ValidationFailed` for requests of other kinds."""
    given = answer.get("inputRequests")
    requests = given if isinstance(given, dict) else {}
    if not 1 <= len(requests) <= _MOST_QUESTIONS:
        raise ValidationFailed(f"{tool} requests input in a form that is not supported.")
    messages: list[str] = []
    properties: Json = {}
    required: list[str] = []
    places: dict[str, tuple[str, str]] = {}
    for key, request in requests.items():
        params = _form_of(request)
        if params is None:
            kind = request.get("method") if isinstance(request, dict) else None
            raise ValidationFailed(f"{tool} requests {text(kind, 60) or 'input'}, which is not supported.")
        messages.append(text(params.get("message"), _MESSAGE))
        for name, schema, is_required in _fields(params):
            shown = f"{key}.{name}" if len(requests) > 1 else name
            properties[shown] = schema
            places[shown] = (key, name)
            required += [shown] if is_required else []
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Question("\n\n".join(filter(None, messages)), schema, places, tuple(requests), answer.get("requestState"))


def answer_fields(stored: StoredQuestion, answer: Mapping[str, object]) -> Json:
    """Return the fields of a call that answer a stored question."""
    contents: dict[str, Json] = {key: {} for key in stored["requests"]}
    for name, value in answer.items():
        key, inner = stored["places"][name]
        contents[key][inner] = value
    responses = {key: {"action": "accept", "content": content} for key, content in contents.items()}
    state = stored["state"]
    return {"inputResponses": responses, **({} if state is None else {"requestState": state})}


def _form_of(request: object) -> Json | None:
    """Return the parameters of a question that a form answers."""
    if not isinstance(request, dict) or request.get("method") != ELICIT:
        return None
    params = request.get("params")
    return params if isinstance(params, dict) and params.get("mode", "form") == "form" else None


def _fields(params: Json) -> Iterator[tuple[str, Json, bool]]:
    """Yield the name and the schema of each field of a form, and whether it must be filled in."""
    asked = params.get("requestedSchema")
    given = asked if isinstance(asked, dict) else {}
    properties, required = given.get("properties"), given.get("required")
    if not isinstance(properties, dict):
        return
    for name, schema in list(properties.items())[:_MOST_FIELDS]:
        if isinstance(schema, dict) and len(name) <= _NAME:
            yield name, _field_schema(schema), isinstance(required, list) and name in required


def _field_schema(given: Json) -> Json:
    """Return the parts of a field's schema that a form shows and that are quick to check."""
    kind = given.get("type") if given.get("type") in _TYPES else "string"
    schema: Json = {"type": kind}
    for name in ("title", "description"):
        if said := text(given.get(name), _ABOUT):
            schema[name] = said
    schema |= {name: size for name in _SIZES if type(size := given.get(name)) is int and size >= 0}
    schema |= {name: given[name] for name in _BOUNDS if type(given.get(name)) in (int, float)}
    if isinstance(given.get("default"), (str, int, float, list)):
        schema["default"] = given["default"]
    if kind == "array":
        items = given.get("items")
        schema["items"] = {"type": "string", **_choices(items if isinstance(items, dict) else {})}
    elif kind == "string":
        schema |= _choices(given)
    return schema


def _choices(given: Json) -> Json:
    """Return the choices of a field, which stand in one of three forms."""
    listed = given.get("enum")
    for name in ("oneOf", "anyOf"):
        if isinstance(options := given.get(name), list):
            listed = [one.get("const") for one in options if isinstance(one, dict)]
    if not isinstance(listed, list):
        return {}
    choices = [one for one in listed[:_MOST_CHOICES] if isinstance(one, str)]
    return {"enum": list(dict.fromkeys(choices))} if choices else {}
