"""A server that stalls ends itself, and the next one continues its work."""

import subprocess
import sys

import pytest

from tests.conftest import NewServer

STUCK = """
import asyncio, ctypes, uvloop
from retinue.cli.serve import first_steps
from retinue.core.children.processes import set_close_on_exec
from retinue.server import serve
from retinue.settings import Settings

def announce(url, key):
    print("announced", flush=True)
    asyncio.get_running_loop().call_later(0.1, ctypes.PyDLL(None).pause)  # keeps the interpreter's lock

with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(serve(Settings(), first_steps, announce))
"""


@pytest.mark.slow
def test_a_server_that_stands_still_ends_and_its_successor_serves(new_server: NewServer) -> None:
    server = new_server("sqlite", RETINUE_STALL_LIMIT="10")
    environment = server._environment({})
    stuck = subprocess.run(
        [sys.executable, "-c", STUCK], env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    assert stuck.returncode == 1
    assert "announced\n" in stuck.stdout
    assert "Timeout (0:00:10)!" in stuck.stderr
    assert "most recent call first" in stuck.stderr
    server.start()
    server.close()
