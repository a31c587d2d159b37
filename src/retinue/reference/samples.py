"""Generate example requests for a shell, and example responses."""

import json
import re
from collections.abc import Sequence
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from retinue.core.http.operations import BASE
from retinue.reference.rows import Json, Schemas, name_of

_VARIABLES = {
    "/agents/{id}": "$AGENT_ID",
    "/fleets/{id}": "$FLEET_ID",
    "/simulations/{id}": "$SIMULATION_ID",
    "/schedules/{id}": "$SCHEDULE_ID",
    "/voice/calls/{id}": "$CALL_ID",
    "/voice/batches/{id}": "$BATCH_ID",
    "/voice/do-not-call/{id}": "$ENTRY_ID",
    "/voice/rooms/{id}": "$ROOM_ID",
    "/runs/{id}": "$RUN_ID",
    "/approvals/{id}": "$APPROVAL_ID",
    "/files/{id}": "$FILE_ID",
    "/webhooks/{id}": "$WEBHOOK_ID",
    "/tools/sources/{id}": "$SOURCE_ID",
    "/keys/{id}": "$KEY_ID",
    "/publishable-keys/{id}": "$PUBLISHABLE_KEY_ID",
    "/account/export/{id}": "$EXPORT_ID",
    "/sessions/{id}": "$SESSION_ID",
    "/connections/{id}": "$CONNECTION_ID",
    "/providers/{id}": "$PROVIDER_ID",
    "/knowledge/collections/{id}": "$COLLECTION_ID",
    "/skills/{id}": "$SKILL_ID",
    "/memory/{id}": "$FACT_ID",
    "/marketplace/installed/{id}": "$INSTALLATION_ID",
    "/marketplace/{id}": "$ITEM_ID",
    "/oauth/apps/{id}": "$APP_ID",
    "/oauth/grants/{id}": "$GRANT_ID",
}
_NAMED = {
    "conversation_id": "$CONVERSATION_ID",
    "deployment_id": "$DEPLOYMENT_ID",
    "document_id": "$DOCUMENT_ID",
    "source_id": "$COLLECTION_SOURCE_ID",
    "delivery_id": "$DELIVERY_ID",
    "participant_id": "$PARTICIPANT_ID",
    "request_id": "$REQUEST_ID",
    "name": "network_calculate_subnet",
}
_LINE = 60
_AGENT = re.compile(r'"agent_id": \d+')
_COLLECTION = re.compile(r'"collections": \[\d+\]')
_ESCAPED = re.compile(r"&#34;(?:\\.|[^&\\]|&(?!#34;))*&#34;")


def curl(address: str, method: str, path: str, operation: Json, changes: Json | None = None) -> str:
    """Return the curl command for an operation. `changes` are merged into its example body."""
    body = request_body(operation, changes)
    streams = bool(changes and changes.get("stream"))
    parts = [
        f"curl -{'N' if streams or only_streams(operation) else ''}sS {_shell(address + fill_path(path, operation))}"
    ]
    if security := operation.get("security"):
        takes_keys = any("api_key" in scheme for scheme in security)
        parts.append(f'-H "Authorization: Bearer ${"RETINUE_KEY" if takes_keys else "RETINUE_SESSION"}"')
    if body is not None:
        parts += ['-H "Content-Type: application/json"', f"-d {_with_own_records(_quote(_json(body)))}"]
    elif "multipart/form-data" in _bodies(operation):
        parts.append("-F file=@report.txt")
    if method not in {"GET", "POST"} or (method == "POST" and not _bodies(operation)):
        parts.insert(1, f"-X {method}")
    return " \\\n  ".join(parts)


def tool_call(address: str, name: str, args: Json, answers: Sequence[Json] = ()) -> str:
    """Return the curl command that executes a tool, with the answers to questions of its server."""
    sent = {"args": args, "answers": answers} if answers else {"args": args}
    url, body = f"{address}{BASE}/tools/{name}/execute", _quote(_json(sent))
    headers = ['-H "Authorization: Bearer $RETINUE_KEY"', '-H "Content-Type: application/json"']
    return " \\\n  ".join([f"curl -sS {url}", *headers, f"-d {body}"])


def answer(schemas: Schemas, schema: Json) -> str:
    """Return an example response for a schema as JSON, or an empty string if none is known."""
    found = _example(schemas, schema)
    return "" if found is None else json.dumps(found, indent=2, ensure_ascii=False)


def colour(text: str) -> Markup:
    """Mark the keys and strings of JSON, or of a command that contains JSON, for colouring."""
    escaped = str(escape(text))

    def mark(match: re.Match[str]) -> str:
        key = escaped.startswith(":", match.end())
        return f"<{'i' if key else 'b'}>{match[0]}</{'i' if key else 'b'}>"

    return Markup(_ESCAPED.sub(mark, escaped))  # noqa: S704 - escaped above


def _example(schemas: Schemas, schema: Json) -> object:
    found = schemas.resolve(schema)
    if "examples" in found:
        return found["examples"][0]
    if "const" in found:
        return found["const"]
    if "items" in found:
        inner = _example(schemas, found["items"])
        return None if inner is None else [inner]
    if "$ref" in schema and name_of(schema) == "Meta":
        return {"total": 1, "page": 1, "per_page": 20, "total_pages": 1}
    parts = {name: _example(schemas, part) for name, part in found.get("properties", {}).items()}
    return parts if parts and None not in parts.values() else None


def request_body(operation: Json, changes: Json | None) -> Json | None:
    """Return the example body with the changes, or None if the operation has no JSON body."""
    content = _bodies(operation).get("application/json")
    return None if content is None else {**content.get("example", {}), **(changes or {})}


def _bodies(operation: Json) -> Json:
    """Return the content types that an operation accepts."""
    kinds: Json = operation.get("requestBody", {}).get("content", {})
    return kinds


def only_streams(operation: Json) -> bool:
    """Return whether the operation only responds with a stream."""
    return list(operation["responses"].get("200", {}).get("content", ())) == ["text/event-stream"]


def _json(body: Json) -> str:
    """Serialize on one line if it is short, else with indentation."""
    short = json.dumps(body, ensure_ascii=False)
    return short if len(short) <= _LINE else json.dumps(body, indent=2, ensure_ascii=False).replace("\n", "\n  ")


def fill_path(path: str, operation: Json) -> str:
    """Fill in the path with shell variables for ids, and add the example's query."""
    for place, variable in _VARIABLES.items():
        path = path.replace(place, place.replace("{id}", variable))
    for name, value in _NAMED.items():
        path = path.replace(f"{{{name}}}", value)
    query = {p["name"]: p["example"] for p in operation.get("parameters", ()) if "example" in p}
    return f"{path}?{urlencode(query, quote_via=quote)}" if query else path


def _shell(url: str) -> str:
    return f'"{url}"' if "?" in url or "$" in url else url


def _with_own_records(quoted: str) -> str:
    """Insert shell variables for the reader's agent and collection between the quotes of the body."""
    quoted = _COLLECTION.sub("\"collections\": ['$COLLECTION_ID']", quoted)
    return _AGENT.sub("\"agent_id\": '$AGENT_ID'", quoted)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
