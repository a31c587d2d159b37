"""Files of the pages: what is needed is there, is small, and keeps its licence."""

import re
from importlib.resources import files
from pathlib import PurePath

import pytest

from retinue.portal.static_files import address, contents
from retinue.portal.templating import environment
from tests.portal.reader import Reader

pytestmark = pytest.mark.either_database

_NAMED = re.compile(r"static\(['\"]([^'\"]+)['\"]\)")
_IMPORTED = re.compile(r"from \"\./([a-z_-]+\.js)\"|url\(([a-z0-9./-]+)\)")
_ICON = re.compile(r"icon\(['\"]([a-z-]+)['\"]")


def sources() -> dict[str, str]:
    """The templates by name."""
    loader = environment().loader
    assert loader is not None
    return {name: loader.get_source(environment(), name)[0] for name in loader.list_templates()}


def test_every_file_that_a_page_names_is_there() -> None:
    named = {name for text in sources().values() for name in _NAMED.findall(text)}
    own = [body for name, body in contents().items() if name.endswith((".js", ".css")) and "vendor" not in name]
    text = b"".join(own).decode()
    imported = {part for match in _IMPORTED.findall(text) for part in match if part}
    assert named | imported
    assert (named | imported) - contents().keys() == set()


def test_every_icon_is_there() -> None:
    there = set(re.findall(r'<symbol id="([a-z0-9-]+)"', contents()["icons.svg"].decode()))
    used = {name for text in sources().values() for name in _ICON.findall(text)}
    assert used
    assert used - there == set()


def test_third_party_files_have_their_licence_beside_them() -> None:
    vendored = {PurePath(name).name for name in contents() if name.startswith("vendor/")}
    licences = {name.removesuffix(".LICENSE") for name in vendored if name.endswith(".LICENSE")}
    works = {name for name in vendored if not name.endswith(".LICENSE")}
    without = {name for name in works if re.split(r"-\d|\.", name)[0] not in licences}
    assert without == set()
    assert "lucide" in licences


def test_files_are_kept_for_ever_under_their_version(passer_by: Reader) -> None:
    for name in contents():
        answer = passer_by.get(address(name))
        assert answer.status_code == 200
        assert answer.content == contents()[name]
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers.get("Content-Encoding") == (None if name.endswith(".woff2") else "gzip"), name
    assert passer_by.get("/static/old/base.css").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["nothing.css", "../pages.py", "..%2fpages.py", "", "vendor"])
def test_nothing_else_is_served(passer_by: Reader, path: str) -> None:
    assert passer_by.get(f"/static/x/{path}").status_code == 404


def test_templates_hold_no_address_of_another_server() -> None:
    text = "\n".join(sources().values())
    assert not re.search(r"(src|href|action)=\"(https?:)?//", text)
    assert files("retinue.portal").joinpath("templates").is_dir()
