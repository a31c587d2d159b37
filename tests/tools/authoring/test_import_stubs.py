"""Stand-ins for libraries that are not installed."""

import importlib
import sys
import sysconfig
from pathlib import Path

import pytest

from retinue.tools.authoring.import_stubs import absent_libraries

MODULE = """
import no_such_library.deep.part as part
from no_such_library import Base, thing
from no_such_library.other import Error


class Own(Base):
    pass


def use(frame: part.Frame[int] | None) -> thing.Kind:
    try:
        return part.make(frame)
    except Error:
        raise
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_module_is_declared_without_its_libraries(folder: Path) -> None:
    (folder / "declared_without.py").write_text(MODULE)
    with absent_libraries():
        module = importlib.import_module("declared_without")
    assert module.use.__name__ == "use"
    assert not [name for name in sys.modules if name.startswith("no_such_library")]
    with pytest.raises(ImportError):
        importlib.import_module("no_such_library")


def test_a_library_is_not_called_while_its_module_is_imported(folder: Path) -> None:
    (folder / "calls_too_early.py").write_text("import no_such_library\nTABLE = no_such_library.make()\n")
    with absent_libraries(), pytest.raises(TypeError, match="Call it in a function"):
        importlib.import_module("calls_too_early")


def test_modules_of_the_project_are_never_made_up() -> None:
    with absent_libraries(), pytest.raises(ImportError):
        importlib.import_module("retinue.no_such_module")


def test_an_installed_package_matches_its_hash() -> None:
    with absent_libraries():
        assert importlib.import_module("orjson").dumps([1]) == b"[1]"


def test_an_installed_library_gets_no_stub_of_an_absent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "babel"]:
        monkeypatch.delitem(sys.modules, name)
    with absent_libraries():
        helpers = importlib.import_module("babel.localtime._helpers")
    assert helpers.pytz is None


def test_a_module_of_the_installed_server_gets_stubs() -> None:
    file = Path(sysconfig.get_path("purelib"), "retinue", "tools", "speech", "installed.py")
    installed = compile("import no_such_library", str(file), "exec")
    with absent_libraries():
        with pytest.raises(ImportError):
            exec(installed, {"__name__": "other_package.installed"})  # noqa: S102 - a module as pip would install it
        exec(installed, {"__name__": "retinue.tools.speech.installed"})  # noqa: S102
    assert "no_such_library" not in sys.modules
