"""The ranges in `pyproject.toml`, the lists in `requirements/*.in` and the pins in `requirements/*.txt` agree."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from retinue import __version__
from tests.packaging.wheels import PROJECTS, ROOT

OWN = {canonicalize_name(package) for package in PROJECTS}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def requirements(lines: list[str]) -> dict[str, Requirement]:
    """The requirements by name."""
    parsed = [Requirement(line) for line in lines]
    return {canonicalize_name(one.name): one for one in parsed}


def lines(name: str) -> list[str]:
    """The requirements in a file of `requirements/`, without hashes and comments."""
    text = (ROOT / "requirements" / name).read_text()
    return [line.partition("#")[0].rstrip(" \\") for line in text.splitlines() if re.match(r"\w", line)]


DECLARED = requirements(
    [*PROJECT["dependencies"], *(line for extra, listed in EXTRAS.items() if extra != "all" for line in listed)]
)
LISTED = requirements([*lines("base.in"), *lines("model.in")])
PINS = [Requirement(line) for line in [*lines("base.txt"), *lines("model.txt")]]


def test_the_declared_libraries_are_the_listed_ones() -> None:
    assert DECLARED.keys() - OWN == LISTED.keys()
    assert DECLARED.keys() & OWN == OWN - {"retinue"}


@pytest.mark.parametrize("name", sorted(LISTED))
def test_the_pinned_version_is_in_the_declared_range(name: str) -> None:
    pins = [str(pin.specifier).removeprefix("==") for pin in PINS if canonicalize_name(pin.name) == name]
    assert pins
    for pin in pins:
        assert pin in DECLARED[name].specifier
        assert pin in LISTED[name].specifier
    assert DECLARED[name].extras == LISTED[name].extras


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_a_range_excludes_older_versions_than_were_tested(name: str) -> None:
    assert {"==", ">="} & {one.operator for one in DECLARED[name].specifier}


def test_the_extra_all_has_every_other() -> None:
    (together,) = map(Requirement, EXTRAS["all"])
    assert together.name == "retinue"
    assert together.extras == EXTRAS.keys() - {"all"}


@pytest.mark.parametrize("folder", PROJECTS.values(), ids=list(PROJECTS))
def test_the_packages_have_one_version(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__
    if project["name"] != "retinue":
        assert Version(__version__) in DECLARED[project["name"]].specifier
