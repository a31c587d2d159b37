"""The TypeScript client: what is generated, its types, and what it does, alone and with a server.

The programs are in the folder `typescript`. Each starts Node.js once for many checks.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import retinue_client
from clients.python.codegen.document import BASE, Document, Operation
from clients.typescript.codegen.__main__ import PACKAGE, files
from retinue.openapi.method_names import BY_HAND, camel_case
from retinue.webhooks import signing
from tests.clients.test_commands import one_database
from tests.clients.test_document import arguments_for, content, operations, value_of
from tests.conftest import User
from tests.docs.cutting import cutting
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server

PROGRAMS = Path(__file__).parent / "typescript"
STORY = "Once upon a time there was a server that told stories."
TOOL = "network_calculate_subnet"
NOW = 1_795_000_000


def run(program: str, *, variables: dict[str, str] | None = None, sent: str = "") -> str:
    """Run a program of the folder with Node.js. Returns its output."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")}
    ended = subprocess.run(
        ["node", str(PROGRAMS / program)],
        env={**inherited, **(variables or {})}, input=sent, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_generated_files_are_those_of_this_document() -> None:
    stale = [name for name, text in files().items() if (PACKAGE / name).read_text() != text]
    assert stale == [], "the API has changed: run make client"


def test_the_versions_agree() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    assert package["version"] == retinue_client.__version__
    assert (PACKAGE / "src/version.js").read_text() == f'export const VERSION = "{package["version"]}";\n'
    assert package["license"] == "Apache-2.0"


def test_the_package_needs_no_other() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    assert not [name for name in package if "ependencies" in name or name == "scripts"]
    assert (PACKAGE / package["main"]).is_file()
    assert (PACKAGE / package["types"]).is_file()
    for module in [*PACKAGE.glob("src/*.js"), *PACKAGE.glob("types/*.d.ts")]:
        imported = re.findall(r"""(?:\bfrom|\bimport)\b[ (]*["']([^"']+)["']""", module.read_text())
        assert all(name.startswith(("./", "../types/")) for name in imported), module
        assert all((module.parent / name.replace(".js", suffix)).is_file()
                   for suffix in [".js" if module.suffix == ".js" else ".d.ts"]
                   for name in imported if name.startswith("./")), module  # fmt: skip


def calls() -> list[tuple[Operation, list[Any], dict[str, Any]]]:
    """Every operation with JSON, and arguments for it: those of the path, and all others by name."""
    called = [operation for operation in operations() if operation.answers and operation.id not in BY_HAND]
    return [(operation, *arguments_for(operation)) for operation in called]


def describe_call(operation: Operation, positional: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """What `requests.mjs` is to call, and the answer that the method gets."""
    status, schema = next(iter(operation.answers.items()))
    answer = value_of({"$ref": f"/{schema}"})
    if "meta" in answer:
        answer["meta"] = {"total": 1, "page": 1, "per_page": 20, "total_pages": 1}
    method = ".".join(camel_case(part) for part in str(operation.client_method).split("."))
    return {"method": method, "args": [*positional, named], "status": int(status), "answer": answer}


@pytest.mark.needs_program("node")
def test_each_method_sends_the_documented_request() -> None:
    described_calls = [describe_call(*call) for call in calls()]
    requests = json.loads(run("requests.mjs", sent=json.dumps(described_calls)))
    assert len(requests) == len(described_calls) > 150
    for (operation, positional, named), call, request in zip(calls(), described_calls, requests, strict=True):
        url = urlsplit(request["url"])
        path = re.sub(r"\{\w+\}", "{}", operation.path).format(*positional)
        assert (request["method"], url.path) == (operation.method, BASE + path)
        assert ("idempotency-key" in request["headers"]) == operation.takes_key
        assert request["headers"]["authorization"] == "Bearer k"
        if operation.body:
            assert request["body"] == named
        else:
            assert dict(parse_qsl(url.query)) == {name: json_text(value) for name, value in named.items()}
        result = request["result"]
        assert (result["data"] if isinstance(call["answer"]["data"], list) else result) == call["answer"]["data"]


def json_text(value: Any) -> str:
    """A value of a query, as text."""
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.needs_program("tsc")
def test_the_types_accept_and_refuse_programs() -> None:
    """Also the code itself has the declared types. Programs that must be refused are marked in the files."""
    ended = subprocess.run(["tsc", "-p", PROGRAMS], capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")


def delivery(body: bytes, secret: str) -> dict[str, Any]:
    """A delivery as the server signs it."""
    headers = signing.headers(
        body, event="agent.created", event_id="evt_1", delivery_id="whd_1", secrets_in_force=[secret], timestamp=NOW
    )
    return {"body": body.decode(), "headers": headers, "secret": secret, "timestamp": NOW}


@pytest.mark.needs_program("node")
def test_retries_errors_streams_and_signatures() -> None:
    secret = signing.new_secret()
    body = b'{"id":"evt_1","event":"agent.created","timestamp":"2026-11-18T10:26:40+00:00","data":{"agent_id":1}}'
    variables = {
        "DELIVERY": json.dumps(delivery(body, secret)),
        "NO_EVENTS": json.dumps([delivery(other, secret) for other in (b"[]", b"{}", b"null", b"not JSON")]),
    }
    output = run("behaviour.mjs", variables=variables)
    assert int(re.findall(r"^# pass (\d+)$", output, re.MULTILINE)[0]) >= 25


@one_database
@pytest.mark.needs_program("node")
def test_it_works_with_a_server(server: Server, user: User, client: Client, model: ModelServer) -> None:
    model.answers += [
        Answer(STORY),
        Answer("It ended."),
        Answer(STORY, hold=True),
        Answer(tool=TOOL, arguments={"cidr": "10.0.0.0/8"}),
        Answer("Many."),
    ]
    with cutting(server.url, b'"content":"Once"}\n\n', during_second=model.release) as (cutter, address):
        variables = {
            "RETINUE_URL": server.url,
            "RETINUE_API_KEY": client.key or "",
            "READING_KEY": user.client(scopes=["agents:read"]).key or "",
            "CUT_URL": address,
            "STORY": STORY,
            "TOOL": TOOL,
        }
        assert run("server.mjs", variables=variables) == "done\n"
    assert len(cutter.heads) == 2
    assert "last-event-id: 1-4-" in cutter.heads[1].lower()


def test_each_event_has_a_type() -> None:
    declared = (PACKAGE / "types/objects.d.ts").read_text().partition("export interface WebhookEvents {")[2]
    assert re.findall(r'^  "([\w.]+)": (\w+);$', declared, re.MULTILINE) == sorted(Document(content()).events.items())
