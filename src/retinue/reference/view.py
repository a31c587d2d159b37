"""Read the OpenAPI document as the page shows it: operations with tables and examples, errors and events."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from retinue.reference import programs, samples
from retinue.reference.rows import Json, Row, Schemas, name_of

_OTHER_KINDS = {"text/event-stream": "A stream of server-sent events", "*/*": "The content itself"}


@dataclass(frozen=True, slots=True)
class OperationResponse:
    """A successful response: the title of its record and the record's fields."""

    status: str
    about: str
    title: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Code:
    """A code example. `language` is set if it is one of several that do the same; `prefix` says it in the title."""

    title: str
    text: Markup
    language: str = ""
    prefix: str = ""


def requests_in_languages(curl: str, python: str, javascript: str, ending: str = "") -> list[Code]:
    """Return a request in three languages. `ending` follows each title."""
    return [
        Code(f"Request{ending}", samples.colour(curl), "curl"),
        Code(f"request{ending}", samples.colour(python), "python", "Python"),
        Code(f"request{ending}", samples.colour(javascript), "javascript", "JavaScript"),
    ]


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """An operation as the page shows it."""

    anchor: str
    method: str
    path: str
    summary: str
    about: str
    scope: str
    parameters: list[Row]
    body: list[Row]
    body_required: bool
    answers: list[OperationResponse]
    errors: list[tuple[str, str]]
    codes: list[list[Code]]


@dataclass(frozen=True, slots=True)
class EventEntry:
    """An event: its name, when it is sent, the fields of its data, and the body of a delivery as JSON."""

    name: str
    about: str
    rows: list[Row]
    sample: str

    @property
    def code(self) -> Code:
        """The body of a delivery as a code example."""
        return Code("Payload", samples.colour(self.sample))


class ReferenceView:
    """Reads the document for the templates."""

    def __init__(self, document: Json, address: str) -> None:
        self._document = document
        self._address = address
        self._schemas = Schemas(document["components"]["schemas"])

    def entries(self, tag: str) -> Iterator[OperationEntry]:
        """Yield the operations of a tag, in the order of their declaration."""
        for path, operation, method in self._operations():
            if tag in operation["tags"]:
                yield self._entry(path, method.upper(), operation)

    def _operations(self) -> Iterator[tuple[str, Json, str]]:
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                yield path, operation, method

    def _entry(self, path: str, method: str, operation: Json) -> OperationEntry:
        body = operation.get("requestBody", {"required": False, "content": {}})
        content = body["content"].get("application/json") or body["content"].get("multipart/form-data", {})
        about, _, _ = operation["description"].partition("\n\nNeeds ")
        return OperationEntry(
            anchor=operation["operationId"],
            method=method,
            path=path,
            summary=operation["summary"],
            about=about,
            scope=operation.get("x-scope", ""),
            parameters=[self._parameter(p) for p in operation.get("parameters", ()) if "$ref" not in p],
            body=[row for row in self._schemas.rows(content["schema"]) if row.about != "Ignored."] if content else [],
            body_required=body["required"],
            answers=list(self._answers(operation)),
            errors=[(status, name_of(answer)) for status, answer in operation["responses"].items() if "$ref" in answer],
            codes=list(self._codes(path, method, operation)),
        )

    def _parameter(self, parameter: Json) -> Row:
        schema = {**parameter["schema"], "description": parameter.get("description", "")}
        return self._schemas.row(parameter["name"], schema, parameter["required"])

    def _answers(self, operation: Json) -> Iterator[OperationResponse]:
        for status, answer in operation["responses"].items():
            if "$ref" in answer:
                continue
            content = answer.get("content", {})
            if schema := content.get("application/json", {}).get("schema"):
                yield self._answer(status, answer["description"], schema)
            else:
                kind = next(iter(content), "")
                yield OperationResponse(status, answer["description"], _OTHER_KINDS.get(kind, ""), [])

    def _answer(self, status: str, about: str, schema: Json) -> OperationResponse:
        inner = self._schemas.resolve(schema).get("properties", {}).get("data")
        if inner is None:
            return OperationResponse(status, about, "", list(self._schemas.rows(schema)))
        record = inner.get("items", inner)
        name = name_of(record) if "$ref" in record else "record"
        title = f"`data` is a list of {name}, with `meta`" if "items" in inner else f"`data` is {name}"
        return OperationResponse(status, about, title, list(self._schemas.rows(record)))

    def _codes(self, path: str, method: str, operation: Json) -> Iterator[list[Code]]:
        """Yield the code examples. Those in a list do the same in several languages."""
        yield self._request(path, method, operation)
        for status, answer in operation["responses"].items():
            content = answer.get("content", {})
            if text := samples.answer(self._schemas, content.get("application/json", {}).get("schema", {})):
                yield [Code(f"Answer {status}", samples.colour(text))]
            if stream := content.get("text/event-stream"):
                if "application/json" in content:
                    yield self._request(path, method, operation, {"stream": True})
                yield [Code("Stream", samples.colour(stream["example"].strip()))]

    def _request(self, path: str, method: str, operation: Json, changes: Json | None = None) -> list[Code]:
        request = (self._address, method, path, operation, changes)
        programs_in_languages = samples.curl(*request), programs.python(*request), programs.javascript(*request)
        return requests_in_languages(*programs_in_languages, ending=", streamed" if changes else "")

    def errors(self) -> Iterator[tuple[int, str, str]]:
        """Yield status, code and meaning of every error."""
        schema = self._document["components"]["schemas"]["Error"]["properties"]["error"]["properties"]
        for status, code in zip(schema["status"]["enum"], schema["code"]["enum"], strict=True):
            yield status, code, self._document["components"]["responses"][code]["description"]

    def scopes(self) -> dict[str, list[tuple[str, str]]]:
        """Return the scopes with the operations that need them, as address and summary."""
        found: dict[str, list[tuple[str, str]]] = {}
        for _, operation, _ in self._operations():
            if scope := operation.get("x-scope"):
                address = f"/docs/api/{operation['tags'][0]}#{operation['operationId']}"
                found.setdefault(scope, []).append((address, operation["summary"]))
        return found

    def chunks(self) -> Iterator[tuple[str, str, list[Row]]]:
        """Yield type, meaning and other fields of every stream chunk."""
        schemas = self._document["components"]["schemas"]
        for name in [name for name in schemas if name.endswith("Chunk") and "properties" in schemas[name]]:
            rows = list(self._schemas.rows(schemas[name]))
            kind, *others = sorted(rows, key=lambda row: row.name != "type")
            yield kind.choices[0], schemas[name]["description"], others

    def events(self) -> Iterator[EventEntry]:
        """Yield every event."""
        for name, entry in self._document["webhooks"].items():
            content = entry["post"]["requestBody"]["content"]["application/json"]
            rows = list(self._schemas.rows(content["schema"]["properties"]["data"]))
            sample = json.dumps(content["example"], indent=2, ensure_ascii=False)
            yield EventEntry(name, entry["post"]["summary"], rows, sample)

    def first_steps(self) -> list[Code]:
        """Return what the examples begin with: variables, and a client that reads the key from RETINUE_KEY."""
        ids = "# from earlier answers\nagent_id = run_id = fleet_id = 1"
        python = f"{programs.python_client(self._address)}\n\n{ids}"
        ids = "// from earlier answers\nconst [agentId, runId, fleetId] = [1, 1, 1];"
        javascript = f"{programs.javascript_client(self._address)}\n\n{ids}"
        return [
            Code("Once, in your shell", _variables(), "curl"),
            Code("setup", samples.colour(python), "python", "Python"),
            Code("setup", samples.colour(javascript), "javascript", "JavaScript"),
        ]


def _variables() -> Markup:
    """Return the shell variables that the examples use."""
    return samples.colour(
        "export RETINUE_KEY=ak_live_…   # from the first start\n"
        "export RETINUE_SESSION=sess_…  # from signing in\n"
        "export AGENT_ID=1 RUN_ID=1     # from earlier answers\n"
        "export FLEET_ID=1 DEPLOYMENT_ID=1 WEBHOOK_ID=1 SOURCE_ID=1\n"
        "export KEY_ID=1 SESSION_ID=1\n"
        "export CONVERSATION_ID=conv_… FILE_ID=file_…\n"
        "export DELIVERY_ID=dlv_… REQUEST_ID=req_…"
    )
