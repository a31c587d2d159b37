"""The compiled catalogue: freshness, look-up, filters."""

import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import orjson
import pytest

from retinue.core.errors import NotFound, ValidationFailed
from retinue.tools.authoring.libraries import PACKAGE
from retinue.tools.authoring.tool import CATEGORIES, Tool
from retinue.tools.catalogue import catalogue as catalogue_module
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.catalogue.catalogue_file import write
from retinue.tools.catalogue.fingerprint import fingerprint, stat_hash
from tests.tools.made_up import make_tool

SLICE = [
    make_tool("alpha_make_one", category="text"),
    make_tool("beta_make_two", category="text", tier="pro"),
    make_tool("gamma_make_three", category="math", use_when=["How is a gamma made?"]),
]


def of(*tools: object) -> Catalogue:
    return Catalogue([orjson.dumps(tool) for tool in tools])


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package folder of the test's own, with a compiler that is never run."""
    monkeypatch.setattr(catalogue_module, "PACKAGE", tmp_path / "package")
    (tmp_path / "package").mkdir()
    return tmp_path / "package"


def compiled_by(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Record where the catalogue is compiled to, and put the real one there."""
    places: list[Path] = []

    def compile_into(path: Path, python: str, confined: bool) -> None:
        places.append(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / "catalogue.json", path)

    monkeypatch.setattr(catalogue_module, "_compile", compile_into)
    return places


def test_a_fresh_catalogue_is_not_compiled_again(
    catalogue: Catalogue, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = compiled_by(monkeypatch)
    assert len(Catalogue.load()) == len(catalogue)
    assert len(Catalogue.load()) == len(catalogue)
    assert places == [library / "catalogue.json"]


def test_sources_that_only_look_changed_are_not_compiled_again(
    catalogue: Catalogue, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = compiled_by(monkeypatch)
    whole = (PACKAGE / "catalogue.json").read_text()
    (library / "catalogue.json").write_text(whole.replace(stat_hash(), "0" * 32, 1))
    assert len(Catalogue.load()) == len(catalogue)
    assert places == []


@pytest.mark.parametrize("damage", ["", "{}", "not json\nat all\n", "half", "all but the end"])
def test_a_stale_or_damaged_catalogue_is_compiled_again(
    damage: str, catalogue: Catalogue, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = compiled_by(monkeypatch)
    whole = (PACKAGE / "catalogue.json").read_text()
    kept = {"half": whole[: len(whole) // 2], "all but the end": whole[:-1]}
    (library / "catalogue.json").write_text(kept.get(damage, damage))
    assert len(Catalogue.load()) == len(catalogue)
    assert len(places) == 1


def test_a_catalogue_that_takes_the_place_of_one_in_use_changes_nothing_there(
    catalogue: Catalogue, library: Path
) -> None:
    shutil.copy(PACKAGE / "catalogue.json", library)
    used = Catalogue.load()
    write(library / "catalogue.json", b"{}")
    assert [*used] == [*catalogue]


def test_the_cache_folder_serves_where_the_package_is_read_only(
    catalogue: Catalogue, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = compiled_by(monkeypatch)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    cache = tmp_path / "cache"
    assert len(Catalogue.load(cache)) == len(Catalogue.load(cache)) == len(catalogue)
    assert places == [cache / "catalogue.json"]


def test_the_compiled_file_is_one_json_document_with_the_fingerprint(catalogue: Catalogue) -> None:
    document = orjson.loads((PACKAGE / "catalogue.json").read_bytes())
    assert document["fingerprint"] == fingerprint()
    assert [tool["name"] for tool in document["tools"]] == [tool.name for tool in catalogue]


def test_a_compiler_that_fails_says_why(library: Path) -> None:
    compiler = library / "python"
    compiler.write_text("#!/bin/sh\necho 'No space left on device' >&2\nexit 1\n")
    compiler.chmod(0o700)
    with pytest.raises(RuntimeError, match="does not compile: No space left on device"):
        Catalogue.load(python=str(compiler))


def test_loading_imports_no_tool(catalogue: Catalogue) -> None:
    look = """
import sys
from retinue.tools.catalogue.catalogue import Catalogue
print(len(Catalogue.load()), *(name for name in sys.modules if name.startswith("retinue_tools")))
"""
    seen = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=60)
    assert seen.stdout.split() == [str(len(catalogue))]


def test_a_tool_is_found_by_name_and_only_so(catalogue: Catalogue) -> None:
    assert catalogue.get("network_calculate_subnet").category == "web"
    assert "network_calculate_subnet" in catalogue
    with pytest.raises(NotFound):
        catalogue.get("no_such_tool")


def test_written_records_are_read_back() -> None:
    assert [asdict(tool) for tool in of(*SLICE)] == [asdict(tool) for tool in SLICE]


def names(found: tuple[int, list[Tool]]) -> tuple[int, list[str]]:
    return found[0], [tool.name for tool in found[1]]


def test_filters_and_pages() -> None:
    three = of(*reversed(SLICE))
    assert names(three.find(None, None, None, 0, 2)) == (3, ["alpha_make_one", "beta_make_two"])
    assert names(three.find(None, None, None, 2, 2)) == (3, ["gamma_make_three"])
    assert names(three.find("", "text", None, 0, 9)) == (2, ["alpha_make_one", "beta_make_two"])
    assert names(three.find("  ", "text", "pro", 0, 9)) == (1, ["beta_make_two"])
    assert names(three.find("gamma", None, None, 0, 9)) == (1, ["gamma_make_three"])
    assert names(three.find("gamma", "text", None, 0, 9)) == (0, [])
    assert names(three.find("zzzzzz", None, None, 0, 9)) == (0, [])


def test_an_exact_name_comes_first() -> None:
    tools = of(make_tool("date_add_interval"), make_tool("date_add", description="Something else entirely, at length."))
    assert tools.find("date_add", None, None, 0, 1)[1][0].name == "date_add"
    assert tools.find("DATE_ADD_INTERVAL", None, None, 0, 1)[1][0].name == "date_add_interval"


def test_all_categories_are_told_even_the_empty_ones() -> None:
    categories = of(*SLICE).categories()
    assert [slug for slug, _, _ in categories] == list(CATEGORIES)
    assert {slug: count for slug, _, count in categories if count} == {"text": 2, "math": 1}


def test_a_tool_from_elsewhere_is_checked_too(catalogue: Catalogue) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 2}}}
    assert catalogue.check(make_tool("theirs_do_it", input_schema=schema), {}) == {"n": 2}
    with pytest.raises(ValidationFailed):
        catalogue.check(make_tool("theirs_do_it", input_schema=schema), {"n": "2"})
