"""Questions of an MCP server to a person before it completes a call (revision 2026-07-28, "Multi Round-Trip Requests").

The server ends the call with `input_required` and gets the answers with the next attempt. Several questions of one call
are put to the person as one form. Instead of a form, a question may have the address of a page that the person opens.
How older revisions ask is in `elicitation`.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NotRequired, TypedDict
from urllib.parse import urlsplit

import orjson
from jsonschema_rs import Draft202012Validator

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.schema_trimming import as_object, text

ELICIT = "elicitation/create"
ELICITED = "elicited"
"""Among the answers to questions, those to questions of older revisions: they are no fields of the call."""

_MOST_QUESTIONS, _MOST_FIELDS, _MOST_CHOICES = 10, 50, 200
_NAME, _MESSAGE, _ABOUT, _ADDRESS = 100, 4000, 1000, 2000
_SIZES, _BOUNDS = ("minLength", "maxLength", "minItems", "maxItems"), ("minimum", "maximum")
_FAULTS, _FAULT_CHARACTERS = 5, 1000
_TYPES = ("string", "number", "integer", "boolean", "array")


class StoredQuestion(TypedDict):
    """A question as `Question.as_json` returns it."""

    message: str
    schema: Json
    places: Mapping[str, Sequence[str]]
    requests: Sequence[str]
    urls: NotRequired[Mapping[str, str]]
    state: object
    digest: NotRequired[str]
    earlier: NotRequired[Sequence[Mapping[str, object]] | None]
    """The optional fields are missing in questions that an earlier version of Retinue stored."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a server asks: a message, and the JSON Schema of a flat object that answers it.

    `places` has the request and the field of the server for each property. `state` goes back with the answer. `urls`
    has the page that the person must open for each request that has no form. In older revisions, `earlier` has the
    answers to the call's questions before this one, and `digest` identifies this one.
    """

    message: str
    schema: Json
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    requests: tuple[str, ...] = ()
    urls: Mapping[str, str] = field(default_factory=dict)
    state: object = None
    digest: str = ""
    earlier: Sequence[Mapping[str, object]] | None = None

    @property
    def id(self) -> str:
        """Identifies what the person sees: the message, the form and the pages."""
        seen = orjson.dumps([self.message, self.schema, self.urls], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(seen).hexdigest()[:16]

    def as_json(self) -> StoredQuestion:
        """Return all fields, to be stored."""
        return {
            "message": self.message,
            "schema": self.schema,
            "places": {name: list(place) for name, place in self.places.items()},
            "requests": list(self.requests),
            "urls": dict(self.urls),
            "state": self.state,
            "digest": self.digest,
            "earlier": self.earlier,
        }


class InputRequired(ValidationFailed):
    """A server asks a person a question before it completes a call. `message` replaces the usual one."""

    def __init__(self, tool: str, question: Question, message: str = "") -> None:
        super().__init__(
            message
            or f"{tool} asks a person: {question.message} Let an agent call the tool: its run waits for the answer, "
            "which you give under Approvals."
        )
        self.tool, self.question = tool, question


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
    urls: dict[str, str] = {}
    for key, request in requests.items():
        params = _params_of(request, tool)
        messages.append(text(params.get("message"), _MESSAGE))
        if params.get("mode") == "url":
            urls[key] = _address(params, tool)
            messages.append(urls[key])
            continue
        for name, schema, is_required in _fields(params):
            shown = f"{key}.{name}" if len(requests) > 1 else name
            properties[shown] = schema
            places[shown] = (key, name)
            required += [shown] if is_required else []
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    message = "\n\n".join(filter(None, messages))
    return Question(message, schema, places, tuple(requests), urls, answer.get("requestState"))


def answer_fields(stored: StoredQuestion, answer: Mapping[str, object]) -> Json:
    """Return the fields of a call that answer a stored question, or the answers to questions of older revisions."""
    contents: dict[str, Json] = {key: {} for key in stored["requests"]}
    for name, value in answer.items():
        key, inner = stored["places"][name]
        contents[key][inner] = value
    urls = stored.get("urls", {})
    responses = {
        key: {"action": "accept"} if key in urls else {"action": "accept", "content": content}
        for key, content in contents.items()
    }
    if (earlier := stored.get("earlier")) is not None:
        digest = stored["digest"]
        given = [{"question": digest, "result": result} for result in responses.values()] if digest else []
        return {ELICITED: [*earlier, *given]}
    state = stored["state"]
    return {"inputResponses": responses, **({} if state is None else {"requestState": state})}


def answer_faults(schema: Json, answer: Mapping[str, object]) -> str:
    """Return why an answer does not match the schema of its question; empty if it does."""
    faults = [
        f"{'.'.join(map(str, fault.instance_path)) or 'it'}: {fault.message}"
        for fault in islice(Draft202012Validator(schema, offline=True).iter_errors(answer), _FAULTS)
    ]
    return "; ".join(faults)[:_FAULT_CHARACTERS]


def _params_of(request: object, tool: str) -> Json:
    """Return the parameters of a question. Raises `ValidationFailed` for a request of another kind."""
    asked = as_object(request)
    params = as_object(asked.get("params"))
    if asked.get("method") != ELICIT or params.get("mode", "form") not in ("form", "url"):
        raise ValidationFailed(f"{tool} requests {text(asked.get('method'), 60) or 'input'}, which is not supported.")
    return params


def _address(params: Json, tool: str) -> str:
    """Return the address of the page to open. Raises `ValidationFailed` if a link must not lead there."""
    address = params.get("url")
    try:
        parts = urlsplit(address if isinstance(address, str) and len(address) <= _ADDRESS else "")
        safe = parts.scheme in ("http", "https") and parts.hostname and parts.username is None
    except ValueError:
        safe = False
    if not safe or not str(address).isascii() or not str(address).isprintable() or " " in str(address):
        raise ValidationFailed(f"{tool} asks a person to open a page whose address is not safe.")
    return str(address)


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
