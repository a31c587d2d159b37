"""Import a module from its source text. This module imports only the standard library."""

import linecache
import sys
from types import ModuleType


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
