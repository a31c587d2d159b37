"""Build the catalogue: `python -m retinue.tools.build_catalogue FILE` imports all tools and writes one JSON file."""

import importlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from retinue.tools.aliases import entries
from retinue.tools.base import Tool
from retinue.tools.catalogue_file import Compiled
from retinue.tools.catalogue_fingerprint import fingerprint, glance
from retinue.tools.declare import declarations
from retinue.tools.import_stubs import absent_libraries
from retinue.tools.libraries import libraries
from retinue.tools.schema_from_function import DeclarationError


def compiled_tools(modules: Iterable[str] = ("*",)) -> list[Tool]:
    """The tools of the libraries, or of modules such as `text/lists` or `text`, by name.

    Raises `DeclarationError` for the first tool that breaks a rule.
    """
    patterns = [module if "/" in module else f"{module}/*" for module in modules]
    with absent_libraries():
        for library in libraries():
            for path in sorted({path for pattern in patterns for path in library.folder.glob(f"{pattern}.py")}):
                if path.stem != "__init__":
                    importlib.import_module(f"{library.module}.{path.parent.name}.{path.stem}")
    tools = [tool for declaration in declarations for tool in entries(declaration)]
    for field in ("name", "description"):
        twice = [value for value, count in Counter(getattr(tool, field) for tool in tools).items() if count > 1]
        if twice:
            raise DeclarationError(f"The {field} must be unique to one tool: {twice[0]}")
    return sorted(tools, key=lambda tool: tool.name)


def write(path: Path, content: bytes) -> None:
    """Replace a file atomically."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def main() -> None:
    """Compile into the file named on the command line. It computes the fingerprint first, so that later changes to
    the sources make the file stale.
    """
    seen, read = glance(), fingerprint()
    try:
        write(Path(sys.argv[1]), Compiled.of(compiled_tools(), fingerprint=read, glance=seen).document())
    except DeclarationError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
