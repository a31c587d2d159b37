"""Builds the wheels, and an environment that holds them and the libraries that they declare, without any index.

`python -m tests.packaging.wheels FOLDER` builds the wheels there. In the environment, the libraries are links to those
of the environment that runs the tests, so nothing is downloaded, and the versions are those of `requirements/`.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from uv import find_uv_bin

from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.environment import ToolEnvironment

ROOT = Path(__file__).parents[2]
PROJECTS = {
    "retinue": ROOT,
    "retinue_tools": ROOT / "packages/retinue-tools",
    "retinue_assistant": ROOT / "packages/retinue-assistant",
    "retinue_client": ROOT / "clients/python",
}
"""The folder of each package's project."""


def build(folder: Path) -> dict[str, Path]:
    """Compile the catalogue, which the first start does else, and build a wheel of each package."""
    Catalogue.load()
    for project in PROJECTS.values():
        _uv("build", "--wheel", "--offline", "--no-build-logs", "--out-dir", str(folder), str(project))
    return {package: next(folder.glob(f"{package}-*.whl")) for package in PROJECTS}


def create_environment(folder: Path, wheels: Sequence[Path]) -> Path:
    """Create an environment with the wheels and the libraries that they require. Returns its `retinue` command."""
    _uv("venv", "--offline", "--no-managed-python", "--python", sys.executable, str(folder))
    python = folder / "bin/python"
    _uv("pip", "install", "--offline", "--no-deps", "--python", str(python), *map(str, wheels))
    (site,) = folder.glob("lib/python*/site-packages")
    own = {canonicalize_name(package) for package in PROJECTS}
    for installed in _closure(Requirement(f"retinue @ {wheels[0].as_uri()}"), site):
        if canonicalize_name(installed.name) not in own:
            _link(installed, site)
    tools = ToolEnvironment.beside(folder).folder
    (folder / tools.name).symlink_to(tools)
    return folder / "bin/retinue"


def _uv(*arguments: str) -> None:
    subprocess.run([find_uv_bin(), *arguments, "--quiet"], check=True)


def _closure(wanted: Requirement, site: Path) -> Iterator[Distribution]:
    """The distributions that an installation of `wanted` needs, itself first."""
    waiting, seen = [wanted], set[tuple[str, str]]()
    while waiting:
        one = waiting.pop()
        for extra in ("", *one.extras):
            if (place := (canonicalize_name(one.name), extra)) in seen:
                continue
            seen.add(place)
            found = _find(one.name, site)
            if not extra:
                yield found
            required = map(Requirement, found.requires or ())
            waiting += [each for each in required if each.marker is None or each.marker.evaluate({"extra": extra})]


def _find(name: str, site: Path) -> Distribution:
    """The distribution in the new environment, else that of this one."""
    return next(iter(Distribution.discover(name=name, path=[str(site)])), None) or distribution(name)


def _link(installed: Distribution, site: Path) -> None:
    """Link the files and folders that the distribution has in `site-packages`, and its commands."""
    here = Path(str(installed.locate_file("")))
    for file in installed.files or ():
        if file.parts[0] != "..":
            source, target = here / file.parts[0], site / file.parts[0]
        elif file.parts[-2] == "bin":
            source, target = here / file, site.parents[2] / "bin" / file.name
        else:
            continue
        if not os.path.lexists(target):
            target.symlink_to(source.resolve())


if __name__ == "__main__":
    for wheel in build(Path(sys.argv[1])).values():
        sys.stdout.write(f"{wheel}\n")
