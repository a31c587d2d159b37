"""Parts that the tests of tools share."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.pool import ToolPool
from tests.conftest import NewServer, User
from tests.support.client import data
from tests.tools.api import Api
from tests.tools.made_up import HERE

WITHOUT_LANDLOCK = """#!{python}
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (6, 0, 0, 0x00050000 | 38), (6, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, struct.pack("@HP", len(steps), ctypes.addressof(code)), 0, 0) == 0
os.execv("{python}", ["{python}", *sys.argv[1:]])
"""
"""A Python to which the kernel has no landlock_create_ruleset (444)."""


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The project's own catalogue, compiled if need be."""
    return Catalogue.load()


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[ToolPool]:
    """A pool of two workers that can import the nasty tools."""
    tools = ToolPool(2, paths=[str(HERE)], scratch=tmp_path / "scratch")
    await tools.start()
    yield tools
    await tools.stop()


@pytest.fixture(scope="module")
def api(new_server: NewServer) -> Iterator[Api]:
    """Executes tools for a fresh account with one agent, without rate limits and with leave to reach loopback."""
    server = new_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8", RETINUE_RATE_LIMITS="off")
    server.start()
    user = User(server, server.new_user("enterprise"))
    client = user.client()
    fleet = data(client.post("/fleets", {"name": "Helpers"}), 201)["id"]
    agent = {"agent_name": "Helper", "agent_role": "generalist", "fleet_id": fleet}
    assert data(client.post("/agents", agent), 201)["id"] == fleet == 1
    yield Api(client)
    user.close()
    server.close()


@pytest.fixture
def old_kernel(tmp_path: Path) -> str:
    """An interpreter that finds no Landlock."""
    path = tmp_path / "python"
    path.write_text(WITHOUT_LANDLOCK.format(python=sys.executable))
    path.chmod(0o755)
    return str(path)
