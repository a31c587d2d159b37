"""Find installed packages with tools by their entry points, without importing any.

An entry point of the group `retinue.tools` names a module with tools, or a library: a package with a sub-package for
each category of its tools. Libraries are compiled into the catalogue, again whenever they change. `retinue-tools`,
which ships with the server, is one. In a library, `schoolbook.txt` names a tool on each line, and `superseded.tsv` a
tool and its replacement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from retinue.tools.authoring.tool import CATEGORIES

PACKAGE = Path(__file__).parents[1]
"""The folder of `retinue.tools`, with the list of the libraries that tools need."""

GROUP = "retinue.tools"
"""The entry point group: `weather = "my_package.tools"` names a module that declares tools."""

SHIPPED = "retinue_tools"
"""The library that ships with the server."""

SCHOOLBOOK = "schoolbook"
"""The tag of tools for calculations that large models do themselves or write as code."""


@dataclass(frozen=True, slots=True)
class ToolModule:
    """The module that an entry point names. `origin` is the package with its version, for messages."""

    module: str
    origin: str
    root: Path | None
    """The folder to import it from; None if it cannot be found."""

    @property
    def folder(self) -> Path:
        """The folder of the package."""
        return Path(self.root or "", *self.module.split("."))

    def lines(self, name: str) -> list[str]:
        """Return the lines of a text file of the library; empty if it has no such file."""
        path = self.folder / name
        return path.read_text().splitlines() if path.is_file() else []

    @property
    def is_library(self) -> bool:
        """True for a package with a sub-package for a category."""
        return self.root is not None and any(
            (self.folder / category / "__init__.py").is_file() for category in CATEGORIES
        )


@cache
def installed_modules() -> tuple[ToolModule, ...]:
    """Return the modules that entry points name. Packages installed later are found after a restart."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.value)
    return tuple(
        ToolModule(
            point.value, f"{point.dist.name} {point.dist.version}" if point.dist else point.name, _root(point.value)
        )
        for point in points
    )


@cache
def libraries() -> tuple[ToolModule, ...]:
    """Return the installed libraries."""
    return tuple(module for module in installed_modules() if module.is_library)


def import_paths() -> list[str]:
    """Return the folders from which other processes import the installed packages."""
    return sorted({str(module.root) for module in installed_modules() if module.root})


def _root(module: str) -> Path | None:
    """Return the folder that contains the top-level package. To look up the whole name would import that package."""
    spec = find_spec(module.partition(".")[0])
    if spec and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).parent
    return Path(spec.origin).parent if spec and spec.origin else None


@cache
def schoolbook() -> frozenset[str]:
    """Return the tools with that tag."""
    return frozenset(name for library in libraries() for name in library.lines("schoolbook.txt"))


@cache
def supersede() -> Mapping[str, str]:
    """Tools that can be called by name but are not listed or found, each with its replacement."""
    return dict(line.split("\t") for library in libraries() for line in library.lines("superseded.tsv"))
