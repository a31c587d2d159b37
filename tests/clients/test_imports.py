"""Commands that need no server code do not import it: its libraries take most of a second."""

import os
import subprocess
import sys

import pytest

from retinue import __version__
from tests.clients.test_commands import one_database
from tests.support.client import Client
from tests.support.server import Server

_SERVER_ONLY = {"sqlalchemy", "fastapi", "numpy", "retinue.server", "retinue.platform"}
_RUN = """
import sys
from retinue.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def run(*words: str, **variables: str) -> tuple[str, set[str]]:
    """Run a command. Returns its output and the names of the modules that it has imported."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("RETINUE_")} | variables
    command = [sys.executable, "-c", _RUN, *words]
    ended = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return ended.stdout, set(ended.stderr.splitlines()[-1].split())


def test_the_version_is_printed_without_loading_the_server() -> None:
    output, modules = run("--version")
    assert output == f"retinue {__version__}\n"
    assert not modules & {*_SERVER_ONLY, "pydantic", "retinue_client"}


def test_the_help_lists_all_commands() -> None:
    output, modules = run("--help")
    assert all(f" {name} " in output for name in ("chat", "serve", "users", "files"))
    assert not modules & {*_SERVER_ONLY, "pydantic", "retinue_client"}


@one_database
@pytest.mark.parametrize("words", ["agents list", "runs list", "fleets list", "files list", "tools search subnet"])
def test_commands_that_call_the_api(server: Server, client: Client, words: str) -> None:
    _, modules = run(*words.split(), RETINUE_URL=server.url, RETINUE_API_KEY=client.key or "")
    assert "retinue_client" in modules
    assert not modules & _SERVER_ONLY


@one_database
@pytest.mark.parametrize("words", ["top --once", "users list"])
def test_commands_that_a_running_server_executes(server: Server, words: str) -> None:
    output, modules = run(*words.split(), RETINUE_HOME=str(server.home))
    assert output
    assert "retinue.control.client" in modules
    assert not modules & _SERVER_ONLY
