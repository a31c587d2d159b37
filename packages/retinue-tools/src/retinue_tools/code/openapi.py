"""OpenAPI documents: validation, sample responses, and calls in several languages."""

import json
import re
import shlex
from itertools import islice
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from openapi_spec_validator import OpenAPIV2SpecValidator, OpenAPIV30SpecValidator, OpenAPIV31SpecValidator
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._openapi_samples import (
    Operation,
    as_list,
    example_of,
    find_operation,
    list_operations,
    resolve_reference,
)
from retinue_tools.code._sources import yaml_object

_MOST = 200

Api = Annotated[
    str,
    About(
        "OpenAPI document as YAML or JSON",
        "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths: {}\n",
        min_length=1,
        max_length=2_000_000,
    ),
]


class Problem(TypedDict):
    """A problem in a document."""

    path: Annotated[str, About("Path in the document, with /")]
    message: Annotated[str, About("Description of the problem")]


class Validation(TypedDict):
    """Result of validating a document."""

    valid: Annotated[bool, About("Whether the document conforms to the specification")]
    version: Annotated[str, About("Version of OpenAPI")]
    problems: Annotated[list[Problem], About("Violations of the specification")]
    warnings: Annotated[list[str], About("Problems that the specification allows")]
    operations: Annotated[int, About("Number of operations")]


class Mock(TypedDict):
    """A sample response."""

    status: Annotated[str, About("HTTP status of the response")]
    content_type: Annotated[str | None, About("Media type of the response")]
    body: Annotated[Any, About("Body that matches the schema, or null")]


class Snippet(TypedDict):
    """A call in source code."""

    code: Annotated[str, About("Source code of the call")]
    url: Annotated[str, About("URL of the call")]


@tool(
    tags="openapi swagger validate check lint specification api yaml",
    use_when=(
        "Is this OpenAPI document valid?",
        "What is wrong with my swagger.yaml?",
        "Does my API description have duplicate operation ids?",
    ),
    pace="normal",
    examples=(
        Example(
            {"document": "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths:\n  /a:\n    get:\n  "
                "    responses: {'200': {description: ok}}\n"},
            {"valid": True, "version": "3.0.3", "problems": [], "operations": 1,
             "warnings": ["GET /a has no operationId"]},
            source="OpenAPI Specification 3.0.3",
        ),
        Example(
            {"document": '{"openapi": "3.1.0", "info": {"title": "A"}, "paths": {}}'},
            {"valid": False, "problems": [{"path": "info"}]},
            source="OpenAPI Specification 3.1.0: info needs a version",
        ),
        Refusal({"document": "a: 1"}, "not an OpenAPI document"),
    ),
    reply={
        "valid, warnings": "The document is valid, with these warnings: {warnings}",
        "valid": "The document is valid and has {operations|operation}.",
        "problems": "The document is not valid: {problems}",
        "": "The document is not valid.",
    },
)  # fmt: skip
def openapi_validate_document(document: Api) -> Validation:
    """Check an OpenAPI 2.0, 3.0 or 3.1 document against the specification.

    Use it before publishing an API description. Returns each error with its location, and warnings about missing or
    duplicate operation IDs and missing descriptions.
    """
    api = yaml_object(document)
    version = str(api.get("openapi") or api.get("swagger") or "")
    kinds = {"2.": OpenAPIV2SpecValidator, "3.0": OpenAPIV30SpecValidator, "3.1": OpenAPIV31SpecValidator}
    validator = next((kind for start, kind in kinds.items() if version.startswith(start)), None)
    if validator is None:
        raise ToolError("This is not an OpenAPI document of version 2.0, 3.0 or 3.1: it needs the field openapi.")
    operations = list_operations(api)
    try:
        faults = list(islice(_local(validator, api), _MOST))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ToolError(
            f"The document cannot be validated because of an error near {error}. Fix its paths first."
        ) from error
    problems: list[Problem] = [
        {"path": "/".join(map(str, fault.absolute_path)), "message": str(fault.message)[:500]} for fault in faults
    ]
    return {
        "valid": not problems,
        "version": version,
        "problems": problems,
        "warnings": _warnings(operations)[:_MOST],
        "operations": len(operations),
    }


@tool(
    tags="openapi mock response example sample body fake api server",
    use_when=(
        "Give me a sample response of GET /users from this OpenAPI document",
        "Mock the answer of this API operation",
        "What does the 404 of this endpoint look like?",
    ),
    examples=(
        Example(
            {
                "document": "openapi: 3.0.0\ninfo: {title: A, version: '1'}\npaths:\n  /u/{id}:\n    get:\n"
                "      operationId: getUser\n      responses:\n        '200':\n          description: ok\n"
                "          content:\n            application/json:\n              schema: {$ref: "
                "'#/components/schemas/U'}\n"
                "components:\n  schemas:\n    U:\n      type: object\n      properties:\n"
                "        id: {type: integer, minimum: 5}\n        mail: {type: string, format: email}\n"
                "        kind: {enum: [a, b]}\n        tags: {type: array, items: {type: string, example: x}}\n",
                "operation": "getUser",
            },
            {
                "status": "200",
                "content_type": "application/json",
                "body": {"id": 5, "mail": "user@example.com", "kind": "a", "tags": ["x"]},
            },
            source="by hand from the schema",
        ),
        Example(
            {
                "document": "openapi: 3.0.0\ninfo: {title: A, version: '1'}\npaths: {/a: {delete: {responses: {'204': "
                "{description: gone}}}}}\n",
                "operation": "DELETE /a",
                "status": "204",
            },
            {"status": "204", "content_type": None, "body": None},
            source="by hand",
        ),
        Refusal({"document": "openapi: 3.0.0\npaths: {}", "operation": "GET /x"}, "no operation"),
    ),
    reply={
        "body": "A sample response with {status}: {body}",
        "": "The response has the status {status} and no body.",
    },
)
def openapi_generate_mock(
    document: Api,
    operation: Operation,
    status: Annotated[
        str,
        About(
            "Status of the response; default: the first success",
            "404",
            pattern=r"^([1-5](\d\d|XX)|default)$",
            max_length=7,
        ),
    ]
    | None = None,
) -> Mock:
    """Generate a sample answer (response) of an API operation from its OpenAPI schema.

    Use it to build a client before the server exists. Examples and defaults of the document take precedence over values
    by type, format, enumeration and bounds. Returns status, media type and body.
    """
    api = yaml_object(document)
    _, _, found = find_operation(api, operation)
    stated = found.get("responses")
    responses: dict[str, Any] = stated if isinstance(stated, dict) else {}
    chosen = status or next((code for code in sorted(responses) if code.startswith("2")), "default")
    if chosen not in responses:
        raise ToolError(f"The operation has no response {chosen}. Available: {', '.join(sorted(responses)) or 'none'}.")
    content = resolve_reference(api, responses[chosen]).get("content")
    if not isinstance(content, dict) or not content:
        return {"status": chosen, "content_type": None, "body": None}
    kind = "application/json" if "application/json" in content else next(iter(content))
    return {"status": chosen, "content_type": kind, "body": example_of(api, content[kind])}


@tool(
    tags="openapi client snippet curl python javascript fetch request call code example",
    use_when=(
        "Show me the curl command for POST /orders of this API",
        "How do I call this endpoint in Python?",
        "Write a fetch call for this OpenAPI operation",
    ),
    examples=(
        Example(
            {
                "document": "openapi: 3.0.0\ninfo: {title: A, version: '1'}\nservers: [{url: "
                "'https://api.example.com/v1'}]\n"
                "paths:\n  /u/{id}:\n    get:\n      parameters:\n        - {name: id, in: path, required: true, "
                "schema: {type: string}}\n        - {name: q, in: query, required: true, schema: {type: string, "
                "example: a b}}\n        - {name: opt, in: query, schema: {type: string}}\n",
                "operation": "GET /u/{id}",
                "language": "curl",
                "parameters": {"id": "7/8", "opt": True},
            },
            {
                "url": "https://api.example.com/v1/u/7%2F8?q=a+b&opt=true",
                "code": "curl 'https://api.example.com/v1/u/7%2F8?q=a+b&opt=true'",
            },
            source="RFC 3986: a slash in a path segment is written %2F",
        ),
        Example(
            {
                "document": "openapi: 3.0.0\npaths: {/o: {post: {requestBody: {content: "
                "{application/json: {schema: {type: "
                "object, properties: {n: {type: integer}}}}}}}}}\n",
                "operation": "POST /o",
                "language": "python",
            },
            {
                "code": "import requests\n\nresponse = requests.post(\n    'https://api.example.com/o',\n"
                "    json={'n': 0},\n    timeout=30,\n)\nresponse.raise_for_status()\nprint(response.json())\n"
            },
            source="documentation of requests",
        ),
        Refusal({"document": "paths: {}", "operation": "GET /", "language": "curl"}, "no operation"),
    ),
    reply="The call: {code}",
)
def openapi_generate_snippet(
    document: Api,
    operation: Operation,
    language: Annotated[Literal["curl", "python", "javascript"], About("Language or tool of the snippet")],
    parameters: Annotated[dict[str, str | bool | float], About("Values of path and query parameters", {"id": "7"})]
    | None = None,
) -> Snippet:
    """Write a call of an API operation for curl, Python (requests) or JavaScript (fetch).

    Use it for documentation or to try an API. Required parameters and the body default to sample values of the
    document. Returns the code and the URL.
    """
    api = yaml_object(document)
    method, path, found = find_operation(api, operation)
    values = {name: _plain(value) for name, value in (parameters or {}).items()}
    fields = [resolve_reference(api, one) for one in found.get("parameters") or [] if isinstance(one, dict)]
    samples = {
        place: {
            str(one.get("name")): values.get(str(one.get("name")), str(example_of(api, one) or one.get("name")))
            for one in fields
            if one.get("in") == place and (one.get("required") or one.get("name") in values)
        }
        for place in ("path", "query", "header")
    }
    for name, value in ({key: key for key in re.findall(r"{([^}]+)}", path)} | samples["path"] | values).items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    url = _server(api) + path + (f"?{urlencode(samples['query'])}" if samples["query"] else "")
    content = resolve_reference(api, found.get("requestBody")).get("content")
    media = content.get("application/json") if isinstance(content, dict) else None
    body = example_of(api, media) if isinstance(media, dict) else None
    return {"code": _WRITERS[language](method, url, samples["header"], body), "url": url}


def _plain(value: str | bool | float) -> str:
    """Format a value for a URL: 7, 0.5, true."""
    return value if isinstance(value, str) else json.dumps(value)


def _local(validator: Any, api: dict[str, Any]) -> Any:
    """Return the errors. References to other documents are rejected: nothing is fetched."""
    if re.search(r'"\$ref": "(?!#)', json.dumps(api)):
        raise ToolError("The document refers to other files or URLs. Bundle it into one document first.")
    return validator(api).iter_errors()


def _warnings(operations: list[tuple[str, str, dict[str, Any]]]) -> list[str]:
    names = [str(found.get("operationId")) for _, _, found in operations if found.get("operationId")]
    missing = [
        f"{method} {path} has no operationId" for method, path, found in operations if not found.get("operationId")
    ]
    return missing + [f"operationId {name} is used twice" for name in sorted(set(names)) if names.count(name) > 1]


def _server(api: dict[str, Any]) -> str:
    servers = as_list(api, "servers")
    url = servers[0].get("url") if servers and isinstance(servers[0], dict) else None
    return str(url).rstrip("/") if url else "https://api.example.com"


def _curl(method: str, url: str, headers: dict[str, str], body: Any) -> str:
    words = ["curl", *(["-X", method] if method != "GET" or body is not None else []), shlex.quote(url)]
    sent = headers | ({"Content-Type": "application/json"} if body is not None else {})
    words += [part for name, value in sent.items() for part in ("-H", shlex.quote(f"{name}: {value}"))]
    return " ".join(words + (["-d", shlex.quote(json.dumps(body))] if body is not None else []))


def _python(method: str, url: str, headers: dict[str, str], body: Any) -> str:
    call = f"requests.{method.lower()}(" if method != "TRACE" else 'requests.request(\n    "TRACE",'
    lines = [f"    {url!r},"]
    lines += [f"    headers={headers!r},"] if headers else []
    lines += [f"    json={body!r},"] if body is not None else []
    parts = ["import requests\n", f"response = {call}", *lines, "    timeout=30,", ")"]
    return "\n".join([*parts, "response.raise_for_status()", "print(response.json())"]) + "\n"


def _javascript(method: str, url: str, headers: dict[str, str], body: Any) -> str:
    sent = headers | ({"Content-Type": "application/json"} if body is not None else {})
    lines = [f"const response = await fetch({json.dumps(url)}, {{", f"  method: {json.dumps(method)},"]
    lines += [f"  headers: {json.dumps(sent)},"] if sent else []
    lines += [f"  body: JSON.stringify({json.dumps(body)}),"] if body is not None else []
    lines += ["});", "if (!response.ok) throw new Error(`HTTP ${response.status}`);"]
    return "\n".join([*lines, "console.log(await response.json());"]) + "\n"


_WRITERS = {"curl": _curl, "python": _python, "javascript": _javascript}
