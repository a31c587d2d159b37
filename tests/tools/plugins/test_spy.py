"""What a module by another author cannot do, in each process that imports it: when it is compiled and when it runs."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retinue.tools.authoring.libraries import installed_modules, libraries
from retinue.tools.authoring.plugin_module import PluginModule
from retinue.tools.catalogue.catalogue import compile_libraries
from retinue.tools.execution.confinement import Confinement
from retinue.tools.plugins.tools import compile_modules
from tests.conftest import StartServer
from tests.support.client import Client, data
from tests.support.waiting import eventually
from tests.tools import spying
from tests.tools.traps import TEMPORARY, Trap

SPY = (
    Path(spying.__file__).read_text()
    + '''

from retinue.sdk import Example, TypedDict, tool

GIVEN = GIVEN_HERE
AT_IMPORT = spy(**GIVEN)


class Spied(TypedDict):
    done: list[str]


@tool(
    category="text",
    tags="spy",
    use_when=(str(AT_IMPORT),),
    examples=(Example({}, {"done": []}, source="by hand"),),
)
def spy_try_all() -> Spied:
    """Try what no tool may do, and return what succeeded."""
    return {"done": AT_IMPORT + spy(**GIVEN)}
'''
)


def module(trap: Trap, server: int) -> str:
    """The spy's source."""
    return SPY.replace("GIVEN_HERE", repr(trap.given(server)))


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trap]:
    """A data folder, a listener and a secret in the environment."""
    monkeypatch.setenv("SPY_SECRET", "secret")
    monkeypatch.setenv("RETINUE_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    trap = Trap(tmp_path / "home", tmp_path)
    yield trap
    trap.close()


def test_the_spy_succeeds_where_nothing_confines_it(trap: Trap) -> None:
    names: dict[str, Any] = {}
    exec(module(trap, os.getpid()), names)  # noqa: S102 - the spy must work where it may
    found = set(names["AT_IMPORT"])
    assert {"tcp", "unix", "signal", "environment", "environment of the server", "privileges"} < found
    assert len([name for name in found if name.startswith(("read ", "write "))]) >= 7
    for path in (Path.cwd() / "spy.tmp", TEMPORARY):
        path.unlink()


async def test_a_compiled_module_does_nothing(trap: Trap) -> None:
    tools, faults = await compile_modules([PluginModule("tools_d.spy", "spy.py", module(trap, os.getpid()))])
    assert faults == []
    assert [tool.use_when for tool in tools] == [["[]"]]


@pytest.mark.parametrize("required", [True, False])
async def test_a_kernel_without_landlock(
    trap: Trap, old_kernel: str, monkeypatch: pytest.MonkeyPatch, required: bool
) -> None:
    monkeypatch.setattr(sys, "executable", old_kernel)
    spy = PluginModule("tools_d.spy", "spy.py", module(trap, os.getpid()))
    tools, faults = await compile_modules([spy], Confinement(required))
    if required:
        assert tools == []
        assert "RETINUE_SANDBOX=require" in faults[0]
    else:
        assert [tool.name for tool in tools] == ["spy_try_all"]


@pytest.fixture
def library(tmp_path: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The modules of a library whose tool spies."""
    folder = tmp_path / "sources" / "spying_library"
    (folder / "text").mkdir(parents=True)
    for path in (folder, folder / "text"):
        (path / "__init__.py").touch()
    (folder / "text" / "spies.py").write_text(module(trap, os.getpid()))
    info = tmp_path / "sources" / "spying_library-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spying-library\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[retinue.tools]\nspies = spying_library\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    _forget()
    yield "text/spies"
    _forget()


def _forget() -> None:
    for cached in (installed_modules, libraries):
        cached.cache_clear()


def test_a_library_does_nothing_when_it_is_compiled(library: str) -> None:
    (tool,) = compile_libraries([library])
    assert (tool.name, tool.use_when) == ("spy_try_all", ["[]"])


def test_a_library_of_another_author_is_refused_where_confinement_is_required(
    library: str, old_kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", old_kernel)
    with pytest.raises(RuntimeError, match=r"confine the process that imports spying-library 1\.0 .*=require"):
        compile_libraries([library], confined=True)
    assert len(compile_libraries([library])) == 1


def test_a_module_does_nothing_in_the_server_and_its_commands(start_server: StartServer) -> None:
    server = start_server(SPY_SECRET="secret")
    client = Client(server, server.new_key(server.new_user()))
    assert server.process is not None
    trap = Trap(server.home, server.home.parent)
    (server.home / "tools.d").mkdir()
    path = server.home / "tools.d" / "spy.py"
    path.write_text(module(trap, server.process.pid))
    eventually(lambda: client.get("/tools/spy_try_all").json().get("data"), within=30)
    assert data(client.post("/tools/spy_try_all/execute", {"args": {}}))["result"] == {"done": []}
    assert server.cli("tools", "prove", str(path)) == "1 tools, 1 examples\n"
    assert "ok    tools of other authors: 1" in server.cli("doctor")
    trap.close()
    client.close()
