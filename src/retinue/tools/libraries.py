"""Packages with tools that are installed beside the server. They are found by their entry points; none is imported.

An entry point of the group `retinue.tools` names a module with tools, or a library: a package with a sub-package for
each category that it has tools of. Libraries are compiled into the catalogue once, and again when they change. The
package that ships, `retinue-tools`, is one.
"""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from retinue.tools.base import CATEGORIES

GROUP = "retinue.tools"
"""The entry point group: `weather = "my_package.tools"` names what declares tools."""


@dataclass(frozen=True, slots=True)
class Named:
    """What an entry point names. `origin` is the package with its version, for messages."""

    module: str
    origin: str
    root: Path | None
    """The folder that it is imported from; None where it cannot be found."""

    @property
    def folder(self) -> Path:
        """The folder of the package."""
        return Path(self.root or "", *self.module.split("."))

    def lines(self, name: str) -> list[str]:
        """The lines of a list of the library, none where it has no such file."""
        path = self.folder / name
        return path.read_text().splitlines() if path.is_file() else []

    @property
    def is_library(self) -> bool:
        """Whether it is a package with a sub-package for a category."""
        return self.root is not None and any(
            (self.folder / category / "__init__.py").is_file() for category in CATEGORIES
        )


@cache
def install() -> tuple[Named, ...]:
    """What the entry points name, by module. Packages that are installed later are found after a restart."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.value)
    return tuple(
        Named(point.value, f"{point.dist.name} {point.dist.version}" if point.dist else point.name, _root(point.value))
        for point in points
    )


@cache
def libraries() -> tuple[Named, ...]:
    """The installed libraries."""
    return tuple(named for named in install() if named.is_library)


def import_paths() -> list[str]:
    """The folders that other processes import the installed packages from."""
    return sorted({str(named.root) for named in install() if named.root})


def _root(module: str) -> Path | None:
    """Where the first part of a module's name is imported from: to look for the whole name would import that part."""
    spec = find_spec(module.partition(".")[0])
    if spec and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    return Path(spec.origin).parent if spec and spec.origin else None
