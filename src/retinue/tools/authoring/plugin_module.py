"""A module by another author, and its import from source text. This module imports only the standard library."""

import linecache
import sys
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True, slots=True)
class PluginModule:
    """A module with tools. `source` is the text of a file in `tools.d`; packages are imported by their name."""

    name: str
    origin: str
    """The file, or the package with its version, for messages."""
    source: str = ""


def import_source(name: str, source: str) -> ModuleType:
    """Execute a module's source under a name and register it in `sys.modules`. Errors of the source propagate."""
    module = ModuleType(name)
    module.__file__ = f"<{name}>"
    # Tracebacks and `inspect` read the lines from here.
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(keepends=True), module.__file__)
    sys.modules[name] = module
    try:
        exec(compile(source, module.__file__, "exec"), module.__dict__)  # noqa: S102 - the operator's own tools
    except BaseException:
        del sys.modules[name]
        raise
    return module
