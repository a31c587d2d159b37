"""The programs of the reference in Python and JavaScript send the same request as the curl command beside them.

Another test runs each curl command against a server.
"""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from retinue.openapi.method_names import camel_case
from retinue.reference import programs, samples
from retinue_client import Retinue
from tests.support.api_document import api_document

ADDRESS = "http://retinue.test"
VARIABLE = re.compile(r"\$([A-Z_]+)")
META = {"total": 0, "page": 1, "per_page": 20, "total_pages": 1}
UPLOADED = "A report."


@dataclass(frozen=True)
class Example:
    """An operation's request in each language, and the answer that the programs get."""

    curl: str
    python: str
    javascript: str
    answer: str
    type: str


@cache
def examples() -> list[Example]:
    return [*_examples(), tool_example()]


def _examples() -> Iterator[Example]:
    for path, methods in api_document()["paths"].items():
        for method, operation in methods.items():
            content = operation["responses"].get("200", {}).get("content", {})
            kinds = [{"stream": True}] if {"text/event-stream", "application/json"} <= content.keys() else []
            for changes in [None, *kinds]:
                request = (ADDRESS, method.upper(), path, operation, changes)
                streams = changes or list(content) == ["text/event-stream"]
                body = {"data": [] if _returns_list(operation) else {}, "meta": META}
                yield Example(
                    samples.curl(*request),
                    programs.python(*request),
                    programs.javascript(*request),
                    "data: [DONE]\n\n" if streams else json.dumps(body),
                    "text/event-stream" if streams else "application/json",
                )


def tool_example() -> Example:
    """The call on the page of a tool, without the beginning of the programs."""
    call = (ADDRESS, "math_evaluate", {"terms": [1, None, True], "größe": {"a b": "c"}})
    answer = json.dumps({"data": {"result": {}}})
    return Example(
        samples.tool_call(*call),
        programs.python_tool_call(*call).removeprefix(programs.python_client(ADDRESS)),
        programs.javascript_tool_call(*call).removeprefix(programs.javascript_client(ADDRESS)),
        answer,
        "application/json",
    )


def _returns_list(operation: dict[str, Any]) -> bool:
    return any(
        answer.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "").endswith("List")
        for answer in operation["responses"].values()
    )


def variables() -> dict[str, Any]:
    """A value for every variable of the commands."""
    names = sorted({name for example in examples() for name in VARIABLE.findall(example.curl)})
    return {name: number for number, name in enumerate(names, 7)} | {"RETINUE_KEY": "key", "RETINUE_SESSION": "sess"}


def request_of(command: str) -> dict[str, Any]:
    """The request that a curl command sends: its URL, method, credential and content."""
    values = variables()
    words = shlex.split(VARIABLE.sub(lambda match: str(values[match[1]]), command))
    options = list(zip(words, [*words[1:], ""], strict=True))
    headers = [value for name, value in options if name == "-H"]
    body = next((json.loads(value) for name, value in options if name == "-d"), None)
    upload = UPLOADED if "-F" in words else None
    return {
        "url": next(word for word in words if word.startswith(ADDRESS)),
        "method": next((value for name, value in options if name == "-X"), "GET" if body is upload is None else "POST"),
        "authorization": next((value[15:] for value in headers if value.startswith("Authorization: ")), None),
        "content": body if body is not None else upload,
    }


def comparable(request: dict[str, Any]) -> dict[str, Any]:
    """A request without what the clients add: the page that a list begins with, a format, and choices that are off."""
    url, content = httpx.URL(request["url"]), request["content"] or {}
    added = {"page": "1", "format": "csv"}.items()
    query = dict(url.params).items() - added
    if isinstance(content, dict):
        content = {name: value for name, value in content.items() if value is not False}
    return {**request, "url": url.path, "query": query, "content": content}


def same(sent: dict[str, Any], example: Example) -> bool:
    """Whether a program has sent the request of the curl command."""
    expected = request_of(example.curl)
    if expected["content"] == UPLOADED:
        expected["url"] += "?name=report.txt"
    return comparable(sent) == comparable(expected)


def run_python(example: Example) -> dict[str, Any]:
    """Run the Python program. Returns the request that it sent."""
    sent: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        text = request.read().decode()
        is_json = request.headers.get("Content-Type") == "application/json"
        credential = request.headers.get("Authorization")
        url = str(request.url)
        content = json.loads(text) if is_json else text
        sent.append({"url": url, "method": request.method, "authorization": credential, "content": content})
        return httpx.Response(200, text=example.answer, headers={"Content-Type": example.type})

    transport = httpx.Client(transport=httpx.MockTransport(answer))
    given = {
        "client": Retinue(api_key="key", base_url=ADDRESS, http_client=transport),
        "httpx": transport,
        "os": os,
        "print": lambda *_: None,
        **{name.lower(): value for name, value in variables().items()},
    }
    exec(example.python, given)  # noqa: S102 - our own examples
    return sent[-1]


def test_programs_in_python_send_the_request_of_the_curl_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_SESSION", "sess")
    different = [example.python for example in examples() if not same(run_python(example), example)]
    assert different == []
    assert len(examples()) > 170


@pytest.mark.needs_program("node")
def test_programs_in_javascript_send_the_request_of_the_curl_command() -> None:
    given = {camel_case(name.lower()): value for name, value in variables().items()}
    sent = [
        {"program": one.javascript, "variables": given, "answer": one.answer, "type": one.type} for one in examples()
    ]
    ended = subprocess.run(
        ["node", str(Path(__file__).parent / "programs.mjs")],
        input=json.dumps(sent), env={**os.environ, "RETINUE_SESSION": "sess"}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    requests = json.loads(ended.stdout)
    pairs = zip(requests, examples(), strict=True)
    assert [example.javascript for request, example in pairs if not same(request, example)] == []
