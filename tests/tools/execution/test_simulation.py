"""The sandbox does not go out: tools that would reach other hosts answer with simulated results."""

import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import jsonschema_rs
import pytest

from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.simulation import reaches_other_hosts, simulated_result
from tests.conftest import NewUser, StartServer
from tests.support.catalogue import TOOLS
from tests.support.client import Client, data

OUTSIDE = [tool for tool in TOOLS if reaches_other_hosts(tool)]
_MARK = re.compile(r"\{(?:site|\w+)(\.port)?\}")


class Listener:
    """Counts the connections and datagrams that come to a port of loopback."""

    def __init__(self) -> None:
        self.heard = 0
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        for listen in (self._accept, self._receive):
            threading.Thread(target=listen, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            self.heard += 1
            connection.close()

    def _receive(self) -> None:
        while True:
            try:
                self._udp.recv(1)
            except OSError:
                return
            self.heard += 1

    def close(self) -> None:
        """Stop listening."""
        for listening in (self._tcp, self._udp):
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()


@contextmanager
def running_listener() -> Iterator[Listener]:
    """A listener on a free port."""
    listener = Listener()
    try:
        yield listener
    finally:
        listener.close()


def aim(value: Any, port: int) -> Any:
    """An example's value with the listener in the places of the servers that stand in."""
    match value:
        case dict():
            return {name: aim(part, port) for name, part in value.items()}
        case list():
            return [aim(part, port) for part in value]
        case str():
            whole = _MARK.fullmatch(value)
            if whole and whole[1]:
                return port
            here = f"127.0.0.1:{port}"
            return _MARK.sub(lambda mark: str(port) if mark[1] else here, value.replace("{site}", f"http://{here}"))
    return value


def call_of(client: Client, tool: Tool, port: int) -> dict[str, Any]:
    """Arguments for a call, whose connections and files the client has."""
    example = next(one for one in tool.examples if "refusal" not in one)
    for name, given in example["connections"].items():
        fields = {part: aim(given[part], port) for part in ("kind", "settings", "secret")}
        answer = client.post("/connections", {"name": name, **fields})
        assert answer.status_code in (201, 400), answer.text
    args: dict[str, Any] = aim(example["args"], port)
    return args


@pytest.mark.parametrize("tool", OUTSIDE, ids=lambda tool: tool.name)
def test_a_simulated_result_is_as_the_tool_declares_it(tool: Tool) -> None:
    result = simulated_result(tool)
    assert result.pop("simulated") is True
    jsonschema_rs.validator_for(dict(tool.result_schema)).validate(result)
    servers = next(one for one in tool.examples if "refusal" not in one)["servers"]
    assert not [mark for mark in ("site", *servers) if f"{{{mark}" in str(result)]
    assert _holds(tool, result), "what the example shows is there"


def _holds(tool: Tool, result: Mapping[str, Any]) -> bool:
    shown = next(one for one in tool.examples if "refusal" not in one)["result"]
    plain = {name: value for name, value in shown.items() if isinstance(value, (str, int, float))}
    return {name: value for name, value in plain.items() if "{" not in str(value)}.items() <= result.items()


def test_no_tool_of_the_catalogue_goes_out(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    sandbox = new_user(server).client(test=True)
    with running_listener() as listener:
        for tool in OUTSIDE:
            answer = sandbox.post(f"/tools/{tool.name}/execute", {"args": call_of(sandbox, tool, listener.port)})
            assert data(answer)["result"]["simulated"] is True, tool.name
        assert listener.heard == 0


def test_a_live_key_goes_out_and_an_agent_of_the_sandbox_does_not(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    user = new_user(server)
    live, sandbox = user.client(), user.client(test=True)
    with running_listener() as listener:
        url = f"http://127.0.0.1:{listener.port}/"
        wanted = {"agent_name": "a", "agent_role": "leader", "skills": ["http_check_status"]}
        agent = data(sandbox.post("/agents", wanted), 201)["id"]
        message = f'[[tool:http_check_status {{"url": "{url}"}}]]'
        run = data(sandbox.post(f"/agents/{agent}/execute", {"message": message}))
        assert run["tools_used"] == ["http_check_status"]
        assert '"simulated":true' in run["reply"]
        assert listener.heard == 0
        live.post("/tools/http_check_status/execute", {"args": {"url": url}})
        assert listener.heard > 0


def test_the_arguments_are_checked_as_ever(sandbox: Client) -> None:
    answer = sandbox.post("/tools/notify_telegram/execute", {"args": {"connection": "none", "chat": "@a", "text": "b"}})
    assert answer.status_code == 400
    assert sandbox.post("/tools/http_check_status/execute", {"args": {}}).status_code == 400


def test_a_connection_of_the_sandbox_is_not_tried(sandbox: Client) -> None:
    bot = {"name": "my-bot", "kind": "telegram", "secret": {"token": "123456:ABC-DEF"}}
    made = data(sandbox.post("/connections", bot), 201)
    tried = data(sandbox.post(f"/connections/{made['id']}/test"))
    assert "Simulated" in str(tried)
