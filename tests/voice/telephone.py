"""A scripted telephone for tests, and a server that can call it."""

import json
import math
import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import requests

from retinue.core.children.processes import REAL_TIME
from tests.support.client import Client, data
from tests.support.events import stored_events
from tests.support.server import Server
from tests.support.waiting import eventually

_HERE = Path(__file__).parent


class Telephone:
    """A process that runs `phone.py`. The orders are its methods: see there.

    `config` and `params` are lines of the SIP stack's configuration, and parameters of its account.
    """

    def __init__(
        self,
        python: Path,
        port: int,
        codecs: str = "pcmu",
        config: str = "",
        transport: str = "udp",
        params: Sequence[str] = (),
    ) -> None:
        self.uri = f"sip:bob@127.0.0.1:{port}"
        source = json.dumps([str(_HERE.parents[1] / "src")])
        command = [str(python), "-I", str(_HERE / "phone.py"), source, str(port), codecs, config]
        command += [transport, *params]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        prefer(self.process.pid)
        assert self.process.stdout
        assert json.loads(self.process.stdout.readline()) == "ready"

    def tell(self, order: str, *values: Any) -> Any:
        """Have an order carried out; returns its answer."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{json.dumps([order, *values])}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(30) == 0


def prefer(pid: int) -> None:
    """Let a process that leads a session take precedence, where that is permitted.

    It stands for a machine of its own: a person's telephone, or a provider.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, REAL_TIME)
        Path(f"/proc/{pid}/autogroup").write_text(str(REAL_TIME))


def start_call(client: Client, to: str, **body: Any) -> int:
    """Start a call; returns its id."""
    return int(data(client.post("/voice/calls", {"to": to, **body}), 201)["id"])


def call_of(client: Client, call_id: int) -> dict[str, Any]:
    """The call as it is."""
    call: dict[str, Any] = data(client.get(f"/voice/calls/{call_id}"))
    return call


def reach(client: Client, call_id: int, *states: str) -> dict[str, Any]:
    """The call once it is in one of these states."""

    def look() -> dict[str, Any] | None:
        call = call_of(client, call_id)
        return call if call["status"] in states else None

    return eventually(look, within=100.0, every=0.05)


def finish(client: Client, call_id: int) -> dict[str, Any]:
    """The call once it has ended."""
    return reach(client, call_id, "completed", "busy", "no_answer", "failed", "cancelled")


def turns_of(client: Client, call_id: int) -> list[dict[str, Any]]:
    """What was said on a call."""
    turns: list[dict[str, Any]] = client.get(f"/voice/calls/{call_id}/turns?per_page=100").json()["data"]
    return turns


def check_accounts(server: Server, client: Client, call: dict[str, Any], seconds: float) -> None:
    """A call that one side ended has its length, its events, and its usage: the first of its user.

    The length is the telephone's within 1 s, of which a begun second counts whole.
    """
    assert (call["status"], call["participants"], call["error"]) == ("completed", 2, None)
    length, exact = call["duration_seconds"], seconds_between(call["answered_at"], call["ended_at"])
    assert abs(exact - seconds) <= 1
    assert length == math.ceil(exact)
    started, ended = (
        [event for event in stored_events(server, f"voice.call.{name}") if event["call_id"] == call["id"]]
        for name in ("started", "ended")
    )
    assert [(event["to"], event["direction"]) for event in started] == [(call["to"], "outbound")]
    assert [(event["status"], event["duration_seconds"]) for event in ended] == [("completed", length)]
    (used,) = data(client.get("/usage/history?resource_type=voice"))
    assert (used["count"], used["errors"], used["seconds"]) == (1, 0, length)
    assert data(client.get("/usage"))["voice_minutes"]["used"] == -(-length // 60)


def seconds_between(began: str, ended: str) -> float:
    """The time between two moments of a record."""
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def words(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return set(re.findall(r"[a-z]+", text.lower()))


def voice_is_ready(server: Server) -> None:
    """Wait until the server can make calls."""
    eventually(lambda: requests.get(f"{server.url}/readyz", timeout=10).json()["voice"] == "ready", within=120.0)


def worker_pid(server: Server) -> int:
    """The process id of the media worker that was ready last."""
    return int(re.findall(r'"pid":(\d+),"sip"', server.log.read_text())[-1])


def count_held(pid: int) -> dict[str, int]:
    """How many descriptors, UDP sockets and threads a process has."""
    process = Path(f"/proc/{pid}")
    files = [str(file.readlink()) for file in (process / "fd").iterdir()]
    sockets = {file[8:-1] for file in files if file.startswith("socket:")}
    udp = sum(line.split()[9] in sockets for line in Path("/proc/net/udp").read_text().splitlines()[1:])
    return {"descriptors": len(files), "UDP sockets": udp, "threads": len(list((process / "task").iterdir()))}
