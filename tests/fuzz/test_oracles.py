"""The oracles of the fuzzer notice what they are for."""

import asyncio
import time
from unittest.mock import patch

import pytest
import uvloop
from structlog.testing import capture_logs

from tests.conftest import ONE_DATABASE, StartServer
from tests.fuzz.fuzzer import Fuzzer, problem_of
from tests.fuzz.wire import Answer, Connection, Request
from tests.support.loop_cpu import EVENT, LIMIT, log_long_iterations
from tests.support.server import Server
from tests.support.waiting import eventually

GET = Request("a", b"GET", b"/api/v1/agents")
ERROR = b'{"error":{"code":"%s","message":"Something went wrong.","status":%d}}'


def test_a_busy_loop_of_a_server_is_logged(start_server: StartServer) -> None:
    server = start_server(**{LIMIT: "0.0000001"})  # So every iteration is over it.
    connection = Connection(server.url)
    connection.send(GET)
    connection.close()
    eventually(lambda: f'"{EVENT}"' in server.log.read_text(), within=20)


def test_a_request_is_sent_again_to_see_whether_it_stalls(start_server: StartServer) -> None:
    server = start_server(**{LIMIT: "0.0000001"})
    fuzzer = Fuzzer(server, seed=1)
    eventually(lambda: fuzzer._stalls(GET))
    server.restart(**{LIMIT: "1000"})
    fuzzer = Fuzzer(server, seed=1)
    assert not fuzzer._stalls(GET)


@ONE_DATABASE
def test_a_stall_is_a_fault_if_it_recurs_or_is_long(shared_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    fuzzer = Fuzzer(shared_server, seed=1)
    for cpu_s, again, faults in (
        (0.11, [True, True, True], 1),
        (0.11, [True, True, False], 0),
        (0.11, [False], 0),
        (1.1, [False], 1),
    ):
        fuzzer.faults.clear()
        answers = iter(again)
        monkeypatch.setattr(fuzzer, "_stalls", lambda _, answers=answers: next(answers))
        fuzzer._judge_stall(f'{{"cpu_s": {cpu_s}}}', [GET])
        assert [fault.kind for fault in fuzzer.faults] == ["stall"] * faults
        assert list(answers) == []


def test_a_busy_loop_is_measured_by_its_own_cpu_time() -> None:
    with patch.object(uvloop, "new_event_loop", uvloop.new_event_loop), capture_logs() as logs:
        log_long_iterations(0.05)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_wait_then_compute())
    (took,) = [entry["cpu_s"] for entry in logs if entry["event"] == EVENT]
    assert 0.2 <= took < 0.39  # 0.4 with the wait


async def _wait_then_compute() -> None:
    time.sleep(0.2)  # noqa: ASYNC251 - it blocks the loop, but uses no CPU time
    await asyncio.sleep(0)
    _compute(0.2)
    await asyncio.sleep(0.05)


def _compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_wrong_responses_are_problems() -> None:
    headers = {"x-request-id": "a", "content-type": "application/json"}
    assert problem_of(GET, Answer(404, headers, ERROR % (b"resource_not_found", 404))) == ""
    assert problem_of(GET, Answer(503, headers, ERROR % (b"service_unavailable", 503))) == ""
    for status, code in ((500, b"internal_error"), (502, b"a"), (404, b"a"), (429, b"rate_limit_exceeded")):
        assert problem_of(GET, Answer(status, headers, ERROR % (code, status)))
    assert problem_of(GET, Answer())
    assert problem_of(GET, Answer(400, headers, b'{"detail": "x"}'))
    assert problem_of(GET, Answer(200, {}))


def test_errors_for_other_clients_have_the_shape_of_their_protocol() -> None:
    headers = {"x-request-id": "a", "content-type": "application/json"}
    openai = b'{"error":{"message":"Something went wrong.","type":"a","param":null,"code":null}}'
    anthropic = b'{"type":"error","error":{"type":"a","message":"Something went wrong."}}'
    ours = ERROR % (b"validation_error", 400)
    for path, right in ((b"/v1", openai), (b"/v1/models?a=b", openai), (b"/v1/messages", anthropic)):
        for body in (openai, anthropic, ours, right.replace(b"Something went wrong.", b"")):
            problem = problem_of(Request("a", b"GET", path), Answer(400, headers, body))
            assert bool(problem) == (body != right)
