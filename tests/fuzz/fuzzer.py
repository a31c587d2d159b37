"""Sends drawn requests one after the other, and collects what no response may do."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from retinue.core.http.operations import BASE
from tests.fuzz.entry_points import EntryPoints
from tests.fuzz.wire import Answer, Connection, Request
from tests.fuzz.world import KINDS, World
from tests.support.client import CODES
from tests.support.loop_cpu import EVENT, LIMIT
from tests.support.server import Server

STALL_CPU_S = "0.1"
_BEYOND_DOUBT = 10
"""A stall this many times as long is a fault at once. A shorter one must recur when the requests are sent again.

A busy machine inflates even CPU times: other processes share the caches and the core.
"""
_REPEATS = 3
_NEAR = 4
"""Logged requests on either side of a stall that may have caused it."""
SETTINGS = {LIMIT: STALL_CPU_S, "RETINUE_SIGN_UP": "open", "RETINUE_OAUTH_REGISTRATION": "open"}
_REFRESH = 5_000
"""Requests after which a new user is added, because the records of the earlier ones have been deleted."""
_BY_HTTP_SERVER = frozenset({400, 408, 411, 413, 414, 431, 501, 505})
"""Statuses with which the HTTP server itself refuses requests that the application never sees."""
_PROBE = Request("probe", b"GET", f"{BASE}/agents".encode())
_TROUBLE = re.compile(r'Traceback \(most recent call last\)|"(request|task|control|run|tool)\.failed"|never awaited')


@dataclass
class Fault:
    """What went wrong with a request, with the command that sends it again."""

    kind: str
    label: str
    detail: str
    command: str


@dataclass
class Fuzzer:
    """Fuzzes one server."""

    server: Server
    seed: int
    faults: list[Fault] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    _sent: dict[str, Request] = field(default_factory=dict)
    _checked: int = 0

    def __post_init__(self) -> None:
        self._chance = Random(self.seed)
        self._world = World.of(self.server, self._chance)
        self._entry_points = EntryPoints(self._world, self._chance)
        self._connection = Connection(self.server.url)
        self._checked = self.server.log.stat().st_size

    @property
    def total(self) -> int:
        """The number of requests sent."""
        return self.statuses.total()

    def run(self, requests: int) -> None:
        """Send requests, and read the server's log."""
        for _ in range(requests):
            if self.total % _REFRESH == _REFRESH - 1:
                self._world.fill()
            self._send(self._entry_points.draw())
            if len(self._sent) >= 1_000:
                self._read_log()
        self._read_log()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, request: Request) -> None:
        try:
            answer = self._connection.send(request)
        except OSError as error:
            self._connection.close()
            answer = Answer()
            self._add("no answer", request, repr(error))
        self.statuses[answer.status] += 1
        self.labels[request.label] += 1
        self._sent[answer.headers.get("x-request-id", f"none {self.total}")] = request
        if problem := problem_of(request, answer):
            self._add(f"answer {answer.status}", request, f"{problem}: {answer.body[:600]!r}")
        self._learn(request, answer)

    def _learn(self, request: Request, answer: Answer) -> None:
        if answer.status == 401 and b"Bearer " in dict(request.headers).get(b"Authorization", b""):
            self._renew(request)
        if answer.kind == "text/html":
            self._world.learn_page(request.target.decode("latin-1").partition("?")[0], answer.body)
        elif request.label == "POST /v1/responses":
            self._entry_points.others.learn(answer.body)
        elif f" {BASE}" in request.label:
            path = request.target.decode("latin-1").partition("?")[0].removeprefix(BASE)
            template = request.label.partition(BASE)[2]
            if answer.status in (200, 201, 202):
                self._world.learn_response(template, path, answer.body)
            if request.method == b"DELETE" and answer.status in (200, 404):
                self._world.forget_path(template, path)

    def _renew(self, request: Request) -> None:
        """Replace the credential that the request was sent with, if it is one that the fuzzer has revoked."""
        used = dict(request.headers)[b"Authorization"].decode("latin-1").removeprefix("Bearer ")
        for kind in KINDS:
            if used == self._world.tokens[kind]:
                self._world.renew(kind)
        if used == self._world.tokens["oauth"]:
            self._world.tokens["oauth"] = self._world.tokens["sandbox"]

    def _add(self, kind: str, request: Request, detail: str) -> None:
        self.faults.append(Fault(kind, request.label, detail, request.as_command(self.server.url)))

    def _read_log(self) -> None:
        """Add the problems in the new lines of the log, each with the request that it belongs to."""
        lines = list(self._fresh_lines())
        for place, line in enumerate(lines):
            if EVENT in line:
                # A busy loop belongs to a response logged just before it, or just after.
                before, after = self._requests_of(lines[place::-1]), self._requests_of(lines[place:])
                self._judge_stall(line, [*before[:_NEAR], *after[:_NEAR]])
            elif _TROUBLE.search(line):
                self._add("log", next(iter(self._requests_of([line])), self._unknown()), _shown(line))
        self._sent.clear()

    def _judge_stall(self, line: str, near: list[Request]) -> None:
        """Add a fault if the stall is long, or if one of the requests near it stalls the loop each time."""
        found = next((one for one in near if all(self._stalls(one) for _ in range(_REPEATS))), None)
        if found or json.loads(line)["cpu_s"] >= _BEYOND_DOUBT * float(STALL_CPU_S):
            self._add("stall", found or next(iter(near), self._unknown()), _shown(line))

    def _stalls(self, request: Request) -> bool:
        """Send a request again, with nothing else in progress, and return whether the server logs a stall."""
        for sent in (request, _PROBE):  # After a stall, the heart beats before the loop reads the second one.
            try:
                self._connection.send(sent)
            except OSError:
                self._connection.close()
        return any(EVENT in line for line in self._fresh_lines())

    def _requests_of(self, lines: list[str]) -> list[Request]:
        """Return the known requests that the lines belong to."""
        return [self._sent[one] for one in map(_request_id, lines) if one in self._sent]

    def _unknown(self) -> Request:
        return Request(f"unknown, near request {self.total}", b"GET", b"/")

    def _fresh_lines(self) -> Iterator[str]:
        with self.server.log.open("rb") as log:
            log.seek(self._checked)
            fresh = log.read()
        self._checked += len(fresh)
        return iter(fresh.decode("utf-8", "replace").splitlines())


def _request_id(line: str) -> str:
    try:
        return str(json.loads(line).get("request_id"))
    except (ValueError, AttributeError):
        return ""


def _shown(line: str) -> str:
    return line[-3_000:].replace("\\n", "\n")


def problem_of(request: Request, answer: Answer) -> str:
    """Return what is wrong with a response, or an empty text."""
    if answer.status == 0:
        return "the connection was closed without a response"
    if "x-request-id" not in answer.headers:
        return "" if answer.status in _BY_HTTP_SERVER else "no X-Request-ID"
    if answer.status >= 500 and answer.status != 503:
        return "a fault of the server"
    if answer.status < 400 or request.method == b"HEAD":
        return ""
    return _problem_of_error(request, answer)


def _problem_of_error(request: Request, answer: Answer) -> str:
    if answer.kind == "text/html":
        return "" if len(answer.body) > 10 and b"Traceback" not in answer.body else "an empty page"
    if answer.kind != "application/json":
        return f"an error of type {answer.kind!r}"
    body = json.loads(answer.body)
    if request.target.startswith(b"/oauth/") and isinstance(body.get("error"), str):
        return "" if body.keys() == {"error", "error_description"} else "not an OAuth error"
    if (path := request.target.partition(b"?")[0] + b"/").startswith(b"/v1/"):
        return _problem_for_other_client(path, body)
    if path == b"/mcp/":
        return _problem_for_mcp_client(body)
    if path.startswith(b"/a2a/"):
        return _problem_for_mcp_client(body) if "jsonrpc" in body else _problem_for_a2a_client(answer.status, body)
    error = body.get("error")
    if body.keys() != {"error"} or not isinstance(error, dict) or error.keys() != {"code", "message", "status"}:
        return "not an error body"
    fits = error["status"] == answer.status and error["code"] == CODES.get(answer.status)
    said = isinstance(error["message"], str) and len(error["message"]) > 10 and "Traceback" not in error["message"]
    limited = ("retry-after" in answer.headers) == (answer.status == 429)
    return "" if fits and said and limited else "code, message, status or Retry-After do not fit"


def _problem_for_mcp_client(body: dict[str, Any]) -> str:
    """Return what is wrong with an error of JSON-RPC 2.0."""
    error = body.get("error")
    if body.keys() != {"jsonrpc", "id", "error"} or not isinstance(error, dict):
        return "not an error of JSON-RPC"
    said = len(str(error.get("message"))) > 10 and "Traceback" not in str(error.get("message"))
    return "" if said and isinstance(error.get("code"), int) else "no code, or an empty message"


def _problem_for_a2a_client(status: int, body: dict[str, Any]) -> str:
    """Return what is wrong with an error in the shape of A2A by HTTP+JSON, a `google.rpc.Status`."""
    error = body.get("error")
    if body.keys() != {"error"} or not isinstance(error, dict):
        return "not an error of A2A"
    if error.keys() != {"code", "status", "message", "details"} or error["code"] != status:
        return "code, status, message or details do not fit"
    said = len(str(error["message"])) > 10 and "Traceback" not in str(error["message"])
    return "" if said and error["status"] else "an empty message or status"


def _problem_for_other_client(path: bytes, body: dict[str, Any]) -> str:
    """Return what is wrong with an error in the shape of Anthropic's API, or of OpenAI's."""
    error = body.get("error")
    anthropic = path.startswith(b"/v1/messages/")
    fields = {"type", "message"} if anthropic else {"message", "type", "param", "code"}
    if body.keys() != ({"type", "error"} if anthropic else {"error"}) or not isinstance(error, dict):
        return "not an error of the client's protocol"
    if error.keys() != fields:
        return f"an error without {fields - error.keys()}"
    said = len(str(error["message"])) > 10 and "Traceback" not in error["message"]
    return "" if said and error["type"] else "an empty message or type"
