"""Compiled templates are kept in the data folder, and nothing that happens to them there breaks a page."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from retinue.portal.template_cache import TemplateCache


class CompilesNothing(Environment):
    """An environment whose templates must come from the cache."""

    def _compile(self, source: str, filename: str) -> None:  # type: ignore[override]
        raise AssertionError(f"{filename} was compiled.")


def render(folder: Path, kind: type[Environment] = Environment) -> str:
    """Render a template as a process does that has just started."""
    environment = kind(loader=DictLoader({"page": "Hello {{ name }}"}), bytecode_cache=TemplateCache(folder))
    return environment.get_template("page").render(name="Ada")


def test_the_next_process_does_not_compile(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "templates"
    with pytest.raises(AssertionError, match="was compiled"):
        render(folder, CompilesNothing)
    render(folder)
    assert render(folder, CompilesNothing) == "Hello Ada"
    assert folder.stat().st_mode & 0o077 == 0


def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    render(tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    for damaged in (b"", whole[:-5], whole[: len(whole) // 4], whole[:30] + b"\xff" * 40):
        kept.write_bytes(damaged)
        assert render(tmp_path) == "Hello Ada"
        assert kept.read_bytes() == whole


def test_a_page_needs_no_room_in_the_folder(tmp_path: Path) -> None:
    blocked = tmp_path / "templates"
    blocked.write_text("a file where the folder should be")
    assert render(blocked) == "Hello Ada"
