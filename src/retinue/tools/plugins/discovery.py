"""Find third-party modules without importing any."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from retinue.tools.authoring.libraries import installed_modules
from retinue.tools.authoring.plugin_module import PluginModule

MOST_BYTES = 256 << 10
"""Maximum size of a module in `tools.d`, in bytes."""


def folder_state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and modification times of the modules in `tools.d`. While they stay the same, no file has to be
    read.
    """
    states = ((path.name, path.stat()) for path in _files(folder))
    return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)


def package_modules() -> list[PluginModule]:
    """Return the modules that installed packages name, except libraries, which are in the catalogue."""
    return [PluginModule(module.module, module.origin) for module in installed_modules() if not module.is_library]


def folder_modules(folder: Path) -> tuple[list[PluginModule], list[str]]:
    """Return the modules in `tools.d`, and one line for each unreadable file."""
    modules: list[PluginModule] = []
    faults: list[str] = []
    for path in _files(folder):
        try:
            modules.append(read_module(path))
        except (OSError, ValueError) as error:
            faults.append(f"{path.name}: {error}")
    return modules, faults


def read_module(path: Path) -> PluginModule:
    """Load a file as a module. Its name contains a hash, so that workers that loaded an older version import the new
    one.
    """
    content = path.read_bytes()
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has {len(content)} bytes, but the limit is {MOST_BYTES}.")
    digest = hashlib.blake2b(content, digest_size=4).hexdigest()
    return PluginModule(f"tools_d.{path.stem}_{digest}", path.name, content.decode())


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in sorted(folder.glob("*.py")) if path.is_file() and not path.name.startswith("_"))
