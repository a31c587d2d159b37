"""Libraries of tools: packages of any author that become part of the catalogue."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from retinue.tools.authoring.declare import declarations
from retinue.tools.authoring.example_requests import missing, precedents, talk
from retinue.tools.authoring.libraries import import_paths, installed_modules, libraries, schoolbook, supersede
from retinue.tools.catalogue.build_catalogue import compiled_tools
from retinue.tools.catalogue.fingerprint import fingerprint, stat_hash
from retinue.tools.execution.pool import ToolPool
from retinue.tools.plugins.discovery import package_modules

TOOLS = '''"""Salutes."""
from retinue.sdk import About, Annotated, Example, TypedDict, tool
class Salute(TypedDict):
    salute: Annotated[str, About("The salute")]
@tool(tags="salute", use_when=("Salute Ada",),
      examples=(Example({"name": "Ada"}, {"salute": "Ahoy, Ada!"}, "by hand"),))
def salute_say_ahoy(name: Annotated[str, About("Who is saluted", "Ada", min_length=1, max_length=100)]) -> Salute:
    """Salute somebody by name, as sailors do."""
    return {"salute": f"Ahoy, {name}!"}
'''


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library in development mode: its metadata lie in one folder and its sources in another."""
    folder = tmp_path / "sources" / "salute_library"
    (folder / "text").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "text" / "__init__.py").touch()
    (folder / "text" / "salutes.py").write_text(TOOLS)
    info = tmp_path / "site" / "salute_library-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: salute-library\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[retinue.tools]\nsalutes = salute_library\n")
    for path in (info.parent, folder.parent):
        monkeypatch.syspath_prepend(str(path))
    _forget()
    begun = len(declarations)
    yield folder
    del declarations[begun:]
    for name in [name for name in sys.modules if name.startswith("salute_library")]:
        del sys.modules[name]
    _forget()


def _forget() -> None:
    for cached in (installed_modules, libraries, precedents, schoolbook, supersede):
        cached.cache_clear()


def test_the_catalogue_that_ships_is_found_by_its_entry_point() -> None:
    (shipped,) = (named for named in libraries() if named.module == "retinue_tools")
    assert shipped.origin.startswith("retinue-tools ")
    assert shipped.folder.name == "retinue_tools"
    assert package_modules() == []


async def test_a_library_is_compiled_and_run(library: Path) -> None:
    assert [named.origin for named in libraries()][1:] == ["salute-library 2.0"]
    assert str(library.parent) in import_paths()
    (tool,) = (tool for tool in compiled_tools(["text/salutes"]) if tool.name == "salute_say_ahoy")
    assert (tool.category, tool.module) == ("text", "salute_library.text.salutes")
    pool = ToolPool(1)
    await pool.start()
    try:
        assert await pool.execute(tool, {"name": "Ada"}) == {"salute": "Ahoy, Ada!"}
    finally:
        await pool.stop()


def test_the_lists_of_a_library_count(library: Path) -> None:
    others = len(talk()), len(missing())
    (library / "schoolbook.txt").write_text("salute_say_ahoy\n")
    (library / "superseded.tsv").write_text("salute_say_hello\tsalute_say_ahoy\n")
    (library / "talk.txt").write_text("Ahoy!\n")
    (library / "missing.txt").write_text("Fire the cannons\nFire at will\n\nSink the ship\n")
    (library / "text" / "precedents.tsv").write_text('salute_say_ahoy\tSalute Bob\t{"name": "Bob"}\n')
    _forget()
    assert "salute_say_ahoy" in schoolbook()
    assert supersede()["salute_say_hello"] == "salute_say_ahoy"
    assert precedents()["salute_say_ahoy"] == [("Salute Bob", '{"name": "Bob"}')]
    assert (len(talk()), len(missing())) == (others[0] + 1, others[1] + 2)


def test_a_change_of_a_library_makes_the_catalogue_stale(library: Path) -> None:
    before = fingerprint(), stat_hash()
    (library / "text" / "salutes.py").write_text(TOOLS.replace("Ahoy", "Ahoi"))
    assert fingerprint() != before[0]
    assert stat_hash() != before[1]
