"""Drives the MCP client of a running server through one client scenario, as a person would: import, connect, call, and
answer what the scenario's server asks.

The suite starts it for each scenario, with the address of the scenario's MCP server as its last argument.
"""

import html
import json
import os
import re
import secrets
import sys
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

import requests

_TIMEOUT_S = 60
_MOST_CONNECTIONS = 2
"""How often a person would connect a source before giving up."""

_MOST_CALLS = 3
_LOOK_S = 0.1
"""How often to look for a question of a run."""

_LINK = re.compile(r'href="([^"]*code_challenge=[^"]*)"')
_SAMPLES = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}

Json = dict[str, Any]


class Retinue:
    """The server under test, for its owner."""

    def __init__(self) -> None:
        self.url = os.environ["RETINUE_URL"]
        self.context: Json = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
        self._api = _session()
        self._api.headers["Authorization"] = f"Bearer {os.environ['RETINUE_API_KEY']}"
        self._portal = _session()
        self._portal.headers.update(Cookie=os.environ["RETINUE_COOKIE"], Origin=self.url)

    def ask(self, method: str, path: str, body: Json | None = None) -> requests.Response:
        """Send a request to the API."""
        return self._api.request(method, f"{self.url}/api/v1{path}", json=body, timeout=_TIMEOUT_S)

    def import_server(self, address: str) -> Json:
        """Import the MCP server at an address."""
        body = {"kind": "mcp", "name": f"c{secrets.token_hex(4)}", "url": address, "trust_hints": True}
        source: Json = _data(self.ask("POST", "/tools/sources", body))
        return source

    def connect(self, source: Json) -> None:
        """Choose Connect on the page of a source, and grant the access, until it is connected."""
        for _ in range(_MOST_CONNECTIONS):
            ended = self._authorize(source)
            if ended.status_code == 303:
                return
            print("not connected:", _problem(ended))
            if "needs authorization" not in ended.text:
                break
        raise SystemExit("The source was not connected.")

    def _authorize(self, source: Json) -> requests.Response:
        names = ("client_id", "client_secret")
        form = {name: self.context[name] for name in names if name in self.context}
        page = self._portal.post(
            f"{self.url}/sources/{source['id']}/authorize",
            urlencode(form),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            timeout=_TIMEOUT_S,
        )
        link = _LINK.search(page.text)
        if link is None:
            return page
        granted = requests.get(html.unescape(link[1]), allow_redirects=False, timeout=_TIMEOUT_S)
        back = urlsplit(granted.headers["Location"])
        return self._portal.get(f"{self.url}{back.path}?{back.query}", allow_redirects=False, timeout=_TIMEOUT_S)

    def tools(self, source: Json) -> list[Json]:
        """Return the tools of a source."""
        found = _data(self.ask("GET", f"/tools?search={source['name']}&per_page=100"))
        return [tool for tool in found if tool["name"].startswith(f"{source['name']}_")]

    def call(self, source: Json, tool: Json) -> None:
        """Call a tool, with the arguments of the scenario or with samples, and connect the source if that is needed."""
        chosen = [one for one in self.context.get("toolCalls", []) if f"{source['name']}_{one['name']}" == tool["name"]]
        for arguments in [one["arguments"] for one in chosen] or [_sample(tool)]:
            for _ in range(_MOST_CALLS):
                answer = self.ask("POST", f"/tools/{tool['name']}/execute", {"args": arguments})
                print(tool["name"], answer.status_code, answer.text[:500])
                if " asks a person: " in answer.text:
                    self.call_by_agent(tool, arguments)
                if f"/sources/{source['id']}" not in answer.text:
                    break
                self.connect(source)

    def call_by_agent(self, tool: Json, arguments: Json) -> None:
        """Let an agent call a tool whose server asks a person, and answer what it asks, with its defaults."""
        agent = {"agent_name": "Iris", "agent_role": "specialist", "skills": [tool["name"]]}
        agent_id = _data(self.ask("POST", "/agents", agent))["id"]
        work = {"message": f"[[tool:{tool['name']} {json.dumps(arguments)}]]", "background": True}
        run = _data(self.ask("POST", f"/agents/{agent_id}/execute", work))["id"]
        until = time.monotonic() + _TIMEOUT_S
        while not (row := _data(self.ask("GET", f"/runs/{run}")))["ended_at"] and time.monotonic() < until:
            for approval in _data(self.ask("GET", "/approvals?status=pending")):
                fields = approval["question"]["answer_schema"]["properties"]
                answer = {name: _value(schema) for name, schema in fields.items()}
                _data(self.ask("POST", f"/approvals/{approval['id']}", {"decision": "approve", "answer": answer}))
            time.sleep(_LOOK_S)
        print(tool["name"], "by an agent:", row["status"], row["reply"])
        self.ask("DELETE", f"/agents/{agent_id}")


def _session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    return session


def _data(answer: requests.Response) -> Any:
    if not answer.ok:
        raise SystemExit(f"{answer.status_code} {answer.text}")
    return answer.json()["data"]


def _problem(page: requests.Response) -> str:
    return " ".join(part.partition("</span>")[0] for part in page.text.split('class="problem"')[1:]) or page.text


def _sample(tool: Json) -> Json:
    properties = tool["input_schema"].get("properties", {})
    return {name: _value(schema) for name, schema in properties.items()}


def _value(schema: Json) -> Any:
    if "default" in schema:
        return schema["default"]
    if "const" in schema or schema.get("enum"):
        return schema.get("const", schema.get("enum", [None])[0])
    if schema.get("type") == "object":
        return {name: _value(inner) for name, inner in schema.get("properties", {}).items()}
    return _SAMPLES.get(str(schema.get("type")), "text")


def main() -> None:
    """Import the server, and call each of its tools."""
    retinue = Retinue()
    source = retinue.import_server(sys.argv[-1])
    try:
        if source["status"] == "needs_authorization":
            retinue.connect(source)
        for tool in retinue.tools(source):
            retinue.call(source, tool)
    finally:
        retinue.ask("DELETE", f"/tools/sources/{source['id']}")


if __name__ == "__main__":
    main()
