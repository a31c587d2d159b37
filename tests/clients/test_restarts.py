"""Programs that wait for a run go on when the server stops and starts again."""

import json
import os
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retinue_client import APIConnectionError, APITimeoutError, AsyncRetinue, Retinue, types
from tests.clients.failing import HANG_UP, answer, running_failing_server
from tests.conftest import StartServer
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

LONG = "[[pace:0.02]][[words:150]]"
REPLY = " ".join(f"word{number}" for number in range(1, 151))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
SILENT = HEAD + b"Content-Length: 999\r\n\r\n: open\n\n"
ENDED = HEAD + b"Connection: close\r\n\r\ndata: [DONE]\n\n"
COMPLETED = answer(200, json.dumps({"data": {"id": 7, "status": "completed"}}))
AWAY = answer(503, '{"error": {"code": "service_unavailable", "message": "Starting.", "status": 503}}')
PROGRAM = Path(__file__).parent / "typescript" / "waiting.mjs"


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def watched_text(client: Retinue, run: int) -> str:
    """The text of the stream of a run."""
    return "".join(chunk.content for chunk in client.runs.watch(run) if isinstance(chunk, types.TextChunk))


def text_in_node(url: str, key: str, run: int) -> list[str]:
    """The reply of a run and the text of its stream, as the TypeScript client gets them."""
    variables = {"RETINUE_URL": url, "RETINUE_API_KEY": key, "RUN": str(run)}
    ended = subprocess.run(
        ["node", str(PROGRAM)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    texts: list[str] = json.loads(ended.stdout)
    return texts


@pytest.mark.needs_program("node")
def test_waiting_and_watching_go_on_after_a_restart(start_server: StartServer) -> None:
    server = start_server(PORT=str(free_port()))
    key = server.new_key(server.new_user(), test=True)
    # One retry would not outlast the restart.
    with Retinue(api_key=key, base_url=server.url, max_retries=1) as client, ThreadPoolExecutor() as pool:
        agent = client.agents.create(agent_name="Scribe", agent_role="generalist")
        run = client.agents.execute(agent.id, message=LONG, background=True).id
        waited = pool.submit(client.runs.wait, run)
        watched = pool.submit(watched_text, client, run)
        in_node = pool.submit(text_in_node, server.url, key, run)
        eventually(lambda: client.runs.retrieve(run).status == "running")
        server.stop()
        server.start()
        assert waited.result(120).reply == REPLY
        assert watched.result(120) == REPLY
        assert in_node.result(120) == [REPLY, REPLY]


@pytest.mark.parametrize("fault", [HANG_UP, AWAY])
def test_a_wait_outlasts_more_failures_than_other_calls(fault: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retinue_client._retries.FIRST_S", 0.0)
    with running_failing_server() as server, Retinue(api_key="ak_test_a_b", base_url=server.url) as client:
        server.answers = [*[fault] * 20, SILENT, *[fault] * 20, ENDED, *[fault] * 20, COMPLETED]
        assert client.runs.wait(7).status == "completed"
        assert server.answers == []


def test_a_wait_ends_when_the_server_has_been_silent_for_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retinue_client._retries.PATIENCE_S", 0.2)
    with (
        Retinue(api_key="ak_test_a_b", base_url="http://127.0.0.1:9") as client,
        pytest.raises(APIConnectionError, match="Cannot connect"),
    ):
        client.runs.wait(7)


@pytest.mark.either_database
async def test_waiting_and_watching_end_after_their_timeout(
    retinue: Retinue, async_retinue: AsyncRetinue, model: ModelServer
) -> None:
    model.answers.append(Answer("Once upon a time", hold=True))
    agent = retinue.agents.create(agent_name="Scribe", agent_role="generalist")
    run = retinue.agents.execute(agent.id, message="Tell a story.", tools=[], background=True).id
    with pytest.raises(APITimeoutError, match=r"within 0\.3 seconds"):
        retinue.runs.wait(run, timeout=0.3)
    with pytest.raises(APITimeoutError, match=r"within 0\.3 seconds"):
        list(retinue.runs.watch(run, timeout=0.3))
    with pytest.raises(APITimeoutError, match=r"within 0\.3 seconds"):
        await async_retinue.runs.wait(run, timeout=0.3)
    model.release()
    assert (await async_retinue.runs.wait(run, timeout=60)).status == "completed"
